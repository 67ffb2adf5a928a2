"""One motion, whatever the equations; constraints kept for a long time."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum, four_bar
from polhode.formulation.gauss import gauss
from polhode.formulation.kirchhoff import kirchhoff
from polhode.formulation.newton_euler import newton_euler
from strategies_system import slider_crank


@pytest.mark.parametrize("form", [gauss, kirchhoff, newton_euler])
def test_every_formulation_gives_the_same_motion(form):
    """Velocities of joints or of bodies, multipliers or none: the same end."""
    system = double_pendulum()
    start = system.state(shoulder=1.0, elbow=0.5, speeds={"elbow": 0.7})
    expected = ph.simulate(system, start, until=2.0, rtol=1e-11).final
    motion = ph.simulate(form(system), start, until=2.0, rtol=1e-11)
    assert motion[0].is_close(start)
    assert np.allclose(motion.final.q, expected.q, rtol=0, atol=1e-8)
    assert np.allclose(motion.final.z, expected.z, rtol=0, atol=1e-8)
    assert np.max(np.abs(motion.ledger().balance)) < 1e-8


def periods(motion: ph.results.Trajectory) -> int:
    """How often the first joint comes back through its start, going the same way."""
    there = motion.q[:, 0] - np.median(motion.q[:, 0])
    return int(np.sum((there[:-1] < 0) & (there[1:] >= 0)))


@pytest.mark.row("L-23")
@pytest.mark.parametrize(
    ("make", "until"),
    [
        pytest.param(slider_crank, 2000.0, marks=pytest.mark.long),
        (four_bar, 4100.0),
    ],
)
def test_constraints_hold_for_a_thousand_periods(make, until):
    """|g| < 1e-9 and |g_dot| with it, and energy drifts little, over 1e3 periods."""
    system = make()
    turning = ph.State(system, 0.0, system.rest().q, np.full(system.speeds, 3.0))
    start = system.consistent(turning)
    motion = ph.simulate(system, start, until=until)
    assert periods(motion) >= 1000
    ledger = motion.ledger()
    assert ledger.constraint_violation.max() < 1e-9
    assert ledger.velocity_miss.max() < 1e-9
    ten = motion.t < 10 * until / periods(motion)
    assert np.max(np.abs(ledger.balance[ten])) < 1e-8 * ledger.scale
    assert np.max(np.abs(ledger.balance)) < 1e-6 * ledger.scale
    # The accelerations keep them too: A z_dot = gamma along the motion.
    for k in range(0, len(motion), len(motion) // 20):
        A, gamma = motion.equations.rows(motion[k])
        z_dot = motion.steps.x_dot[k, system.coordinates :]
        size = np.abs(A) @ np.abs(z_dot) + np.abs(gamma) + 1.0
        assert np.all(np.abs(A @ z_dot - gamma) < 1e-9 * size)
