"""Stops and brakes of joints, and ropes among constraints, by closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.contact import Anisotropic, Stribeck
from polhode.errors import ModelError, Overlap
from polhode.show.drawing.contacts import contact_frames, world_planes

G = 9.81
WORLD = ph.World()


def pendulum(**limits) -> tuple[ph.Body, ph.Revolute]:
    """A rod of 1 m and 1 kg about its end."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0))
    return rod, ph.Revolute(
        "hinge", WORLD.origin, rod.point(0, 0, 0.5), axis=ph.Y, **limits
    )


@pytest.fixture(scope="module")
def struck():
    _, hinge = pendulum(limits=(-2.0, 0.0))
    stop = ph.Stop(hinge, restitution=0.5)
    system = ph.System([hinge], [ph.Weight(G)], supports=[stop], name="clapper")
    return ph.simulate(system, system.state(hinge=-1.0), until=3.0, rtol=1e-10)


@pytest.mark.row("C-08")
def test_a_pendulum_strikes_its_stop(struck):
    """omega^2 = 3 g (1 - cos)/l at the bottom; every impact leaves half of it."""
    omega = np.sqrt(3 * G * (1 - np.cos(1.0)))
    hits = [e for e in struck.events if e.kind == "touches"]
    rates = [hits[0].before.z[0], -hits[0].after.z[0], -hits[1].after.z[0]]
    assert_close(rates, [omega, omega / 2, omega / 4], rtol=1e-8)
    impact = struck["stop of hinge"].impacts[0]
    assert impact.point == "stop of hinge upper"
    assert_close(impact.impulse[0], 1.5 * omega / 3, rtol=1e-8)  # (1 + e) I omega
    ledger = struck.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    assert_close(ledger.work["impacts of stop of hinge"][-1],
                 ledger.kinetic[-1] + ledger.potential[-1] - ledger.potential[0],
                 atol=1e-8)  # fmt: skip


def test_a_stop_is_read_and_held(struck):
    """As complementarity of both bounds, and as a constraint in its mode."""
    system = struck.system
    text = str(ph.contact_reading(system))
    assert "0 <= hinge - stop of hinge_lower  _|_  N_stop_of_hinge_lower >= 0" in text
    assert "0 <= -hinge  _|_  N_stop_of_hinge_upper >= 0" in text
    assert ph.in_mode(system, {"stop of hinge upper": "slides"}).constraints


def test_a_stop_is_not_drawn_and_is_plotted(struck):
    """It pushes along a joint, at no place; over time its push is a curve."""
    assert contact_frames(struck, 1.0) is None
    assert world_planes(struck) == []
    assert struck.plot("stop of hinge") is not None


def test_what_leans_on_a_stop_presses_it():
    """On a slope the push is the weight's moment."""
    _, hinge = pendulum()
    stop = ph.Stop(hinge, upper=0.3, name="peg")
    system = ph.System([hinge], [ph.Weight(G, up=(1, 0, 1))], supports=[stop])
    (mode,) = ph.contact_modes(system.state(hinge=0.3))
    lean = np.pi / 4 + 0.3
    assert_close(mode.push["peg"], 0.5 * G * abs(np.sin(lean - np.pi / 2)), rtol=1e-12)


@pytest.mark.row("C-10")
def test_a_dry_oscillator_with_a_brake_comes_to_rest_aside():
    """m = k = F = 1 from 12 m at 6 m/s, as Siconos has it; the brake then holds."""
    bob = ph.Particle("bob", 1.0)
    rail = ph.Prismatic("rail", WORLD.origin, bob.mass_centre, axis=ph.X)
    spring = ph.Spring(bob.mass_centre, WORLD.origin, 1.0)
    brake = ph.Brake(rail, ph.Coulomb(0.5), load=2.0, name="shoe")
    system = ph.System([rail], [spring], supports=[brake])
    start = system.state(rail=12.0, speeds={"rail": 6.0})
    motion = ph.simulate(system, start, until=25.0, rtol=1e-11)
    assert_close(motion.q[-1, 0], 0.682178936723646846, atol=1e-8)
    assert_close(motion.events.t[-1], 22.4235563506990905, atol=1e-9)
    shoe = motion["shoe"]
    assert shoe.status[-1, 0] == "sticks"
    assert_close(shoe.friction[-1, 0], [motion.q[-1, 0], 0, 0], atol=1e-12)
    assert_close(shoe.push, 2.0 * np.ones_like(shoe.push))
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise


@pytest.mark.row("C-09")
def test_a_brake_holds_up_to_its_static_torque_and_gives_no_impulse():
    """m g l/2 sin of the angle against mu_s N r; a blow passes it by."""
    rod, hinge = pendulum()
    brake = ph.Brake(hinge, ph.Coulomb(0.3, 0.4), load=100.0, radius=0.05, name="pad")
    system = ph.System([hinge], [ph.Weight(G)], supports=[brake])
    limit = np.arcsin(0.4 * 100 * 0.05 / (0.5 * G))
    for share, rests in ((-1e-8, True), (0.0, True), (1e-8, False)):
        allowed = ph.contact_modes(system.state(hinge=limit + share))
        words = {mode.status["pad"] for mode in allowed}
        assert ("sticks" in words) == rests
    blow = ph.percussion(system.state(), rod.point(0, 0, -0.5), (1, 0, 0))
    assert_close(abs(blow.after.z[0]), 3.0)  # l P / I


@pytest.mark.long
@pytest.mark.row("C-08")
def test_a_rope_is_a_distance_with_a_bound():
    """Dropped beside its peg: jerked taut at the 3-4-5, then it swings."""
    bob = ph.Particle("bob", 0.3)
    rope = ph.Distance(bob.mass_centre, WORLD.origin, at_most=0.5, name="rope")
    system = ph.System([bob], [ph.Weight(G)], [rope])
    assert not system.constraints
    motion = ph.simulate(system, system.state(bob=(0.3, 0, 0)), until=0.4, rtol=1e-10)
    (jerk,) = motion["rope"].impacts
    assert_close(jerk.t, np.sqrt(0.8 / G), rtol=1e-9)
    assert motion["rope"].status[-1, 0] == "slides"


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda h: ph.Stop(h), "has no bounds"),
        (lambda h: ph.Stop(h, 1.0, 0.5), "nowhere: its lower bound 1 is not below"),
        (lambda h: ph.Stop(h, 0.0, 1.0, restitution=1.2), "1.2"),
        (lambda h: ph.Stop("hinge", 0.0), "cannot be along hinge"),
        (lambda h: ph.Brake(h, ph.contact.Viscous(1.0)), "cannot have the friction"),
        (lambda h: ph.Brake(h, ph.Coulomb(0.2), load=0.0), "load of .* is zero"),
        (lambda h: ph.Brake(h, ph.Coulomb(0.2), load=-1.0), "is negative"),
        (lambda h: ph.Distance(WORLD.origin, h.second), "has no lengths"),
        (lambda h: ph.Distance(WORLD.origin, h.second, 1.0, at_most=2.0), "two"),
        (lambda h: Stribeck(0.5, 0.3, 0.1), "static friction 0.3 below dynamic"),
        (lambda h: Stribeck(0.3, 0.5, 0.0), "speed of 'stribeck' is zero"),
        (lambda h: Stribeck(float("nan"), 0.5, 0.1), "nan"),
        (lambda h: Anisotropic(0.3), "cannot have dynamic friction 0.3"),
        (lambda h: Anisotropic((0.3, 0.4), (0.3, 0.8)), "ellipses of two shapes"),
        (lambda h: Anisotropic((0.3, 0.4), (0.2, 0.3)), "below dynamic"),
        (lambda h: Anisotropic((0.3, 0.4), of="sky"), "cannot belong to 'sky'"),
    ],
)  # fmt: skip
def test_what_is_refused(ask, said):
    """At the door, in words."""
    _, hinge = pendulum()
    with pytest.raises(ModelError, match=said):
        ask(hinge)


def test_a_start_beyond_a_stop_and_a_joint_of_another_system_are_refused(struck):
    """With the joint's name and how far."""
    system = struck.system
    with (
        pytest.warns(UserWarning, match=r"ph\.Stop"),
        pytest.raises(Overlap, match=r"joint 'hinge' starts 0\.5 rad"),
    ):
        ph.simulate(system, system.state(hinge=0.5), until=1.0)
    rod, other = pendulum(limits=(0.0, 1.0))
    rail = ph.Prismatic("rail", WORLD.origin, rod.origin, axis=ph.X)
    with pytest.raises(ModelError, match="no joint 'hinge'"):
        ph.System([rail], supports=[ph.Stop(other)])
