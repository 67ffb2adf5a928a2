"""Laws of force fields, work, and conservative fields."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closeness import assert_close
from finite import derivative
from polhode.actions.fields.conservative import conservativity, energy_from
from polhode.actions.fields.field import ForceField, laplacian, matches
from polhode.actions.fields.quadrature import box
from polhode.actions.fields.work import (
    circulation,
    couple_power,
    force_power,
    pair_power,
    work,
    work_of_power,
)
from polhode.errors import ForceError, StateError
from polhode.geometry.frame import Frame
from polhode.matter.particle import particle_energy
from rk4 import rk4
from strategies_actions import columns, generators, seeds

WORLD = Frame("world")
SADDLE = np.array([[2.0, 1.0, 0.5], [1.0, -3.0, 0.2], [0.5, 0.2, 1.5]])


def bowl(x):
    """An uneven energy: quadratic, with a cubic and a sine on top."""
    return x @ jnp.asarray(SADDLE) @ x / 2 + x[0] * x[1] * x[2] + jnp.sin(x[0])


def axis_distance(x):
    return x[0] ** 2 + x[1] ** 2


BOWL = ForceField.of_energy(bowl, WORLD, "bowl")
SHEAR = ForceField.of_place(lambda x: [x[1], 0.0, x[0] * x[2]], WORLD, "shear")
SOURCE = ForceField.of_place(
    lambda x: jnp.array([x[0], x[1], 0 * x[2]]) / axis_distance(x), WORLD, "source"
)
SWIRL = ForceField.of_place(
    lambda x: jnp.array([-x[1], x[0], 0 * x[2]]) / axis_distance(x), WORLD, "swirl"
)


def straight(a, b):
    return lambda s: a + s * (b - a)


def bent(a, b, bump):
    return lambda s: a + s * (b - a) + jnp.sin(np.pi * s) * bump


def circle(s):
    return jnp.array([jnp.cos(2 * np.pi * s), jnp.sin(2 * np.pi * s), 0.3])


@pytest.mark.row("A-07")
@given(columns)
def test_curl_of_a_gradient_is_zero(x):
    """A field made from an energy has no curl; its gradient is symmetric."""
    assert_close(BOWL.curl(x), np.zeros(3), atol=1e-13)
    assert_close(BOWL.gradient(x), BOWL.gradient(x).T, atol=1e-13)


@pytest.mark.row("A-07")
@given(columns)
def test_derivatives_of_a_field_are_those_of_its_law(x):
    """Gradient, curl and divergence by JAX equal difference quotients."""
    slope = np.stack(
        [derivative(lambda h, e=e: SHEAR.value(x + h * e), 0.0) for e in np.eye(3)],
        axis=1,
    )
    assert_close(SHEAR.gradient(x), slope, rtol=1e-9, atol=1e-10)
    assert_close(SHEAR.curl(x), [0, -x[2], -1], atol=1e-13)
    assert_close(SHEAR.divergence(x), x[0], atol=1e-14)


@pytest.mark.row("A-07")
def test_force_of_a_field_on_a_body_is_the_sum_over_its_particles():
    """Quadrature over a box equals the sum over very many particles."""
    M, R = BOWL.on_body(box([0.4, 0.2, 0.6], order=6), density=3.0)
    side = (np.arange(24) + 0.5) / 24 - 0.5
    places = np.stack(np.meshgrid(side, side, side), -1).reshape(-1, 3)
    places = places * [0.4, 0.2, 0.6]
    forces = np.stack([-_bowl_slope(x) for x in places]) * 3.0 * 0.048 / 24**3
    assert_close(R, forces.sum(0), rtol=1e-3)
    assert_close(M, np.cross(places, forces).sum(0), rtol=4e-3)


def _bowl_slope(x):
    more = [x[1] * x[2] + np.cos(x[0]), x[0] * x[2], x[0] * x[1]]
    return SADDLE @ x + np.array(more)


@pytest.mark.row("A-07")
def test_a_field_may_depend_on_velocity_and_time():
    """F(x, v, t) is handed place, velocity and time."""
    field = ForceField(lambda x, v, t: x + 2.0 * v + t, WORLD)
    assert_close(field.value([1, 2, 3], [1, 0, 0], 5.0), [8, 7, 8])


def test_fields_compute_in_double_precision_and_leave_the_setting_alone():
    """A law in jax.numpy is evaluated in float64 whatever the user's setting."""
    before = jax.config.jax_enable_x64
    assert BOWL.value([0.1, 0.2, 0.3]).dtype == np.float64
    assert_close(BOWL.value([0.1, 0.2, 0.3]), -_bowl_slope(np.array([0.1, 0.2, 0.3])))
    assert jax.config.jax_enable_x64 == before


def test_a_place_must_be_three_finite_numbers():
    """A NaN place is refused, naming the field."""
    with pytest.raises(StateError, match="'bowl'"):
        BOWL.value([0, np.nan, 0])


@pytest.mark.row("A-09")
def test_work_along_analytic_paths():
    """F = (y, 0, xz): from (0,0,0) to (1,1,0) along y = x^n the work is 1/(n + 1)."""
    for n in (1, 2, 3):
        done = work(SHEAR, lambda s, n=n: jnp.array([s, s**n, 0.0]), 0.0, 1.0)
        assert_close(done, 1 / (n + 1), rtol=1e-12)


@pytest.mark.row("A-09")
def test_work_in_a_swirl_depends_on_the_path():
    """Half round to the left and half round to the right: works pi and -pi."""
    left = work(SWIRL, lambda s: jnp.array([jnp.cos(s), jnp.sin(s), 0.0]), 0.0, np.pi)
    right = work(SWIRL, lambda s: jnp.array([jnp.cos(s), -jnp.sin(s), 0.0]), 0.0, np.pi)
    assert_close([left, right], [np.pi, -np.pi])


@pytest.mark.row("A-09")
def test_work_on_a_moving_particle_is_its_gain_of_kinetic_energy():
    """RK4 of a unit mass in the shear: accumulated power = gain of v^2/2."""

    def rates(_, y):
        force, velocity = SHEAR.value(y[:3]), y[3:6]
        power = force_power(force[None], velocity[None])
        return np.concatenate([velocity, force, [power]])

    start = np.array([0.3, -0.2, 0.5, 0.1, 0.7, -0.4, 0.0])
    end = rk4(rates, start, 0.0, 1.0, 200)
    gain = particle_energy(1.0, end[3:6]) - particle_energy(1.0, start[3:6])
    assert abs(gain) > 0.01
    assert_close(end[6], gain, rtol=1e-9)


@pytest.mark.row("A-10")
def test_work_is_the_integral_of_power():
    """Along a motion x(t), the integral of F.v is the work along its path."""

    def motion(t):
        return jnp.array([jnp.cos(t), t**2, jnp.sin(2 * t)])

    def power(t):
        x = np.array([np.cos(t), t**2, np.sin(2 * t)])
        v = np.array([-np.sin(t), 2 * t, 2 * np.cos(2 * t)])
        return force_power(-_bowl_slope(x)[None], v[None])

    W = work(BOWL, motion, 0.0, 1.5)
    assert_close(work_of_power(power, 0.0, 1.5), W, rtol=1e-9)


@pytest.mark.row("A-10")
@given(columns, st.floats(0.5, 3))
def test_power_counts_the_material_point(force, radius):
    """A rolling disc: the contact's material point rests, so friction has no power.

    The geometric contact moves with v = R thetadot (printed once as R theta).
    """
    spin = np.array([0.0, 1.3, 0.0])
    centre = np.cross(spin, [0, 0, radius])
    material = centre + np.cross(spin, [0, 0, -radius])
    assert_close(force_power(force[None], material[None]), 0.0, atol=1e-15)
    assert_close(centre, [1.3 * radius, 0, 0])
    angle = 0.4  # turned so far; the print has v = R theta
    assert abs(centre[0] - angle * radius) > 0.05


@pytest.mark.row("A-11")
@given(generators)
def test_couple_power_is_couple_dot_angular_velocity(rng):
    """F1.(v1 - v2) = omega.C for two points of a rigid body."""
    P1, P2, F, w, v = rng.normal(size=(5, 3))
    couple = np.cross(P1 - P2, F)
    by_points = pair_power(F, v + np.cross(w, P1), v + np.cross(w, P2))
    assert_close(couple_power(couple, w), by_points, atol=1e-13)


@pytest.mark.row("A-11", "CV-09")
@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-2, 2))
def test_couple_sign_with_y_pointing_down(angle, rate, C):
    """Axes x right, y down, z = x cross y: a rod's omega is -thetadot z.

    A couple vector +C z then has Q_theta = -C; +C would be wrong.
    """

    def rod(theta):
        return np.array([np.sin(theta), np.cos(theta), 0.0])

    velocity = derivative(lambda h: rod(angle + h), 0.0) * rate
    omega = np.cross(rod(angle), velocity)
    assert_close(omega, [0, 0, -rate], atol=1e-9)
    unit_rate = np.cross(rod(angle), derivative(lambda h: rod(angle + h), 0.0))
    generalised = couple_power(np.array([0, 0, C]), unit_rate)
    assert_close(generalised, -C, atol=1e-9)
    if abs(C) > 0.1:
        assert abs(generalised - C) > 0.1


@pytest.mark.row("A-12")
@settings(max_examples=4)
@given(seeds)
def test_conservative_work_forgets_its_path(seed):
    """W_AB = V(A) - V(B) along a straight and a bent path, zero round a loop."""
    a, b, bump = np.random.default_rng(seed).normal(size=(3, 3))
    drop = float(_bowl(a) - _bowl(b))
    assert_close(work(BOWL, straight(a, b), 0.0, 1.0), drop, rtol=1e-9, atol=1e-10)
    assert_close(work(BOWL, bent(a, b, bump), 0.0, 1.0), drop, rtol=1e-9, atol=1e-10)


def _bowl(x):
    return x @ SADDLE @ x / 2 + x[0] * x[1] * x[2] + np.sin(x[0])


@pytest.mark.row("A-12")
@given(columns)
def test_force_is_minus_the_slope_of_the_energy(x):
    """F = -grad V, against difference quotients; and `matches` sees a wrong energy."""
    slope = [derivative(lambda h, e=e: _bowl(x + h * e), 0.0) for e in np.eye(3)]
    assert_close(BOWL.value(x), -np.array(slope), rtol=1e-9, atol=1e-10)


@pytest.mark.row("A-12")
def test_a_field_is_verified_against_its_energy():
    """The right energy matches to rounding, one of opposite sign does not."""
    places = np.random.default_rng(1).normal(size=(6, 3))
    assert matches(BOWL, bowl, places) < 1e-14
    assert matches(BOWL, lambda x: -bowl(x), places) > 1.0


@pytest.mark.row("A-12")
def test_energy_is_rebuilt_from_a_conservative_field():
    """The integral along rays gives V up to a constant, and its slope gives F."""
    energy = energy_from(BOWL, [0.5, 0, 0])
    places = np.random.default_rng(2).normal(size=(4, 3))
    assert matches(BOWL, energy, places) < 1e-12
    with jax.enable_x64(True):
        values = [float(energy(x)) for x in places]
    base = _bowl(np.array([0.5, 0, 0]))
    assert_close(values, [_bowl(x) - base for x in places], rtol=1e-12)
    with pytest.raises(ForceError, match="'swirl' has no force at its reference"):
        energy_from(SWIRL, [0, 0, 0])


@pytest.mark.row("A-13")
def test_curl_free_is_not_enough():
    """Both fields have no curl; round the origin they do work 0 and 2 pi."""
    for x in np.random.default_rng(3).normal(size=(5, 3)):
        for field in (SOURCE, SWIRL):
            assert_close(field.curl(x), np.zeros(3), atol=1e-11)
    assert_close(circulation(SOURCE, circle), 0.0, atol=1e-10)
    assert_close(circulation(SWIRL, circle), 2 * np.pi, rtol=1e-10)


@pytest.mark.row("A-13")
def test_the_checker_samples_loops_and_not_only_the_curl():
    """Bowl and source pass; the swirl is found curl-free but not conservative."""
    low, high = [-1, -1, -1], [1, 1.2, 1]
    assert conservativity(BOWL, low, high).is_conservative
    assert conservativity(SOURCE, low, high, loops=[circle]).is_conservative
    report = conservativity(SWIRL, low, high)
    assert report.is_curl_free
    assert not report.is_conservative
    assert_close(abs(report.circulation), 2 * np.pi, rtol=1e-9)
    assert "not simply connected" in str(report)
    shear = conservativity(SHEAR, low, high)
    assert not shear.is_curl_free
    assert "its curl is" in str(shear)


def test_an_open_loop_is_refused():
    """Circulation needs a closed path."""
    with pytest.raises(ForceError, match="does not close"):
        circulation(BOWL, lambda s: jnp.array([s, 0.0, 0.0]))


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1.0, 1e6])
def test_a_loop_of_any_size_is_closed_or_not(size):
    """A nanometre that is half open is open, though no metre sees it."""
    BEND = 2 * np.pi

    def arc(share: float):
        return lambda s: (
            size
            * jnp.array([jnp.cos(share * BEND * s), jnp.sin(share * BEND * s), 0.0])
        )

    assert_close(circulation(SWIRL, arc(1.0)), 2 * np.pi, rtol=1e-9)
    with pytest.raises(ForceError, match="does not close"):
        circulation(SWIRL, arc(0.5))


def test_a_path_through_a_singular_place_is_refused():
    """The work of the source along a line through its axis is not defined."""
    with pytest.raises(ForceError, match=r"the work of 'source' from -1 to 1"):
        work(SOURCE, lambda s: jnp.array([s, 0.0, 0.0]), -1.0, 1.0)


def test_laplacian_is_the_trace_of_the_second_derivatives():
    """lap (x.A.x/2 + xyz + sin x) = tr A - sin x."""
    x = np.array([0.3, 0.4, -0.2])
    assert_close(laplacian(bowl)(x), np.trace(SADDLE) - np.sin(0.3))


def test_fields_and_loads_serve_inside_a_trace():
    """Value, divergence, a body's load and an integral: the same under one jit."""
    rule = box([0.4, 0.2, 0.6], order=2)

    def asked(x, t):
        load = BOWL.on_body(rule, 2.0, t)
        return BOWL.value(x), BOWL.divergence(x), load, rule.integrate(rule.points * t)

    x = np.array([0.1, 0.2, 0.3])
    with jax.enable_x64(True):
        traced = jax.tree.leaves(jax.jit(asked)(x, 0.5))
    for one, other in zip(jax.tree.leaves(asked(x, 0.5)), traced, strict=True):
        assert_close(other, one, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("ask", ["value", "gradient", "curl", "divergence"])
def test_a_singular_place_is_refused(ask):
    """No NaN: where the law is not finite, it is said by name and place."""
    swirl = ForceField.of_place(lambda x: x / (x @ x), WORLD, "spout")
    with pytest.raises(ForceError, match=r"'spout' has no \w+ at \[0, 0, 0\]"):
        getattr(swirl, ask)([0, 0, 0])
    assert np.all(np.isfinite(getattr(swirl, ask)([0, 0, 1])))
