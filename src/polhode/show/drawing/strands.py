"""Ropes and belts as they are drawn: lines that lie on their wheels anew."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.constraints.constraint import Placed
from polhode.constraints.gear import Gear
from polhode.constraints.machines.rope import Pulley, Rope
from polhode.constraints.machines.rope_path import Stop, places_along
from polhode.integrate.results.body_motion import at_rows
from polhode.joints.revolute import Revolute
from polhode.matter.parameter import at, parameters_in
from polhode.supports.slack_rope import SlackRope

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

ON_AN_ARC = 13  # points
ON_A_BOW = 9  # points of a slack straight part, between its ends
UPRIGHT = 0.2  # of a unit vector across: a part that is as good as vertical bows aside
PARALLEL = 1e-6
APART = 0.95  # of the distance of two axes: what the radii of their wheels may fill


class Strand(NamedTuple):
    """A line that changes its shape: points (n, m, 3), along the world's axes."""

    name: str
    kind: str
    points: np.ndarray


def strands_of(rows: Trajectory, bodies: Any) -> tuple[Strand, ...]:
    """Ropes, and the belts of gears whose wheels turn alike."""
    found = []
    for each in rows.system.constraints:
        if isinstance(each, Rope):
            found.append(Strand(each.name, "rope", rope_line(rows, each)))
        elif isinstance(each, Gear):
            loop = belt_line(rows, each, bodies)
            if loop is not None:
                found.append(Strand(each.name, "belt", loop))
    for support in rows.system.supports:
        if isinstance(support, SlackRope):
            line = rope_line(rows, support.rope)
            found.append(Strand(support.name, "rope", line))
    return tuple(found)


def rope_line(rows: Trajectory, rope: Rope) -> np.ndarray:
    """Points (n, m, 3) along the strands of a rope and its arcs on pulleys.

    Straight parts of one that may go slack bow by what its strand has to spare.
    """
    system = rows.system
    table = system.table(dict(rows.table))
    own = list(system.places_of(rope.bodies))
    slices = [system.edge(joint.name).q for joint in rope.joints]
    lines = []
    for k, (turns, places) in enumerate(_placements(rows)):
        angles = tuple(rows.q[k, part] for part in slices)
        placed = Placed(turns[own], places[own], angles)
        stops = places_along(rope.stops(placed, table), ON_AN_ARC)
        if rope.slack:
            spare = -np.asarray(rope.position(placed, 0.0, table), float)
            stops = _bow_between(rope, stops, np.maximum(spare, 0.0))
        lines.append([point for stop in stops for point in stop])
    return np.array(lines, float)


def _bow_between(
    rope: Rope, stops: list[list[Any]], spare: np.ndarray
) -> list[list[Any]]:
    """The places along a rope, and bows between them that use up the spare lengths."""
    turning = [isinstance(s, Pulley) and s.turns for s in rope.along]
    strand = np.cumsum([0, *turning[1:-1]])  # of each straight part
    ends = [(np.array(a[-1]), np.array(b[0])) for a, b in pairwise(stops)]
    long = np.array([np.linalg.norm(b - a) for a, b in ends])
    found = [stops[0]]
    for k, (one, two) in enumerate(ends):
        share = long[k] / np.sum(long[strand == strand[k]])
        found += [_bow(one, two, spare[strand[k]] * share), stops[k + 1]]
    return found


def _bow(one: np.ndarray, two: np.ndarray, spare: float) -> list[np.ndarray]:
    """Inner points of a parabola from end to end, longer than straight by `spare`."""
    d = two - one
    length = float(np.linalg.norm(d))
    along = d / length if length else np.array([0.0, 0.0, 1.0])
    down = np.array([0.0, 0.0, -1.0])
    across = down - (down @ along) * along
    if np.linalg.norm(across) < UPRIGHT:
        across = np.cross(along, [0.0, 1.0, 0.0])
    across = across / np.linalg.norm(across)
    # Arc length of a flat parabola, and of a fold where the ends are together.
    sag = np.sqrt(3 * length * spare / 8 + spare**2 / 4)
    places = np.linspace(0, 1, ON_A_BOW + 2)[1:-1]
    return [one + u * d + 4 * u * (1 - u) * sag * across for u in places]


def belt_line(rows: Trajectory, gear: Gear, bodies: Any) -> np.ndarray | None:
    """The closed line (n, m, 3) of a belt; None of what has none.

    Wheels in mesh turn oppositely, those of a belt alike. Radii are those given to
    `ph.machines.Belt`, or those of the wheels that are drawn.
    """
    joints: tuple[Any, Any] = (gear.driven, gear.driver)
    if not all(isinstance(joint, Revolute) for joint in joints):
        return None
    table = rows.system.table(dict(rows.table))
    ratio = float(at(gear.ratio, table))
    given = _given_radii(gear, table)
    if ratio < 0 and given is None:
        return None
    frames = [joint.first_frame(table) for joint in joints]
    turns = [np.asarray(frame[0], float) for frame in frames]
    own = [np.asarray(frame[1], float) for frame in frames]
    normals = [
        R @ np.asarray(j.axis, float) for R, j in zip(turns, joints, strict=True)
    ]
    carriers = rows.system.places_of([joint.first.frame for joint in joints])
    lines = []
    radii = given
    for R, o in _placements(rows):
        centres = [o[c] + R[c] @ p for c, p in zip(carriers, own, strict=True)]
        axes = [R[c] @ n for c, n in zip(carriers, normals, strict=True)]
        apart = float(np.linalg.norm(centres[1] - centres[0]))
        radii = radii or _drawn_radii(rows, joints, bodies, (abs(ratio), apart))
        if np.linalg.norm(np.cross(*axes)) > PARALLEL or apart <= abs(np.diff(radii)):
            return None
        alike = 1.0 if (axes[0] @ axes[1]) * ratio > 0 else -1.0
        wheels = [
            Stop(centre, radius, axes[0], 0.0 * axes[0], sense)
            for centre, radius, sense in zip(centres, radii, (1.0, alike), strict=True)
        ]
        stops = places_along([*wheels[::-1], *wheels[::-1]], ON_AN_ARC)
        arcs = [*stops[1], *stops[2]]
        lines.append([*arcs, arcs[0]])
    return np.array(lines, float)


def _placements(rows: Trajectory) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rotations and origins of all bodies, row by row; the world is the last."""
    poses = at_rows(rows, "poses")
    for R, o in zip(poses.rotations, poses.origins, strict=True):
        yield (
            np.concatenate([np.asarray(R, float), [np.eye(3)]]),
            np.concatenate([np.asarray(o, float), [np.zeros(3)]]),
        )


def _given_radii(gear: Gear, table: Any) -> tuple[float, float] | None:
    """Of the driven wheel and of the driver, where the ratio was made of them."""
    made_of = {p.name.rpartition(".")[2]: p for p in parameters_in([gear.ratio])}
    try:
        pair = made_of["driven_radius"], made_of["driver_radius"]
    except KeyError:
        return None
    return float(at(pair[0], table)), float(at(pair[1], table))


def _drawn_radii(
    rows: Trajectory, joints: Any, bodies: Any, limits: tuple[float, float]
) -> tuple[float, float]:
    """Radii in the ratio of the gear, none larger than its wheel or the room for it."""
    ratio, apart = limits
    table = rows.system.table(dict(rows.table))
    reach = []
    for joint in joints:
        k = rows.system.places_of([joint.second.frame])[0]
        R, p = (np.asarray(x, float) for x in joint.second_frame(table))
        arms = np.concatenate([s.corners for s in bodies[k].surfaces]) - p
        across = arms - np.outer(arms @ (R @ joint.axis), R @ joint.axis)
        reach.append(float(np.max(np.linalg.norm(across, axis=1))))
    driven = min(reach[0], reach[1] / ratio, APART * apart / (1 + ratio))
    return driven, ratio * driven
