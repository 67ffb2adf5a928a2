"""Rests on supports: where they are, and whether they are stable."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from closeness import assert_close
from polhode.errors import AnalysisError

G, C, I = 9.81, 0.2, 0.01
WORLD = ph.World()


@pytest.fixture(scope="module")
def egg() -> ph.System:
    """An ellipsoid on its pole, its mass centre aside of its middle along the axis."""
    low = ph.Parameter("low", 0.01)
    body = ph.Body.from_inertia("egg", mass=1.0, inertia=(I, I, I), centre=(0, 0, low))
    semi = (ph.Parameter("a", 0.3), ph.Parameter("b", 0.25), C)
    on = ph.Support(ph.surfaces.ellipsoid(body.origin, semi), WORLD.origin,
                    friction=ph.Coulomb(0.5), name="table")  # fmt: skip
    return ph.System([body], [ph.Weight(G)], supports=[on], name="egg")


@settings(max_examples=8, deadline=None)
@given(*2 * [st.floats(0.1, 0.4)], st.floats(-0.1, 0.1))
def test_an_egg_stands_while_its_mass_centre_is_below_the_centre_of_curvature(
    egg, a, b, low
):
    """omega^2 = g (a^2/c - h)/(I/m + h^2), along both of its semi-axes."""
    table = {"a": a, "b": b, "low": low}
    found = ph.static_rest(egg.state(egg={"z": C}), table=table).stability()
    h = C + low
    squares = [G * (r * r / C - h) / (I + h * h) for r in (a, b)]
    assert_close(np.sort(found.squares), np.sort([0.0, *squares]), atol=1e-6)
    if min(squares) < -1e-5:
        assert found.verdict == "unstable"
    if min(squares) > 1e-5:
        assert found.verdict == "stable but for drift"  # it turns on its pole


@pytest.mark.long
def test_a_box_rests_on_its_faces_and_is_held_there():
    """Three heights, each of two faces; nothing moves unless a corner opens."""
    sides = (0.3, 0.2, 0.1)
    box = ph.Body("box", ph.solids.box(mass=1.0, x=0.3, y=0.2, z=0.1))
    on = ph.Support(ph.surfaces.box(box.origin, sides), WORLD.origin,
                    friction=ph.Coulomb(0.5), name="on")  # fmt: skip
    system = ph.System([box], [ph.Weight(G)], supports=[on], name="brick")
    found = ph.equilibria(system, system.state(box={"z": 0.5}), starts=20)
    heights = {round(each.energy / G, 9) for each in found}
    assert heights <= {0.05, 0.1, 0.15}
    assert 0.05 in heights
    assert all(len(each.touching) == 4 for each in found)
    assert found[0].stability().verdict == "held"
    assert "rests on its supports" in repr(found)


def test_what_does_not_rest_is_neither_stable_nor_not():
    """A smooth particle on a slope."""
    bob = ph.Particle("bob", 1.0)
    on = ph.Support(ph.surfaces.point(bob.mass_centre), WORLD.origin, name="foot")
    slope = ph.System([bob], [ph.Weight(G, up=(1, 0, 1))], supports=[on])
    with pytest.raises(AnalysisError, match="does not rest"):
        ph.static_rest(slope.state()).stability()
