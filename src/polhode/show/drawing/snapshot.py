"""One picture of a motion: its bodies at a time, or several times on one plate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import ShowError
from polhode.show.drawing import render as drawn
from polhode.show.plots.palette import INK, PAPER
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.show.drawing.render import Drawing

EXPOSURES = 5  # times on one plate, where none are asked
FAINTEST = 0.16
INCHES = (6.4, 4.8)


def picture(
    motion: Trajectory, at: Any = None, view: Any = None, *, follow: str | None = None
) -> Picture:
    """The bodies of a motion at a time, or at several, the earlier the fainter.

    at       without times, a few from the first to the last: a plate exposed again
    view     "front", "side", "top", "corner" and so on, or (azimuth, elevation) in
             degrees; without one, what sees the motion best
    follow   a body that the observer goes along with
    """
    drawing = drawn.drawing_of(motion, None, view, follow)
    times = drawing.scene.times
    wanted = np.linspace(times[0], times[-1], EXPOSURES) if at is None else at
    frames = [_nearest(motion, times, float(t)) for t in np.ravel(wanted)]
    figure, axes = plate(drawing)
    strengths = np.linspace(FAINTEST, 1.0, len(frames)) if len(frames) > 1 else [1.0]
    for frame, strength in zip(frames, strengths, strict=True):
        drawn.paint(axes, drawing, frame, float(strength))
    finish(axes, drawing, frames[-1])
    return Picture(figure)


def plate(drawing: Drawing) -> tuple[Any, Any]:
    """A figure and its one set of axes, which hold the whole motion."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=INCHES, dpi=100, facecolor=PAPER)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    return figure, emptied(axes, drawing)


def emptied(axes: Any, drawing: Drawing) -> Any:
    """The axes with nothing but the floor on them."""
    axes.clear()
    axes.axis("off")
    axes.set_aspect("equal")
    x, y = _limits(drawing)
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    drawn.ground(axes, drawing)
    return axes


def _limits(drawing: Drawing) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where the paper goes, right and up, in its own proportions."""
    bodies = drawing.scene.bodies
    reached = [drawn.extremes(body) for body in bodies]
    held = [bodies[k].origins + bodies[k].rotations @ p for k, p in drawing.arms]
    places = np.concatenate([*reached, *(body.path for body in bodies), *held])
    x, y, _ = drawing.view.project(places)
    tall = max(np.ptp(x) * INCHES[1] / INCHES[0], np.ptp(y)) * 1.14
    wide = tall * INCHES[0] / INCHES[1]
    a, b = (x.min() + x.max()) / 2, (y.min() + y.max()) / 2
    return (a - wide / 2, a + wide / 2), (b - tall / 2, b + tall / 2)


def finish(axes: Any, drawing: Drawing, frame: int) -> None:
    """Shadow, trails, springs and joints of a frame, and what and when it is."""
    drawn.shadow(axes, drawing, frame)
    drawn.trails(axes, drawing, frame)
    drawn.connections(axes, drawing, frame)
    drawn.contacts(axes, drawing, frame)
    words = f"{drawing.scene.name}   t = {drawing.scene.times[frame]:.2f} s"
    place = {"transform": axes.transAxes, "ha": "left", "va": "top"}
    axes.text(0.02, 0.975, words, color=INK, fontsize=10, **place)


def _nearest(motion: Trajectory, times: np.ndarray, t: float) -> int:
    low, high = min(times[0], times[-1]), max(times[0], times[-1])
    if not low <= t <= high:
        raise ShowError(
            f"the motion of {motion.system.name!r} has no t = {t:g} s to draw.",
            f"It runs from {times[0]:g} to {times[-1]:g} s.",
            "Ask within, or simulate further.",
        )
    return int(np.argmin(np.abs(times - t)))
