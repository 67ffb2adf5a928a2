"""Bodies drawn without a display: flat triangles, shaded, the nearest last.

A far observer looks at the scene; what turns its back is left out, and what is nearer
is drawn over what is farther. Shadows fall straight down on the floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.show.drawing.contacts import ContactFrames, contact_frames, paint_contacts
from polhode.show.drawing.globes import graticule, is_hidden
from polhode.show.drawing.glyphs import REACH
from polhode.show.drawing.scene import (
    arrow_room,
    has_shapes,
    motion_of_frames,
    stage_of,
)
from polhode.show.drawing.surface import ellipsoid_surface
from polhode.show.drawing.view import View
from polhode.show.plots.palette import LIGHT, Theme, colour, rgb

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.show.drawing.scene import Drawn, Scene

LAMP = np.array([-0.35, 0.55, 0.76]) / np.linalg.norm([-0.35, 0.55, 0.76])
GLEAM = LAMP + np.array([0.0, 0.0, 1.0])  # half way from the light to the observer
ELEVATION, ASIDE = 0.30, 0.45  # rad: how the observer stands to the plane of motion
COARSE = 0.10  # of the scene: longer edges are cut, so that depths can be compared
CUTS = 4
TURNS = 7  # of a spring
PITCH = 1.5  # of a coil's radius: the most from turn to turn
WIDTHS = 2.6  # between springs and dampers that stand side by side
MOSTLY = 0.6
# How opaque a body is that holds another inside; little of it is nothing on dark paper.
CLEAR = {"light": 0.16, "dark": 0.32}
FEW = 3  # bodies whose trails can all be followed
SEAM = 0.6  # points: the edge of a triangle, which closes the seam to the next
# To all sides, edges and corners of a cube: what reaches farthest in these is in view.
WAYS = np.array([w for w in product((-1, 0, 1), repeat=3) if any(w)], float)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Drawing:
    """A scene made ready to be drawn at any frame.

    view       who looks from where
    triangles  a body each: corners (k, 3, 3) in its axes
    paints     a body each: RGBA of its triangles (k, 4); what holds another body
               inside can be looked through
    arms       bodies and points of theirs that a joint holds: without mass, a line
    contacts   pushes and friction, where there are supports
    """

    scene: Scene
    view: View
    triangles: tuple[np.ndarray, ...]
    paints: tuple[np.ndarray, ...]
    arms: tuple[tuple[int, np.ndarray], ...]
    contacts: ContactFrames | None = None
    theme: Theme = LIGHT


def drawing_of(
    motion: Trajectory,
    frames: int | None = None,
    view: Any = None,
    *,
    follow: Any = None,
    axes: str = "world",
    theme: Theme = LIGHT,
) -> Drawing:
    """What is drawn of a motion; without a view, one that sees it best."""
    from matplotlib.colors import to_rgba

    rows = motion_of_frames(motion, frames)
    scene = stage_of(rows, follow, axes)
    triangles, paints, is_clad = [], [], has_shapes(rows.system)
    for k, body in enumerate(scene.bodies):
        parts = [
            _subdivide(s.corners[s.triangles], COARSE * scene.size)
            for s in body.surfaces
        ]
        opacity = CLEAR[theme.name] if not is_clad and _is_shell(scene, k) else 1.0
        tints = [
            s.colour or to_rgba(theme.hole if s.is_hole else colour(k, theme), opacity)
            for s in body.surfaces
        ]
        triangles.append(np.concatenate(parts))
        pairs = zip(parts, tints, strict=True)
        paints.append(np.concatenate([np.tile(c, (len(p), 1)) for p, c in pairs]))
    eye = View.of(view) or best_view(scene)
    arms = () if is_clad else _arms(rows)
    touching = None if follow else contact_frames(rows, arrow_room(scene))
    return Drawing(scene, eye, tuple(triangles), tuple(paints), arms, touching, theme)


def _is_shell(scene: Scene, k: int) -> bool:
    """Whether another body is inside this one's box, most of it most of the time."""
    shell = scene.bodies[k]
    corners = np.concatenate([s.corners for s in shell.surfaces])
    low, high = corners.min(axis=0), corners.max(axis=0)
    every = slice(None, None, max(len(scene.times) // 20, 1))
    R, o = shell.rotations[every], shell.origins[every]
    for other in scene.bodies[:k] + scene.bodies[k + 1 :]:
        own = np.concatenate([s.corners for s in other.surfaces])[::7]
        placed = np.einsum("nij,kj->nki", other.rotations[every], own)
        placed = placed + other.origins[every][:, None]
        seen = np.einsum("nji,nkj->nki", R, placed - o[:, None])
        if np.mean(np.all((seen > low) & (seen < high), axis=-1)) > MOSTLY:
            return True
    return False


def _arms(rows: Trajectory) -> tuple[tuple[int, np.ndarray], ...]:
    system, table = rows.system, rows.system.table(dict(rows.table))
    found = []
    for edge in system.tree.edges:
        joint = edge.joint
        ends = (edge.parent, edge.child)
        first, second = ends[::-1] if edge.is_reversed else ends
        if joint.speeds < 6 and "m" not in joint.units:
            found.append((first, np.asarray(joint.first_frame(table)[1], float)))
            found.append((second, np.asarray(joint.second_frame(table)[1], float)))
    return tuple(each for each in found if each[0] >= 0)


def best_view(scene: Scene) -> View:
    """Across the plane that the motion keeps nearest to, a little from the side."""
    points = np.concatenate([extremes(body) for body in scene.bodies])
    flat = (points - points.mean(axis=0))[:, :2]
    spread, axes = np.linalg.eigh(flat.T @ flat)
    thin = axes[:, 0] if spread[0] < 0.5 * spread[1] else np.array([0.0, -1.0])
    if thin[1] > 0 or (thin[1] == 0 and thin[0] < 0):
        thin = -thin
    return View.towards(float(np.arctan2(thin[1], thin[0])) + ASIDE, ELEVATION)


def extremes(body: Drawn) -> np.ndarray:
    """Places that a body's surface reaches along its motion (m, 3)."""
    corners = np.concatenate([s.corners for s in body.surfaces])
    few = corners[np.unique(np.argmax(corners @ WAYS.T, axis=0))]
    every = max(len(body.origins) // 40, 1)
    R, p = body.rotations[::every], body.origins[::every]
    return (np.einsum("nij,kj->nki", R, few) + p[:, None]).reshape(-1, 3)


def _subdivide(triangles: np.ndarray, longest: float) -> np.ndarray:
    """Triangles (k, 3, 3) cut at the middles of their sides until they are small."""
    for _ in range(CUTS):
        sides = np.linalg.norm(triangles - np.roll(triangles, -1, axis=1), axis=2)
        long = sides.max(axis=1) > longest
        if not np.any(long):
            break
        a, b, c = np.moveaxis(triangles[long], 1, 0)
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        four = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        pieces = [np.stack(each, axis=1) for each in four]
        triangles = np.concatenate([triangles[~long], *pieces])
    return triangles


# ------------------------------------------------------------------------ paint


def paint(axes: Any, drawing: Drawing, frame: int, strength: float = 1.0) -> None:
    """Draw one frame; `strength` below one fades it towards the paper."""
    from matplotlib.collections import PolyCollection

    view = drawing.view
    placed = [
        np.einsum("ij,ktj->kti", body.rotations[frame], own) + body.origins[frame]
        for body, own in zip(drawing.scene.bodies, drawing.triangles, strict=True)
    ]
    corners, colours = np.concatenate(placed), np.concatenate(drawing.paints)
    seen_at_all = ~_behind_globes(drawing, corners.mean(axis=1), frame)
    corners, colours = corners[seen_at_all], colours[seen_at_all]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    sizes = np.linalg.norm(normals, axis=1, keepdims=True)
    seen = (normals / np.where(sizes > 0, sizes, 1.0)) @ view.axes.T
    x, y, near = view.project(corners)
    front = seen[:, 2] > 0
    order = np.flatnonzero(front)[np.argsort(near[front].mean(axis=1))]
    shaded = _shade(seen[order], colours[order, :3])
    paper = np.array(rgb(drawing.theme.paper)) / 255
    mixed = strength * shaded + (1 - strength) * paper
    faded = np.append(mixed, colours[order, 3:], axis=1)
    # Seams of opaque triangles are closed by their edges; clear ones would show twice.
    edges = np.where(faded[:, 3:] == 1.0, faded, 0.0)
    flat = list(np.stack([x[order], y[order]], axis=-1))
    axes.add_collection(
        PolyCollection(flat, facecolors=faded, edgecolors=edges, linewidths=SEAM)
    )


def _shade(normals: np.ndarray, colours: np.ndarray, gloss: float = 0.16) -> np.ndarray:
    toward = np.clip(normals @ LAMP, 0, 1)[:, None]
    shine = np.clip(normals @ (GLEAM / np.linalg.norm(GLEAM)), 0, 1)[:, None] ** 25
    return np.clip(colours * (0.58 + 0.50 * toward) + gloss * shine, 0, 1)


def ground(axes: Any, drawing: Drawing, frame: int = 0) -> None:
    """A floor of faint squares, where weight says what is down."""
    scene, view = drawing.scene, drawing.view
    if scene.floor is None:
        return
    reach = 0.75 * scene.size
    step = _round(scene.size / 5)
    middle = step * np.round(scene.middle[:2] / step)
    floor = scene.floor
    if scene.drift is not None:
        middle -= np.mod(scene.drift[frame, :2], step)
        floor -= scene.drift[frame, 2]
    steps = step * np.arange(-np.ceil(reach / step), np.ceil(reach / step) + 1)
    for k in steps:
        for ends in ([(k, steps[0]), (k, steps[-1])], [(steps[0], k), (steps[-1], k)]):
            line = [(*(middle + end), floor) for end in np.array(ends)]
            x, y, _ = view.project(line)
            axes.plot(x, y, color=drawing.theme.mist, linewidth=0.8, zorder=0)


def globes(axes: Any, drawing: Drawing, frame: int = 0) -> None:
    """Planets, shaded, with meridians and parallels."""
    from matplotlib.collections import PolyCollection

    view = drawing.view
    for globe in drawing.scene.globes:
        ball = ellipsoid_surface(*(3 * [globe.radius]))
        centre = _place(drawing.scene, globe.body, globe.centre, frame)
        corners = ball.corners[ball.triangles]
        normals = corners.mean(axis=1) @ view.axes.T / globe.radius
        front = normals[:, 2] > 0
        own = np.array(rgb(globe.tints[drawing.theme is not LIGHT])) / 255
        tint = np.tile(own, (int(front.sum()), 1))
        x, y, _ = view.project(corners[front] + centre)
        flat = list(np.stack([x, y], axis=-1))
        shaded = _shade(normals[front], tint, gloss=0.0)
        look: dict[str, Any] = {"facecolors": shaded, "edgecolors": shaded}
        axes.add_collection(PolyCollection(flat, zorder=0.6, linewidths=0.4, **look))
        for line in graticule(globe):
            x, y, near = view.project(line)
            x, y = (x, y) + view.axes[:2] @ centre[:, None]
            shown = np.where(near > 0, x, np.nan)
            ink = drawing.theme.ink
            axes.plot(shown, y, color=ink, alpha=0.16, linewidth=0.5, zorder=0.7)


def _behind_globes(drawing: Drawing, points: np.ndarray, frame: int) -> np.ndarray:
    """Which of points (k, 3) a planet hides."""
    hidden = np.zeros(len(points), bool)
    for globe in drawing.scene.globes:
        centre = _place(drawing.scene, globe.body, globe.centre, frame)
        hidden |= is_hidden(points, centre, globe.radius, drawing.view.axes[2])
    return hidden


def shadow(axes: Any, drawing: Drawing, frame: int) -> None:
    """What stands between the floor and the sky."""
    from matplotlib.collections import PolyCollection

    scene, view = drawing.scene, drawing.view
    if scene.floor is None:
        return
    floor = scene.floor
    if scene.drift is not None:
        floor -= scene.drift[frame, 2]
    below = []
    for body, own in zip(scene.bodies, drawing.triangles, strict=True):
        placed = np.einsum("ij,ktj->kti", body.rotations[frame], own)
        placed = placed + body.origins[frame]
        placed[..., 2] = floor
        below.append(placed)
    x, y, _ = view.project(np.concatenate(below))
    flat = list(np.stack([x, y], axis=-1))
    axes.add_collection(
        PolyCollection(flat, color=drawing.theme.shadow, linewidths=0.5, zorder=0.5)
    )


def trails(axes: Any, drawing: Drawing, frame: int) -> None:
    """Where mass centres have been."""
    bodies = drawing.scene.bodies
    strength, width = (0.45, 1.1) if len(bodies) <= FEW else (0.28, 0.7)
    if drawing.scene.globes:  # an orbit is the picture
        strength, width = 0.9, 1.3
    for k, body in enumerate(bodies):
        x, y, _ = drawing.view.project(body.path[: frame + 1])
        x = np.where(_behind_globes(drawing, body.path[: frame + 1], frame), np.nan, x)
        tint = colour(k, drawing.theme)
        style = {"color": tint, "alpha": strength, "linewidth": width}
        axes.plot(x, y, zorder=0.8, solid_capstyle="round", **style)


def connections(axes: Any, drawing: Drawing, frame: int) -> None:
    """Springs as coils, dampers as dashpots, rods as lines, joints as dots."""
    scene, view = drawing.scene, drawing.view
    for body, point in drawing.arms:
        arm = [_place(scene, body, point, frame), scene.bodies[body].path[frame]]
        x, y, _ = view.project(arm)
        axes.plot(
            x,
            y,
            color=drawing.theme.faint,
            linewidth=2.0,
            zorder=0.9,
            solid_capstyle="round",
        )
    for link in scene.links:
        pairs = zip(link.bodies, link.points, strict=True)
        ends = np.array([_place(scene, body, p, frame) for body, p in pairs])
        x, y, _ = view.project(ends)
        if link.kind == "plane":
            axes.plot(x, y, color=drawing.theme.faint, linewidth=0.6, zorder=0)
            continue
        flat, width = np.stack([x, y], axis=-1), scene.coil
        for line in _symbol(link.kind, flat, width, link.aside):
            axes.plot(*line.T, color=drawing.theme.ink, linewidth=1.2, zorder=2)
    for strand in scene.strands:
        x, y, _ = view.project(strand.points[frame])
        axes.plot(x, y, color=drawing.theme.steel, linewidth=1.7, zorder=1.9)
    for glyph in scene.joints:
        at = _place(scene, glyph.body, glyph.at, frame)
        if glyph.kind == "rail":
            R = (
                np.eye(3)
                if glyph.body < 0
                else scene.bodies[glyph.body].rotations[frame]
            )
            ends = at + np.outer(glyph.reach[0], R @ glyph.axes[:, 0])
            x, y, _ = view.project(ends)
            axes.plot(x, y, color=drawing.theme.faint, linewidth=2.2, zorder=0.9)
            continue
        x, y, _ = view.project(at)
        look = {
            "color": drawing.theme.paper,
            "markeredgecolor": drawing.theme.ink,
            "markeredgewidth": 1.0,
        }
        # Smaller where bodies are small beside the scene: never more than a body.
        share = float(glyph.reach[0, 1]) / (REACH * scene.size)
        mark = 4.5 * float(np.clip(share, 0.35, 1.0))
        axes.plot(x, y, marker="o", markersize=mark, zorder=3, **look)


def contacts(axes: Any, drawing: Drawing, frame: int) -> None:
    """Pushes and friction as arrows, with their cones."""
    if drawing.contacts is not None:
        paint_contacts(axes, drawing.view, drawing.contacts, frame, drawing.theme)


def _place(scene: Scene, body: int, point: np.ndarray, frame: int) -> np.ndarray:
    if body < 0:
        return point
    drawn = scene.bodies[body]
    return drawn.origins[frame] + drawn.rotations[frame] @ point


def _symbol(
    kind: str, ends: np.ndarray, width: float, aside: float = 0.0
) -> list[np.ndarray]:
    """Lines (k, 2) of a spring, a damper or a rod between two places of the paper."""
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    if length == 0 or kind not in ("spring", "damper"):
        return [ends]
    across = np.array([-along[1], along[0]]) / length * min(width, 0.25 * length)
    ends = ends + WIDTHS * aside * across

    def line(*points: tuple[float, float]) -> np.ndarray:
        share, aside = np.array(points).T
        return ends[0] + np.outer(share, along) + np.outer(aside, across)

    if kind == "damper":
        cup = line((0.64, -1), (0.36, -1), (0.36, 1), (0.64, 1))
        return [line((0, 0), (0.36, 0)), cup, line((0.54, -0.75), (0.54, 0.75)),
                line((0.54, 0), (1, 0))]  # fmt: skip
    # A coil seen from the side: turns that lean forward and overlap as they go round.
    # A long spring has straight ends, not stretched turns.
    wide = float(np.linalg.norm(across))
    half = min(0.36, TURNS * PITCH * wide / length / 2)
    turn = np.linspace(0, 2 * np.pi * TURNS, 24 * TURNS)
    lean = 0.22 * half * (1 - np.cos(turn)) / TURNS
    share = 0.5 - half + 2 * half * turn / turn[-1] + lean - lean.mean()
    coil = list(zip(share, np.sin(turn), strict=True))
    return [line((0, 0), (0.5 - half, 0), *coil, (0.5 + half, 0), (1, 0))]


def _round(length: float) -> float:
    """The nearest of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(length))
    return float(power * min((1, 2, 5, 10), key=lambda k: abs(k - length / power)))
