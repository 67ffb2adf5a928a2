"""Ropes over pulleys that go slack and are jerked taut, by closed forms."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from closeness import assert_close
from polhode.show.drawing.strands import rope_line
from polhode.system.contacts import contact_rows, velocities

G, R = 9.81, 0.1
M_1, M_2, WHEEL = 2.0, 1.0, 1.0  # kg; a disc of 1 kg is 0.5 kg at its rim


def atwood(*, turns: bool, e: float = 0.0, m_1: float = M_1) -> ph.System:
    """Two blocks on a rope over a wheel, or over a peg round which it slides."""
    world = ph.World()
    blocks = [ph.Particle("one", m_1), ph.Particle("two", M_2)]
    slides = [
        ph.Prismatic(n, world.point(x, 0, -1), b.mass_centre, axis=ph.Z)
        for n, b, x in zip(("left", "right"), blocks, (-R, R), strict=True)
    ]
    wheel = ph.Body("wheel", ph.solids.disc(mass=WHEEL, radius=R, along=ph.Y))
    axle = ph.Revolute("axle", world.origin, wheel.origin, axis=ph.Y)
    peg = ph.machines.Pulley(world.origin, R, axis=ph.Y)
    pulley = ph.machines.Pulley(axle, R) if turns else peg
    way = [blocks[0].mass_centre, pulley, blocks[1].mass_centre]
    rope = ph.machines.Rope(way, 2 + R * np.pi, slack=True, restitution=e)
    members = [axle, *slides] if turns else slides
    return ph.System(members, [ph.Weight(G)], [rope], name="atwood")


@pytest.fixture(scope="module")
def thrown() -> ph.results.Trajectory:
    """The heavy block thrown up at 3 m/s over a peg: both fall freely, then a jerk."""
    system = atwood(turns=False)
    start = system.state(speeds={"left": 3.0})
    return ph.simulate(system, start, until=1.2, rtol=1e-10)


def test_a_rope_is_jerked_taut(thrown):
    """Both fall: slack lasts until x_1 = v t - g t^2/2 and x_2 = -g t^2/2 meet again.

    The rope has 3 t to spare while both fly; the light one hits no end, so the rope
    comes taut where x_1 + x_2 = 0: 3 t = g t^2. The impulse is the reduced mass times
    the rate 3 m/s at which the two then part.
    """
    (jerk,) = thrown["rope"].impacts
    assert_close(jerk.t, 3 / G, rtol=1e-9)
    reduced = M_1 * M_2 / (M_1 + M_2)
    assert_close(np.linalg.norm(jerk.impulse), reduced * 3, rtol=1e-9)
    assert_close(jerk.push, -reduced * 3**2 / 2, rtol=1e-9)


def test_after_the_jerk_it_is_atwoods_machine(thrown):
    """Tension 2 m_1 m_2 g/(m_1 + m_2), the length kept, and it never pushes."""
    rope = thrown["rope"]
    taut = rope.status[:, 0] != "open"
    after = thrown.t > 3 / G + 1e-6
    assert np.all(taut[after])
    tension = 2 * M_1 * M_2 * G / (M_1 + M_2)
    assert_close(rope.push[after, 0], np.full(after.sum(), tension), rtol=1e-9)
    assert np.max(np.abs(rope.gap[after])) < 1e-9
    assert np.min(rope.push) >= 0
    assert np.min(rope.gap) > -1e-9


def test_its_ledger_balances(thrown):
    """What the jerk takes is booked as an impact of the rope."""
    ledger = thrown.ledger()
    assert np.max(np.abs(ledger.balance)) < 1e-8
    reduced = M_1 * M_2 / (M_1 + M_2)
    assert_close(ledger.work["impacts of rope"][-1], -reduced * 9 / 2, rtol=1e-9)


def test_a_bow_is_drawn_while_it_is_slack(thrown):
    """The line of the rope is as long as the rope, taut or slack, to a hundredth."""
    line = rope_line(thrown, thrown.system.supports[0].rope)
    long = np.sum(np.linalg.norm(np.diff(line, axis=1), axis=2), axis=1)
    assert np.max(thrown["rope"].gap) > 0.05
    assert_close(long, np.full(len(long), 2 + R * np.pi), rtol=1e-2)


def test_strands_go_slack_one_by_one():
    """Over a wheel: a strand to a thrown block is slack, the other still turns it."""
    system = atwood(turns=True)
    modes = ph.contact_modes(system.state(speeds={"left": 3.0}))
    assert modes[0].status.get("rope strand 1", "open") == "open"
    # m_2 turns the wheel alone: T_2 = m_2 g (I/r^2)/(m_2 + I/r^2).
    rim = WHEEL / 2
    tension = M_2 * G * rim / (M_2 + rim)
    assert_close(modes[0].push["rope strand 2"], tension, rtol=1e-12)
    still = ph.contact_modes(system.rest())[0]
    a = (M_1 - M_2) * G / (M_1 + M_2 + rim)
    assert_close([*still.push.values()], [M_1 * (G - a), M_2 * (G + a)], rtol=1e-12)


def test_taut_it_has_the_equations_of_a_rope():
    """In the mode where all strands pull, accelerations are those of the constraint."""
    system = atwood(turns=True)
    taut = ph.in_mode(system, "slides")
    state = taut.rest()
    a = (M_1 - M_2) * G / (M_1 + M_2 + WHEEL / 2)
    form = ph.gauss(taut)
    assert_close(form.accelerations(state), [-a / R, -a, a], rtol=1e-12)
    assert_close(form.multipliers(state), [M_1 * (G - a), M_2 * (G + a)], rtol=1e-12)


@pytest.mark.long
def test_an_elastic_jerk_keeps_energy():
    """With restitution 1 the blocks part as fast as they met; the axle takes all."""
    system = atwood(turns=False, e=1.0)
    start = system.state(speeds={"left": 3.0})
    motion = ph.simulate(system, start, until=0.5, rtol=1e-10)
    (jerk,) = motion["rope"].impacts
    assert_close(jerk.push, 0.0, atol=1e-9)
    assert_close([jerk.before[0], jerk.after[0]], [-3.0, 3.0], rtol=1e-9)
    assert motion["rope"].status[-1, 0] == "open"


@cache
def tackle() -> ph.System:
    """A bob that swings on a rope over a wheel that a block carries, free in space."""
    world = ph.World()
    block = ph.Body("block", ph.solids.box(mass=3, x=0.3, y=0.2, z=0.1))
    wheel = ph.Body("wheel", ph.solids.disc(mass=0.5, radius=R, along=ph.Y))
    bob = ph.Particle("bob", 1.0)
    axle = ph.Revolute("axle", block.point(0.1, 0, 0.2), wheel.origin, axis=ph.Y)
    way = [
        world.point(-1, 0, -1),
        ph.machines.Pulley(axle, R),
        block.point(0.4, 0, 0.3),
        bob.mass_centre,
    ]
    rope = ph.machines.Rope(way, [2.0, 1.0], slack=True)
    return ph.System([block, axle, bob], [], [rope], name="tackle")


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10_000))
def test_rows_of_strands_are_derivatives_of_their_gaps(seed):
    """u = ds/dt, J = du/dz, and bias the rest of u': against differences along z."""
    system, random = tackle(), np.random.default_rng(seed)
    q = system.state(axle=random.uniform(-1, 1), bob=(0.8, 0.1, -1.0)).q
    q = q + np.where(np.abs(q) == 1, 0, random.uniform(-0.2, 0.2, len(q)))
    q[:4] /= np.linalg.norm(q[:4])
    z = random.uniform(-1, 1, system.speeds)
    rows = contact_rows(system, 0.0, q, z)
    assert_close(np.einsum("kij,j->ki", rows.jacobian, z), rows.velocity, atol=1e-12)
    h = 1e-6
    q_dot = np.asarray(system.rates(0.0, q, z))
    later, sooner = (contact_rows(system, 0.0, q + s * h * q_dot, z)
                     for s in (1, -1))  # fmt: skip
    assert_close((later.gap - sooner.gap) / (2 * h), rows.velocity[:, 0], atol=1e-7)
    u = [velocities(system, 0.0, q + s * h * q_dot, z) for s in (1, -1)]
    assert_close((u[0] - u[1]) / (2 * h), rows.bias, atol=1e-6)


@pytest.mark.long
def test_moreau_takes_ropes_and_sweeps_do():
    """By time stepping and in a sweep the blocks end where the exact run has them."""
    system = atwood(turns=False)
    start = system.state(speeds={"left": 3.0})
    exact = ph.simulate(system, start, until=1.0, rtol=1e-10)
    stepped = ph.simulate(system, start, until=1.0, method=ph.methods.Moreau(1e-4))
    assert_close(stepped.q[-1], exact.q[-1], atol=2e-3)
    swept = ph.sweep(system, [start, start], until=1.0, rtol=1e-10)
    assert_close(swept.q[-1, 0], exact.q[-1], rtol=1e-12)
