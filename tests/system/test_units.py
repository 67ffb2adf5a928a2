"""Systems of any size are assembled, counted and moved alike: units do not matter."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

SIZES = [1e-9, 1e-6, 1.0, 1e7, 1e12]


def bob(length: float) -> ph.System:
    """A particle on a rod without mass."""
    ball, world = ph.Particle("bob", length**3), ph.World()
    rod = ph.Distance(world.origin, ball.mass_centre, length, name="rod")
    return ph.System([ball], [ph.Weight(9.81)], [rod], name="bob on a rod")


def linkage(length: float) -> ph.System:
    """A four-bar of rods of 1, 2 and 1.5 lengths on hinges two lengths apart."""
    world, links = ph.World(), []
    for name, size in (("a", length), ("b", 2 * length), ("c", 1.5 * length)):
        rod = ph.solids.rod(mass=1, length=size, along=ph.X)
        links.append(ph.Body(name, ph.solids.placed(rod, (size / 2, 0, 0))))
    a, b, c = links
    ends = (
        ("A", world.origin, a.origin),
        ("B", a.point(length, 0, 0), b.origin),
        ("D", world.point(2 * length, 0, 0), c.origin),
        ("C", b.point(2 * length, 0, 0), c.point(1.5 * length, 0, 0)),
    )
    hinges = [ph.Revolute(name, one, other, axis=ph.Y) for name, one, other in ends]
    return ph.System(hinges, [ph.Weight(9.81)], name="four-bar")


@pytest.mark.parametrize("length", SIZES)
def test_a_particle_is_found_on_a_rod_of_any_length(length):
    """From the middle, where the rod shows no direction; rank one, two freedoms."""
    system = bob(length)
    assert_close(np.linalg.norm(system.rest().q), length, rtol=1e-12)
    assert ph.mobility(system).rank == 1
    assert ph.mobility(system).by_rank == 2


@pytest.mark.parametrize("length", SIZES)
def test_a_miss_counts_by_the_length_of_the_rod(length):
    """A thousandth of the rod is a miss, a billionth of it is none."""
    system = bob(length)
    with pytest.raises(ph.PolhodeError, match="rod misses by"):
        system.state(bob=(1.001 * length, 0, 0))
    system.state(bob=((1 + 1e-9) * length, 0, 0))
    speed = np.sqrt(9.81 * length)
    with pytest.raises(ph.PolhodeError, match="rod misses by"):
        system.state(bob=(length, 0, 0), speeds={"bob": (1e-3 * speed, 0, speed)})


@pytest.mark.parametrize("length", SIZES)
def test_a_linkage_is_closed_alike_at_any_size(length):
    """The same angles, and one freedom by rank."""
    system = linkage(length)
    assert ph.mobility(system).by_rank == 1
    closed = ph.assemble(system, A=-1.0, speeds={"A": 1.0}).state
    assert_close(closed.q, ph.assemble(linkage(1.0), A=-1.0).state.q, rtol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("length", [1e-6, 1e6])
def test_motions_do_not_depend_on_units(length):
    """Lengths by 10^6 and times by 10^3: the same angles, to 1e-9."""
    system, known = linkage(length), linkage(1.0)
    ends = []
    for one, until in ((system, np.sqrt(length)), (known, 1.0)):
        start = ph.assemble(one, A=-1.0).state
        ends.append(ph.simulate(one, start, until=0.3 * until).final.q)
    assert_close(ends[0], ends[1], rtol=1e-9)
