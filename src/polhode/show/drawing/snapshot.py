"""One picture of a motion: its bodies at a time, or several times on one plate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import ShowError
from polhode.show.drawing import render as drawn
from polhode.show.plots.palette import theme_of
from polhode.show.plots.picture import Picture

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.show.drawing.render import Drawing

EXPOSURES = 5  # times on one plate, where none are asked
FAINTEST = 0.16
INCHES = (6.4, 4.8)  # of one plate
ROOM = 1.14  # of the motion: what a plate shows


def picture(
    motion: Trajectory,
    at: Any = None,
    view: Any = None,
    *,
    follow: Any = None,
    axes: str = "world",
    theme: str = "light",
    beside: Trajectory | None = None,
) -> Picture:
    """The bodies of a motion at a time, or at several, the earlier the fainter.

    at       without times, a few from the first to the last: a plate exposed again
    view     "front", "side", "top", "corner" and so on, or (azimuth, elevation) in
             degrees; without one, what sees the motion best
    follow   a body that the observer goes along with, by name, or `ph.space.LocalFrame`
    axes     of the observer that follows: "world", "body", "rtn" or "lvlh"
    theme    "light" or "dark" paper
    beside   another motion, drawn to the right of this one, at the same scale
    """
    motions = [motion] if beside is None else [motion, beside]
    drawings = drawings_of(motions, None, view, follow=follow, axes=axes, theme=theme)
    sheet = plates(drawings)
    for each, panel, one in zip(motions, *sheet[1:], strict=True):
        times = one.scene.times
        wanted = np.linspace(times[0], times[-1], EXPOSURES) if at is None else at
        frames = [_nearest(each, times, float(t)) for t in np.ravel(wanted)]
        _expose(panel, one, frames)
    return Picture(sheet.figure)


def _expose(axes: Any, drawing: Drawing, frames: list[int]) -> None:
    strengths = np.linspace(FAINTEST, 1.0, len(frames)) if len(frames) > 1 else [1.0]
    for frame, strength in zip(frames, strengths, strict=True):
        drawn.paint(axes, drawing, frame, float(strength))
    finish(axes, drawing, frames[-1])


def drawings_of(
    motions: Sequence[Trajectory],
    frames: int | None,
    view: Any,
    *,
    theme: str,
    **options: Any,
) -> list[Drawing]:
    """The drawings of motions that are seen from one place: that of the first."""
    paper = theme_of(theme)
    found: list[Drawing] = []
    for motion in motions:
        eye = found[0].view if found else view
        found.append(drawn.drawing_of(motion, frames, eye, theme=paper, **options))
    return found


class Sheet(NamedTuple):
    """A figure with an axes for each drawing, all at one scale."""

    figure: Any
    axes: list[Any]
    drawings: list[Drawing]


def plates(drawings: list[Drawing]) -> Sheet:
    """A figure whose axes, side by side, hold whole motions at one scale."""
    from matplotlib.figure import Figure

    count, paper = len(drawings), drawings[0].theme.paper
    size = (INCHES[0] * (1 if count == 1 else 0.75 * count), INCHES[1])
    figure = Figure(figsize=size, dpi=100, facecolor=paper)
    panels = [figure.add_axes((k / count, 0.0, 1 / count, 1.0)) for k in range(count)]
    sheet = Sheet(figure, panels, drawings)
    empty(sheet)
    return sheet


def empty(sheet: Sheet) -> None:
    """The axes of a sheet with nothing but floor and planets on them."""
    wide, tall = sheet.figure.get_size_inches() / (len(sheet.drawings), 1)
    height = max(_room(drawing, wide / tall)[1] for drawing in sheet.drawings)
    for axes, drawing in zip(*sheet[1:], strict=True):
        blank(axes, drawing, wide / tall, height)


def blank(
    axes: Any,
    drawing: Drawing,
    ratio: float = INCHES[0] / INCHES[1],
    height: float | None = None,
) -> None:
    """Clear axes of a ratio of width to height, and draw floor and planets."""
    x, y = limits(drawing, ratio, height)
    axes.clear()
    axes.axis("off")
    axes.set_aspect("equal")
    axes.set_xlim(*x)
    axes.set_ylim(*y)
    if drawing.scene.drift is None:
        drawn.ground(axes, drawing)
    drawn.globes(axes, drawing)


def limits(
    drawing: Drawing,
    ratio: float = INCHES[0] / INCHES[1],
    height: float | None = None,
) -> tuple[tuple[float, float], tuple[float, float]]:
    """From where to where the paper goes, right and up, m."""
    (a, b), least = _room(drawing, ratio)
    up = (least if height is None else height) / 2
    return (a - ratio * up, a + ratio * up), (b - up, b + up)


def _room(drawing: Drawing, ratio: float) -> tuple[np.ndarray, float]:
    """The middle of a motion on paper, and how tall a plate of a ratio must be."""
    scene = drawing.scene
    bodies = scene.bodies
    places = [drawn.extremes(body) for body in bodies]
    places += [body.path for body in bodies]
    places += [bodies[k].origins + bodies[k].rotations @ p for k, p in drawing.arms]
    places += [strand.points.reshape(-1, 3) for strand in scene.strands]
    places += scene.moorings
    for globe in scene.globes:
        middle = bodies[globe.body].path if globe.body >= 0 else globe.centre[None]
        sides = globe.radius * np.concatenate([drawing.view.axes, -drawing.view.axes])
        places.append((middle[:, None] + sides).reshape(-1, 3))
    x, y, _ = drawing.view.project(np.concatenate(places))
    height = max(np.ptp(x) / ratio, np.ptp(y)) * ROOM
    return np.array([x.min() + x.max(), y.min() + y.max()]) / 2, float(height)


def finish(axes: Any, drawing: Drawing, frame: int) -> None:
    """Shadow, trails, springs and joints of a frame, and what and when it is."""
    if drawing.scene.drift is not None:
        drawn.ground(axes, drawing, frame)
    drawn.shadow(axes, drawing, frame)
    drawn.trails(axes, drawing, frame)
    drawn.connections(axes, drawing, frame)
    drawn.contacts(axes, drawing, frame)
    words = f"{drawing.scene.name}   t = {drawing.scene.times[frame]:.2f} s"
    place = {"transform": axes.transAxes, "ha": "left", "va": "top"}
    axes.text(0.02, 0.975, words, color=drawing.theme.ink, fontsize=10, **place)


def _nearest(motion: Trajectory, times: np.ndarray, t: float) -> int:
    low, high = min(times[0], times[-1]), max(times[0], times[-1])
    if not low <= t <= high:
        raise ShowError(
            f"the motion of {motion.system.name!r} has no t = {t:g} s to draw.",
            f"It runs from {times[0]:g} to {times[-1]:g} s.",
            "Ask within, or simulate further.",
        )
    return int(np.argmin(np.abs(times - t)))
