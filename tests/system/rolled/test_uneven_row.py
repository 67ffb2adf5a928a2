"""A long row of uneven four-bars against Newton and Euler in the plane, rod by rod."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import polhode as ph
from polhode.system.rolled import size

LOOPS, END = 24, 0.2
HEIGHTS = 1.0 + 0.2 * np.sin(np.arange(LOOPS + 1.0))
SPANS = np.hypot(1.0, np.diff(HEIGHTS))


def row() -> ph.System:
    """Uprights of unlike heights on the ground, couplers pinned between their tops."""
    world, hinges, pins = ph.World(), [], []
    uprights = []
    for k, h in enumerate(HEIGHTS):
        rod = ph.solids.placed(ph.solids.rod(mass=1.0, length=h), (0, 0, -h / 2))
        uprights.append(ph.Body(f"upright {k}", rod))
        ends = world.point(float(k), 0, 0), uprights[k].point(0, 0, -h)
        hinges.append(ph.Revolute(f"A{k}", *ends, axis=ph.Y))
    for k, (left, right) in enumerate(pairwise(uprights)):
        rod = ph.solids.rod(mass=1.0, length=SPANS[k], along=ph.X)
        coupler = ph.Body(f"coupler {k}", ph.solids.placed(rod, (SPANS[k] / 2, 0, 0)))
        hinges.append(ph.Revolute(f"B{k}", left.origin, coupler.origin, axis=ph.Y))
        end = coupler.point(SPANS[k], 0, 0)
        pins.append(
            ph.PointOn(
                end, right.frame, lambda p: p[::2], rows=("x", "z"), name=f"pin {k}"
            )
        )
    return ph.System(hinges, [ph.Weight(9.81)], pins, name="uneven row")


class End(NamedTuple):
    """A point of rod `rod`, `arm` along it from its middle; no rod is the ground."""

    rod: int
    arm: float


def joints() -> list[tuple[End, End]]:
    """Ends of rods that stay together; uprights first, couplers after them."""
    count = LOOPS + 1
    found = [(End(k, -HEIGHTS[k] / 2), End(-1, 0.0)) for k in range(count)]
    for k in range(LOOPS):
        coupler, half = count + k, SPANS[k] / 2
        found.append((End(coupler, -half), End(k, HEIGHTS[k] / 2)))
        found.append((End(coupler, half), End(k + 1, HEIGHTS[k + 1] / 2)))
    return found


def plane_accelerations(angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Of middles (x, z) and angles of all rods: M a + J^T l = f, J a = gamma."""
    rods, pairs = 2 * LOOPS + 1, joints()
    # Along each rod, and its slope by the angle about Y: uprights up, couplers along X.
    up = np.arange(rods)[:, None] <= LOOPS
    sin, cos = np.sin(angles), np.cos(angles)
    along = np.where(up, np.stack([sin, cos], 1), np.stack([cos, -sin], 1))
    slope = np.where(up, np.stack([cos, -sin], 1), np.stack([-sin, -cos], 1))
    lengths = np.concatenate([HEIGHTS, SPANS])
    M = np.diag(np.stack([np.ones(rods), np.ones(rods), lengths**2 / 12], 1).ravel())
    J, gamma = np.zeros((2 * len(pairs), 3 * rods)), np.zeros(2 * len(pairs))
    for k, pair in enumerate(pairs):
        own = slice(2 * k, 2 * k + 2)
        for sign, (rod, arm) in zip((1.0, -1.0), pair, strict=True):
            if rod >= 0:
                J[own, 3 * rod : 3 * rod + 2] += sign * np.eye(2)
                J[own, 3 * rod + 2] += sign * arm * slope[rod]
                gamma[own] += sign * arm * rates[rod] ** 2 * along[rod]
    f = np.tile([0.0, -9.81, 0.0], rods)
    none = np.zeros((len(J), len(J)))
    found = np.linalg.solve(np.block([[M, J.T], [J, none]]), np.append(f, gamma))
    return found[2 : 3 * rods : 3]


@pytest.mark.long
def test_a_long_uneven_row_moves_as_newton_and_euler_say() -> None:
    """All angles, by a run as anybody makes it; the loops are closed by pins."""
    system, count = row(), LOOPS + 1
    assert size.is_rolled(system)
    tilts = -np.arctan(np.diff(HEIGHTS))
    # All tops move along X at 1 m/s, and no coupler turns.
    turning = {f"A{k}": 1.0 / h for k, h in enumerate(HEIGHTS)}
    turning |= {f"B{k}": -1.0 / HEIGHTS[k] for k in range(LOOPS)}
    places = {f"B{k}": float(tilt) for k, tilt in enumerate(tilts)}
    motion = ph.simulate(system, system.state(places, speeds=turning), until=END)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        angles, w = np.split(y, 2)
        return np.concatenate([w, plane_accelerations(angles, w)])

    start = np.concatenate([np.zeros(count), tilts, 1.0 / HEIGHTS, np.zeros(LOOPS)])
    tight = {"method": "DOP853", "rtol": 1e-9, "atol": 1e-10}
    wanted = solve_ivp(rates, (0.0, END), start, **tight).y[:, -1]
    assert np.ptp(wanted[:count]) > 0.01  # not one pendulum
    for k in range(count):
        q = motion.q[-1, system.edge(f"A{k}").q.start]
        np.testing.assert_allclose(q, wanted[k], rtol=0, atol=1e-7)
