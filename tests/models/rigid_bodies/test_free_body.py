"""The free asymmetric body: what it keeps, and when it flips."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.models.rigid_bodies import free_body
from polhode.models.rigid_bodies.free_body import State
from rk4 import rk4

INERTIA = free_body.t_handle().moments().inertia
START = State(np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.25, 0.12, 6.0]))
STEP = 1e-3


@pytest.fixture(scope="module")
def advance():
    return ph.compile(free_body.advance(INERTIA, STEP), START, 1, backend="llvm")


@pytest.fixture(scope="module")
def kept():
    def audit(state):
        momentum = free_body.angular_momentum(INERTIA, state)
        return free_body.kinetic_energy(INERTIA, state.spin), momentum

    return ph.compile(audit, START, backend="llvm")


def test_the_handle_has_its_middle_moment_along_the_stem():
    """J_x < J_z < J_y, so that spin about the stem is unstable."""
    x, y, z = np.diag(INERTIA)
    assert x < z < y


def test_energy_and_angular_momentum_are_kept_to_rounding(advance, kept):
    """Nothing acts: T and the vector H are the same after 10^5 steps."""
    before, after = kept(START), kept(advance(START, 100_000))
    assert_close(after[0], before[0], rtol=1e-12)
    assert_close(after[1], before[1], rtol=1e-12)


def test_the_attitude_stays_a_unit_quaternion(advance):
    """|q| = 1 after 10^5 steps."""
    assert_close(np.linalg.norm(advance(START, 100_000).attitude), 1.0, rtol=1e-12)


def test_the_step_is_of_second_order():
    """Halving the step takes a quarter of the error against a fine solution."""

    def rate(_, spin):
        return np.linalg.solve(INERTIA, np.cross(INERTIA @ spin, spin))

    exact = rk4(rate, START.spin, 0.0, 0.4, 4000)
    errors = []
    for h in (4e-3, 2e-3):
        run = ph.compile(free_body.advance(INERTIA, h), START, 1, backend="llvm")
        errors.append(np.linalg.norm(run(START, round(0.4 / h)).spin - exact))
    assert 3.8 < errors[0] / errors[1] < 4.2


def test_spin_about_the_middle_axis_turns_over_and_about_the_others_does_not():
    """The tennis-racket theorem."""
    function = free_body.first_flip(INERTIA, STEP, 10_000)
    program = ph.compile(function, START.spin, batched=True, backend="llvm")
    (middle,) = program(np.array([[0.01, 0.01, 6.0]]))
    assert 1.0 < middle < 4.0
    # The component along Z of a spin mostly along X or Y oscillates about zero.
    run = ph.compile(free_body.advance(INERTIA, STEP), START, 1, backend="llvm")
    for axis in (0, 1):
        state = State(START.attitude, np.full(3, 0.01) + 6 * np.eye(3)[axis])
        for _ in range(100):
            state = run(state, 100)
            assert state.spin[axis] > 5.99


def test_the_wait_for_a_flip_grows_with_the_logarithm_of_the_tilt():
    """Leaving a saddle: ten times nearer waits ln(10)/rate longer."""
    function = free_body.first_flip(INERTIA, STEP, 10_000)
    program = ph.compile(function, START.spin, batched=True, backend="llvm")
    x, y, z = np.diag(INERTIA)
    rate = 6 * np.sqrt((y - z) * (z - x) / (x * y))
    tilts = 10.0 ** -np.arange(2, 6)
    spins = 6 * np.stack([np.sin(tilts), 0 * tilts, np.cos(tilts)], axis=-1)
    waits = program(spins)
    assert_close(np.diff(waits), np.full(3, np.log(10) / rate), rtol=5e-3)


def test_its_equations_read_as_euler_wrote_them():
    """J_1 w_1' = (J_2 - J_3) w_2 w_3, and cyclically."""
    assert free_body.equations()[0].splitlines() == [
        "     ω₂⋅ω₃⋅(J₂ - J₃)",
        "ω̇₁ = ───────────────",
        "           J₁       ",
    ]


def test_the_rate_is_that_of_euler():
    """J w_dot + w x J w = 0."""
    spin = np.array([0.3, -1.2, 2.0])
    rate = jax.jit(free_body.spin_rate)
    with jax.enable_x64(True):
        left = INERTIA @ rate(INERTIA, spin) + np.cross(spin, INERTIA @ spin)
    assert_close(left, np.zeros(3), atol=1e-18)
