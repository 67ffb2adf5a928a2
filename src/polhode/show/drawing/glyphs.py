"""Signs for joints, springs and rods: what they let through is what is drawn.

one turn                a pin along its axis
one slide               a rail as long as the motion, and a longer pin with a turn
two turns               a cross
three turns             a ball
none                    a small cube
all six, or two slides  nothing: the body is free, or free in a plane
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.actions.force_elements.joint_law import JointDamper, JointSpring
from polhode.actions.space.atmospheric_drag import AtmosphericDrag
from polhode.actions.space.magnetic_torque import MagneticTorque
from polhode.actions.space.solar_pressure import SolarPressure
from polhode.constraints.distance import Distance
from polhode.geometry.point import Point
from polhode.integrate.results.body_motion import at_rows
from polhode.joints.joint import freedoms
from polhode.joints.prismatic import Prismatic
from polhode.matter.material_point import MaterialPoint
from polhode.show.drawing.surface import Surface, ellipsoid_surface, revolve

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

REACH = 0.03  # of the scene: half of a pin
SLENDER = 0.3  # of half a pin: its radius
SHARE = 0.3  # of a body's radius: a joint is smaller than what it joins


class Glyph(NamedTuple):
    """A joint's sign, fixed in a body; body -1 is the world.

    kind   "pin", "rail", "cross", "ball" or "cube"
    at     (3,) where it is in the body;  axes (3, k) along which it is drawn
    reach  (k, 2) from where to where along each axis, m
    thick  the radius of a pin, m
    """

    name: str
    kind: str
    body: int
    at: np.ndarray
    axes: np.ndarray
    reach: np.ndarray
    thick: float


class Link(NamedTuple):
    """A spring, a damper or a rod without mass between points of two bodies.

    aside   how many widths it is drawn beside the line: those between the same points
            stand side by side
    """

    name: str
    kind: str
    bodies: tuple[int, int]
    points: np.ndarray
    aside: float = 0.0


def glyphs_of(rows: Trajectory, size: float, bodies: Any = ()) -> tuple[Glyph, ...]:
    """The signs of all joints of the tree that hold something.

    None is larger than a share of the bodies that are drawn.
    """
    system = rows.system
    half = min(REACH * size, SHARE * usual_radius(bodies))
    table = system.table(dict(rows.table))
    poses = at_rows(rows, "poses")
    found = []
    for edge in system.tree.edges:
        joint = edge.joint
        first, second = (
            (edge.child, edge.parent) if edge.is_reversed else (edge.parent, edge.child)
        )
        R_BF, p_BF = (np.asarray(x, float) for x in joint.first_frame(table))
        S = np.asarray(freedoms(joint, rows.q[0, edge.q], table), float)
        shape = _shape(S)
        if shape is None:
            continue
        kind, axes = shape
        reach = np.tile([-half, half], (axes.shape[1], 1))
        if kind == "rail":
            slid = _slid(poses, first, second, joint, table)
            along = (slid - p_BF) @ (R_BF @ axes[:, 0])
            reach[0] += (along.min(), along.max())
        thick = SLENDER * half
        found.append(Glyph(joint.name, kind, first, p_BF, R_BF @ axes, reach, thick))
    return tuple(found)


def usual_radius(bodies: Any) -> float:
    """The median radius of bodies about their mass centres; infinite of none."""
    radii = [
        np.max(np.linalg.norm(np.concatenate([s.corners for s in body.surfaces])
                              - body.centre, axis=1))
        for body in bodies
    ]  # fmt: skip
    return float(np.median(radii)) if radii else np.inf


def _shape(S: np.ndarray) -> tuple[str, np.ndarray] | None:
    """The kind of sign and its axes in F, from the motions S (6, speeds) it allows."""
    turns, slides = _directions(S[:3]), _directions(S[3:])
    count = turns.shape[1], slides.shape[1]
    if S.shape[1] >= 6 or count[1] > 1:
        return None
    kinds = {1: ("pin", turns), 2: ("cross", turns), 3: ("ball", np.eye(3))}
    if slides.shape[1] == 1:
        return "rail", slides
    return kinds.get(count[0], ("cube", np.eye(3)))


def _directions(part: np.ndarray) -> np.ndarray:
    """The directions (3, k) that some columns span, each column's own where it can."""
    sizes = np.linalg.norm(part, axis=0)
    kept = part[:, sizes > 1e-12] / sizes[sizes > 1e-12]
    if np.linalg.matrix_rank(kept) == kept.shape[1]:
        return kept
    u, s, _ = np.linalg.svd(kept)
    return u[:, : int(np.sum(s > 1e-9))]


def _slid(poses: Any, first: int, second: int, joint: Any, table: Any) -> np.ndarray:
    """Where Mo has been in the first body's axes (n, 3)."""
    p_CM = np.asarray(joint.second_frame(table)[1], float)
    p_W = _world(poses, second, p_CM)
    if first < 0:
        return p_W
    R, o = poses.rotations[:, first], poses.origins[:, first]
    return np.einsum("nji,nj->ni", R, p_W - o)


def _world(poses: Any, body: int, point: np.ndarray) -> np.ndarray:
    if body < 0:
        return np.broadcast_to(point, (len(poses.origins), 3))
    return np.asarray(poses.origins[:, body] + poses.rotations[:, body] @ point)


# What acts at a point by a planet's centre: nothing joins the two.
FAR_AWAY = (AtmosphericDrag, MagneticTorque, SolarPressure)


def links_of(rows: Trajectory) -> tuple[Link, ...]:
    """Springs and dampers between points, and distances that are kept."""
    system = rows.system
    table = system.table(dict(rows.table))
    found = []
    for each in (*system.actions, *system.constraints):
        if isinstance(each, JointSpring | JointDamper):
            found += _slide_links(rows, each, table)
        if isinstance(each, FAR_AWAY):
            continue
        ends: tuple[Any, Any] = getattr(each, "on", None), getattr(each, "by", None)
        kind = "damper" if "amper" in type(each).__name__ else "spring"
        if isinstance(each, Distance):
            ends, kind = (each.first, each.second), "rod"
        if not all(isinstance(end, Point | MaterialPoint) for end in ends):
            continue
        places = system.places_of([end.frame for end in ends])
        points = np.array([_coordinates(end, table) for end in ends])
        found.append(Link(each.name, kind, (places[0], places[1]), points))
    return tuple(_side_by_side(found))


def _side_by_side(links: list[Link]) -> list[Link]:
    """Links between the same points, spread evenly about their line."""
    groups: dict[Any, list[int]] = {}
    for k, link in enumerate(links):
        key = (*link.bodies, *np.round(link.points, 9).ravel())
        groups.setdefault(key, []).append(k)
    spread = list(links)
    for numbers in groups.values():
        for place, k in enumerate(numbers):
            spread[k] = links[k]._replace(aside=place - (len(numbers) - 1) / 2)
    return spread


def _slide_links(rows: Trajectory, action: Any, table: Any) -> list[Link]:
    """The spring or damper along a slide, from beside one mass centre to the other.

    The points of a slide are the same place where its coordinate is zero: on its line
    those nearest to the mass centres are taken. Those of the world are its own.
    """
    joint = action.joint
    if not isinstance(joint, Prismatic):
        return []
    system = rows.system
    ends = system.places_of([joint.first.frame, joint.second.frame])
    frames = joint.first_frame(table), joint.second_frame(table)
    points = []
    for k, frame in zip(ends, frames, strict=True):
        R, place = (np.asarray(x, float) for x in frame)
        along = R @ np.asarray(joint.axis, float)
        if k >= 0:
            centre = np.asarray(system.bodies[k].moments(table)[1], float)
            place = place + along * (along @ (centre - place))
        points.append(place)
    kind = "damper" if isinstance(action, JointDamper) else "spring"
    return [Link(action.name, kind, (ends[0], ends[1]), np.array(points))]


def attachments(rows: Trajectory) -> dict[int, list[np.ndarray]]:
    """By body, the points in its axes where joints, springs and rods hold it."""
    table = rows.system.table(dict(rows.table))
    found: dict[int, list[np.ndarray]] = {}
    for edge in rows.system.tree.edges:
        joint = edge.joint
        ends = (edge.parent, edge.child)
        pair = ends[::-1] if edge.is_reversed else ends
        if joint.speeds < 6:
            for k, frame in zip(
                pair,
                (joint.first_frame(table), joint.second_frame(table)),
                strict=True,
            ):
                found.setdefault(k, []).append(np.asarray(frame[1], float))
    for link in links_of(rows):
        for k, point in zip(link.bodies, link.points, strict=True):
            found.setdefault(k, []).append(point)
    return found


def _coordinates(end: Any, table: Any) -> np.ndarray:
    held = end.at(table) if isinstance(end, MaterialPoint) else end.coordinates
    return np.asarray(held, float)


def arms_of(rows: Trajectory, bodies: Any) -> tuple[Link, ...]:
    """Lines from a joint to a mass centre, where the body does not reach the joint."""
    table = rows.system.table(dict(rows.table))
    found = []
    for edge in rows.system.tree.edges:
        joint = edge.joint
        ends = (
            (edge.child, edge.parent) if edge.is_reversed else (edge.parent, edge.child)
        )
        held = (joint.first_frame(table)[1], joint.second_frame(table)[1])
        if joint.speeds == 6 or "m" in joint.units:
            continue
        for k, point in zip(ends, held, strict=True):
            place = np.asarray(point, float)
            if k >= 0 and not _reaches(bodies[k], place):
                points = np.array([place, bodies[k].centre])
                found.append(Link(f"arm of {bodies[k].name}", "rod", (k, k), points))
    return tuple(found)


def _reaches(body: Any, place: np.ndarray) -> bool:
    """Whether a place is within the ball round the mass centre that holds the body."""
    corners = np.concatenate([surface.corners for surface in body.surfaces])
    radius = np.max(np.linalg.norm(corners - body.centre, axis=1))
    return bool(np.linalg.norm(place - body.centre) <= 1.05 * radius)


def pins_of(glyph: Glyph) -> list[Surface]:
    """The surfaces of a joint's sign, in the axes of its body."""
    radius = glyph.thick
    if glyph.kind in ("ball", "cube"):
        ball = ellipsoid_surface(*(3 * [1.6 * radius]))
        return [ball._replace(corners=ball.corners + glyph.at)]
    thick = 0.45 * radius if glyph.kind == "rail" else radius
    found = []
    for axis, (low, high) in zip(glyph.axes.T, glyph.reach, strict=True):
        pin = revolve([0, thick, thick, 0], [low, low, high, high], 20)
        u = np.linalg.svd(axis[None])[2][1]
        turn = np.stack([u, np.cross(axis, u), axis], axis=1)
        found.append(pin._replace(corners=pin.corners @ turn.T + glyph.at))
    return found
