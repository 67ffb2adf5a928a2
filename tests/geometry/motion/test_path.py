"""Laws of paths: derivatives along axes held constant."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.geometry.motion import path
from polhode.geometry.vector import cross, dot
from strategies_geometry import columns


@pytest.mark.row("K-03")
def test_velocity_components_are_rates_of_components():
    """v = xdot_i e_i and a = xddot_i e_i, for polynomial and trigonometric paths."""
    for seed in range(20):
        a, b, c, d = np.random.default_rng(seed).normal(size=(4, 3))

        def place(t, xp=jnp, a=a, b=b, c=c, d=d):
            return a + b * t + c * t**3 + d * xp.sin(2 * t + a)

        seen = path.moving_point(place, 0.7)
        assert_close(seen.place, place(0.7, np))
        assert_close(seen.velocity, b + 3 * c * 0.49 + 2 * d * np.cos(1.4 + a))
        assert_close(seen.acceleration, 6 * c * 0.7 - 4 * d * np.sin(1.4 + a))
        rate = derivative(lambda t: place(t, np), 0.7)
        assert_close(seen.velocity, rate, rtol=1e-9)


def test_derivatives_are_double_precision_without_touching_the_users_setting():
    """jet works in float64 and leaves jax_enable_x64 as it was."""
    before = jax.config.jax_enable_x64
    value, _, _ = path.jet(lambda t: 1.0 + t, 1e-12)
    assert value.dtype == np.float64
    assert value == 1.0 + 1e-12
    assert jax.config.jax_enable_x64 == before


def test_jets_nest_inside_a_trace():
    """jet may be called under jit, on a traced time."""
    with jax.enable_x64(True):
        second = jax.jit(lambda t: path.jet(jnp.sin, t)[2])(0.4)
    assert_close(second, -np.sin(0.4))


@given(columns, columns)
def test_acceleration_along_and_across(v, a):
    """The parts sum up to a; one is along v, the other normal to it."""
    along, across = path.acceleration_along(v, a)
    assert_close(along + across, a, atol=1e-13)
    size = np.max(np.abs(v)) + 1e-300
    assert_close(cross(along, v / size), np.zeros(3), atol=1e-12)
    assert_close(dot(across, v / size), 0.0, atol=1e-12)


def test_uniform_circular_motion_bends_only():
    """On a circle at steady speed all acceleration is across: v^2/r inwards."""
    seen = path.moving_point(
        lambda t: jnp.stack([2 * jnp.cos(3 * t), 2 * jnp.sin(3 * t), 0 * t]), 0.0
    )
    along, across = path.acceleration_along(seen.velocity, seen.acceleration)
    assert_close(along, np.zeros(3), atol=1e-14)
    assert_close(across, [-18.0, 0, 0])


def test_acceleration_from_rest_is_along():
    """At rest there is no direction to bend, and no NaN, in derivatives neither."""
    a = np.array([0.0, 0.0, -9.81])
    along, across = path.acceleration_along(np.zeros(3), a)
    assert_close(along, a)
    assert_close(across, np.zeros(3))
    with jax.enable_x64(True):
        slope = jax.jit(jax.jacfwd(path.acceleration_along))(np.zeros(3), a)
    assert np.all(np.isfinite(np.asarray(slope)))
