"""Laws of Newton's gravitation: pairs, many masses, solids, and Gauss's law."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from closeness import assert_close
from finite import derivative
from polhode.actions.fields import flux, gravity
from polhode.actions.fields import gravity_of_solids as solids
from polhode.actions.fields.field import ForceField, laplacian
from polhode.actions.fields.quadrature import ball, box, disc, segment, sphere
from polhode.double import gradient
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from strategies_actions import columns, generators, random_rotation, seeds

WORLD = Frame("world")
G = gravity.GRAVITATIONAL_CONSTANT


def slope(function, x):
    return np.array([derivative(lambda h, e=e: function(x + h * e), 0.0) for e in AXES])


AXES = np.eye(3)


@pytest.mark.row("A-14")
@given(generators)
def test_two_masses_pull_each_other_along_their_line(rng):
    """Equal and opposite, central, attracting, of size G m1 m2 / d^2."""
    P1, P2 = rng.normal(size=(2, 3))
    m1, m2 = rng.uniform(1, 5, size=2) * 1e10
    on1 = gravity.pair_force(P1, P2, G * m1 * m2)
    on2 = gravity.pair_force(P2, P1, G * m1 * m2)
    d = np.linalg.norm(P2 - P1)
    assert_close(on1, -on2)
    assert_close(np.linalg.norm(on1), G * m1 * m2 / d**2)
    assert_close(on1 / np.linalg.norm(on1), (P2 - P1) / d)


@pytest.mark.row("A-15")
@given(generators)
def test_fields_add_and_do_not_depend_on_the_test_mass(rng):
    """g of all masses is the sum over them; the force on m is m g."""
    points, mu, x = rng.normal(size=(5, 3)), rng.uniform(1, 2, 5), rng.normal(size=3)
    whole = gravity.field_of_points(x, points, mu)
    each = [
        gravity.field_of_points(x, points[k : k + 1], mu[k : k + 1]) for k in range(5)
    ]
    assert_close(whole, sum(each), rtol=1e-12)
    for m in (1e-3, 7.0):
        forces = [
            gravity.pair_force(x, P, m * w) for P, w in zip(points, mu, strict=True)
        ]
        assert_close(sum(forces) / m, whole, rtol=1e-12)


@pytest.mark.row("A-16")
@given(generators)
def test_pair_force_is_minus_the_slope_of_the_pair_energy(rng):
    """V = -G m m1/d, F = -grad V."""
    P, P1 = rng.normal(size=(2, 3))
    assume(np.linalg.norm(P - P1) > 0.3)
    x = slope(lambda p: gravity.pair_energy(p, P1, 2.5), P)
    assert_close(gravity.pair_force(P, P1, 2.5), -x, rtol=1e-6)
    grad = _pair_slope(P, P1)
    assert_close(gravity.pair_force(P, P1, 2.5), -grad, rtol=1e-12)


_pair_slope = gradient(lambda p, q: gravity.pair_energy(p, q, 2.5))
_many_slope = gradient(lambda P, m: gravity.energy_of_masses(P, m, 1.0))


@pytest.mark.row("A-17")
@given(generators)
def test_energy_of_many_masses_gives_every_force(rng):
    """-dV/dP_k is the force on k; the printed plus sign would repel."""
    P, m = rng.normal(size=(5, 3)), rng.uniform(1, 2, 5)
    forces = gravity.pulls(P, m, 1.0)
    grad = _many_slope(P, m)
    assert_close(forces, -grad, rtol=1e-12)
    assert np.max(np.abs(forces - grad)) > 0.1 * np.max(np.abs(forces))
    assert_close(forces.sum(0), np.zeros(3), atol=1e-12 * np.max(np.abs(forces)))


@pytest.mark.row("A-17")
@given(generators)
def test_unordered_pairs_count_half_the_ordered_ones(rng):
    """V = -sum over pairs = -1/2 sum over ordered pairs, the energies of each mass."""
    P, m = rng.normal(size=(4, 3)), rng.uniform(1, 2, 4)
    pairs = sum(
        -m[i] * m[k] / np.linalg.norm(P[i] - P[k])
        for i in range(4)
        for k in range(i + 1, 4)
    )
    assert_close(gravity.energy_of_masses(P, m, 1.0), pairs)
    assert_close(gravity.energies_of_masses(P, m, 1.0).sum() / 2, pairs)


@pytest.mark.row("A-17")
def test_energy_is_the_work_to_assemble():
    """Bringing masses in from far away one by one costs V, which goes to 0 far off."""
    P = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0.0]])
    m = np.array([1.0, 2.0, 3.0])
    gathered = 0.0
    for k in (1, 2):
        gathered += m[k] * gravity.potential_of_points(P[k], P[:k], m[:k])
    assert_close(gathered, gravity.energy_of_masses(P, m, 1.0))
    assert abs(gravity.energy_of_masses(P * 1e9, m, 1.0)) < 1e-8


def test_a_mass_at_the_place_of_another_is_no_force_and_no_warning():
    """At r = 0 the kernel gives NaN, quietly; other masses are not touched."""
    P = np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0.0]])
    forces = gravity.pulls(P, np.ones(3), 1.0)
    assert np.all(np.isnan(forces[:2]))
    assert_close(forces[2], [-2, 0, 0])


@pytest.mark.row("A-18")
def test_uniform_gravity_is_the_first_order_of_the_central_one():
    """V - const - m g z falls with the square of the height."""
    radius, mu = 6.371e6, 3.986e14
    g = mu / radius**2
    heights = radius * np.array([1e-2, 5e-3, 2.5e-3, 1.25e-3])
    x = np.stack([0 * heights, 0 * heights, radius + heights], axis=-1)
    exact = gravity.potential_of_points(x, np.zeros((1, 3)), np.array([mu]))
    error = np.abs(exact + mu / radius - g * heights)
    assert np.all(np.abs(np.log2(error[:-1] / error[1:]) - 2) < 0.03)


@pytest.mark.row("A-19")
@given(columns, st.floats(0.3, 2))
def test_a_uniform_ball_pulls_as_a_point_outside_and_linearly_inside(x, radius):
    """g = -mu x / max(|x|, R)^3 (the print of exercise 8.1 carries a stray mass)."""
    assume(abs(np.linalg.norm(x) - radius) > 1e-3)
    g = solids.ball_field(x, radius, 2.0)
    r = np.linalg.norm(x)
    if r > radius:
        assert_close(g, gravity.field_of_points(x, np.zeros((1, 3)), np.array([2.0])))
    else:
        assert_close(g, -2.0 * x / radius**3)
    assert_close(_ball_slope(x, radius), -g, rtol=1e-11)


_ball_slope = gradient(lambda x, radius: solids.ball_potential(x, radius, 2.0))


@pytest.mark.row("A-19")
def test_closed_forms_equal_quadrature():
    """Rod, ball, shell and box: field and potential equal their integrals outside."""
    x = np.array([1.2, 0.7, -2.0])
    a, b = np.array([0, 0, 0.5]), np.array([0.2, 1, -0.3])
    T = flux.box_triangles([1, 2, 3])
    cases = [
        (segment(a, b, 30), lambda f, mu: f(x, a, b, mu), "rod"),
        (ball(0.8, 24), lambda f, mu: f(x, 0.8, mu), "ball"),
        (sphere(0.8, 24), lambda f, mu: f(x, 0.8, mu), "shell"),
        (box([1, 2, 3], 24), lambda f, mu: f(x, T, mu / 6), "polyhedron"),
    ]
    for rule, call, name in cases:
        density = 2.0 / rule.measure
        g = solids.distribution_field(x, rule, density, 1.0)
        phi = solids.distribution_potential(x, rule, density, 1.0)
        assert_close(call(getattr(solids, name + "_field"), 2.0), g, rtol=1e-10)
        assert_close(call(getattr(solids, name + "_potential"), 2.0), phi, rtol=1e-10)


@pytest.mark.row("A-19")
@given(columns)
def test_field_is_minus_the_slope_of_the_potential(x):
    """g = -grad phi with phi = -integral; the print's phi is +integral, g = +grad."""
    assume(np.linalg.norm(x) > 0.2)
    density = np.array([1.0])
    slope_of_phi = _points_slope(x, np.zeros((1, 3)), density)
    g = gravity.field_of_points(x, np.zeros((1, 3)), density)
    assert_close(g, -slope_of_phi)
    assert np.max(np.abs(g - slope_of_phi)) > 0.1 * np.max(np.abs(g))


_points_slope = gradient(gravity.potential_of_points)


@pytest.mark.row("A-19")
def test_inside_a_shell_nothing_pulls():
    """A shell, and a thick shell by two balls, pull nothing inside."""
    x = np.array([0.1, 0.2, -0.3])
    assert_close(solids.shell_field(x, 1.0, 3.0), np.zeros(3))
    assert_close(solids.shell_potential(x, 1.5, 3.0), -2.0)
    thick = ball(2, 40, hollow=1)
    g = solids.distribution_field(x, thick, 1.0, 1.0)
    assert_close(g, np.zeros(3), atol=1e-9)


def _surface(rng):
    a = rng.uniform(-0.15, 0.15, size=4)

    def radius(u):
        wave = a[0] * u[:, 0] * u[:, 1] + a[1] * u[:, 2] + a[2] * u[:, 0] ** 3
        return 1.0 + wave + a[3] * u[:, 1] * u[:, 2] ** 2

    return flux.star_surface(radius, order=32), radius


@pytest.mark.row("A-20")
@settings(max_examples=4)
@given(seeds)
def test_flux_is_minus_four_pi_g_times_the_mass_inside(seed):
    """Random closed surface, masses inside and outside: only those inside count."""
    rng = np.random.default_rng(seed)
    surface, _ = _surface(rng)
    inside, outside = rng.uniform(-0.25, 0.25, size=(3, 3)), rng.normal(size=(3, 3))
    outside = 1.9 * outside / np.linalg.norm(outside, axis=-1)[:, None]
    mu = rng.uniform(1, 2, size=6)
    g = gravity.field_of_points(surface.points, np.vstack([inside, outside]), mu)
    assert_close(surface.flux(g), -4 * np.pi * mu[:3].sum(), rtol=1e-6)
    beyond = gravity.field_of_points(surface.points, outside, mu[3:])
    assert_close(surface.flux(beyond), 0.0, atol=1e-6)


@pytest.mark.row("A-20")
@given(generators)
def test_points_on_a_cube_count_the_fraction_that_looks_inside(rng):
    """Inside 1, outside 0, on a face 1/2, on an edge 1/4, at a corner 1/8."""
    cube = flux.box_triangles([2, 2, 2])
    s, t = rng.uniform(-0.9, 0.9, size=2)
    cases = {(s, t, s * t): 1, (2, s, t): 0, (1, s, t): 0.5, (s, 1, -1): 0.25}
    cases |= {(s, s, 1): 0.5, (-1, 1, 1): 0.125, (3, 1, 1): 0, (1, 1, 1.5): 0}
    turned = random_rotation(rng)
    for point, fraction in cases.items():
        assert_close(flux.enclosed_fraction(point, cube), fraction, atol=1e-12)
        x = turned @ np.array(point, float)
        got = flux.enclosed_fraction(x, cube @ turned.T)
        assert_close(got, fraction, atol=1e-7)
    assert_close(flux.flux_of_point([0, 0, 1], 3.0, cube), -6 * np.pi)


def test_an_open_surface_has_no_inside():
    """A surface with a missing triangle is refused."""
    cube = flux.box_triangles([2, 2, 2])
    with pytest.raises(ModelError, match="not closed"):
        flux.enclosed_fraction([0, 0, 0], cube[1:])


BALL = ForceField.of_place(lambda x: solids.ball_field(x, 1.5, 2.0), WORLD, "ball")
_lap = laplacian(lambda x: solids.ball_potential(x, 1.5, 2.0))


@pytest.mark.row("A-21")
@given(columns)
def test_divergence_reveals_the_density(x):
    """-div g = 4 pi G rho and lap phi = 4 pi G rho inside a ball, 0 outside."""
    r = np.linalg.norm(x)
    assume(abs(r - 1.5) > 1e-3)
    density = 2.0 / (4 / 3 * np.pi * 1.5**3) if r < 1.5 else 0.0
    got = solids.density_from(BALL.divergence(x), 1.0)
    assert_close(got, density, rtol=1e-12, atol=1e-13)
    assert_close(_lap(x), 4 * np.pi * density, rtol=1e-12, atol=1e-12)


@pytest.mark.row("A-21")
def test_a_polyhedron_obeys_poisson_inside_and_laplace_outside():
    """-div g = 4 pi G rho inside a box and 0 outside, by one and the same formula."""
    T = flux.box_triangles([1, 2, 3])
    field = ForceField.of_place(
        lambda x: solids.polyhedron_field(x, jnp.asarray(T), 0.7), WORLD
    )
    assert_close(field.divergence([0.1, 0.2, -0.4]), -4 * np.pi * 0.7, rtol=1e-10)
    assert_close(field.divergence([1.1, 0.2, -0.4]), 0.0, atol=1e-12)


def test_flat_mass_pulls_by_quadrature():
    """On the axis of a thin disc g = -2 mu/R^2 (1 - z/sqrt(z^2 + R^2))."""
    rule = disc(1.0, 30)
    g = solids.distribution_field(np.array([0, 0, 0.8]), rule, 2 / np.pi, 1.0)
    exact = -4.0 * (1 - 0.8 / np.hypot(0.8, 1.0))
    assert_close(g, [0, 0, exact], rtol=1e-10, atol=1e-12)


def test_kernels_agree_inside_a_trace():
    """The same kernels under jit and vmap, in double precision."""
    P, m = np.random.default_rng(4).normal(size=(3, 5, 3)), np.ones(5)
    with jax.enable_x64(True):
        many = jax.jit(jax.vmap(gravity.pulls, in_axes=(0, None)))(P, m)
    assert_close(many, gravity.pulls(P, m))
