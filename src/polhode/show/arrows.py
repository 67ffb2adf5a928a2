"""Vectors drawn as arrows: angular velocities, momenta, forces and reactions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.integrate.loads_along import wrenches_along
from polhode.integrate.parts import asked

if TYPE_CHECKING:
    from polhode.integrate.trajectory import Trajectory

LONGEST = 0.3  # of the scene: the longest arrow of a kind
NOTHING = 1e-9  # of the largest of its kind: an arrow that stays shorter is not drawn


class Arrow(NamedTuple):
    """One arrow: where it begins (n, 3), and what it shows (n, 3)."""

    name: str
    tails: np.ndarray
    vectors: np.ndarray


class Arrows(NamedTuple):
    """Arrows of one kind and their scale: metres drawn for one unit."""

    kind: str
    unit: str
    scale: float
    arrows: tuple[Arrow, ...]


def arrows_of(rows: Trajectory, bodies: Any, size: float) -> tuple[Arrows, ...]:
    """Every kind that does not vanish, scaled to the scene."""
    twists = asked(rows, "twists")
    found = {
        ("angular velocity", "rad/s"): _spins(bodies, twists),
        ("angular momentum", "kg m²/s"): _turning(bodies, twists),
        ("momentum", "kg m/s"): _momenta(bodies, twists),
        ("force", "N"): _forces(rows, bodies),
        ("reaction", "N"): _reactions(rows, bodies),
    }
    kinds = [_scaled(*key, arrows, size) for key, arrows in found.items()]
    return tuple(kind for kind in kinds if kind.arrows)


def _scaled(kind: str, unit: str, arrows: list[Arrow], size: float) -> Arrows:
    lengths = [_largest(arrow.vectors) for arrow in arrows]
    most = max(lengths, default=0.0)
    kept = [a for a, x in zip(arrows, lengths, strict=True) if x > NOTHING * most]
    return Arrows(kind, unit, LONGEST * size / most if most else 0.0, tuple(kept))


def _largest(vectors: np.ndarray) -> float:
    return float(np.max(np.linalg.norm(np.nan_to_num(vectors), axis=1), initial=0.0))


def _spins(bodies: Any, twists: Any) -> list[Arrow]:
    return [Arrow(b.name, b.path, twists.angular[:, k]) for k, b in enumerate(bodies)]


def _momenta(bodies: Any, twists: Any) -> list[Arrow]:
    """m v of the mass centre."""
    found = []
    for k, body in enumerate(bodies):
        arm = body.path - body.origins
        v = twists.linear[:, k] + np.cross(twists.angular[:, k], arm)
        found.append(Arrow(body.name, body.path, body.mass * v))
    return found


def _turning(bodies: Any, twists: Any) -> list[Arrow]:
    """R J Rᵀ w about the mass centre."""
    found = []
    for k, body in enumerate(bodies):
        own = np.einsum("nji,nj->ni", body.rotations, twists.angular[:, k])
        H = np.einsum("nij,nj->ni", body.rotations, own @ body.inertia)
        found.append(Arrow(body.name, body.path, H))
    return found


def _forces(rows: Trajectory, bodies: Any) -> list[Arrow]:
    """Forces of actions, on their lines, where these pass next to the mass centre."""
    return [
        Arrow(f"{name} on {body.name}", tails, force)
        for name, wrenches in wrenches_along(rows).items()
        for k, body in enumerate(bodies)
        for force in [np.asarray(wrenches.forces[:, k])]
        for tails in [line_point(body, np.asarray(wrenches.torques[:, k]), force)]
    ]


def line_point(body: Any, torque: np.ndarray, force: np.ndarray) -> np.ndarray:
    """The point of a force's central line that is nearest to the mass centre (n, 3).

        r = F x M / F²,     P = O + r + ((c - r) . F) F / F²

    M (n, 3) is the torque about the body's origin O, c the mass centre from there.
    """
    square = np.sum(force**2, axis=1, keepdims=True)
    safe = np.where(square > 0, square, 1.0)
    r = np.cross(force, torque) / safe
    c = body.path - body.origins
    along = np.sum((c - r) * force, axis=1, keepdims=True) / safe
    return body.origins + np.where(square > 0, r + along * force, c)


def _reactions(rows: Trajectory, bodies: Any) -> list[Arrow]:
    """What joints exert on their second bodies, at the joint's point there."""
    table = rows.system.table(dict(rows.table))
    found = []
    for edge in rows.system.tree.edges:
        if edge.joint.speeds == 6:
            continue
        place = edge.parent if edge.is_reversed else edge.child
        shift = np.asarray(edge.joint.second_frame(table)[1], float)
        if place < 0:
            tails = np.broadcast_to(shift, (len(rows), 3))
        else:
            tails = bodies[place].origins + bodies[place].rotations @ shift
        force = rows.joint(edge.joint.name).reaction.force
        found.append(Arrow(edge.joint.name, tails, np.asarray(force)))
    return found
