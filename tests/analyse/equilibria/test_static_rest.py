"""Rest on supports: intervals of loads and pushes, by closed forms of statics."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import AnalysisError

G = 9.81


def on_slope(tan: float = 0.5, mu: float = 0.4) -> ph.System:
    """A block of 2 kg with a force F up its slope."""
    a = np.arctan(tan)
    block, world = ph.Particle("block", 2.0), ph.World()
    normal = np.array([-np.sin(a), 0, np.cos(a)])
    foot = ph.Support(ph.surfaces.point(block.mass_centre), world.origin,
                      normal=normal, friction=ph.Coulomb(mu), name="foot")  # fmt: skip
    up = np.array([np.cos(a), 0, np.sin(a)])
    pull = ph.ForceLaw(block.mass_centre, world.frame, lambda x, v, t, F: F * up,
                       constants={"F": ph.Parameter("F", 2.0)})  # fmt: skip
    return ph.System([block], [ph.Weight(G), pull], supports=[foot], name="slope")


@pytest.mark.row("C-09")
def test_a_block_on_a_slope_needs_a_force_within_two_limits():
    """m g (sin - mu cos) <= F <= m g (sin + mu cos)."""
    system, a = on_slope(), np.arctan(0.5)
    rest = ph.static_rest(system.state(), load="F")
    ends = 2 * G * (np.sin(a) + np.array([-0.4, 0.4]) * np.cos(a))
    assert_close(rest.interval, ends, rtol=1e-8)
    assert rest.rests
    assert_close(rest.pushes["foot"], [2 * G * np.cos(a)] * 2, rtol=1e-8)
    assert not rest.undetermined
    assert "F from" in repr(rest)
    loose = ph.static_rest(system.state(), table={"F": 0.0})
    assert not loose.rests


@pytest.mark.row("C-09")
@pytest.mark.parametrize("angle", [0.9, 1.0])
def test_who_stands_on_top_of_a_ladder(angle):
    """w/m <= (k - 1/2)/(1 - k), k = mu_1 (tan + mu_2)/(1 + mu_1 mu_2)."""
    mu_1, mu_2, L = 0.4, 0.3, 2.0
    rod, world = ph.Body("rod", ph.solids.rod(mass=10.0, length=L)), ph.World()
    plane = ph.Planar("plane", world.origin, rod.origin, normal=-ph.Y)
    floor = ph.Support(ph.surfaces.point(rod.point(0, 0, -L / 2)), world.origin,
                       friction=ph.Coulomb(mu_1), name="floor")  # fmt: skip
    wall = ph.Support(ph.surfaces.point(rod.point(0, 0, L / 2)), world.origin,
                      normal=ph.X, friction=ph.Coulomb(mu_2), name="wall")  # fmt: skip
    man = ph.Particle("man", ph.Parameter("w", 1.0))
    stands = ph.Fixed("stands", rod.point(0, 0, L / 2), man.mass_centre)
    supports = [floor, wall]
    system = ph.System([plane, stands], [ph.Weight(G)], supports=supports)
    middle = L / 2 * np.array([np.cos(angle), np.sin(angle)])
    state = system.state(plane=(np.pi / 2 - angle, *middle))
    rest = ph.static_rest(state, load="w")
    k = mu_1 * (np.tan(angle) + mu_2) / (1 + mu_1 * mu_2)
    assert_close(rest.interval[1], 10.0 * (k - 0.5) / (1 - k), rtol=1e-7)
    # Friction on both ends leaves a choice: the wall's push is an interval.
    assert set(rest.undetermined) == {"floor", "wall"}
    total = sum(rest.forces.values())
    assert_close(total, [0, 0, 11 * G], atol=1e-6)


@pytest.mark.row("C-14")
def test_a_table_on_four_legs_stars_its_pushes():
    """Least norm gives each a quarter; each may bear from nothing to half."""
    top, world = ph.Body("top", ph.solids.box(mass=1.0, x=1, y=1, z=0.1)), ph.World()
    feet = [(x, y, -0.5) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    legs = ph.Support(ph.surfaces.hull(top.origin, feet), world.origin, name="leg")
    system = ph.System([top], [ph.Weight(G)], supports=[legs], name="table")
    rest = ph.static_rest(system.state(top={"z": 0.5}))
    assert len(rest.undetermined) == 4
    for name, force in rest.forces.items():
        assert_close(force, [0, 0, G / 4], atol=1e-9)
        assert_close(rest.pushes[name], [0, G / 2], atol=1e-7)
    assert repr(rest).count("*") == 4


def test_what_is_no_rest_is_refused():
    """Motion, unknown loads, and what does not act linearly."""
    system = on_slope()
    moving = system.state(speeds={"block": (1, 0, 0)})
    with pytest.raises(AnalysisError, match="moves in this state"):
        ph.static_rest(moving)
    with pytest.raises(AnalysisError, match="has no parameter 'f'"):
        ph.static_rest(system.state(), load="f")
