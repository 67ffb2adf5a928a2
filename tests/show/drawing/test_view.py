"""What a far observer sees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polhode as ph
from closeness import assert_close
from polhode.analyse.machinery.mode_motion import rows_of
from polhode.errors import ShowError
from polhode.show.drawing.render import drawing_of
from polhode.show.drawing.scene import scene_of
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


def test_views_have_names_and_angles():
    """The front is seen along Y: X to the right, Z up; angles say the same."""
    front = View.of("front")
    np.testing.assert_allclose(front.axes, View.of((-90, 0)).axes)
    right, up, _ = front.project(np.eye(3))
    np.testing.assert_allclose(right, [1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(up, [0, 0, 1], atol=1e-12)
    assert View.of(None) is None
    with pytest.raises(ShowError, match="cannot be seen from 'front row'"):
        View.of("front row")


def test_who_follows_a_body_sees_it_stay():
    """A thrown ball stays in the middle; a body that is not there is refused."""
    ball = ph.Particle("ball", 0.1)
    thrown = ph.System([ball], actions=[ph.Weight(9.81)], name="thrown")
    start = thrown.state(speeds={"ball": (3.0, 0.0, 4.0)})
    motion = ph.simulate(thrown, start, until=1.0)
    scene = scene_of(motion, 5, follow="ball")
    np.testing.assert_allclose(scene.bodies[0].path, 0.0, atol=1e-12)
    flown = motion.resampled(scene.times)["ball"].position
    np.testing.assert_allclose(scene.drift, flown, atol=1e-12)
    assert -1.0 < scene.floor < flown[-1, 2]  # below the ball where it is lowest
    assert scene_of(motion, 5, follow="ball", axes="body").floor is None
    with pytest.raises(ShowError, match="no body 'bal' to follow"):
        motion.picture(follow="bal")


@pytest.mark.parametrize("name", ["satellite", "chaplygin_sleigh", "rov"])
def test_no_corner_of_a_body_is_out_of_the_picture(name):
    """Fine parts have many corners, coarse ones few: all of them are in the frame."""
    start = ph.models.start(name)
    rows = rows_of([start, start], np.array([0.0, 1.0]))
    figure = rows.picture(0.0).figure
    (axes,) = figure.axes
    (low, high), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    drawing = drawing_of(rows, 2)
    for body in drawing.scene.bodies:
        corners = np.concatenate([s.corners for s in body.surfaces])
        x, y, _ = drawing.view.project(corners @ body.rotations[0].T + body.origins[0])
        assert low < x.min() < x.max() < high
        assert bottom < y.min() < y.max() < top
