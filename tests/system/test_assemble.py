"""Assembly finds states that keep the constraints, and says what it moved."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.errors import InconsistentState
from polhode.system import numeric_constraints, rows
from strategies_system import TOPOLOGIES, four_bar, random_state, topology

# Named, so that no system is built when tests are collected.
FREE = {
    *("pendulum", "double_pendulum", "cart_pendulum", "spherical_pendulum"),
    *("free_body", "floating_chain", "arm", "reversed_arm", "all_joints"),
    *("ball_on_table", "motorised_arm", "sprung_arm"),
}
CONSTRAINED = [name for name in TOPOLOGIES if name not in FREE]
constrained = pytest.mark.parametrize("name", CONSTRAINED)
# Of some the compiled rows take long to compile.
QUICK = ("four_bar", "sleigh", "geared_wheels")
compiled = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in QUICK else pytest.mark.long)
        for name in CONSTRAINED
    ],
)


def test_only_free_topologies_are_left_out():
    """What is called free has no constraint."""
    assert not any(topology(name).constraints for name in FREE)


def test_a_four_bar_closes_as_two_circles_meet():
    """The far end of coupler and rocker is where two circles cross."""
    system = four_bar()
    state = ph.assemble(system, A=0.5).state
    crank = np.array([np.cos(0.5), -np.sin(0.5)])  # x, z; the axis is Y
    end = system.poses(0, state.q).origins[2, [0, 2]]
    R = system.poses(0, state.q).rotations[2]
    pin = end + (R @ [-0.75, 0, 0])[[0, 2]]
    ground = np.array([2.0, 0.0])
    assert_close(np.linalg.norm(pin - crank), 2.0, rtol=1e-12)
    assert_close(np.linalg.norm(pin - ground), 1.5, rtol=1e-12)


def test_what_is_given_is_held_and_what_moved_is_said():
    """A named joint stays; the others are listed with their changes."""
    assembly = ph.assemble(four_bar(), A=0.5, speeds={"A": 1.0})
    assert assembly.state["A"] == 0.5
    assert assembly.state.speed("A") == 1.0
    assert set(assembly.moved) == set(assembly.changed) == {"B", "C"}
    assert_close(assembly.moved["B"], [assembly.state["B"]])
    assert repr(assembly).startswith("Assembly(moved B by [")
    tree = ph.assemble(topology("arm"), j2=0.3)
    assert repr(tree) == "Assembly(moved nothing)"


def test_a_state_that_breaks_a_constraint_by_a_millimetre_is_refused():
    """With the residual of each row, in the user's names."""
    system = four_bar()
    good = ph.assemble(system, A=0.5).state
    assert system.state(A=0.5, B=good["B"], C=good["C"]).is_close(good)
    with pytest.raises(InconsistentState, match="breaks 2 of its 5") as caught:
        system.state(A=0.5, B=good["B"] + 1e-3, C=good["C"])
    assert "D: row 3 misses by" in str(caught.value)
    assert caught.value.code == "CONSTR"
    with pytest.raises(InconsistentState, match=r"ph\.assemble"):
        system.state(A=0.5, B=good["B"], C=good["C"], speeds={"A": 1e-3})


def test_what_cannot_be_assembled_is_refused():
    """A crank held where the coupler cannot reach."""
    system = four_bar(ground=3.5)
    ph.assemble(system, A=0.5)
    with pytest.raises(InconsistentState, match="D: row"):
        ph.assemble(system, A=3.0)


@constrained
def test_assembled_states_keep_every_row(name):
    """Positions and velocities to rounding, by the compiled equations."""
    system = topology(name)
    state = random_state(system, np.random.default_rng(5))
    at = state.t, state.q, state.z
    assert_close(rows.positions(system, *at[:2]), 0 * rows.positions(system, *at[:2]),
                 atol=1e-12)  # fmt: skip
    phi = rows.velocities(system, *at)
    assert_close(phi, 0 * phi, atol=1e-11)


@compiled
def test_rows_on_the_host_are_the_compiled_ones(name):
    """Differences of five values agree with JAX's derivatives."""
    system = topology(name)
    state = random_state(system, np.random.default_rng(6))
    A, _ = system.constraint_rows(state.t, state.q, state.z)
    now = numeric_constraints.scene(system, state.t, state.q)
    host = numeric_constraints.velocities(system, now, state.z)
    assert_close(host.slopes, A, rtol=1e-9, atol=1e-10)
    phi = rows.velocities(system, state.t, state.q, state.z)
    assert_close(host.values, phi, atol=1e-10)


@constrained
def test_accelerations_that_obey_the_rows_keep_the_constraints(name):
    """Along any motion with rate z_dot, the rate of phi is A z_dot - gamma."""
    system = topology(name)
    rng = np.random.default_rng(7)
    state = random_state(system, rng)
    z_dot = rng.normal(size=system.speeds)
    A, gamma = system.constraint_rows(state.t, state.q, state.z)

    def phi(s):
        delta = s * state.z + s**2 / 2 * z_dot
        q = system.local(state.q, delta)
        # The speeds that go with the path q(s), by the joints' own kinematics.
        q_dot = derivative(
            lambda r: system.local(state.q, r * state.z + r**2 / 2 * z_dot), s, 1e-3
        )
        z = system.speeds_from(0, q, q_dot)
        return rows.velocities(system, state.t + s, q, z)

    rate = derivative(phi, 0.0, 4e-3)
    assert_close(rate, A @ z_dot - gamma, rtol=1e-6, atol=1e-6)


def test_the_speed_of_a_fast_driver_is_exact():
    """A table shaken at w = 300 rad/s moves at a w cos wt; a state may say so."""
    import jax.numpy as jnp

    table = ph.Body("table", ph.solids.box(mass=1.0, x=1.0, y=1.0, z=0.1))
    lift = ph.Prismatic("lift", ph.World().origin, table.origin, axis=ph.Z)
    shaker = ph.PrescribedMotion(lift, lambda t: 0.02 * jnp.sin(300.0 * t))
    system = ph.System([lift], constraints=[shaker])
    where, rate = 0.02 * np.sin(3.9), 6 * np.cos(3.9)
    state = system.state(lift=where, speeds={"lift": rate}, t=0.013)
    assert system.consistent(state).is_close(state)
    with pytest.raises(ph.PolhodeError, match="misses by"):
        system.state(lift=where, speeds={"lift": rate * (1 + 1e-6)}, t=0.013)


def test_a_small_body_comes_down_from_afar():
    """From fifty of its lengths, however turned: it slides, and need not turn."""
    system = ph.models.rattleback()
    rest, rng = system.rest().q, np.random.default_rng(0)
    still = np.zeros(system.speeds)
    for _ in range(20):
        far = system.local(rest, rng.uniform(-1.0, 1.0, system.speeds))
        state = system.consistent(ph.State(system, 0.0, system.normalised(far), still))
        assert abs(state.q[-1]) < 0.2
