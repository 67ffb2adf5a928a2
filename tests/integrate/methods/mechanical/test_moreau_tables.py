"""Moreau's scheme of many contacts: the same motion by tables as row by row."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.methods.mechanical.moreau import moreau_step
from polhode.integrate.results.moreau_contacts import contact_steps
from polhode.system.rolled import contact_tables

Moreau = ph.methods.Moreau
RADIUS, STEP = 0.05, 2e-3


def balls(count, walls=4):
    """Balls that may touch each other and the walls of a funnel."""
    world = ph.World()
    rubs = ph.Coulomb(0.4, 0.5)
    solid = ph.solids.sphere(mass=0.5, radius=RADIUS)
    bodies = [ph.Body(f"ball {k}", solid) for k in range(count)]
    skins = [ph.surfaces.sphere(body.origin, RADIUS) for body in bodies]
    turns = 2 * np.pi * np.arange(walls) / walls
    supports = [
        ph.Support(
            skin,
            world.origin,
            normal=(np.cos(turn), np.sin(turn), 1.2),
            friction=rubs,
            restitution=0.3,
            name=f"ball {k} on wall {w}",
        )
        for k, skin in enumerate(skins)
        for w, turn in enumerate(turns)
    ]
    supports += [
        ph.Support(skins[j], skins[i], friction=rubs, name=f"ball {j} on ball {i}")
        for i in range(count)
        for j in range(i + 1, count)
    ]
    return ph.System(bodies, [ph.Weight(9.81)], supports=supports, name="balls")


@pytest.fixture(autouse=True)
def tables_of_few(monkeypatch):
    """Tables also where there are few candidates."""
    monkeypatch.setattr(contact_tables, "MANY", 1)


@cache
def pile():
    """Four balls: twenty-two candidates; compiled once."""
    return balls(4)


def falling(system, low=0.09):
    """A crooked column of balls, at rest."""
    count = len(system.bodies)
    q = system.neutral().reshape(count, 7)
    k = np.arange(count)
    q[:, 4] = 0.03 * np.cos(1.1 * k)
    q[:, 5] = 0.03 * np.sin(1.1 * k)
    q[:, 6] = low + 0.11 * k
    return ph.State(system, 0.0, q.reshape(-1), np.zeros(system.speeds))


def arm():
    """A body on a free one by a damped hinge, of capsules and a box, above a floor."""
    world = ph.World()
    trunk = ph.Body("trunk", ph.solids.box(mass=2.0, x=0.3, y=0.2, z=0.1))
    limb = ph.Body("limb", ph.solids.rod(mass=0.5, length=0.3, along=ph.X))
    hinge = ph.Revolute("hinge", trunk.point(0.15, 0, 0), limb.point(-0.15, 0, 0), ph.Y)
    rubs = ph.Coulomb(0.5)
    box = ph.surfaces.box(trunk.origin, (0.3, 0.2, 0.1))
    rod = ph.surfaces.capsule(limb.origin, 0.02, 0.3, ph.X)
    hand = ph.surfaces.hull(limb.point(0.15, 0, 0), 0.03 * np.array(CORNERS))
    supports = [
        ph.Support(skin, world.origin, friction=rubs, name=name)
        for name, skin in (("box", box), ("rod", rod), ("hand", hand))
    ]
    actions = [ph.Weight(9.81), ph.Damper(hinge, 0.05)]
    return ph.System([trunk, hinge], actions, supports=supports, name="arm")


CORNERS = [(1, 1, 1), (1, -1, 1), (1, 1, -1), (1, -1, -1), (0, 1, 0), (0, -1, 0)]


def run(system, state, until=0.3, **more):
    """A motion by Moreau's scheme."""
    return ph.simulate(system, state, until=until, method=Moreau(STEP), **more)


@pytest.mark.parametrize("made", [lambda: balls(2, walls=2), arm])
def test_tables_give_the_motion_of_rows(monkeypatch, made):
    """Landing, bouncing, sliding: impulses of one are those of the other."""
    found = []
    for many in (1, 10**6):
        monkeypatch.setattr(contact_tables, "MANY", many)
        system = made()
        assert contact_tables.serves(system) is (many == 1)
        state = system.rest()
        if len(system.bodies) == 2 and system.coordinates == 14:
            state = falling(system)
        else:
            state = system.state(trunk={"z": 0.07}, hinge=0.3)
        motion = run(system, state, until=0.12)
        found.append((motion.final.q, motion.final.z, contact_steps(motion)))
    (q, z, by_tables), (q_rows, z_rows, by_rows) = found
    np.testing.assert_allclose(q, q_rows, atol=1e-9)
    np.testing.assert_allclose(z, z_rows, atol=1e-7)
    assert by_tables.impulse.max() > 1e-3
    np.testing.assert_allclose(by_tables.overlap, by_rows.overlap, atol=1e-9)
    np.testing.assert_allclose(by_tables.axes, by_rows.axes, atol=1e-9)
    first = slice(0, 40)
    for name in ("before", "after", "mean", "friction"):
        own, rows = (getattr(steps, name)[first] for steps in (by_tables, by_rows))
        np.testing.assert_allclose(own, rows, atol=1e-7)


@cache
def one_step():
    """(x,) -> r, u, u before and what is missed of a step of three balls; once."""
    system = balls(3, walls=3)
    field = field_of(equations_of(system, Moreau(STEP), None), {})

    def made(x):
        found = moreau_step(field, 0.0, x, STEP, is_shown=False)
        own = found.solution
        return own.impulse, own.velocity, found.before, own.residual, found.friction

    state = falling(system)
    return ph.compile(made, np.concatenate([state.q, state.z]))


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), spread=st.floats(0.02, 0.08))
def test_what_touches_is_solved_however_it_lies(seed, spread):
    """Balls thrown into each other: no contact pulls or misses its law."""
    rng = np.random.default_rng(seed)
    system = balls(3, walls=3)
    q = system.neutral().reshape(3, 7)
    q[:, 4:] = rng.uniform(-spread, spread, (3, 3)) + np.array([0.0, 0.0, 0.05])
    z = rng.uniform(-1.0, 1.0, system.speeds)
    found = one_step()(np.concatenate([q.reshape(-1), z]))
    r, u, before, missed, mu = found
    # Nine candidates on walls, three of balls that do not bounce off each other.
    bounce = np.where(np.arange(12) < 9, 0.3, 0.0) * np.minimum(before[:, 0], 0.0)
    assert missed.max() < 1e-9
    assert r[:, 0].min() >= 0.0
    slack = mu * r[:, 0] - np.linalg.norm(r[:, 1:], axis=1)
    assert slack.min() > -1e-9
    assert np.abs(r[:, 0] * (u[:, 0] + bounce)).max() < 1e-9


@pytest.mark.long
def test_a_pile_comes_to_rest_and_needs_no_steps_of_the_solver():
    """Impulses of one step are then those of the next, and nothing moves."""
    system = pile()
    motion = run(system, falling(system), until=3.0)
    assert np.abs(motion.z[:500]).max() > 0.1
    assert np.abs(motion.z[-100:]).max() < 1e-12
    steps = contact_steps(motion)
    missed = steps.residual.max(1)
    assert missed.max() < 1e-9
    last = steps.impulse[-100:]
    np.testing.assert_allclose(last, np.broadcast_to(last[-1], last.shape), atol=1e-12)


@pytest.mark.long
def test_a_pile_keeps_its_laws_and_its_balance():
    """Nothing pulls, friction stays in its cone, energy goes where it is booked."""
    system = pile()
    motion = run(system, falling(system), until=0.6)
    ledger = motion.ledger()
    kept = ledger.promises
    assert kept.least_push >= 0.0
    assert kept.cone < 1e-9
    assert kept.residual < 1e-11
    # What strikes is found within a step of its fall.
    assert kept.overlap < 2.0 * STEP
    assert np.abs(ledger.balance).max() <= ledger.promise


@pytest.mark.long
def test_lanes_and_resumed_runs_are_the_run(tmp_path):
    """The same bits, from a file too."""
    system = pile()
    start = falling(system)
    other = falling(system, low=0.1)
    whole = run(system, start)
    swept = ph.sweep(system, [start, other], until=0.3, method=Moreau(STEP))
    np.testing.assert_array_equal(swept.final_q[0], whole.q[-1])
    np.testing.assert_array_equal(swept.final_z[0], whole.z[-1])
    with pytest.warns(UserWarning, match="used up its limit"):
        run(system, start, to=tmp_path / "pile.nc", limit=60)
    again = ph.resume(tmp_path / "pile.nc", system, limit=10**6)
    np.testing.assert_array_equal(again.q, whole.q)
    np.testing.assert_array_equal(again.z, whole.z)


@pytest.mark.long
def test_candidates_are_numbers_and_not_code():
    """Six walls more are as many numbers more to read and to write, and no code."""
    counts, kept_numbers = [], []
    # Arrays of fewer than 64 candidates, and sums over fewer than 256 numbers (85
    # candidates), may be code.
    for walls in (30, 36):
        system = balls(3, walls)
        field = field_of(equations_of(system, Moreau(STEP), None), {})

        def one(t, x, kept, field=field):
            made = moreau_step(field, t, x, STEP, kept, is_shown=False)
            return made.x, made.kept

        state = falling(system)
        x = np.concatenate([state.q, state.z])
        kept = np.zeros(Moreau(STEP).keeps(system))
        counts.append(ph.compile(one, 0.0, x, kept).report().operations)
        kept_numbers.append(len(kept))
    # A place and a load, a place and a store of each number.
    assert np.diff(counts) <= 4 * np.diff(kept_numbers)
