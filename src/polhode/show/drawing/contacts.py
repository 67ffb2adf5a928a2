"""Contacts drawn: planes to rest on, pushes, friction, its cone and its couples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.actions.attachment import Attachment
from polhode.constraints.constraint import coordinates_of
from polhode.integrate.methods.mechanical.moreau import Moreau
from polhode.matter.axes import turn_to
from polhode.show.drawing.arrows import (
    LONGEST,
    WIDEST,
    Arrow,
    Arrows,
    arc,
    scale_arrows,
)
from polhode.show.drawing.glyphs import Link
from polhode.show.plots.palette import LIGHT, Theme
from polhode.supports.rolling_friction import CoupleCandidates
from polhode.supports.slack_rope import SlackRope
from polhode.supports.support import Support

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

LEVEL = 1e-9  # of a normal: a plane that is as good as horizontal
WIDEST_CONE = 5.0  # of static friction: a wider cone is as good as a plane
LINES = 5  # along each side of a plane that is drawn
WIDER = 0.3  # of the scene: how far a plane is drawn beyond the motion


class ContactFrames(NamedTuple):
    """Contacts along the frames: k candidate points, vectors in the world's axes.

    point     (n, k, 3)
    push      (n, k, 3) N along the normals
    friction  (n, k, 3) N
    static    (k,) the friction of the cones
    scale     metres drawn for one newton
    couples   against rolling and spinning, N m, as arcs; None where there are none
    """

    names: tuple[str, ...]
    point: np.ndarray
    push: np.ndarray
    friction: np.ndarray
    static: np.ndarray
    scale: float
    couples: Arrows | None = None


def contact_frames(rows: Trajectory, size: float) -> ContactFrames | None:
    """The contacts of framed rows; None where there are none, or where no row says.

    A motion by Moreau's scheme has impulses of its steps, not forces at times.
    """
    system = rows.system
    supports = [s for s in system.supports if isinstance(s, Support | SlackRope)]
    if not supports or isinstance(rows.method, Moreau):
        return None  # stops and brakes push along joints, at no place
    table = system.table(dict(rows.table))
    parts = [rows[support.name] for support in supports]
    push = np.concatenate([p.push[..., None] * p.normal for p in parts], axis=1)
    friction = np.concatenate([p.friction for p in parts], axis=1)
    most = float(np.max(np.linalg.norm(push, axis=-1), initial=0.0))
    static = [
        float(support.coefficients(table)[1])
        for support in supports
        for _ in support.candidates.names
    ]
    return ContactFrames(
        tuple(name for p in parts for name in p.points),
        np.concatenate([p.point for p in parts], axis=1),
        push,
        friction,
        np.array(static),
        LONGEST * size / most if most else 0.0,
        _friction_couples(rows, size),
    )


def _friction_couples(rows: Trajectory, size: float) -> Arrows | None:
    """Couples at points of supports, one arc a point; None where nothing turns."""
    arrows = []
    for support in rows.system.supports:
        if not isinstance(support.candidates, CoupleCandidates):
            continue
        own = rows[support.name]
        arrows += [
            Arrow(name, own.point[:, k], own.friction[:, k])
            for k, name in enumerate(own.points)
        ]
    kind = scale_arrows("friction couple", "N m", arrows, WIDEST * size)
    return kind._replace(is_bent=True) if kind.arrows else None


def contact_arrows(rows: Trajectory, size: float) -> tuple[Arrows, ...]:
    """Pushes and friction as kinds of arrows, of one scale."""
    found = contact_frames(rows, size)
    if found is None:
        return ()
    kinds = []
    for kind, vectors in (("push", found.push), ("friction", found.friction)):
        cones = np.where(
            (found.static > 0) & (found.static < WIDEST_CONE), found.static, 0
        )
        cones = cones if kind == "push" else 0 * cones
        arrows = [
            Arrow(name, found.point[:, k], vectors[:, k], float(cones[k]))
            for k, name in enumerate(found.names)
        ]
        kinds.append(
            scale_arrows(kind, "N", arrows, LONGEST * size)._replace(scale=found.scale)
        )
    if found.couples is not None:
        kinds.append(found.couples)
    return tuple(kind for kind in kinds if kind.arrows)


def world_planes(rows: Trajectory) -> list[tuple[np.ndarray, np.ndarray]]:
    """(point, axes) of planes of the world that something may rest on; axes u, v, n."""
    system, table = rows.system, rows.system.table(dict(rows.table))
    found: list[tuple[np.ndarray, np.ndarray]] = []
    for support in system.supports:
        if not isinstance(support, Support):
            continue
        on: Any = support.on
        if not isinstance(on, Attachment) or on.frame is not system.tree.world.frame:
            continue
        at = np.asarray(coordinates_of(on, table), float)
        axes = np.asarray(turn_to(support.normal, "a normal"), float)
        if not any(_is_same(at, axes, *known) for known in found):
            found.append((at, axes))
    return found


def _is_same(at: np.ndarray, axes: np.ndarray, other: Any, others: Any) -> bool:
    n = axes[:, 2]
    turned = np.max(np.abs(n - others[:, 2]))
    return bool(turned < LEVEL and abs(n @ (at - other)) < LEVEL * (1 + abs(n @ at)))


def floor_height(rows: Trajectory) -> float | None:
    """The height of the highest level plane of the world; None if there is none."""
    levels = [at[2] for at, axes in world_planes(rows) if axes[2, 2] > 1 - LEVEL]
    return float(max(levels)) if levels else None


def plane_links(rows: Trajectory, bodies: Any, size: float) -> tuple[Link, ...]:
    """Slopes and walls as grids of lines, as far as the motion goes."""
    found: list[Link] = []
    paths = np.concatenate([body.path for body in bodies])
    for k, (at, axes) in enumerate(world_planes(rows)):
        if axes[2, 2] > 1 - LEVEL:
            continue  # the floor
        u, v = axes[:, 0], axes[:, 1]
        reach = [_reach((paths - at) @ side, WIDER * size) for side in (u, v)]
        for a in np.linspace(*reach[0], LINES):
            ends = [at + a * u + b * v for b in reach[1]]
            found.append(Link(f"plane {k + 1}", "plane", (-1, -1), np.array(ends)))
        for b in np.linspace(*reach[1], LINES):
            ends = [at + a * u + b * v for a in reach[0]]
            found.append(Link(f"plane {k + 1}", "plane", (-1, -1), np.array(ends)))
    return tuple(found)


def _reach(along: np.ndarray, more: float) -> tuple[float, float]:
    return float(np.min(along)) - more, float(np.max(along)) + more


def paint_contacts(
    axes: Any, view: Any, found: ContactFrames, frame: int, theme: Theme = LIGHT
) -> None:
    """Pushes and friction of a frame as arrows, each push within its cone."""
    longest = found.scale * float(
        np.max(np.linalg.norm(found.push, axis=-1), initial=0)
    )
    for k in range(len(found.names)):
        at, push = found.point[frame, k], found.scale * found.push[frame, k]
        pressed = float(np.linalg.norm(push))
        if pressed < 0.02 * longest:
            continue
        tint = theme.arrows["friction"]
        _cone(axes, view, np.array([at, push]), float(found.static[k]), tint)
        _arrow(axes, view, at, at + push, theme.arrows["push"])
        T = found.scale * found.friction[frame, k]
        if float(np.linalg.norm(T)) > 0.02 * pressed:
            _arrow(axes, view, at, at + T, tint)
    if found.couples is not None:
        for arrow in found.couples.arrows:
            about = found.couples.scale * arrow.vectors[frame]
            _arc(axes, view, arrow.tails[frame], about, theme.arrows["friction couple"])


def _arrow(axes: Any, view: Any, tail: Any, tip: Any, tint: str) -> None:
    x, y, _ = view.project(np.array([tail, tip]))
    style = {"arrowstyle": "-|>", "color": tint, "lw": 1.4, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", (x[1], y[1]), (x[0], y[0]), arrowprops=style, zorder=4)


def _arc(axes: Any, view: Any, at: np.ndarray, about: np.ndarray, tint: str) -> None:
    """A couple, as wide as it is great."""
    if not np.any(about):
        return
    points = arc(at, about)
    x, y, _ = view.project(points)
    axes.plot(x, y, color=tint, lw=1.4, zorder=4)
    _arrow(axes, view, points[-2], points[-1], tint)


def _cone(axes: Any, view: Any, arrow: np.ndarray, static: float, tint: str) -> None:
    """All forces that friction can hold: mu_s N about the push."""
    if not 0 < static < WIDEST_CONE:
        return
    at, push = arrow
    n = push / np.linalg.norm(push)
    u = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    u = u / np.linalg.norm(u)
    v = np.cross(n, u)
    turns = np.linspace(0, 2 * np.pi, 33)[:, None]
    rim = np.cos(turns) * u + np.sin(turns) * v
    rim = at + push + static * np.linalg.norm(push) * rim
    x, y, _ = view.project(np.concatenate([rim, [at]]))
    axes.fill(x[:-1], y[:-1], facecolor=tint, alpha=0.10, edgecolor=tint, lw=0.6)
    widest = (int(np.argmin(x[:-1])), int(np.argmax(x[:-1])))
    for k in widest:
        axes.plot((x[-1], x[k]), (y[-1], y[k]), color=tint, lw=0.6, alpha=0.6)
