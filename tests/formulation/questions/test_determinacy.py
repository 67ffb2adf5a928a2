"""Redundant constraints: one motion, and which reactions it determines."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formulation.questions.determinacy import row_echelon
from strategies_system import random_state, topology
from unit_systems import SYSTEMS, Units

ALPHA, D, M, I_X, I_Z, G = 0.5, 1.3, 1.7, 0.35, 0.22, 9.81
ANGLE, RATE = 0.7, 0.9


def disc_on_an_axle() -> ph.System:
    """A disc on an axle without mass, hinged at O, rolls under z = 0; gravity is +X.

    The axle is X of the body, O its origin; the disc's centre is d cos a along it.
    """
    disc = ph.Body.from_inertia(
        "disc",
        mass=M,
        inertia=np.diag([I_X, I_Z, I_Z]),
        centre=(D * np.cos(ALPHA), 0, 0),
    )
    world = ph.World()
    hinge = ph.Spherical("O", world.origin, disc.origin)
    rim = ph.surfaces.disc(disc.mass_centre, D * np.sin(ALPHA), ph.X)
    contact = ph.rolling(rim, world.origin, normal=(0, 0, -1), name="A")
    weight = ph.Weight(G, up=(-1, 0, 0))
    return ph.System([hinge], [weight], [*contact], name="disc on an axle")


def turning(system: ph.System) -> tuple[ph.State, np.ndarray, np.ndarray]:
    """The state at an angle and a rate of the axle about Z, with r and y1."""
    r = np.array([np.cos(ANGLE), np.sin(ANGLE), 0.0])
    y1 = np.array([-np.sin(ANGLE), np.cos(ANGLE), 0.0])
    x1 = np.cos(ALPHA) * r - np.sin(ALPHA) * np.array([0.0, 0.0, 1.0])
    R = np.stack([x1, y1, np.cross(x1, y1)], axis=-1)
    turn = ph.Rotation(R, of=system.bodies[0].frame, seen_from=system.tree.world.frame)
    speeds = {"O": R.T @ (RATE / np.tan(ALPHA) * r)}
    return system.state(O=turn, speeds=speeds), r, y1


@pytest.mark.long
@pytest.mark.row("X-10")
@pytest.mark.parametrize("form", [ph.newton_euler, ph.lagrange_first_kind])
def test_reactions_of_a_disc_rolling_about_a_hinge(form):
    """Of the loads along OA only the sum is determined; all others have one value.

    The golden numbers are those of the printed exercise, its reactions worked out.
    """
    system = disc_on_an_axle()
    state, r, y1 = turning(system)
    equations = form(system)
    found = equations.determinacy(state)
    assert (len(found.rows), found.rank) == (6, 5)
    at_A = D * r
    w_dot = ph.gauss(system).accelerations(state)
    R = system.poses(0.0, state.q).rotations[0]
    assert_close((R @ w_dot) @ r * np.tan(ALPHA), -3.87384628856904, rtol=1e-11)

    reactions = equations.reactions(state)
    O = reactions["O"].force
    on_disc = [w for name, w in reactions.items() if "on disc" in name]
    A = sum(w.force for w in on_disc)
    moment = sum(w.torque for w in on_disc)
    assert_close(moment, np.cross(at_A, A), atol=1e-10)
    assert_close(A[2], -6.3117496557444, rtol=1e-9)
    assert_close(O[2], 6.3117496557444, rtol=1e-9)
    assert_close(A @ y1, 3.4946261029645718, rtol=1e-9)
    assert_close(O @ y1, 0.6555739872963025, rtol=1e-8)
    assert_close((O + A) @ r, -14.133920736210692, rtol=1e-9)

    # The one free combination is a pull along OA between hinge and contact.
    free = found.undetermined[0]
    rows, _ = equations.rows(state)
    assert_close(free @ rows, np.zeros(rows.shape[1]), atol=1e-9)
    text = repr(found)
    assert "6 rows of rank 5" in text
    assert "determined:" in text
    assert set(found.shared) >= {name for name in found.rows if name in text}


def test_determined_combinations_do_not_feel_the_free_ones():
    """C N^T = 0, and C l is the same for every split of the load."""
    system = topology("four_bar")
    state = random_state(system, np.random.default_rng(1))
    equations = ph.gauss(system)
    found = equations.determinacy(state)
    assert found.rank == ph.mobility(system, state).rank
    assert np.max(np.abs(found.determined @ found.undetermined.T)) < 1e-9
    l, (A, _) = equations.multipliers(state), equations.rows(state)
    other = l + 3.0 * found.undetermined.sum(0)
    assert_close(found.determined @ other, found.values, atol=1e-8)
    assert_close(A.T @ other, A.T @ l, atol=1e-8)


@pytest.mark.parametrize("form", [ph.gauss, ph.hamilton])
def test_rows_that_feel_no_motion_carry_what_they_like(form):
    """The second hinge of a door has five loads, and the motion says nothing of them.

    In the door's own speed its rows are rounding, of which no rank can be made.
    """
    world = ph.World()
    door = ph.Body("door", ph.solids.box(mass=10.0, x=0.8, y=0.04, z=2.0))
    upper, lower = (
        ph.Revolute(name, world.point(0, 0, 1 + z), door.point(-0.4, 0, z), axis=ph.Z)
        for name, z in (("upper", 0.8), ("lower", -0.8))
    )
    system = ph.System([upper, lower], [ph.Weight(G)], name="door")
    equations = form(system)
    for angle in (0.3, 0.9, 2.0):
        state = system.state(upper=angle, speeds={"upper": 1.0})
        found = equations.determinacy(state)
        assert found.rank == ph.mobility(system, state).rank == 0
        assert found.shared == system.row_names
        assert_close(found.undetermined, np.eye(5))


def test_independent_rows_are_all_unique():
    """Without redundancy every multiplier stands for itself."""
    system = topology("geared_wheels")
    state = random_state(system, np.random.default_rng(1))
    found = ph.gauss(system).determinacy(state)
    assert found.unique == found.rows
    assert_close(found.values, found.determined @ ph.gauss(system).multipliers(state))
    assert "all multipliers are unique" in repr(found)


def test_combinations_are_reduced():
    """The rows span the same, and hold a unit matrix."""
    rows = np.array([[0.0, 2.0, 4.0, 1.0], [0.0, 1.0, 2.0, 0.0]])
    expected = [[0, 1, 2, 0], [0, 0, 0, 1]]
    assert_close(row_echelon(rows), expected)


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1e6])
@pytest.mark.parametrize("name", ["four_bar", "door"])
def test_what_is_determined_knows_no_units(name, unit):
    """Of rows in metres beside rows in radians, the same ones share their loads."""
    found = []
    for units in (Units(), Units(length=unit)):
        posed = SYSTEMS[name](units)
        equations = ph.lagrange(posed.system)
        found.append(equations.determinacy(posed.state(units)))
    here, there = found
    assert (here.rank, here.unique, here.shared) == (
        there.rank,
        there.unique,
        there.shared,
    )
    assert np.array_equal(here.undetermined != 0, there.undetermined != 0)
    assert np.array_equal(here.determined != 0, there.determined != 0)
