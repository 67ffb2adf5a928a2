"""A hinge in line with another holds nothing more: every answer stays as it was.

In the speed that the first hinge leaves, rows of the second are rounding.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G, TILT = 9.81, 0.4


@cache
def door(*hinges: str) -> ph.System:
    """A door on hinges that lean."""
    panel = ph.Body(
        "panel", ph.solids.box(mass=10.0, x=ph.Parameter("x", 0.8), y=0.04, z=2.0)
    )
    world, n = (
        ph.World(),
        np.array([0.8 * np.sin(TILT), 0.6 * np.sin(TILT), np.cos(TILT)]),
    )
    across = np.cross([0.0, 1.0, 0.0], n)
    across /= np.linalg.norm(across)
    axes = np.stack([across, np.cross(n, across), n], axis=-1)
    members = [
        ph.Revolute(
            name,
            world.point(*(z * n + [0.1, 0.2, 1.0])),
            panel.point(-0.4, 0, z),
            axis=ph.Z,
            first_axes=axes,
        )
        for name, z in (("upper", 0.8), ("lower", -0.8))
        if name in hinges
    ]
    return ph.System(members, [ph.Weight(G)], name="door")


def hung(*hinges: str) -> ph.System:
    """The door, with a lamp on a cord from its upper corner."""
    given = door(*hinges)
    lamp, panel = ph.Particle("lamp", 0.5), given.bodies[0]
    cord = ph.Distance(panel.point(0.4, 0, 1.0), lamp.mass_centre, 0.6, name="cord")
    members = (*given.given.members, lamp)
    return ph.System(members, given.given.actions, [cord], name="hung door")


def both() -> tuple[ph.System, ph.System]:
    """The door on one hinge, and on two."""
    return door("upper"), door("upper", "lower")


def moving(system: ph.System) -> ph.State:
    """The door on its way."""
    return system.state(upper=0.3, speeds={"upper": 0.7})


@pytest.mark.long
def test_it_rests_where_it_did_and_says_that_its_loads_are_shared():
    """Two places; statics does not determine what the second hinge carries."""
    one, two = (ph.equilibria(system, starts=8) for system in both())
    assert len(one) == len(two) == 2
    assert_close([e["upper"] for e in two], [e["upper"] for e in one], rtol=1e-10)
    assert all(each.is_determinate for each in one)
    assert all(each.shared == two.system.row_names for each in two)
    assert [e.stability().verdict for e in two] == [e.stability().verdict for e in one]


@pytest.mark.long
def test_rows_that_are_felt_are_not_drowned_by_those_that_are_not():
    """With a lamp on a cord the door rests as without the second hinge."""
    one, two = (
        ph.equilibria(hung(*hinges), starts=12)
        for hinges in (("upper",), ("upper", "lower"))
    )
    assert one.arrived == two.arrived == 12
    assert_close(two[0].energy, one[0].energy, rtol=1e-10)
    assert "cord" not in " ".join(two[0].shared)


def test_it_swings_as_it_did():
    """Frequency, its slope by a parameter, and the matrices of an instant."""
    found = []
    for system in both():
        rest = ph.equilibria(system, starts=4)[0].state
        modes = ph.linearise(system, rest).modes()
        slope = ph.questions.rest_sensitivity(rest, ["x"]).frequency_slopes
        found.append([*modes.frequencies, *np.ravel(slope)])
    assert_close(found[1], found[0], rtol=1e-9)


@pytest.mark.long
def test_a_hinge_that_carries_nothing_has_no_time_of_its_peak():
    """The second hinge is given no load, and it is said that it might have some."""
    two = door("upper", "lower")
    table = ph.reaction_table(ph.simulate(two, moving(two), until=0.2, samples=3))
    assert table.peaks[table.names.index("lower")] == ("0", "", "0", "")
    assert np.all(table.loose["lower"][3:])
    assert np.all(table.loose["upper"][3:])


def test_nothing_of_the_place_is_kept():
    """The rows of the second hinge are no equation of the first one's angle."""
    two = door("upper", "lower")
    found = ph.questions.integrability(two, two.state(upper=0.3))
    assert found.is_holonomic
    assert found.growth == (1,)


def test_a_push_feels_the_same_inertia_and_the_motion_is_unique():
    """Across the panel it yields as on one hinge; no digit is lost to the other."""
    found = []
    for system in both():
        equations, state = ph.gauss(system), moving(system)
        R = system.poses(0.0, state.q).rotations[0]
        across = np.concatenate([np.zeros(3), R[:, 1]])
        place = system.bodies[0].mass_centre
        (felt,) = equations.operational_inertia(state, place, across)[0]
        assert ph.questions.solvability(equations, state).is_unique
        assert max(ph.questions.ideal_reactions(equations, state).values()) < 1e-12
        found.append([felt, *ph.theory.least_deviation(state)])
    assert_close(found[1], found[0], rtol=1e-10)
