"""The Coriolis matrix of a system: by bodies, by coordinates, in any velocities."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import sympy as sm

import polhode as ph
from closeness import assert_close
from polhode.double import doubled
from polhode.formulation.questions.coordinate_coriolis import (
    christoffel_split,
    coordinate_coriolis,
    lagrange_split,
    split_of_speeds,
)
from polhode.formulation.questions.coriolis import coriolis_function
from polhode.formulation.registry import FORMULATIONS
from polhode.formulation.spatial_forms.choices import CHOICES, skew_defect
from strategies_system import block, random_state, topology

PASSIVE = {"Christoffel", "momentum", "spin", "gyroscopic"}
SPEEDS = ("Gauss", "Lagrange, second kind", "Kane", "recursive")
TWISTS = ("Kirchhoff",)
LONG = ("Newton-Euler", "hybrid", "spatial form 1", "spatial form 3")


@cache
def states(name, count=4):
    """States of a topology."""
    rng = np.random.default_rng(3)
    return [random_state(topology(name), rng) for _ in range(count)]


@cache
def chain():
    """A spinning block on a ball joint, and a motor with a rotor beyond it."""
    upper, lower = block("upper"), block("lower", 0.6)
    ball = ph.Spherical("ball", ph.World().origin, upper.point(0.1, 0.2, 0.3))
    hinge = ph.Revolute(
        "hinge",
        upper.point(0, 0.1, -0.4),
        lower.point(0.2, 0, 0.1),
        axis=ph.Y,
        rotor_inertia=0.07,
        gear_ratio=3.0,
    )
    return ph.System([ball, hinge], [ph.Weight(9.81)], name="chain")


@cache
def chain_states():
    """Twenty states of the chain."""
    rng = np.random.default_rng(11)
    return [random_state(chain(), rng) for _ in range(20)]


@cache
def made(form):
    """The chain's equations, made and compiled once."""
    return FORMULATIONS[form](chain())


@pytest.mark.long
@pytest.mark.row("F-28")
@pytest.mark.parametrize("choice", CHOICES)
def test_dyadics_projected_are_lagranges_equations(choice):
    """M = J^T M J and C = J^T (M J' + C J): Lagrange's M and bias; passive stays so."""
    lagrange, gauss = made("Lagrange, second kind"), made("Gauss")
    for state in chain_states():
        found = gauss.coriolis(state, choice)
        bias, M = lagrange.bias(state), lagrange.mass_matrix(state)
        atol = 1e-12 * np.linalg.norm(M) * np.linalg.norm(state.z) ** 2
        assert_close(found.matrix @ state.z, bias, rtol=1e-10, atol=atol)
        assert_close(gauss.mass_matrix(state), M, rtol=1e-11)
        assert found.is_passive == (choice in PASSIVE)
        if choice in PASSIVE:
            assert found.skew_defect < 1e-12 * np.linalg.norm(M)
        else:
            assert found.skew_defect > 1e-6 * np.linalg.norm(M)


@pytest.mark.row("F-28")
def test_the_rate_of_the_mass_matrix_is_its_slope_along_the_motion():
    """M' of the projection is the derivative of J^T M J along q_dot."""
    system = chain()

    @doubled
    def slope(q, z):
        q_dot = system.rates(0.0, q, z)
        return jax.jvp(lambda q: system.mass_matrix(0.0, q), (q,), (q_dot,))[1]

    for state in chain_states()[:5]:
        found = made("Gauss").coriolis(state)
        assert_close(found.mass_rate, slope(state.q, state.z), rtol=1e-11)


@pytest.mark.row("F-28")
def test_the_projection_can_be_read():
    """Symbols too: a planar double pendulum has m l^2 sin(q2)/2 and its signs."""
    first, second = (
        ph.Body.from_inertia(n, mass=1.0, inertia=np.zeros((3, 3)), centre=(1, 0, 0))
        for n in ("first", "second")
    )
    a = ph.Revolute("a", ph.World().origin, first.origin, axis=ph.Z)
    b = ph.Revolute("b", first.point(1, 0, 0), second.origin, axis=ph.Z)
    function = coriolis_function(
        ph.lagrange(ph.System([a, b], name="two points")), "Christoffel"
    )
    q1, q2, z1, z2 = sm.symbols("q1 q2 z1 z2")
    read = ph.read(lambda q, z: function(0.0, q, z, {}).matrix, [q1, q2], [z1, z2])
    wanted = sm.Matrix([[-z2, -z1 - z2], [z1, 0]]) * sm.sin(q2)
    assert sm.simplify(sm.Matrix(read) - wanted) == sm.zeros(2)


@cache
def metric():
    """A mass matrix of three coordinates, positive and without symmetry."""
    rng = np.random.default_rng(8)
    constant, slopes = rng.normal(size=(3, 3)), rng.normal(size=(3, 3, 3))

    def M(q):
        A = constant + jnp.sin(slopes @ q)
        return A @ A.T + 3.0 * jnp.eye(3)

    return M


@doubled
def _bias(q, v):
    """d/dt dT/dq_dot - dT/dq at q_ddot = 0, and M'."""
    M = metric()
    T = lambda q, v: v @ M(q) @ v / 2  # noqa: E731, one line of mathematics
    growth = jax.jvp(lambda q: jax.grad(T, 1)(q, v), (q,), (v,))[1]
    return growth - jax.grad(T)(q, v), jax.jvp(M, (q,), (v,))[1]


@pytest.mark.row("F-29")
def test_two_splits_of_lagranges_equations():
    """One product; Christoffel's is passive and the default, Lagrange's is not."""
    rng = np.random.default_rng(2)
    splits = {
        name: doubled(lambda q, v, n=name: coordinate_coriolis(metric(), q, v, n))
        for name in ("Christoffel", "Lagrange")
    }
    default = doubled(lambda q, v: coordinate_coriolis(metric(), q, v))
    for _ in range(20):
        q, v = rng.normal(size=(2, 3))
        bias, M_dot = _bias(q, v)
        size = np.linalg.norm(M_dot)
        found = {name: split(q, v) for name, split in splits.items()}
        for C in found.values():
            assert_close(C @ v, bias, rtol=1e-11)
            assert abs(v @ (M_dot - 2 * C) @ v) < 1e-12 * size * (v @ v)
        assert skew_defect(M_dot, found["Christoffel"]) < 1e-13 * size
        assert skew_defect(M_dot, found["Lagrange"]) > 1e-3 * size
        assert_close(default(q, v), found["Christoffel"])


@pytest.mark.long
@pytest.mark.row("F-29")
def test_both_splits_of_a_system_in_its_own_speeds():
    """Christoffel's symbols, with structure, are what the bodies' choice projects."""
    system, gauss = chain(), made("Gauss")
    by_symbols = doubled(split_of_speeds("Christoffel", system))
    for state in chain_states():
        found = gauss.coriolis(state)
        wanted = by_symbols(state.t, state.q, state.z, {})
        assert found.name == "Christoffel"
        assert_close(found.matrix, wanted, rtol=1e-10)
        natural = gauss.coriolis(state, "Lagrange")
        atol = 1e-11 * np.linalg.norm(found.matrix)
        assert_close(natural.matrix @ state.z, found.matrix @ state.z, atol=atol)
        assert found.is_passive
        assert not natural.is_passive


@pytest.mark.row("F-18")
def test_a_matrix_says_whether_it_is_passive():
    """Its name, its skew defect and its numbers stand where it is printed."""
    system = ph.models.double_pendulum()
    state = system.state(elbow=0.7, speeds={"shoulder": 1.0, "elbow": -0.4})
    form = ph.gauss(system)
    passive, split = (form.coriolis(state, c) for c in ("Christoffel", "Lagrange"))
    assert repr(passive).startswith("Coriolis('Christoffel': passive, skew defect ")
    assert f"not passive, skew defect {split.skew_defect:.2g})" in repr(split)
    assert split.skew_defect > 0.1
    assert f"{split.matrix[0, 1]:.6f}" in repr(split)


@pytest.mark.row("F-27")
def test_no_matrix_has_power_on_the_motion_itself():
    """z^T (M' - 2 C) z = 0 in coordinates for every choice and split."""
    for state in chain_states():
        for choice in (*CHOICES, "Lagrange"):
            found = made("Gauss").coriolis(state, choice)
            power = state.z @ (found.mass_rate - 2 * found.matrix) @ state.z
            size = np.linalg.norm(found.mass_rate) * (state.z @ state.z)
            assert abs(power) < 1e-11 * max(size, 1.0)


@pytest.mark.parametrize(
    "form", [*SPEEDS, *TWISTS, *(pytest.param(f, marks=pytest.mark.long) for f in LONG)]
)
def test_every_form_in_velocities_has_a_passive_matrix(form):
    """C y = bias in each formulation, and M' - 2 C is skew, rotors included."""
    equations = made(form)
    for state in chain_states()[:5]:
        for choice in ("Christoffel", "spin"):
            found = equations.coriolis(state, choice)
            y, bias = equations.velocities(state), equations.bias(state)
            assert_close(found.matrix @ y, bias, rtol=1e-9)
            assert found.is_passive
            assert np.asarray(found).shape == (len(y), len(y))


@pytest.mark.long
def test_forms_in_the_same_velocities_have_the_same_matrix():
    """Gauss, Lagrange, Kane and the recursive form differ in roads, not in C."""
    state = chain_states()[0]
    wanted = made("Gauss").coriolis(state).matrix
    for form in SPEEDS:
        assert_close(made(form).coriolis(state).matrix, wanted, rtol=1e-10)


def test_a_matrix_in_velocities_of_ones_own():
    """z = E(q) y: C_y = E^T (M E' + C E), passive as before, in both splits."""
    system = topology("double_pendulum")
    own = ph.theory.Velocities(
        ("y1", "y2"),
        lambda t, q, y: jnp.stack([y[0] * (2 + jnp.sin(q[1])), y[1] - y[0]]),
        lambda t, q, z: jnp.stack(
            [z[0] / (2 + jnp.sin(q[1])), z[1] + z[0] / (2 + jnp.sin(q[1]))]
        ),
    )
    equations = ph.gauss(system, own)
    state = states("double_pendulum")[0]
    y, bias = equations.velocities(state), equations.bias(state)
    for choice in ("Christoffel", "momentum", "Lagrange"):
        found = equations.coriolis(state, choice)
        assert_close(found.matrix @ y, bias, rtol=1e-10)
        assert found.is_passive == (choice != "Lagrange")


@pytest.mark.long
def test_each_body_may_have_its_own_choice():
    """By names of bodies: the product is one, and passive ones stay passive."""
    state, gauss = chain_states()[0], made("Gauss")
    mixed = gauss.coriolis(state, {"upper": "momentum", "lower": "spin"})
    assert mixed.is_passive
    assert mixed.name == "upper: momentum, lower: spin"
    assert_close(mixed.matrix @ state.z, gauss.bias(state), rtol=1e-10)
    spoilt = gauss.coriolis(state, {"upper": "momentum", "lower": "Lie group"})
    assert not spoilt.is_passive


@pytest.mark.long
def test_a_choice_is_about_the_point_of_the_form():
    """`spin` of form 4 about P has J_P in it, as the paper's (57) has."""
    system, state = topology("spherical_pendulum"), states("spherical_pendulum")[0]
    (body,) = system.bodies
    points = {"about": {body.name: body.point(0.3, 0.1, 0.2)}, "rates": "body"}
    equations = ph.spatial_form(system, **points)
    M, y = equations.mass_matrix(state), equations.velocities(state)
    wanted = CHOICES["spin"].dyadic(M, y)
    assert_close(equations.coriolis(state, "spin").matrix, wanted, rtol=1e-11)


def test_an_unknown_choice_is_refused_with_the_list():
    """All valid names are listed, Lagrange's split among them."""
    with pytest.raises(ph.PolhodeError, match="choice 'christofel'") as refusal:
        made("Gauss").coriolis(chain_states()[0], "christofel")
    assert "'Christoffel'" in str(refusal.value)
    assert "'Lagrange'" in str(refusal.value)


def test_momenta_have_no_coriolis_matrix():
    """Hamilton's unknowns are momenta: their rates are forces."""
    system = topology("pendulum")
    with pytest.raises(ph.PolhodeError, match="Hamilton have no Coriolis") as refusal:
        ph.hamilton(system).coriolis(states("pendulum")[0])
    assert "momenta" in str(refusal.value)


def test_velocities_with_a_part_of_their_own_have_none():
    """Where z = y + c(t), at y = 0 something moves, and C y cannot say it."""
    system = topology("double_pendulum")
    shifted = ph.theory.Velocities(
        ("y1", "y2"), lambda t, q, y: y + 1.0, lambda t, q, z: z - 1.0
    )
    equations = ph.gauss(system, shifted)
    with pytest.raises(ph.PolhodeError, match="C y misses their bias") as refusal:
        equations.coriolis(states("double_pendulum")[0])
    assert "vanish at rest" in str(refusal.value)


def test_lagranges_split_needs_coordinates():
    """Bodies set free have more velocities than the system has speeds."""
    with pytest.raises(ph.PolhodeError, match="no split 'Lagrange'"):
        made("Kirchhoff").coriolis(chain_states()[0], "Lagrange")


def test_a_wrong_choice_names_the_body():
    """A user's dyadic with another product is refused, with the body's name."""
    wrong = ph.theory.CoriolisChoice("wrong", lambda M, V: M)
    with pytest.raises(ph.PolhodeError, match="'wrong' of 'upper' is wrong by"):
        made("Gauss").coriolis(chain_states()[0], wrong)


def test_splits_need_only_slopes():
    """Both kernels by hand: one coordinate, M = 1 + q^2, C = q q_dot."""
    M, slopes, v = np.array([[5.0]]), np.array([[[4.0]]]), np.array([3.0])
    assert_close(christoffel_split(M, slopes, v), [[6.0]])
    assert_close(lagrange_split(M, slopes, v), [[6.0]])
