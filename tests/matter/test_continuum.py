"""Continuous bodies by quadrature, against closed forms."""

import numpy as np
import pytest

from closeness import assert_close
from polhode.errors import ModelError
from polhode.matter import cloud as sums
from polhode.matter import solids
from polhode.matter.continuum import sampled
from polhode.matter.energy import kinetic_energy
from polhode.matter.momentum import angular_momentum, linear_momentum

TURN = (0.0, 2 * np.pi)


def rod_chart(u):
    return 0 * u, 0 * u, u


def disc_chart(r, a):
    return r * np.cos(a), r * np.sin(a), 0 * r


def ball_chart(r, b, a):
    return r * np.sin(b) * np.cos(a), r * np.sin(b) * np.sin(a), r * np.cos(b)


def box_chart(x, y, z):
    return x, y, z


CASES = {
    "rod": (solids.rod(mass=1.5, length=0.8), rod_chart, [(-0.4, 0.4)]),
    "disc": (solids.disc(mass=1.5, radius=0.8), disc_chart, [(0, 0.8), TURN]),
    "ball": (
        solids.sphere(mass=1.5, radius=0.8),
        ball_chart,
        [(0, 0.8), (0, np.pi), TURN],
    ),
    "box": (
        solids.box(mass=1.5, x=0.2, y=0.5, z=0.9),
        box_chart,
        [(-0.1, 0.1), (-0.25, 0.25), (-0.45, 0.45)],
    ),
}


@pytest.mark.row("I-04")
@pytest.mark.parametrize("name", CASES)
def test_dynamic_quantities_by_quadrature_meet_closed_forms(name):
    """Mass, momentum, angular momentum and energy integrals: rod, disc, ball, box."""
    solid, chart, bounds = CASES[name]
    measure = solid.unit(**solid.sizes())[0]
    cloud = sampled(chart, bounds, 1.5 / measure, points=26)
    moments = solid.moments()
    assert_close(cloud.moments().mass, moments.mass, rtol=1e-8)
    assert_close(cloud.moments().inertia, moments.inertia, rtol=1e-8)
    v, w = np.array([0.3, -1.0, 0.4]), np.array([1.1, 0.2, -0.7])
    pole = np.array([0.5, 0.1, -0.2])
    speeds = v + np.cross(w, cloud.positions)
    body = (moments.mass, moments.centre)
    p = linear_momentum(*body, v, w)
    assert_close(sums.momentum_of_points(cloud.masses, speeds), p, rtol=1e-8)
    L = angular_momentum(*body, moments.inertia, v, w) + np.cross(-pole, p)
    sampled_L = sums.angular_momentum_of_points(
        cloud.masses, cloud.positions, speeds, pole
    )
    assert_close(sampled_L, L, rtol=1e-8)
    T = kinetic_energy(*body, moments.inertia, v, w)
    assert_close(sums.kinetic_energy_of_points(cloud.masses, speeds), T, rtol=1e-8)


def test_density_may_vary_from_place_to_place():
    """A rod of density 2 z on [0, 1] has mass 1 and its centre at 2/3."""
    cloud = sampled(rod_chart, [(0.0, 1.0)], lambda x, y, z: 2 * z, points=4)
    assert_close(cloud.moments().mass, 1.0)
    assert_close(cloud.moments().centre, [0, 0, 2 / 3])


def test_a_curve_is_measured_along_itself():
    """A half circle of unit density weighs pi r, its centre at 2 r/pi."""
    chart = lambda a: (2 * np.cos(a), 2 * np.sin(a), 0 * a)  # noqa: E731
    moments = sampled(chart, [(0.0, np.pi)], 1.0).moments()
    assert_close(moments.mass, 2 * np.pi, rtol=1e-12)
    assert_close(moments.centre, [0, 4 / np.pi, 0], rtol=1e-12)


def test_four_variables_are_refused():
    """Space has three dimensions."""
    with pytest.raises(ModelError, match="cannot sample 4 variables"):
        sampled(box_chart, [(0, 1)] * 4, 1.0)
