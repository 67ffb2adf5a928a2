"""Friction of joints that sticks under what they carry, by closed forms."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.optimize import brentq

import polhode as ph
from closeness import assert_close
from host_cupy import COMPILER, WITHOUT_COMPILER, host_cupy
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


def hung(make) -> ph.System:
    """A rod of 1 m and 2 kg that hangs on a universal joint with dry friction."""
    rod = ph.Body("rod", ph.solids.rod(mass=2.0, length=1.0))
    cross = ph.Universal(
        "cross", WORLD.origin, rod.point(0, 0, 0.5), axis=ph.X, second_axis=ph.Y
    )
    return ph.System([cross], [ph.Weight(G)], supports=[make(cross)])


@pytest.mark.parametrize(
    "make",
    [
        lambda j: ph.JointFriction(j, ph.Coulomb(0.3, 0.4), radius=0.1, name="rubs"),
        lambda j: ph.Brake(
            j, ph.Coulomb(0.3, 0.4), load=2.0 * G, radius=0.1, name="rubs"
        ),
    ],
)
def test_two_axes_are_held_by_one_cone(make):
    """At rest it carries m g: l/2 |(sin a cos b, cos a sin b)| <= mu_s r, any way."""
    system = hung(make)
    limit = np.arcsin(0.4 * 0.1 / 0.5)
    for turn in (0.0, 0.6, 2.0):
        for share, rests in ((-1e-8, True), (1e-8, False)):
            angles = scaled_to(turn, np.sin(limit + share))
            allowed = ph.contact_modes(system.state(cross=tuple(angles)))
            words = {mode.status["rubs"] for mode in allowed}
            assert ("sticks" in words) == rests


def scaled_to(turn: float, slope: float) -> np.ndarray:
    """Angles along a way at which |(sin a cos b, cos a sin b)| has a size."""
    way = np.array([np.cos(turn), np.sin(turn)])

    def missed(s: float) -> float:
        a, b = s * way
        return np.hypot(np.sin(a) * np.cos(b), np.cos(a) * np.sin(b)) - slope

    return brentq(missed, 0.0, 0.7, xtol=1e-15) * way


def test_friction_that_sticks_slides_as_the_action_does():
    """Of a cylindrical joint: the same accelerations, spin and slide in one cone."""
    sleeve = ph.Body("sleeve", ph.solids.cylinder(mass=1.5, radius=0.1, length=0.2))
    shaft = ph.Cylindrical("shaft", WORLD.origin, sleeve.point(0.02, 0, 0), axis=ph.Z)
    rubs = ph.JointFriction(shaft, ph.Coulomb(0.2), radius=0.05, span=0.1)
    weight = ph.Weight(G, up=(0.8, 0, 0.6))
    dry = ph.System([shaft], [weight], supports=[rubs])
    action = ph.System([shaft], [weight, rubs])
    for speeds in ((3.0, 0.4), (-20.0, 0.1), (0.0, -1.0)):
        given = {"shaft": (0.7, 0.1), "speeds": {"shaft": speeds}}
        (mode,) = ph.contact_modes(dry.state(**given))
        state = action.state(**given)
        expected = ph.recursive(action).accelerations(state)
        assert_close(mode.accelerations, expected, rtol=1e-10)


@pytest.mark.long
def test_a_spinning_sleeve_slides_down_its_shaft():
    """Spin takes friction away from the slide: at rest it holds, spun it creeps down.

    While a w >> v the force along the shaft is mu N v/(a w), and v goes to a w s/
    sqrt(1 - s^2), s = tan(lean)/mu. Here it is asked of the ledger and of the end: it
    stops and is held again.
    """
    sleeve = ph.Body("sleeve", ph.solids.cylinder(mass=1.5, radius=0.1, length=0.2))
    shaft = ph.Cylindrical("shaft", WORLD.origin, sleeve.origin, axis=ph.Z)
    rubs = ph.JointFriction(shaft, ph.Coulomb(0.2), radius=0.05)
    lean = np.arctan(0.1)
    weight = ph.Weight(G, up=(np.cos(lean), 0, np.sin(lean)))
    system = ph.System([shaft], [weight], supports=[rubs], name="sleeve")
    (rests,) = ph.contact_modes(system.state())
    assert rests.status == {"friction of shaft": "sticks"}
    start = system.state(speeds={"shaft": (30.0, 0.0)})
    motion = ph.simulate(system, start, until=4.0, rtol=1e-9)
    assert motion["friction of shaft"].status[-1, 0] == "sticks"
    assert motion.q[-1, 1] < -0.01
    assert np.max(np.abs(motion.z[-1])) < 1e-30
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    rubs = motion["friction of shaft"]
    force, slip = rubs.friction[:, 0], rubs.slip[:, 0]
    assert np.all(np.sum(force * slip, axis=1) <= 1e-7)  # rounding where it stops


@pytest.mark.long
def test_sweeps_have_the_bits_of_runs_alone():
    """Closed contacts of every newer kind at once: rope, stop, brake, dry joint."""
    system, starts = mixed()
    swept = ph.sweep(system, starts, until=0.6, method=ph.methods.DormandPrince(1e-8))
    for k, start in enumerate(starts):
        alone = ph.simulate(
            system, start, until=0.6, method=ph.methods.DormandPrince(1e-8)
        )
        assert np.array_equal(alone.q[-1], swept.final_q[k])
        assert np.array_equal(alone.z[-1], swept.final_z[k])


def mixed() -> tuple[ph.System, list[ph.State]]:
    """A rod in a dry hinge with a stop and a brake, and a bob on a rope that slacks."""
    rod = ph.Body("rod", ph.solids.rod(mass=2.0, length=1.0))
    hinge = ph.Revolute("hinge", WORLD.origin, rod.point(0, 0, 0.5), axis=ph.Y)
    bob = ph.Particle("bob", 0.3)
    rope = ph.Distance(rod.point(0, 0, -0.5), bob.mass_centre, at_most=0.4)
    supports = [
        ph.JointFriction(hinge, ph.Coulomb(0.3, 0.4), radius=0.05, name="rubs"),
        ph.Stop(hinge, -0.5, 0.8, restitution=0.3),
        ph.Brake(hinge, ph.Coulomb(0.2, 0.3), name="brake"),
    ]
    system = ph.System([hinge, bob], [ph.Weight(G)], [rope], supports=supports)
    starts = [
        system.state(
            hinge=a, bob=(-np.sin(a), 0, -np.cos(a) - 0.3), speeds={"hinge": 2.0}
        )
        for a in (0.0, 0.2, 0.4)
    ]
    return system, starts


@pytest.mark.long
@pytest.mark.skipif(COMPILER is None, reason=WITHOUT_COMPILER)
def test_kernels_for_a_gpu_have_the_same_bits(monkeypatch):
    """The text of the CUDA kernel, run on the host."""
    monkeypatch.setitem(sys.modules, "cupy", host_cupy())
    system, starts = mixed()
    given = {"until": 0.3, "method": ph.methods.DormandPrince(1e-6)}
    native = ph.sweep(system, starts, **given)
    ours = ph.sweep(system, starts, backend="cuda", **given)
    assert np.array_equal(ours.final_q, native.final_q)
    assert np.array_equal(ours.final_z, native.final_z)
