"""Slips that begin from rest, where friction turns them in no time."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import polhode as ph
from closeness import assert_close
from polhode.models.contacts.quadruped import quadruped_start

G, MU = 9.81, 0.3


def belt_speed(t, xp=np):
    """A belt whose acceleration grows through mu g while it turns."""
    return xp.stack([2.0 * t**2, 1.5 * xp.sin(t) * xp.sin(2 * t)])


def belt_acceleration(t):
    return np.array([4 * t, 3 * np.sin(3 * t) - 1.5 * np.cos(t) * np.sin(2 * t)])


@pytest.mark.row("C-09")
@pytest.mark.row("C-10")
def test_a_block_sets_out_where_friction_gives_way_by_degrees():
    """One coefficient: at the limit it does not accelerate yet, and v turns in no time.

    Against an implicit method for w' = -a - mu g w/|w|, slip w, from its first 1e-6 s.
    """
    end = 1.5
    began = brentq(lambda t: np.hypot(*belt_acceleration(t)) - MU * G, 0.01, 1.0)
    t = np.linspace(began, began + 1e-6, 50)
    a = np.array([belt_acceleration(each) for each in t])
    size = np.linalg.norm(a, axis=1, keepdims=True)
    w = np.trapezoid((MU * G - size) * a / size, t, axis=0)
    sol = solve_ivp(
        lambda t, w: -belt_acceleration(t) - MU * G * w / np.hypot(*w),
        (t[-1], end), w, method="Radau", rtol=1e-9, atol=1e-15,
    )  # fmt: skip
    block = ph.Particle("block", 1.0)
    belt = (lambda t: belt_speed(t, jnp)[0], lambda t: belt_speed(t, jnp)[1], 0.0)
    on = ph.Support(ph.surfaces.point(block.mass_centre), ph.World().origin,
                    friction=ph.Coulomb(MU), belt=belt, name="floor")  # fmt: skip
    system = ph.System([block], [ph.Weight(G)], supports=[on])
    motion = ph.simulate(system, system.state(), until=end)
    assert [each.kind for each in motion.events] == ["slides"]
    assert_close(motion.events.t, [began], atol=1e-9)
    assert_close(motion.z[-1, :2] - belt_speed(end), sol.y[:, -1], atol=2e-8)
    assert len(motion) < 1500
    assert abs(motion.ledger().balance[-1]) < 1e-8


@pytest.mark.long
@pytest.mark.parametrize(("dynamic", "static"), [(0.8, 0.8), (0.7, 0.9)])
def test_feet_of_a_quadruped_slip_and_come_to_rest(dynamic, static):
    """Four redundant feet: the rear ones give way first, left and right alike."""
    system = ph.models.quadruped()
    table = {}
    for support in system.supports:
        table |= {f"{support.name}.dynamic": dynamic, f"{support.name}.static": static}
    motion = ph.simulate(
        system, system.state(**quadruped_start()[0]), until=2.0, parameters=table,
        limit=2000,
    )  # fmt: skip
    assert motion.t[-1] == 2.0
    assert np.max(np.abs(motion.z[-1])) < 1e-12
    for side in ("front", "rear"):
        left, right = (
            motion[f"{side} {hand} leg on floor"] for hand in ("left", "right")
        )
        assert_close(left.slip[:, 0], right.slip[:, 0], atol=1e-6)
    assert np.max(np.abs(motion.ledger().balance)) < 1e-6


@pytest.mark.long
def test_a_coin_that_falls_is_not_jittered_about():
    """Its first slip ends in space, turning; then it wobbles on its rim."""
    coin = ph.Body(
        "coin", ph.solids.cylinder(mass=0.01, radius=0.012, length=0.002, along=ph.Z)
    )
    rim = ph.surfaces.cylinder(coin.origin, 0.012, 0.002, axis=ph.Z)
    on = ph.Support(rim, ph.World().origin, friction=ph.Coulomb(0.3), restitution=0.2,
                    name="table")  # fmt: skip
    system = ph.System([coin], [ph.Weight(G)], supports=[on])
    speeds = {"coin": (3.0, 1.0, 5.0, 0.1, 0.0, 0.0)}
    start = system.state(coin={"z": 0.05}, speeds=speeds)
    motion = ph.simulate(system, start, until=0.2, limit=3000)
    assert motion.t[-1] == 0.2
    assert np.max(np.abs(motion.ledger().balance)) < 1e-9
