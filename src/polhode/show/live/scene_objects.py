"""The things of a live scene, and where they are at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.geometry.rotations.quaternion import from_matrix
from polhode.show.drawing.frame import Moment, moment
from polhode.show.drawing.globes import graticule
from polhode.show.drawing.glyphs import pins_of
from polhode.show.drawing.scene import Scene
from polhode.show.live.arrows import LiveArrows
from polhode.show.live.connections import LiveConnections
from polhode.show.plots.palette import LIGHT, Theme, colour, rgb

STEEL, DARK = (154, 161, 173), (44, 47, 54)
LINE = {"light": (84, 92, 106), "dark": (189, 198, 212)}
APART = 1.3  # of the larger scene: how far two stand apart
TURN = 33  # corners of a friction cone's rim
POLHODE, HERPOLHODE = (209, 73, 91), (47, 111, 159)


class Apart:
    """What viser draws with, all of it under a frame of its own that stands aside."""

    def __init__(self, api: Any, root: str, place: np.ndarray) -> None:
        self.api, self.root = api, root
        api.add_frame(root, position=place, show_axes=False)

    def __getattr__(self, word: str) -> Any:
        ask = getattr(self.api, word)
        if not word.startswith("add_"):
            return ask
        return lambda name, *given, **named: ask(f"{self.root}{name}", *given, **named)


class Live:
    """Handles of all that moves; `draw` puts them where they are at a time.

    `first` is the scene beside which this one stands: they share boxes and camera.
    """

    def __init__(
        self,
        server: Any,
        scene: Scene,
        theme: Theme = LIGHT,
        *,
        first: Live | None = None,
    ) -> None:
        self.server, self.scene, self.api = server, scene, server.scene
        self.theme = theme
        self.chosen: int | None = None
        self.time = float(scene.times[0])
        self.switches: dict[str, list[Any]] = first.switches if first else {}
        self.together: list[Live] = [*first.together, self] if first else [self]
        if first is None:
            self._look()
        else:
            first.together.append(self)
            self.api = placed_beside(server, scene, first.scene)
        if first is None or first.scene.floor is None:
            add_ground(self.api, scene)
        self.frames = [self._body(k) for k in range(len(scene.bodies))]
        self._joints()
        self.trails = self._trails()
        self.arrows = [self._arrows(kind) for kind in scene.arrows]
        self.connections = LiveConnections(self.api, scene, LINE[theme.name])
        self.cones = self._cones()
        add_globes(self.api, scene, theme)
        self.rests = [self._rolling(k) for k in range(len(scene.rollings))]
        self.numbers: dict[str, Any] = first.numbers if first else self._panel()

    # ------------------------------------------------------------------ building

    def _look(self) -> None:
        scene, camera = self.scene, self.server.initial_camera
        self.api.set_up_direction("+z")
        camera.position = scene.middle + scene.size * np.array([0.48, -1.1, 0.42])
        camera.look_at = scene.middle
        camera.near, camera.far = 1e-3 * scene.size, 1e2 * scene.size

    def _body(self, k: int) -> Any:
        body, size = self.scene.bodies[k], self.scene.size
        frame = self.api.add_frame(
            f"/body{k}", axes_length=0.12 * size, axes_radius=0.004 * size
        )
        frame.show_axes = False
        self._switch("frames", frame, is_on=False)
        for j, surface in enumerate(body.surfaces):
            mesh = self.api.add_mesh_simple(
                f"/body{k}/surface{j}",
                surface.corners.astype(np.float32),
                surface.triangles.astype(np.uint32),
                color=DARK if surface.is_hole else _tint(surface, k, self.theme),
                opacity=surface.colour[3] if surface.colour else None,
            )
            mesh.on_click(lambda _, k=k: self._choose(k))
        label = self.api.add_label(f"/body{k}/name", body.name, position=body.centre)
        label.visible = False
        self._switch("names", label, is_on=False)
        return frame

    def _joints(self) -> None:
        for k, glyph in enumerate(self.scene.joints):
            parent = f"/body{glyph.body}" if glyph.body >= 0 else ""
            for j, surface in enumerate(pins_of(glyph)):
                mesh = self.api.add_mesh_simple(
                    f"{parent}/joint{k}_{j}",
                    surface.corners.astype(np.float32),
                    surface.triangles.astype(np.uint32),
                    color=STEEL,
                )
                self._switch("joints", mesh)

    def _trails(self) -> list[Any]:
        lines = []
        for k, body in enumerate(self.scene.bodies):
            tint = rgb(colour(k, self.theme))
            lines.append(_curve(self.api, f"/trail{k}", body.path, tint, 1.5))
            self._switch("trails", lines[-1])
        return lines

    def _arrows(self, kind: Any) -> LiveArrows:
        made = LiveArrows(self.api, kind, self.scene.size, self.theme)
        for handle in made.handles:
            self._switch(made.word, handle, is_on=False)
        return made

    def _cones(self) -> list[tuple[Any, Any]]:
        """The cones of friction about pushes: handles, and the kinds they belong to."""
        found = []
        for kind in self.scene.arrows:
            if any(arrow.cone for arrow in kind.arrows):
                tint = rgb(self.theme.arrows["friction"])
                start = np.zeros((1, 2, 3), np.float32)
                options = {"thickness": 1.2, "thickness_units": "screen"}
                lines = self.api.add_line_segments("/cones", start, tint, **options)
                lines.visible = False
                self._switch("friction cones", lines, is_on=False)
                found.append((lines, kind))
        return found

    def _rolling(self, j: int) -> Any:
        """The ellipsoid and polhode on the body; what rests goes with the centre."""
        each = self.scene.rollings[j]
        body = self.scene.bodies[each.body]
        surface, name = each.surface, f"/body{each.body}/ellipsoid"
        mesh = self.api.add_mesh_simple(
            name,
            (surface.corners + body.centre).astype(np.float32),
            surface.triangles.astype(np.uint32),
            color=(224, 209, 178),
            opacity=0.35,
            cast_shadow=False,
        )
        curve = _curve(
            self.api, f"{name}/polhode", each.polhode + body.centre, POLHODE, 3
        )
        rest = self.api.add_frame(f"/rest{j}", show_axes=False)
        still = _curve(self.api, f"/rest{j}/herpolhode", each.herpolhode, HERPOLHODE, 2)
        for handle in (mesh, curve, still):
            handle.visible = each.normal is not None
            self._switch("polhode", handle, is_on=each.normal is not None)
        return rest

    def _switch(self, word: str, handle: Any, is_on: bool = True) -> None:
        """One box for all handles of a word."""
        if word not in self.switches:
            self.switches[word] = []
            box = self.server.gui.add_checkbox(word, is_on, order=10)

            @box.on_update
            def _(_: object) -> None:
                for each in self.switches[word]:
                    # The frame of a body holds the body: only its axes go.
                    field = "show_axes" if word == "frames" else "visible"
                    setattr(each, field, box.value)
                for live in self.together:
                    live.draw(live.time)

        self.switches[word].append(handle)

    def _panel(self) -> dict[str, Any]:
        """Boxes of plain text: names are never read as markup."""
        gui = self.server.gui
        words = ("body", "mass", "mass centre", "velocity", "angular velocity")
        return {
            word: gui.add_text(word, "", disabled=True, visible=False, order=20)
            for word in words
        }

    # -------------------------------------------------------------------- moving

    def draw(self, t: float) -> None:
        """Put everything where it is at a time."""
        self.time = t
        now = moment(self.scene, t)
        with self.server.atomic():
            for frame, R, p in zip(
                self.frames, now.rotations, now.origins, strict=True
            ):
                frame.wxyz, frame.position = from_matrix(R), p
            for each in self.arrows:
                each.put(now)
            for handle, points in zip(self.trails, now.trails(), strict=True):
                if handle.visible:
                    handle.points = points.astype(np.float32)
            self.connections.put(now)
            for handle, kind in self.cones:
                if handle.visible:
                    handle.points = now.cones(kind, TURN).astype(np.float32)
            for rest, rolling in zip(self.rests, self.scene.rollings, strict=True):
                rest.position = now.centre(rolling.body)
        if self.chosen is not None:
            self._describe(now)

    def _choose(self, k: int) -> None:
        for live in self.together:
            live.chosen = None
        self.chosen = k
        for box in self.numbers.values():
            box.visible = True
        self.draw(self.time)

    def _describe(self, now: Moment) -> None:
        k = self.chosen if self.chosen is not None else 0
        body = self.scene.bodies[k]
        found = {
            "body": body.name,
            "mass": f"{body.mass:.6g} kg",
            "mass centre": f"{_three(now.centre(k))} m",
            "velocity": f"{_three(now.value('momentum', k) / (body.mass or 1))} m/s",
            "angular velocity": f"{_three(now.value('angular velocity', k))} rad/s",
        }
        for word, text in found.items():
            if self.numbers[word].value != text:
                self.numbers[word].value = text


def placed_beside(server: Any, scene: Scene, other: Scene) -> Apart:
    """What draws to the right of another scene; the camera is put to see both."""
    wide = APART * max(other.size, scene.size)
    place = other.middle - scene.middle + np.array([wide, 0.0, 0.0])
    are_still = other.drift is None and scene.drift is None
    if are_still and other.floor is not None and scene.floor is not None:
        place[2] = other.floor - scene.floor  # on one ground, which is drawn once
    aside, camera = Apart(server.scene, "/beside", place), server.initial_camera
    camera.look_at = other.middle + np.array([wide / 2, 0.0, 0.0])
    camera.position = camera.look_at + wide * np.array([0.1, -1.2, 0.4])
    for api, each in ((server.scene, other), (aside, scene)):
        top = each.middle + np.array([0.0, 0.0, 0.6 * each.size])
        api.add_label("/title", each.name, position=top)
    return aside


def add_ground(api: Any, scene: Scene) -> None:
    """The floor as a grid, where there is one."""
    if scene.floor is None or scene.drift is not None:
        return  # a grid of viser stays where it is
    at = (float(scene.middle[0]), float(scene.middle[1]), scene.floor)
    size = 3 * scene.size
    cell = 10.0 ** np.round(np.log10(scene.size / 6))
    options = {"cell_size": cell, "section_size": 5 * cell}
    api.add_grid("/ground", size, size, position=at, **options)


def add_globes(api: Any, scene: Scene, theme: Theme) -> None:
    """Planets on what carries them, with meridians and parallels."""
    for k, globe in enumerate(scene.globes):
        parent = f"/body{globe.body}" if globe.body >= 0 else ""
        tint = rgb(globe.tints[theme is not LIGHT])
        name, place = f"{parent}/globe{k}", {"position": globe.centre}
        api.add_icosphere(name, globe.radius, tint, subdivisions=5, **place)
        lines = [_segments(line) for line in graticule(globe)]
        _lines(api, f"{name}/lines", np.concatenate(lines), STEEL, 1.0)


def _tint(surface: Any, k: int, theme: Theme) -> tuple[int, ...]:
    """The colour of a surface, or of its body, in whole numbers up to 255."""
    if surface.colour is None:
        return rgb(colour(k, theme))
    return tuple(round(255 * part) for part in surface.colour[:3])


def _three(vector: np.ndarray) -> str:
    return ", ".join(f"{x:.4g}" for x in vector)


def _segments(points: np.ndarray) -> np.ndarray:
    return np.stack([points[:-1], points[1:]], axis=1)


def _curve(api: Any, name: str, points: np.ndarray, tint: Any, width: float) -> Any:
    return _lines(api, name, _segments(points), tint, width)


def _lines(api: Any, name: str, pairs: np.ndarray, tint: Any, width: float) -> Any:
    options = {"thickness": width, "thickness_units": "screen"}
    return api.add_line_segments(name, pairs.astype(np.float32), tint, **options)
