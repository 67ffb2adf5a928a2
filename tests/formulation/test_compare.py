"""The short motion by which formulations are compared."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formulation.short_motion import SHARE, answers_of, moved, step_of
from strategies_system import topology


def test_a_step_is_a_share_of_what_changes_fastest():
    """h = SHARE / w where speeds are large, SHARE / a^(1/2) where accelerations are."""
    system = topology("pendulum")
    quick = system.state(hinge=0.1, speeds={"hinge": 50.0})
    assert_close(step_of(quick, np.ones(6)), SHARE / 50.0)
    slow = system.state(hinge=0.1)
    assert_close(step_of(slow, np.full(6, 400.0)), SHARE / 20.0)


@pytest.mark.long
@pytest.mark.parametrize("form", [ph.gauss, ph.hamilton, ph.newton_euler])
def test_the_short_motion_is_that_of_the_simulation(form):
    """Steps by a formulation's own equations end where a tight simulation does."""
    system = topology("double_pendulum")
    state = system.state(shoulder=0.7, elbow=-0.4, speeds={"elbow": 1.5})
    h, steps = 5e-4, 32
    equations = form(system)
    y = equations.velocities(state)
    answer = ph.compile(answers_of(equations), state.t, state.q, y, batched=True)
    start = np.array([state.t]), state.q[None], y[None]
    q, V = moved(answer, start, np.array([h]), steps)
    later = ph.State(system, state.t, q[0], state.z)
    assert_close(system.poses(0.0, later.q).origins, places(reference()), rtol=1e-12)
    assert np.shape(V) == (1, 2, 6)


def places(q: np.ndarray) -> np.ndarray:
    """Where the bodies' origins are."""
    return topology("double_pendulum").poses(0.0, q).origins


@cache
def reference() -> np.ndarray:
    """Coordinates at the end, by SciPy, from accelerations of the recursive form."""
    from scipy.integrate import solve_ivp

    system = topology("double_pendulum")
    state = system.state(shoulder=0.7, elbow=-0.4, speeds={"elbow": 1.5})
    equations = ph.recursive(system)

    def slope(t, x):
        now = ph.State(system, t, x[:2], x[2:])
        return np.concatenate([x[2:], equations.accelerations(now)])

    start, span = np.concatenate([state.q, state.z]), (0.0, 32 * 5e-4)
    done = solve_ivp(slope, span, start, method="DOP853", rtol=1e-13, atol=1e-14)
    return done.y[:2, -1]
