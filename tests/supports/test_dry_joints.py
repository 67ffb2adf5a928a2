"""Friction of joints that sticks under what they carry, by closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError

G = 9.81
WORLD = ph.World()


def pendulum(law, **sizes) -> ph.System:
    """A rod of 1 m and 2 kg about its end, in a dry hinge."""
    rod = ph.Body("rod", ph.solids.rod(mass=2.0, length=1.0))
    hinge = ph.Revolute("hinge", WORLD.origin, rod.point(0, 0, 0.5), axis=ph.Y)
    rubs = ph.JointFriction(hinge, law, **sizes)
    return ph.System([hinge], [ph.Weight(G)], supports=[rubs], name="dry pendulum")


@pytest.mark.row("C-09")
def test_a_dry_hinge_holds_up_to_its_angle():
    """At rest it carries m g: m g l/2 sin <= mu_s a m g, whatever m and g."""
    system = pendulum(ph.Coulomb(0.3, 0.4), radius=0.1)
    limit = np.arcsin(0.4 * 0.1 / 0.5)
    for share, rests in ((-1e-8, True), (0.0, True), (1e-8, False)):
        allowed = ph.contact_modes(system.state(hinge=limit + share))
        words = {mode.status["friction of hinge"] for mode in allowed}
        assert ("sticks" in words) == rests


@pytest.mark.row("C-10")
def test_a_dry_hinge_takes_the_motion_and_then_holds():
    """Every swing loses mu a N over its angle; where it rests the hinge bears m g."""
    system = pendulum(ph.Coulomb(0.3, 0.4), radius=0.1)
    motion = ph.simulate(system, system.state(hinge=1.0), until=8.0, rtol=1e-10)
    rubs = motion["friction of hinge"]
    assert rubs.status[-1, 0] == "sticks"
    assert abs(np.sin(motion.q[-1, 0])) <= 0.4 * 0.1 / 0.5
    assert np.max(np.abs(motion.z[motion.t > motion.events.t[-1]])) < 1e-30
    # The push is what the joint carries, friction on it or not.
    force = motion["hinge"].reaction.force
    assert_close(rubs.push[:, 0], np.linalg.norm(force, axis=1), rtol=1e-12)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    lost = ledger.kinetic[-1] + ledger.potential[-1] - ledger.potential[0]
    assert_close(ledger.work["friction of hinge"][-1], lost, atol=1e-8)
    rows = rubs.friction[:, 0, 1] * motion.z[:, 0]
    assert np.all(rows <= 1e-12)  # friction never works forward


@pytest.mark.long
@pytest.mark.row("C-10")
@pytest.mark.parametrize(("static", "word"), [(0.4, "sticks"), (0.3, "slides")])
def test_a_dry_slider_thrown_up_a_slope_stops_and_stays_or_returns(static, word):
    """t = v/(g (sin + mu cos)); it stays where tan(a) <= mu_s."""
    bob, a, mu = ph.Particle("bob", 1.5), 0.3, 0.29
    rail = ph.Prismatic("rail", WORLD.origin, bob.mass_centre, axis=ph.X)
    rubs = ph.contact.DryJoint(rail, ph.Coulomb(mu, static), name="shoe")
    down = ph.Weight(G, up=(np.sin(a), 0, np.cos(a)))
    system = ph.System([rail], [down], supports=[rubs])
    start = system.state(rail=0.0, speeds={"rail": 2.0})
    motion = ph.simulate(system, start, until=1.0, rtol=1e-11)
    stop = 2.0 / (G * (np.sin(a) + mu * np.cos(a)))
    if word == "sticks":
        assert_close(motion.events.t, [stop], rtol=1e-9)
    assert motion["shoe"].status[-1, 0] == word
    assert_close(motion["shoe"].push[-1, 0], 1.5 * G * np.cos(a), rtol=1e-12)
    later = 1.0 - stop if word == "slides" else 0.0
    back = 0.5 * G * (np.sin(a) - mu * np.cos(a)) * later**2
    assert_close(motion.q[-1, 0], stop - back, rtol=1e-8)


def test_a_couple_presses_over_a_span():
    """A slider that carries a mass aside: N = |F| + |M|/span, M = m d |g - a|.

    a is by friction itself, m a = mu N: the push is found with the motion.
    """
    block, d = ph.Body("block", ph.solids.box(mass=2.0, x=0.1, y=0.1, z=0.1)), 0.3
    rail = ph.Prismatic("rail", WORLD.origin, block.point(0, d, 0), axis=ph.X)
    rubs = ph.contact.DryJoint(rail, ph.Coulomb(0.2), span=0.15, name="shoe")
    system = ph.System([rail], [ph.Weight(G)], supports=[rubs])
    (mode,) = ph.contact_modes(system.state(speeds={"rail": 1.0}))
    a = 0.2 * mode.push["shoe"] / 2.0
    pressed = 2.0 * G + 2.0 * d * np.hypot(G, a) / 0.15
    assert_close(mode.push["shoe"], pressed, rtol=1e-12)
    assert_close(mode.accelerations, [-a], rtol=1e-12)


def test_joints_carry_what_contacts_press():
    """A beam on a hinge and a floor: each bears half of its weight."""
    beam = ph.Body("beam", ph.solids.rod(mass=1.0, length=1.0, along=ph.X))
    hinge = ph.Revolute("hinge", WORLD.origin, beam.point(-0.5, 0, 0), axis=ph.Y)
    tip = ph.Support(ph.surfaces.point(beam.point(0.5, 0, 0)), WORLD.origin, name="tip")
    system = ph.System([hinge], [ph.Weight(G)], supports=[tip])
    motion = ph.simulate(system, system.state(), until=0.1)
    assert_close(motion["tip"].push[-1], [G / 2], rtol=1e-12)
    assert_close(motion["hinge"].reaction.force[-1], [0, 0, G / 2], atol=1e-12)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda h: ph.contact.DryJoint(h, ph.Coulomb(0.2)), "has no radius"),
        (lambda h: ph.contact.DryJoint(h, ph.Coulomb(0.2), radius=0.0), "is zero"),
        (lambda h: ph.contact.DryJoint(h, 0.2, radius=0.1), "cannot have the friction"),
        (lambda h: ph.contact.DryJoint("hinge", ph.Coulomb(0.2)), "cannot be along"),
    ],
)
def test_what_is_refused(ask, said):
    """Laws that do not stick, no radius, no joint: who, what and why."""
    rod = ph.Body("rod", ph.solids.rod(mass=2.0, length=1.0))
    hinge = ph.Revolute("hinge", WORLD.origin, rod.point(0, 0, 0.5), axis=ph.Y)
    with pytest.raises(ModelError, match=said):
        ask(hinge)
