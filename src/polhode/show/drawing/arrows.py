"""Vectors drawn: velocities, momenta and forces as arrows, couples as bent ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.analyse.reactions import reaction_rows
from polhode.integrate.results.body_motion import at_rows
from polhode.integrate.results.loads_along import wrenches_along
from polhode.system.rolled.size import is_rolled

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

LONGEST = 0.3  # of the scene: the longest arrow of a kind
WIDEST = 0.1  # of the scene: the radius of the largest arc of a kind
NOTHING = 1e-9  # of the largest of its kind: an arrow that stays shorter is not drawn


class Arrow(NamedTuple):
    """One arrow: where it begins (n, 3), and what it shows (n, 3).

    cone   of a push, the static friction: how wide the cone about it is for its length
    """

    name: str
    tails: np.ndarray
    vectors: np.ndarray
    cone: float = 0.0


class Arrows(NamedTuple):
    """Arrows of one kind and their scale: metres drawn for one unit.

    Those of a couple are arcs about it, of three quarters of a turn by the right hand;
    the scale is that of their radius.
    """

    kind: str
    unit: str
    scale: float
    arrows: tuple[Arrow, ...]
    is_bent: bool = False


def arrows_of(rows: Trajectory, bodies: Any, size: float) -> tuple[Arrows, ...]:
    """Every kind that does not vanish, scaled to the scene."""
    twists = at_rows(rows, "twists")
    forces, couples = _actions(rows, bodies, size)
    # What joints carry beside contacts is not known row by row.
    reactions, moments = [], []
    if not rows.system.supports:
        for find in (_reactions, _constraint_reactions):
            pulls, twisting = find(rows, bodies, size)
            reactions += pulls
            moments += twisting
    found = {
        ("angular velocity", "rad/s"): _spins(bodies, twists),
        ("angular momentum", "kg m²/s"): _turning(bodies, twists),
        ("momentum", "kg m/s"): _momenta(bodies, twists),
        ("force", "N"): forces,
        ("reaction", "N"): reactions,
    }
    bent = {("couple", "N m"): couples, ("reaction couple", "N m"): moments}
    kinds = [
        scale_arrows(*key, arrows, LONGEST * size) for key, arrows in found.items()
    ]
    kinds += [
        scale_arrows(*key, arrows, WIDEST * size)._replace(is_bent=True)
        for key, arrows in bent.items()
    ]
    return tuple(kind for kind in kinds if kind.arrows)


def scale_arrows(kind: str, unit: str, arrows: list[Arrow], length: float) -> Arrows:
    """Those arrows of a kind that do not vanish, the longest as long as given."""
    lengths = [_largest(arrow.vectors) for arrow in arrows]
    most = max(lengths, default=0.0)
    kept = [a for a, x in zip(arrows, lengths, strict=True) if x > NOTHING * most]
    return Arrows(kind, unit, length / most if most else 0.0, tuple(kept))


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


def _actions(
    rows: Trajectory, bodies: Any, size: float
) -> tuple[list[Arrow], list[Arrow]]:
    """Forces of actions on their central lines, and the couples that remain there."""
    forces, couples = [], []
    for action, wrenches in wrenches_along(rows).items():
        for k, body in enumerate(bodies):
            name = f"{action} on {body.name}"
            torque = np.asarray(wrenches.torques[:, k])
            force = np.asarray(wrenches.forces[:, k])
            at = line_point(body, torque, force, NOTHING / size)
            forces.append(Arrow(name, at, force))
            moment = np.cross(at - body.origins, force)
            if _largest(torque - moment) > NOTHING * _largest(moment):
                couples.append(Arrow(name, at, torque - moment))
    return forces, couples


def line_point(
    body: Any, torque: np.ndarray, force: np.ndarray, least: float = 0.0
) -> np.ndarray:
    """The point of a force's central line that is nearest to the mass centre (n, 3).

        r = F x M / F²,     P = O + r + ((c - r) . F) F / F²

    M (n, 3) is the torque about the body's origin O, c the mass centre from there. A
    couple has no line, nor has a force below `least` of its torque: P is then c.
    """
    square = np.sum(force**2, axis=1, keepdims=True)
    has_line = square > least**2 * np.sum(torque**2, axis=1, keepdims=True)
    safe = np.where(has_line, square, 1.0)
    r = np.cross(force, torque) / safe
    c = body.path - body.origins
    along = np.sum((c - r) * force, axis=1, keepdims=True) / safe
    return body.origins + np.where(has_line, r + along * force, c)


def _reactions(
    rows: Trajectory, bodies: Any, size: float
) -> tuple[list[Arrow], list[Arrow]]:
    """What joints exert on their second bodies, at the joint's point there."""
    table = rows.system.table(dict(rows.table))
    forces, couples = [], []
    for edge in rows.system.tree.edges:
        if edge.joint.speeds == 6:
            continue
        place = edge.parent if edge.is_reversed else edge.child
        shift = np.asarray(edge.joint.second_frame(table)[1], float)
        if place < 0:
            tails = np.broadcast_to(shift, (len(rows), 3))
        else:
            tails = bodies[place].origins + bodies[place].rotations @ shift
        name = edge.joint.name
        torque, force = rows.joint(name).reaction
        forces.append(Arrow(name, tails, np.asarray(force)))
        if _largest(torque) > NOTHING * size * _largest(force):
            couples.append(Arrow(name, tails, np.asarray(torque)))
    return forces, couples


def _constraint_reactions(
    rows: Trajectory, bodies: Any, size: float
) -> tuple[list[Arrow], list[Arrow]]:
    """What ropes, cams, gears and all other constraints exert, a body or joint each."""
    system = rows.system
    forces: list[Arrow] = []
    couples: list[Arrow] = []
    if not system.constraints or is_rolled(system):
        return forces, couples
    first = rows.equations.reactions(rows[0], rows.table)
    known = {edge.joint.name for edge in system.tree.edges}
    for name, found in reaction_rows(rows).items():
        (place,) = system.places_of([first[name].point.frame])
        if name in known or place < 0:
            continue
        torque, force = found[:, 0], found[:, 1]
        point = np.asarray(first[name].point.coordinates, float)
        tails = bodies[place].origins + bodies[place].rotations @ point
        forces.append(Arrow(name, tails, force))
        if _largest(torque) > NOTHING * size * _largest(force):
            couples.append(Arrow(name, tails, torque))
    return forces, couples


def arc(at: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """Points (25, 3) of three quarters of a turn about a vector, as its right hand.

    The vector's length is the radius.
    """
    radius = float(np.linalg.norm(vector))
    along = vector / radius if radius else np.array([0.0, 0.0, 1.0])
    least = np.eye(3)[0 if abs(along[0]) < 0.6 else 1]
    u = np.cross(along, least)
    u = radius * u / np.linalg.norm(u)
    turns = np.linspace(0.0, 1.5 * np.pi, 25)[:, None]
    return at + np.cos(turns) * u + np.sin(turns) * np.cross(along, u)
