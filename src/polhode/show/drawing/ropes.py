"""Ropes as they are drawn: straight pieces between points fixed in bodies.

Where a rope leaves a pulley is taken from the first frame and kept on the pulley's
carrier: strands that swing far from there are drawn a little beside the rim.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.constraints.constraint import Placed
from polhode.constraints.machines.rope import Rope
from polhode.constraints.machines.rope_path import places_along
from polhode.integrate.results.body_motion import asked

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory


def rope_lines(
    rows: Trajectory, rope: Rope
) -> list[tuple[tuple[int, int], np.ndarray]]:
    """The bodies, and the points (2, 3) in their axes, of each straight piece."""
    system = rows.system
    table = system.table(dict(rows.table))
    poses = asked(rows, "poses")
    R, o = np.asarray(poses.rotations[0], float), np.asarray(poses.origins[0], float)
    turns, places = np.concatenate([R, [np.eye(3)]]), np.concatenate([o, [np.zeros(3)]])
    own = list(system.places_of(rope.bodies))  # the world is -1, the last
    angles = tuple(rows.q[0, system.edge(joint.name).q] for joint in rope.joints)
    placed = Placed(turns[own], places[own], angles)
    carriers = system.places_of([point.frame for point in rope.points])
    line: list[tuple[int, Any]] = []
    stops = places_along(rope.stops(placed, table))
    for body, points in zip(carriers, stops, strict=True):
        line += [(body, turns[body].T @ (p - places[body])) for p in points]
    return [((a, b), np.array([x, y])) for (a, x), (b, y) in pairwise(line)]
