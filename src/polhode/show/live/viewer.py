"""A live 3D scene of a motion in the browser, on this machine only.

It shows and is not told: who looks can move the time, the camera and what is drawn, and
nothing else. Addresses without this run's word are refused; see `show.gate`.
"""

from __future__ import annotations

import secrets
import threading
import time
import webbrowser
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import ShowError
from polhode.show.drawing.scene import Scene, scene_of
from polhode.show.live.access_control import Gate, before_every_server
from polhode.show.live.scene_objects import Live
from polhode.show.plots.palette import LIGHT, Theme, theme_of

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

HOST = "127.0.0.1"
TICK = 1 / 30  # seconds between frames while it plays
SPEEDS = ("0.1", "0.25", "0.5", "1", "2", "5", "10")


def show(
    motion: Trajectory,
    *,
    frames: int | None = None,
    browser: bool = True,
    wait: bool = False,
    follow: Any = None,
    axes: str = "world",
    theme: str = "light",
    beside: Trajectory | None = None,
) -> Viewer:
    """Serve a motion and open it; the viewer lives until closed, or the program ends.

    browser   whether to open a window; else go to `viewer.url`
    wait      whether to stay here until Ctrl-C
    follow    a body that the observer goes along with, by name, or a
              `ph.space.LocalFrame`
    axes      of the observer that follows: "world", "body", "rtn" or "lvlh"
    theme     "light" or "dark"
    beside    another motion, shown to the right at the same times

    Keys: space plays and pauses, B and N go a step back and on, Home and End to the
    first time and the last; arrows turn the camera.
    """
    motions = [motion] if beside is None else [motion, beside]
    scenes = [scene_of(each, frames, follow=follow, axes=axes) for each in motions]
    viewer = Viewer(scenes[0], theme_of(theme), beside=scenes[1:])
    if browser:
        webbrowser.open(viewer.url)
    if wait:
        viewer.wait()
    return viewer


class Viewer:
    """A scene that is being served at `url`, others beside it, and their clock."""

    def __init__(
        self, scene: Scene, theme: Theme = LIGHT, *, beside: Sequence[Scene] = ()
    ) -> None:
        self.scene = scene
        self._times = max((scene, *beside), key=_span).times
        self.time = float(scene.times[0])
        self.speed = 1.0
        self.is_playing = False
        self._closed = threading.Event()
        token = secrets.token_urlsafe(24)
        gate = Gate(token)
        self._server = _serve(gate, theme)
        self.port = gate.port
        self.url = f"http://{HOST}:{self.port}/{token}/"
        first = Live(self._server, scene, theme)
        others = [Live(self._server, each, theme, first=first) for each in beside]
        self._lives = [first, *others]
        self._controls()
        self._keys()
        self.seek(self.time)
        threading.Thread(target=self._run, daemon=True).start()

    def seek(self, t: float) -> None:
        """Show the motion at a time, or at the nearest end."""
        self.time = _within(self._times, t)
        for live in self._lives:
            live.draw(_within(live.scene.times, self.time))
        if abs(self._slider.value - self.time) > self._slider.step / 2:
            self._slider.value = self.time

    def play(self) -> None:
        """Let the time run."""
        if self.time == self._times[-1]:
            self.seek(float(self._times[0]))
        self.is_playing = True
        self._button.label = "Pause"

    def pause(self) -> None:
        """Let the time rest."""
        self.is_playing = False
        self._button.label = "Play"

    def wait(self) -> None:
        """Stay until Ctrl-C, or until another thread closes the viewer."""
        with suppress(KeyboardInterrupt):
            while not self._closed.wait(0.5):
                pass
        self.close()

    def close(self) -> None:
        """Stop serving."""
        if not self._closed.is_set():
            self._closed.set()
            with redirect_stdout(StringIO()):
                self._server.stop()

    def __repr__(self) -> str:
        where = "closed" if self._closed.is_set() else self.url
        return f"Viewer({self.scene.name!r}, {where})"

    def _controls(self) -> None:
        gui, times = self._server.gui, self._times
        low, high = (float(x) for x in sorted((times[0], times[-1])))
        step = (high - low) / 1000 or 1e-9
        top = high if high > low else low + step
        self._slider = gui.add_slider("time [s]", low, top, step, self.time, order=0)
        self._button = gui.add_button("Play", order=1)
        speed = gui.add_dropdown("speed", SPEEDS, initial_value="1", order=2)

        @self._slider.on_update
        def _(event: Any) -> None:
            if event.client is not None:  # a person moved it, not the clock
                self.seek(self._slider.value)

        @self._button.on_click
        def _(event: Any) -> None:
            (self.pause if self.is_playing else self.play)()

        @speed.on_update
        def _(event: Any) -> None:
            self.speed = float(speed.value)

    def _keys(self) -> None:
        """Commands of the keyboard; the arrows are the camera's."""
        first, last = (float(self._times[k]) for k in (0, -1))
        step = (last - first) / 100
        acts = {
            ("Play or pause", "space"): lambda: (
                self.pause if self.is_playing else self.play
            )(),
            ("A step on", "N"): lambda: self.seek(self.time + step),
            ("A step back", "B"): lambda: self.seek(self.time - step),
            ("To the beginning", "home"): lambda: self.seek(first),
            ("To the end", "end"): lambda: self.seek(last),
        }
        for (label, key), act in acts.items():
            command = self._server.gui.add_command(label, hotkey=key)
            command.on_trigger(lambda _, act=act: act())

    def _run(self) -> None:
        """The clock."""
        last = time.monotonic()
        while not self._closed.wait(TICK):
            now = time.monotonic()
            passed, last = now - last, now
            if not self.is_playing:
                continue
            first, end = self._times[0], float(self._times[-1])
            self.seek(self.time + np.sign(end - first) * passed * self.speed)
            if self.time == end:
                self.pause()


def _span(scene: Scene) -> float:
    """How long a scene lasts, s."""
    return abs(float(scene.times[-1] - scene.times[0]))


def _within(times: np.ndarray, t: float) -> float:
    """A time, or the nearest end."""
    low, high = sorted((times[0], times[-1]))
    return float(np.clip(t, low, high))


def _serve(gate: Gate, theme: Theme) -> Any:
    """A viser server behind the gate, on a free port; nothing of it leads outside."""
    try:
        import viser
        from viser import _messages
    except ImportError as reason:
        raise ShowError(
            "the live viewer is not installed.",
            "It needs viser, an extra: motion.page(path) needs nothing more.",
            "Run: pip install 'polhode[view]'",
        ) from reason
    with before_every_server(gate), redirect_stdout(StringIO()):  # it prints a banner
        server = viser.ViserServer(host=HOST, port=0, label="Polhode", verbose=False)
    gate.port = server.get_port()
    if gate.inner is None:
        server.stop()
        raise ShowError(
            "the live viewer could not be guarded.",
            "This version of viser starts its server in another way than known here.",
            "Use motion.page(path), or viser 1.1.",
        )
    # A client may ask viser for a public address: here nobody may.
    for message in (_messages.ShareUrlRequest, _messages.ShareUrlDisconnect):
        server._websock_server.unregister_handler(message)
    is_dark = theme is not LIGHT
    server.gui.configure_theme(
        show_logo=False,
        show_share_button=False,
        dark_mode=is_dark,
    )
    server.gui.main_panel.dock_right()  # beside the scene, not over it
    return server
