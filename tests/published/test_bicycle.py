"""Whipple's bicycle, against the benchmark of Meijaard and others (2007)."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.models.rolling.bicycle import riding

# Accelerations of lean and steer by (lean, steer, lean', steer') at the speed v:
# sympy, test_kane3.py.
CONSTANT = np.array(
    [[9.48977444677355, -0.571523173729245], [11.7194768719633, 30.9087533932407]]
)
SQUARE = np.array([-0.891197738059089, -1.97171508499972])
RATES = np.array(
    [[-0.105522449805691, -0.330515398992311], [3.67680523332152, -3.08486552743311]]
)
STEP = 1e-4


@cache
def bicycle() -> ph.results.Equations:
    return ph.recursive(ph.models.bicycle())


def disturbed(speed: float, change: np.ndarray) -> ph.State:
    """Riding with a little lean, steer, and their rates; the rest as rolling wants."""
    lean, steer, lean_rate, steer_rate = change
    system = bicycle().system
    roll = {"qw": np.cos(lean / 2), "qx": np.sin(lean / 2)}
    q = riding(system, speed).q.copy()
    q[system.edge("free").q][:4] = (roll["qw"], roll["qx"], 0.0, 0.0)
    q[system.edge("steer").q] = steer
    # To first order neither lean nor steer lifts a wheel; to second order it pitches.
    q = ph.State(system, 0.0, q, np.zeros(system.speeds))
    q = system.consistent(q).q
    A, _ = system.constraint_rows(0.0, q, np.zeros(system.speeds))
    names = list(system.speed_names)
    given = {"free.wx": lean_rate, "steer": steer_rate, "rear wheel": speed / 0.3}
    kept = [names.index(name) for name in given]
    rest = [k for k in range(len(names)) if k not in kept]
    z = np.zeros(len(names))
    z[kept] = list(given.values())
    z[rest] = np.linalg.solve(A[:, rest], -A[:, kept] @ z[kept])
    return ph.State(system, 0.0, q, z)


def accelerations(speed: float, change: np.ndarray) -> np.ndarray:
    """(lean'', steer'')"""
    system = bicycle().system
    found = bicycle().accelerations(disturbed(speed, change))
    return found[[list(system.speed_names).index(n) for n in ("free.wx", "steer")]]


@pytest.mark.long
@pytest.mark.parametrize("speed", [2.0, 5.0])
def test_the_bicycle_answers_small_disturbances_as_printed(speed):
    """d(lean'', steer'')/d(lean, steer, lean', steer') at two speeds."""
    slopes = []
    for unit in np.eye(4):
        near, far = (
            (accelerations(speed, h * unit) - accelerations(speed, -h * unit)) / (2 * h)
            for h in (STEP, 2 * STEP)
        )
        slopes.append((4 * near - far) / 3)
    expected = np.hstack([CONSTANT, speed * RATES])
    expected[:, 1] += speed**2 * SQUARE
    assert_close(np.transpose(slopes), expected, rtol=1e-7)


def test_the_bicycle_rides_straight_by_itself():
    """Upright at any speed nothing changes: it is a motion without forces across."""
    for speed in (1.0, 6.0):
        state = riding(bicycle().system, speed)
        found = bicycle().accelerations(state)
        assert_close(found, np.zeros(len(found)), atol=1e-11)
