"""Balls, wheels and tops that slip, roll, and are slowed by rolling and spinning."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError

G, R = 9.81, 0.1
WORLD = ph.World()


def ball(*, rolling=0.0, spinning=0.0, up=(0, 0, 1)) -> ph.System:
    """A ball of 1 kg on a plane, which never slips far."""
    body = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=R))
    felt = ph.Support(ph.surfaces.sphere(body.origin, R), WORLD.origin,
                      friction=ph.Coulomb(0.5), name="felt")  # fmt: skip
    rubs = [ph.contact.RollingFriction(felt, rolling)] if rolling else []
    rubs += [ph.contact.SpinningFriction(felt, spinning)] if spinning else []
    return ph.System([body], [ph.Weight(G, up=up)], supports=[felt, *rubs])


@pytest.fixture(scope="module")
def slowed():
    system = ball(rolling=0.004, spinning=0.003)
    spin = (0, 1.0 / R, 20.0, 1.0, 0, 0)
    start = system.state(ball={"z": R}, speeds={"ball": spin})
    return ph.simulate(system, start, until=4.0, rtol=1e-10)


@pytest.mark.row("C-10")
def test_rolling_and_spinning_friction_stop_a_ball(slowed):
    """v' = -g (c/R)/(1 + 2/5), w' = -c_s N/I, each for itself, and then it rests."""
    met = {e.name: e.t for e in slowed.events if e.kind == "sticks"}
    slowing = 0.004 * G / (1.4 * R)
    assert_close(met["rolling friction of felt"], 1.0 / slowing, rtol=1e-8)
    spun = 20.0 * 0.4 * R**2 / (0.003 * G)
    assert_close(met["spinning friction of felt"], spun, rtol=1e-8)
    assert_close(slowed.q[-1, 4], 0.5 / slowing, rtol=1e-8)
    assert_close(slowed.z[-1], np.zeros(6), atol=1e-12)
    pushes = slowed["rolling friction of felt"].push
    assert_close(pushes, np.full_like(pushes, G), rtol=1e-10)


def test_the_ledger_books_each_couple(slowed):
    """All of both energies, each to its own, and none to the felt."""
    ledger = slowed.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    assert_close(ledger.work["rolling friction of felt"][-1], -0.7, atol=1e-7)
    spun = 0.5 * 0.4 * R**2 * 20.0**2
    assert_close(ledger.work["spinning friction of felt"][-1], -spun, atol=1e-7)
    assert np.max(np.abs(ledger.work["friction of felt"])) < 1e-9


@pytest.mark.long
def test_a_wheel_with_rolling_friction_rests_on_a_slope():
    """While tan(a) R is not above its arm."""
    for share, rests in ((-1e-7, True), (1e-7, False)):
        tan = 0.004 / R + share
        system = ball(rolling=0.004, up=(tan, 0, 1))
        (mode,) = ph.contact_modes(system.state(ball={"z": R}))
        assert (mode.status["rolling friction of felt"] == "sticks") == rests
        assert bool(np.max(np.abs(mode.accelerations)) < 1e-9) == rests


@pytest.mark.long
@pytest.mark.row("C-11")
@pytest.mark.parametrize(("share", "speed"), [(2 / 5, 5 / 7), (1 / 2, 2 / 3)])
def test_rolling_with_a_coefficient_slides_and_then_rolls(share, speed):
    """A ball 5/7 of its speed, a cylinder 2/3: after v (1 - ratio)/(mu g)."""
    v, mu = 2.0, 0.2
    moments = 3 * (share * R**2,)
    body = ph.Body.from_inertia("ball", mass=1.0, inertia=moments)
    roll = ph.rolling(ph.surfaces.sphere(body.origin, R), WORLD.origin,
                      friction=ph.Coulomb(mu), name="cloth")  # fmt: skip
    system = ph.System([body], [ph.Weight(G)], [*roll])
    assert not system.constraints
    start = system.state(ball={"z": R}, speeds={"ball": (0, 0, 0, v, 0, 0)})
    motion = ph.simulate(system, start, until=1.0, rtol=1e-11)
    (held,) = [e for e in motion.events if e.kind == "sticks"]
    assert_close(held.t, v * (1 - speed) / (mu * G), rtol=1e-9)
    assert_close(np.linalg.norm(motion.z[-1, 3:]), speed * v, rtol=1e-9)


@pytest.mark.long
@pytest.mark.row("C-11")
def test_a_driven_wheel_slips_where_its_torque_is_too_great():
    """A disc under a couple M rolls while M/(R (1 + m R^2/I)) is within mu m g."""
    body = ph.Body("disc", ph.solids.disc(mass=1.0, radius=R, along=ph.Y))
    roll = ph.rolling(ph.surfaces.disc(body.origin, R, ph.Y), WORLD.origin,
                      friction=ph.Coulomb(0.3), name="road")  # fmt: skip
    most = 0.3 * G * R * 1.5
    for torque, word in ((most * (1 - 1e-7), "sticks"), (most * (1 + 1e-7), "slides")):
        couple = ph.theory.Vector((0, torque, 0), body.frame)
        push = ph.AppliedCouple(body.frame, couple)
        system = ph.System([body], [ph.Weight(G), push], [*roll])
        (mode,) = ph.contact_modes(system.state(disc={"z": R}))
        assert mode.status["road"] == word


def test_a_couple_of_another_system_is_refused():
    """Its push is that of a support of the same system."""
    felt = ball(rolling=0.001).supports[0]
    body = ph.Particle("dot", 1.0)
    with pytest.raises(ModelError, match="which is not in"):
        ph.System([body, ball().bodies[0]],
                  supports=[ph.contact.RollingFriction(felt, 0.1)])  # fmt: skip
    with pytest.raises(ModelError, match=r"arm of .* is zero"):
        ph.contact.SpinningFriction(felt, 0.0)
    with pytest.raises(ModelError, match="cannot be at"):
        ph.contact.SpinningFriction("felt", 0.1)
