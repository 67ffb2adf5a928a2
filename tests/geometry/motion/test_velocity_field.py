"""Recovery of a rigid motion from the velocities of its points."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from polhode.errors import StateError
from polhode.geometry.motion.velocity_field import fit_rigid_velocity
from polhode.geometry.transport import shift_velocity
from polhode.geometry.vector import cross
from strategies_geometry import generators


@pytest.mark.row("K-05")
@given(generators, st.integers(3, 8), st.sampled_from([1e-6, 1.0, 1e6]))
def test_three_points_off_a_line_know_the_angular_velocity(rng, count, size):
    """One w serves all pairs: it is recovered, and predicts every other point."""
    w, v = rng.normal(size=(2, 3))
    places = rng.normal(size=(count, 3)) * size
    velocities = shift_velocity(w, v * size, places)
    fit = fit_rigid_velocity(places, velocities)
    assert fit.is_unique
    assert_close(fit.angular, w, rtol=1e-10)
    assert_close(fit.residual, np.zeros((count, 3)), atol=1e-12 * size)
    other = rng.normal(size=3) * size
    expected = shift_velocity(w, v * size, other)
    assert_close(fit.velocity_at(other), expected, rtol=1e-9)


@pytest.mark.row("K-05")
@given(generators)
def test_points_on_a_line_leave_the_spin_about_it_open(rng):
    """From collinear points w is known only up to its part along the line."""
    w, v, along = rng.normal(size=(3, 3))
    places = np.outer([0.0, 1.0, 2.5], along)
    fit = fit_rigid_velocity(places, shift_velocity(w, v, places))
    assert fit.rank == 2
    assert not fit.is_unique
    axis = along / np.linalg.norm(along)
    assert_close(fit.angular, w - axis * (w @ axis), atol=1e-10)
    assert_close(fit.residual, np.zeros((3, 3)), atol=1e-12)
    single = fit_rigid_velocity(places[:1], [v])
    assert single.rank == 0
    assert_close(single.linear, v)


@pytest.mark.row("K-05")
@given(generators)
def test_what_is_not_rigid_leaves_a_residual(rng):
    """Stretching velocities cannot be explained: the residual is not zero."""
    places = rng.normal(size=(5, 3))
    spin = rng.normal(size=3)
    stretch = 0.1 * places
    fit = fit_rigid_velocity(places, cross(spin, places) + stretch)
    assert np.max(np.abs(fit.residual)) > 1e-3
    assert "rank=3" in repr(fit)


def test_no_points_no_motion():
    """Nothing, unequal counts and NaN are refused."""
    with pytest.raises(StateError, match="cannot be found from no points"):
        fit_rigid_velocity([], [])
    with pytest.raises(StateError, match=r"the velocities of the points has shape"):
        fit_rigid_velocity(np.eye(3), np.zeros((2, 3)))
    with pytest.raises(StateError, match="the places of the points is not finite"):
        fit_rigid_velocity(np.full((3, 3), np.nan), np.zeros((3, 3)))
