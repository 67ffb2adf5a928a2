"""The rank of redundant constraints: rings of hinges, and equations said twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import overconstrained as over
import polhode as ph
from unit_systems import rod

RINGS = {
    "Bennett": (over.bennett, 3),
    "Goldberg": (over.goldberg, 2),
    "spherical four-bar": (over.spherical_four_bar, 3),
    "planar four-bar": (over.planar_four_bar, 3),
    "seven hinges anyhow": (over.plain_seven, 0),
}


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("name", RINGS)
def test_a_ring_of_hinges_turns_wherever_it_is(name, unit):
    """One freedom, by rank too, in any units; where made and elsewhere."""
    make, repeated = RINGS[name]
    system = over.ring(make(), unit=unit)
    for turn in (0.0, 0.2, -0.4):
        state = ph.assemble(system, {"1": turn}).state
        found = ph.mobility(system, state)
        assert (found.freedoms, found.by_rank, found.is_singular) == (1, 1, False)
        assert len(found.rows) - found.rank == repeated
        assert bool(found.redundant) == bool(repeated)


def test_four_skew_hinges_that_are_not_bennett_s_stand_still():
    """One link a hundredth longer, and a ground that closes it: it is rigid."""
    plain = over.bennett()
    longer = plain._replace(lengths=[1.01 * plain.lengths[0], *plain.lengths[1:]])
    found = ph.mobility(over.hinged(longer))
    assert (found.freedoms, found.by_rank, found.rank) == (0, 0, 3)


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([1.0, 1e-6, 1e6]))
def test_an_equation_that_is_said_twice_takes_no_freedom(seed, unit):
    """Bearings in line, gears in rings, drivers of one group: all are counted."""
    made = over.repeated(seed, unit)
    found = ph.mobility(made.system)
    assert found.freedoms == found.by_rank == made.freedoms
    assert len(found.rows) - found.rank == made.repeated


def test_a_state_that_drifted_off_a_ring_has_its_freedom():
    """Off by d, rows that repeat each other are d apart, and are one all the same."""
    system = over.ring(over.bennett())
    kept = ph.assemble(system, {"1": 0.3}).state
    for size in (1e-9, 1e-7, 1e-5):
        off = ph.State(system, 0.0, kept.q + size * np.array([1, -0.5, 0.7]), kept.z)
        assert ph.mobility(system, off).freedoms == 1


def cranks_in_line() -> ph.System:
    """Three cranks and a beam, all in one line where they are made."""
    world, beam = ph.World(), rod("beam", 2.0, 2.0)
    joints = []
    for k, x in enumerate((0.0, 2.0, 1.0)):
        bar = rod(f"crank {k}", 1.0, 1.0)
        ends = world.point(x, 0, 0), bar.origin
        joints.append(ph.Revolute(f"g{k}", *ends, axis=ph.Y))
        ends = bar.point(1, 0, 0), beam.point(x, 0, 0)
        joints.append(ph.Revolute(f"k{k}", *ends, axis=ph.Y))
    return ph.System(joints, [ph.Weight(9.81)], name="cranks")


@pytest.mark.parametrize("seed", range(4))
def test_a_place_at_a_tangent_is_singular_though_it_is_known_to_a_root_only(seed):
    """Assembled from beside, a linkage in line is 1e-7 off it: not rigid for that."""
    system = cranks_in_line()
    away = 0.05 * np.random.default_rng(seed).uniform(-1, 1, system.speeds)
    start = ph.State(system, 0.0, system.local(system.rest().q, away), 0 * away)
    found = ph.mobility(system, system.consistent(start))
    assert found.freedoms == 1
    assert found.by_rank in (1, 2)


def test_links_without_mass_count_as_others():
    """A coupler of no mass, and rods that are said several times."""
    world, a, c = ph.World(), rod("a", 1.0, 1.0), rod("c", 1.0, 1.5)
    b = ph.Body("b", ph.solids.rod(mass=0.0, length=2.0, along=ph.X))
    ends = (
        ("A", world.origin, a.origin),
        ("B", a.point(1, 0, 0), b.point(-1, 0, 0)),
        ("C", b.point(1, 0, 0), c.origin),
        ("D", c.point(1.5, 0, 0), world.point(2, 0, 0)),
    )
    hinges = [ph.Revolute(name, *pair, axis=ph.Y) for name, *pair in ends]
    assert ph.mobility(ph.System(hinges, [ph.Weight(9.81)])).freedoms == 1
    one, two = rod("one", 1.0, 1.0), rod("two", 1.0, 1.0)
    pins = [
        ph.Revolute("p", world.origin, one.origin, axis=ph.Y),
        ph.Revolute("q", world.point(2, 0, 0), two.origin, axis=ph.Y),
    ]
    rods = [
        ph.Distance(one.point(x, 0, 0), two.point(x, 0, 0), 2.0, name=f"rod {x}")
        for x in (1.0, 0.5, 0.25)
    ]
    system = ph.System(pins, [ph.Weight(9.81)], rods)
    for lean, by_rank in ((0.0, 2), (0.5, 1)):
        state = ph.assemble(system, p=lean, q=lean).state
        found = ph.mobility(system, state)
        assert (found.freedoms, found.by_rank) == (1, by_rank)


def test_anchors_in_a_plane_let_a_ball_move_for_an_instant_only():
    """Three rods in one plane: rank two, and no place beside."""
    world, ball = ph.World(), ph.Particle("ball", 1.0)
    places = ((1, 0, 0), (0, 1, 0), (-1, 0.2, 0))
    rods = [
        ph.Distance(
            world.point(*p), ball.mass_centre, float(np.linalg.norm(p)), name=f"rod {k}"
        )
        for k, p in enumerate(places)
    ]
    found = ph.mobility(ph.System([ball], [ph.Weight(9.81)], rods))
    assert (found.freedoms, found.by_rank, found.is_singular) == (0, 1, True)
