"""What a far observer sees."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from polhode.show.drawing.view import View

angles = st.floats(-1.5, 1.5)


@given(angles, angles)
def test_the_observer_has_right_handed_axes(azimuth, elevation):
    """Right, up and towards the observer are orthonormal and right-handed."""
    axes = View.towards(azimuth, elevation).axes
    assert_close(axes @ axes.T, np.eye(3), rtol=1e-14)
    assert_close(np.linalg.det(axes), 1.0, rtol=1e-14)


@given(angles, angles, st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_a_ray_meets_the_ellipsoid_on_its_near_side(azimuth, elevation, x, y):
    """The point is on the surface, on the ray, and its normal faces the observer."""
    view, matrix = View.towards(azimuth, elevation), np.diag([1.0, 2.0, 3.0])
    point = view.ellipsoid(matrix, np.array(x), np.array(y))
    assert_close(point @ matrix @ point, 1.0, rtol=1e-12)
    right, up, _ = view.project(point)
    assert_close([right, up], [x, y], rtol=1e-12, atol=1e-14)
    assert (matrix @ point) @ view.axes[2] >= 0


def test_a_ray_beside_the_ellipsoid_misses():
    """Beyond the outline there is nothing."""
    view, matrix = View.towards(0.4, 0.3), np.diag([1.0, 2.0, 3.0])
    outside = np.array(1.01 * view.outline(matrix) * np.sqrt(2))
    assert np.all(np.isnan(view.ellipsoid(matrix, outside, outside)))
