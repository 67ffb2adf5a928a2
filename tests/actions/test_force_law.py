"""A force by the user's own law."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ForceError

WORLD = ph.World()
SPIN = jnp.array([0.0, 0.0, 2.0])


def ball():
    return ph.Particle("ball", 0.5)


def test_a_law_sees_place_and_velocity_from_the_body_that_acts():
    """On a turning table the law reads coordinates and velocities of the table."""
    seen = ball()
    table = ph.Body("table", ph.solids.box(mass=1.0, x=1.0, y=1.0, z=0.1))
    pivot = ph.Revolute("pivot", WORLD.origin, table.origin, axis=ph.Z)
    pull = ph.ForceLaw(seen.mass_centre, table.frame, lambda x, v, t: -3 * x - v)
    system = ph.System([pivot, seen], [pull], name="table")
    state = system.state(
        pivot=np.pi / 2, ball=(1.0, 0, 0), speeds={"pivot": 2.0, "ball": (0.0, 2.0, 0)}
    )
    # The ball moves with the table's points: v = 0 there, and x = (0, -1, 0).
    z_dot = ph.gauss(system).accelerations(state)
    assert_close(z_dot[1:], [-3.0 / 0.5, 0, 0], atol=1e-13)
    assert_close(z_dot[0], 0.0, atol=1e-13)  # the reaction passes through the pivot


@pytest.mark.row("D-12")
def test_what_is_across_the_motion_does_no_work():
    """A force a x v bends the path; its power is zero and K stays, also on a hinge."""
    free = ball()
    bend = ph.ForceLaw(
        free.mass_centre, WORLD.frame, lambda x, v, t: jnp.cross(SPIN, v), name="bend"
    )
    system = ph.System([free], [bend], name="bent")
    state = system.state(ball=(1, 0, 0), speeds={"ball": (0.3, 1.1, -0.4)})
    motion = ph.simulate(system, state, until=3.0, rtol=1e-11)
    ledger = motion.ledger()
    assert np.ptp(ledger.kinetic) < 1e-9 * ledger.kinetic[0]
    assert abs(ph.gauss(system).powers(state)["bend"]) < 1e-15
    turn = np.arctan2(motion.z[-1, 1], motion.z[-1, 0]) - np.arctan2(1.1, 0.3)
    assert_close(np.exp(1j * turn).real, np.cos(2.0 / 0.5 * 3.0), atol=1e-7)


def test_a_law_that_fails_is_refused_with_its_own_words():
    """The original exception is attached; a wrong shape is named."""
    with pytest.raises(
        ForceError, match=r"'spin' fails: ValueError: no law"
    ) as refusal:
        ph.ForceLaw(ball().mass_centre, WORLD.frame, refuse, name="spin")
    assert isinstance(refusal.value.__cause__, ValueError)
    with pytest.raises(ForceError, match=r"gives shape \(2,\), not \(3,\)"):
        ph.ForceLaw(ball().mass_centre, WORLD.frame, lambda x, v, t: x[:2])


def refuse(x, v, t):
    raise ValueError("no law")
