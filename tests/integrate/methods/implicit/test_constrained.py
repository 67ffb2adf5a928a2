"""Methods for motions that constraints hold: order, drift, redundancy, singularity."""

from __future__ import annotations

from functools import cache

import jax
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from held import bob_on_a_rod, doubled_parallelogram
from moving import heavy_top
from polhode.errors import IntegrationError, IntegrationWarning
from polhode.formulation.hamilton import hamiltonian
from polhode.models.mechanisms.four_bars import start as four_bars_start
from strategies_system import random_state, topology

METHODS = [
    ph.methods.GeneralisedAlpha,
    ph.methods.GearGuptaLeimkuhler,
    ph.methods.Rattle,
]
NAMES = ["alpha", "stabilised", "rattle"]
EVERY = pytest.mark.parametrize("method", METHODS, ids=NAMES)


def swing(rods: int = 1) -> ph.State:
    """Not in a plane, so that no component of anything vanishes."""
    system = bob_on_a_rod(rods=rods)
    place, speed = np.array([0.6, 0.0, -0.8]), np.array([0.4, 1.5, 0.3])
    return system.state(bob=place, speeds={"bob": speed})


def loads(motion: ph.results.Trajectory) -> np.ndarray:
    """The multiplier at some rows of a motion."""
    return np.stack([motion.equations.multipliers(motion[k]) for k in (-2, -1)])


@EVERY
def test_errors_fall_with_the_square_of_the_step(method):
    """Order 2 in positions, in speeds and in the multiplier, each by itself."""
    system = bob_on_a_rod()
    exact = ph.simulate(system, swing(), until=2.0, rtol=1e-13)
    steps, errors = [0.04, 0.02, 0.01, 0.005, 0.0025, 0.00125], []
    for h in steps:
        motion = ph.simulate(system, swing(), until=2.0, method=method(step=h))
        late = motion.t > 1.0
        truth = exact.resampled(motion.t[late])
        pairs = (motion.q[late], truth.q), (motion.z[late], truth.z)
        rows = *pairs, (loads(motion)[-1], exact.equations.multipliers(exact.final))
        errors.append([np.max(np.abs(a - b)) for a, b in rows])
    for column in np.array(errors)[1:].T:
        order = np.polyfit(np.log(steps[1:]), np.log(column), 1)[0]
        assert abs(order - 2) < 0.2, order


@EVERY
def test_positions_and_speeds_keep_the_constraints(method):
    """|g| <= 1e-10 L and |g_dot| <= 1e-10 v at every row, at a coarse step."""
    motion = ph.simulate(bob_on_a_rod(), swing(), until=20.0, method=method(step=0.02))
    ledger = motion.ledger()
    assert ledger.constraint_violation.max() < 1e-10
    assert ledger.velocity_miss.max() < 1e-10 * np.max(np.abs(motion.z))
    assert "solved for in each step" in motion.note


LONG_ALPHA = pytest.param(ph.methods.GeneralisedAlpha, marks=pytest.mark.long)


@pytest.mark.parametrize("method", [LONG_ALPHA, ph.methods.Rattle])
def test_rotations_are_stepped_on_their_group(method):
    """Order 2 for a heavy top on a ball joint, its quaternion of length one."""
    system = heavy_top()
    start = system.state(speeds={"ball": (0.3, 0.5, 5.0)})
    exact = ph.simulate(system, start, until=1.0, rtol=1e-12).final
    steps, errors = [0.02, 0.01, 0.005, 0.0025], []
    for h in steps:
        motion = ph.simulate(system, start, until=1.0, method=method(step=h))
        errors.append(np.max(np.abs(motion.final.q - exact.q)))
        assert np.max(np.abs(np.linalg.norm(motion.q, axis=1) - 1)) < 1e-12
    assert abs(np.polyfit(np.log(steps), np.log(errors), 1)[0] - 2) < 0.2


def test_energy_does_not_drift_in_rattle():
    """Symplectic: over 1e5 steps the energy swings as h^2 about a line of no slope."""
    swings = []
    for h in (0.02, 0.01):
        way = ph.methods.Rattle(step=h)
        motion = ph.simulate(bob_on_a_rod(), swing(), until=1000.0, method=way)
        away = motion.ledger().energy - motion.ledger().energy[0]
        swings.append(np.max(np.abs(away)))
        slope = np.polyfit(motion.t, away, 1)[0]
        assert abs(slope) * 1000.0 < 0.02 * swings[-1]
    assert 3 < swings[0] / swings[1] < 5


def test_angular_momentum_is_kept_by_rattle():
    """Weight turns nothing about the vertical: the momentum about it stays."""
    motion = ph.simulate(
        bob_on_a_rod(), swing(), until=200.0, method=ph.methods.Rattle(step=0.02)
    )
    about = motion.ledger().angular_momentum[:, 2]
    assert np.max(np.abs(about - about[0])) < 1e-12 * abs(about[0]) * 1e2


def test_a_step_back_undoes_a_step_of_rattle():
    """Symmetric: forth and back with the same step is nothing."""
    there = ph.simulate(
        bob_on_a_rod(), swing(), until=1.0, method=ph.methods.Rattle(0.05)
    )
    back = ph.simulate(
        bob_on_a_rod(), there.final, until=0.0, method=ph.methods.Rattle(0.05)
    )
    assert np.allclose(back.final.q, swing().q, rtol=0, atol=1e-12)
    assert np.allclose(back.final.z, swing().z, rtol=0, atol=1e-12)


def test_quick_motions_are_damped_as_asked():
    """A spring with 100 swings a step: gone with radius 0, kept with radius 1."""
    bob = ph.Body.from_inertia("bob", mass=1.0, inertia=np.eye(3))
    rail = ph.Prismatic("rail", ph.World().origin, bob.origin, axis=ph.X)
    system = ph.System([rail], [ph.JointSpring(rail, 4e9)], name="quick")
    left = {}
    for radius in (0.0, 0.5, 1.0):
        way = ph.methods.GeneralisedAlpha(step=0.01, radius=radius)
        motion = ph.simulate(system, system.state(rail=1e-3), until=0.5, method=way)
        left[radius] = abs(motion.final.q[0]) / 1e-3
    assert left[0.0] < 1e-3
    assert left[0.5] < 1e-10 * left[1.0]
    assert 0.5 < left[1.0] < 1.5
    with pytest.raises(IntegrationError, match="cannot have radius = 2"):
        ph.methods.GeneralisedAlpha(step=0.01, radius=2)


@pytest.mark.parametrize("method", [LONG_ALPHA, ph.methods.Rattle])
def test_redundant_rows_change_no_motion(method):
    """A rod given twice: the same motion, half the load on each, the rank reported."""
    one = ph.simulate(bob_on_a_rod(), swing(), until=2.0, method=method(step=0.02))
    two = ph.simulate(
        bob_on_a_rod(rods=2), swing(2), until=2.0, method=method(step=0.02)
    )
    assert np.allclose(one.final.q, two.final.q, rtol=0, atol=1e-11)
    assert np.allclose(loads(two).sum(axis=1), loads(one)[:, 0], rtol=1e-9)
    assert ph.mobility(bob_on_a_rod(rods=2)).rank == 1
    assert "not unique: rod, rod 2" in repr(ph.mobility(bob_on_a_rod(rods=2)))


@pytest.mark.long
@pytest.mark.parametrize(
    "method",
    [
        None,
        ph.methods.Rattle(0.005),
        pytest.param(ph.methods.GeneralisedAlpha(0.005), marks=pytest.mark.long),
        pytest.param(ph.methods.GearGuptaLeimkuhler(0.005), marks=pytest.mark.long),
    ],
)
def test_a_parallelogram_goes_through_its_flat_position(method):
    """Its pin given twice, it turns over five times: uprights parallel, energy kept."""
    system = doubled_parallelogram()
    motion = ph.simulate(
        system, four_bars_start(system, 1.0), until=10.0, method=method
    )
    assert motion.outcome.is_complete
    assert motion.q[-1, 0] > 10 * np.pi
    assert np.max(np.abs(motion.q[:, 0] - motion.q[:, 1])) < 1e-9
    ledger = motion.ledger()
    share = np.max(np.abs(ledger.balance)) / ledger.scale
    assert share < (1e-8 if method is None else 1e-4)
    assert ledger.constraint_violation.max() < 1e-10
    standing = ph.mobility(system, motion[0])
    flat = system.state(A0=np.pi / 2, A1=np.pi / 2, B0=-np.pi / 2)
    assert standing.rank == 2
    assert ph.mobility(system, flat).rank == 1


@cache
def equal_slider_crank() -> ph.System:
    """A crank and a rod of 1 m: upright, the slider is at the crank's own hinge.

    The slider is held by a track and by a second one that says the same.
    """
    world, rod = ph.World(), ph.solids.rod(mass=1.0, length=1.0, along=ph.X)
    crank, coupler = ph.Body("crank", rod), ph.Body("coupler", rod)
    block = ph.Body("block", ph.solids.box(mass=0.5, x=0.1, y=0.1, z=0.1))
    left, right = (-0.5, 0, 0), (0.5, 0, 0)
    joints = [
        ph.Revolute("A", world.origin, crank.point(*left), axis=ph.Y),
        ph.Revolute("B", crank.point(*right), coupler.point(*left), axis=ph.Y),
        ph.Revolute("C", coupler.point(*right), block.origin, axis=ph.Y),
        ph.Prismatic("track", world.origin, block.origin, axis=ph.X),
        ph.Prismatic("again", world.origin, block.origin, axis=ph.X),
    ]
    return ph.System(joints, [ph.Weight(9.81)], name="slider-crank")


@pytest.mark.long
@pytest.mark.parametrize(
    "method",
    [
        None,
        ph.methods.Rattle(1e-3),
        ph.methods.GeneralisedAlpha(1e-3),
        ph.methods.GearGuptaLeimkuhler(1e-3),
    ],
)
def test_a_slider_crank_of_equal_lengths_goes_through_its_fork(method):
    """Upright, the crank could turn with the slider at rest; it goes on as it came.

    Twice a turn the rank falls for an instant, on top of rows given twice.
    """
    system, angle, rate = equal_slider_crank(), -np.pi / 4, -6.0
    start = ph.State(system, 0.0, [angle, -2 * angle, angle], [rate, -2 * rate, rate])
    motion = ph.simulate(system, start, until=2.0, method=method)
    assert motion.outcome.is_complete
    assert motion.q[-1, 0] < -4 * np.pi
    assert np.max(np.abs(motion.q[:, 1] + 2 * motion.q[:, 0])) < 1e-9
    ledger = motion.ledger()
    share = np.max(np.abs(ledger.balance)) / ledger.scale
    assert share < (1e-7 if method is None else 1e-3)
    assert ledger.constraint_violation.max() < 1e-10
    assert ledger.velocity_miss.max() < 1e-10 * np.max(np.abs(motion.z))


def test_a_step_too_long_for_its_rod_says_so():
    """No point of the rod's circle is 5 m away: the run stops with a sentence."""
    system = bob_on_a_rod()
    fast = system.state(bob=(0, 0, -1.0), speeds={"bob": (50.0, 0, 0)})
    with pytest.warns(IntegrationWarning, match="could not be solved"):
        motion = ph.simulate(
            system, fast, until=1.0, method=ph.methods.Rattle(step=0.1)
        )
    assert motion.outcome.code == "INTEG"
    assert np.all(np.isfinite(motion.q))
    assert len(motion) == 1


@pytest.mark.long
@pytest.mark.parametrize("form", [ph.hamilton, ph.lagrange_first_kind])
def test_generalised_alpha_refuses_velocities_that_are_not_the_speeds(form):
    """Momenta are as many as the speeds, and are not the speeds."""
    with pytest.raises(IntegrationError, match="cannot be stepped by generalised"):
        ph.simulate(
            form(bob_on_a_rod()),
            swing(),
            until=0.1,
            method=ph.methods.GeneralisedAlpha(step=0.01),
        )


@pytest.mark.long
@pytest.mark.parametrize(
    "method", [ph.methods.GeneralisedAlpha, ph.methods.GearGuptaLeimkuhler]
)
def test_rows_of_velocity_alone_are_kept_too(method):
    """Chaplygin's sleigh on its blade moves as by default, never sideways."""
    system = topology("sleigh")
    start = random_state(system, np.random.default_rng(2))
    motion = ph.simulate(system, start, until=1.0, method=method(step=1e-3, radius=1.0))
    plain = ph.simulate(system, start, until=1.0, rtol=1e-11)
    assert motion.ledger().velocity_miss.max() < 1e-10
    assert_close(motion.final.q, plain.final.q, rtol=1e-5)


@pytest.mark.long
def test_the_work_of_projection_is_what_the_balance_lacks():
    """Of Runge and Kutta's step on a rod: the same order of size, falling with h^4."""
    found = []
    for h in (0.04, 0.02):
        motion = ph.simulate(
            bob_on_a_rod(), swing(), until=4.0, method=ph.methods.RungeKutta4(step=h)
        )
        work, lacking = ph.questions.projection_work(motion), motion.ledger().balance
        assert work[0] == 0
        found.append((abs(work[-1]), np.max(np.abs(lacking))))
    assert 0 < found[0][0] < 20 * found[0][1]
    assert found[0][0] > 8 * found[1][0] > 0
    drifting = ph.simulate(
        bob_on_a_rod(),
        swing(),
        until=0.1,
        method=ph.methods.Unprojected(ph.methods.RungeKutta4(step=0.02)),
    )
    assert "left to drift" in drifting.note
    with pytest.raises(IntegrationError, match="cannot be known"):
        ph.questions.projection_work(drifting)
    way = ph.methods.GeneralisedAlpha(step=0.02)
    remembering = ph.simulate(bob_on_a_rod(), swing(), until=0.1, method=way)
    with pytest.raises(IntegrationError, match="that remember others"):
        ph.questions.projection_work(remembering)


@cache
def slope_of_energy(system: ph.System) -> ph.results.Program:
    """(q, p) -> dH/dq, compiled once."""

    def slope(q, p):
        return jax.grad(hamiltonian(system, q, {}), 1)(0.0, np.zeros(3), p)

    return ph.compile(slope, np.ones(3), np.ones(3))


def balanced(form: ph.results.Equations, state: ph.State) -> bool:
    """Whether p_dot = -dH/dq + (dg/dq)^T s, for H and s as the form has them."""
    s, p = form.multipliers(state), form.velocities(state)
    slope = slope_of_energy(form.system)(state.q, p)
    # dg/dq is the bob's place: g = (q.q - 1)/2.
    p_dot = form.accelerations(state)
    return np.allclose(p_dot, -slope + state.q * s[0], rtol=1e-9)


@pytest.mark.row("H-09")
def test_hamiltons_equations_carry_the_multipliers():
    """p_dot = -dH/dq + Q + (dg/dq)^T s, g = 0; s is that of Lagrange's first kind."""
    system = bob_on_a_rod()
    forms = ph.hamilton(system), ph.lagrange_first_kind(system)
    motion = ph.simulate(system, swing(), until=2.0, rtol=1e-12)
    for k in range(0, len(motion), len(motion) // 5):
        s, other = (form.multipliers(motion[k]) for form in forms)
        # Lagrange's also hold the joint in which the bob moves; the rod comes last.
        assert np.allclose(s, other[-1:], rtol=1e-10)
        assert balanced(forms[0], motion[k])


@pytest.mark.row("H-09")
@pytest.mark.long
def test_hamiltons_equations_move_as_all_others():
    """Stepped in momenta by RATTLE: the same motion, the rod kept, s along with it."""
    system = bob_on_a_rod()
    way, form = ph.methods.Rattle(step=0.005), ph.hamilton(system)
    motion = ph.simulate(form, swing(), until=2.0, method=way)
    other = ph.simulate(system, swing(), until=2.0, method=way)
    assert np.allclose(motion.final.q, other.final.q, rtol=0, atol=1e-10)
    assert np.max(np.abs(np.sum(motion.q**2, axis=1) - 1)) < 1e-12
    assert all(balanced(form, motion[k]) for k in (0, 100, -1))
