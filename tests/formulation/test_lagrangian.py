"""From Newton's law to Lagrange's equations and back, and the energy they keep."""

from __future__ import annotations

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.double import doubled
from polhode.formulation.dalembert import virtual_power
from polhode.formulation.shared.chart import lagrangian, origin
from polhode.formulation.shared.spatial import inertial_wrenches
from polhode.formulation.shared.speeds import drift
from strategies_system import random_state, topology

OPEN = ("double_pendulum", "spherical_pendulum", "cart_pendulum", "motorised_arm")


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@cache
def residuals(name: str):
    """(t, q, z, z_dot) -> J^T (strong residuals), weak form, Lagrange's; compiled."""
    system = topology(name)
    terms = ph.lagrange(system).functions.terms

    def all_three(t, q, z, z_dot):
        J, V = system.jacobians(t, q), system.body_twists(t, q, z)
        V_dot = J @ z_dot + drift(system, t, q, z, {})
        lost = inertial_wrenches(system.inertias(), V, V_dot)
        strong = system.applied(t, q, z) - lost
        rotors = system.rotor_inertias() * z_dot
        from_bodies = jnp.einsum("nik,ni->k", J, strong) - rotors
        weak = jax.grad(lambda test: virtual_power(system, (t, q, z), z_dot, test, {}))(
            jnp.zeros(system.speeds)
        )
        M, b, f, _, _ = terms(t, q, z, {})
        return from_bodies, weak, f - b - M @ z_dot

    state = random_state(system, rng())
    return ph.compile(all_three, state.t, state.q, state.z, state.z)


@pytest.mark.row("L-01", "L-07")
@pytest.mark.parametrize("name", OPEN)
def test_strong_weak_and_lagrangian_forms_leave_the_same(name):
    """For any rates, true or not, the three forms of one model miss by the same."""
    system, draw = topology(name), rng(1)
    for _ in range(20):
        state, z_dot = random_state(system, draw), draw.normal(size=system.speeds)
        strong, weak, lagrange = residuals(name)(state.t, state.q, state.z, z_dot)
        assert np.linalg.norm(lagrange) > 1e-3
        assert_close(weak, strong, rtol=1e-11)
        assert_close(lagrange, strong, rtol=1e-10)


@pytest.mark.row("L-05")
def test_velocities_of_a_particle_in_moving_coordinates():
    """dv/dq_dot = dr/dq and d/dt dr/dq = dv/dq, also in coordinates that move."""

    def place(q, t):
        """Spherical coordinates about a point that swings."""
        r, a, b = q
        along = jnp.stack([jnp.sin(a) * jnp.cos(b), jnp.sin(a) * jnp.sin(b)])
        x, y = r * along
        return jnp.stack([x + jnp.sin(2 * t), y, -r * jnp.cos(a) + t**2])

    def velocity(q, q_dot, t):
        return jax.jvp(place, (q, t), (q_dot, jnp.ones_like(t)))[1]

    def both(q, q_dot, t):
        by_place, by_rate = (
            jax.jacfwd(place)(q, t),
            jax.jacfwd(velocity, 1)(q, q_dot, t),
        )
        moving = (q, t), (q_dot, jnp.ones_like(t))
        rate = jax.jvp(jax.jacfwd(place), *moving)[1]
        return by_place, by_rate, rate, jax.jacfwd(velocity)(q, q_dot, t)

    program = ph.compile(both, np.ones(3), np.ones(3), 0.3)
    for _ in range(20):
        q, q_dot = rng(2).uniform(0.3, 1.2, 3), rng(3).normal(size=3)
        by_place, by_rate, rate, slope = program(q, q_dot, 0.3)
        assert_close(by_rate, by_place, rtol=1e-13)
        assert_close(rate, slope, rtol=1e-12)


@pytest.mark.row("L-05")
def test_the_spherical_pendulum_as_a_particle():
    """l a'' = l b'^2 sin a cos a - g sin a and d/dt (m l^2 sin^2 a b') = 0."""
    m, l, g = 0.7, 1.3, 9.81
    bob, world = ph.Particle("bob", m), ph.World()
    yoke = ph.Body.from_inertia("yoke", mass=0, inertia=[0, 0, 0], centre=(0, 0, 0))
    rod = ph.Body.from_inertia("rod", mass=0, inertia=[0, 0, 0], centre=(0, 0, 0))
    turn = ph.Revolute("b", world.origin, yoke.origin, axis=ph.Z)
    swing = ph.Revolute("a", yoke.origin, rod.origin, axis=ph.Y)
    tip = ph.Fixed("tip", rod.point(0, 0, -l), bob.mass_centre)
    system = ph.System([turn, swing, tip], [ph.Weight(g)], name="spherical pendulum")
    a, b_dot, a_dot = 0.8, 1.7, -0.6
    state = system.state(b=0.4, a=a, speeds={"b": b_dot, "a": a_dot})
    twist, bend = ph.lagrange(system).accelerations(state)
    assert_close(bend, b_dot**2 * np.sin(a) * np.cos(a) - g / l * np.sin(a), rtol=1e-12)
    assert_close(twist, -2 * a_dot * b_dot / np.tan(a), rtol=1e-12)


@pytest.mark.row("L-08")
def test_partial_angular_velocities_follow_the_transposition_relation():
    """d/dt theta_k = dw/dq_k + w x theta_k; without w x theta_k, as printed, it fails.

    And (dE_a/dq_k).E_b = theta_k.(E_a x E_b) for the body's axes E.
    """

    def turning(q):
        c, s = jnp.cos(q), jnp.sin(q)
        Rz = jnp.array([[c[0], -s[0], 0], [s[0], c[0], 0], [0, 0, 1]])
        Rx = jnp.array([[1, 0, 0], [0, c[1], -s[1]], [0, s[1], c[1]]])
        Ry = jnp.array([[c[2], 0, s[2]], [0, 1, 0], [-s[2], 0, c[2]]])
        return Rz @ Rx @ Ry

    def omega(q, q_dot):
        R, R_dot = jax.jvp(turning, (q,), (q_dot,))
        W = R_dot @ R.T
        return jnp.stack([W[2, 1], W[0, 2], W[1, 0]])

    def asked(q, q_dot):
        theta = jax.jacfwd(omega, 1)
        return (
            omega(q, q_dot),
            theta(q, q_dot),
            jax.jvp(lambda q: theta(q, q_dot), (q,), (q_dot,))[1],
            jax.jacfwd(omega, 0)(q, q_dot),
            turning(q),
            jax.jacfwd(turning)(q),
        )

    program = ph.compile(asked, np.ones(3), np.ones(3))
    for _ in range(20):
        q, q_dot = rng(4).uniform(0.2, 1.2, 3), rng(5).normal(size=3)
        w, theta, theta_dot, slope, R, dR = program(q, q_dot)
        assert_close(theta_dot, slope + np.cross(w, theta.T).T, rtol=1e-12)
        assert np.linalg.norm(theta_dot - slope) > 0.1
        for k in range(3):
            products = np.cross(R.T[:, None], R.T[None, :]) @ theta[:, k]
            assert_close(dR[:, :, k].T @ R, products, rtol=1e-12)


@pytest.mark.row("L-09", "L-10")
def test_forces_on_a_body_make_the_same_generalised_forces_each_way():
    """Q = dr_G/dq.R + dtheta/dq.M_G = sum dr_i/dq.F_i + sum dtheta/dq.C_i.

    M_G holds the couples too; it and R act on translation and rotation apart.
    """
    system = topology("double_pendulum")
    equations, draw = ph.lagrange(system), rng(6)
    lower = next(body for body in system.bodies if body.name == "lower")
    for _ in range(20):
        state = random_state(system, draw)
        points = draw.normal(size=(3, 3))
        F, C = draw.normal(size=(2, 3, 3))
        each = np.zeros(2)
        places = []
        for p, force, couple in zip(points, F, C, strict=True):
            J = equations.jacobian(state, lower.point(*p))
            each += J[3:].T @ force + J[:3].T @ couple
            places.append(place_of(system, state, lower, p))
        G = place_of(system, state, lower, lower.mass_centre.coordinates)
        J = equations.jacobian(state, lower.mass_centre)
        arms = np.array(places) - G
        by_translation = J[3:].T @ F.sum(axis=0)
        by_rotation = J[:3].T @ (np.cross(arms, F) + C).sum(axis=0)
        assert_close(by_translation + by_rotation, each, rtol=1e-12)
        virtual = draw.normal(size=2)
        V = J @ virtual
        power = sum(
            f @ (V[3:] + np.cross(V[:3], arm)) + c @ V[:3]
            for f, c, arm in zip(F, C, arms, strict=True)
        )
        assert_close(each @ virtual, power, rtol=1e-11)


def place_of(system, state, body, p):
    """Where a point of a body is in the world."""
    poses = system.poses(state.t, state.q)
    (k,) = system.places_of([body.frame])
    return poses.origins[k] + poses.rotations[k] @ np.asarray(p)


@pytest.mark.row("L-09")
def test_energies_and_forces_split_by_body_and_by_action():
    """K = sum of m v_G^2/2 and w.I_G w/2 of the bodies; V and Q are sums as well."""
    system, draw = topology("sprung_arm"), rng(7)
    equations = ph.lagrange(system)
    for _ in range(5):
        state = random_state(system, draw)
        twists = system.body_twists(state.t, state.q, state.z)
        translation = rotation = 0.0
        for body, V in zip(system.bodies, twists, strict=True):
            mass, centre, I_G = body.moments()
            v_G = V[3:] + np.cross(V[:3], centre)
            translation += mass * v_G @ v_G / 2
            rotation += V[:3] @ I_G @ V[:3] / 2
        assert_close(
            equations.kinetic_energy(state), translation + rotation, rtol=1e-12
        )
        shares = equations.shares(state)
        assert_close(sum(shares.values()), equations.force(state), rtol=1e-12)
        assert min(np.max(np.abs(part)) for part in shares.values()) > 1e-6


@pytest.mark.row("L-14", "L-17")
def test_kinetic_energy_is_a_quadratic_form_of_the_rates():
    """K = q_dot.A q_dot/2, dK/dq_dot = A q_dot, q_dot.dK/dq_dot = 2 K; A is symmetric.

    E = K - U changes as fast as what is not stored gives power: dE/dt = q_dot.Q.
    """
    system, draw = topology("sprung_arm"), rng(8)
    equations = ph.lagrange(system)
    for _ in range(20):
        state = random_state(system, draw)
        A, K = equations.mass_matrix(state), equations.kinetic_energy(state)
        assert np.array_equal(A, A.T)
        assert_close(equations.momenta(state), A @ state.z, rtol=1e-12)
        assert_close(state.z @ equations.momenta(state), 2 * K, rtol=1e-12)
        assert_close(
            equations.hamiltonian(state), K + equations.potential_energy(state)
        )
        z_dot = equations.accelerations(state)

        def energy(s, state=state, z_dot=z_dot):
            q = state.q + s * state.z + s**2 / 2 * z_dot
            moved = ph.State(system, state.t, q, state.z + s * z_dot)
            return equations.kinetic_energy(moved) + equations.potential_energy(moved)

        given = equations.applied_force(state) @ state.z
        assert_close(derivative(energy, 0.0), given, rtol=1e-8, atol=1e-9)


@pytest.mark.row("L-20", "L-21")
def test_component_form():
    """A q'' + (d_k A_ij - d_i A_kj/2) q'^k q'^j = Q - dV/dq, from A and V alone.

    The same right-hand side serves both kinds of Lagrange's equations.
    """
    system = topology("double_pendulum")

    def parts(t, q, z):
        A = system.mass_matrix(t, q)
        slope = jax.jacfwd(lambda q: system.mass_matrix(t, q))(q)  # [i, j, k]
        bent = jnp.einsum("ijk,k,j->i", slope, z, z)
        bent = bent - jnp.einsum("kji,k,j->i", slope, z, z) / 2
        stored = -jax.grad(lambda q: system.potential_energy(t, q))(q)
        given = jnp.einsum(
            "nik,ni->k",
            system.jacobians(t, q),
            system.nonconservative_wrenches(t, q, z),
        )
        return A, bent, stored + given

    state = random_state(system, rng())
    program = ph.compile(parts, state.t, state.q, state.z)
    second, draw = ph.lagrange(system), rng(9)
    first = ph.lagrange_first_kind(system)
    for _ in range(20):
        state = random_state(system, draw)
        A, bent, f = program(state.t, state.q, state.z)
        assert_close(
            second.accelerations(state), np.linalg.solve(A, f - bent), rtol=1e-10
        )
        assert_close(second.bias(state), bent, rtol=1e-11, atol=1e-12)
        gap = first.body_accelerations(state) - second.body_accelerations(state)
        scale = np.max(np.abs(second.body_accelerations(state)))
        assert np.max(np.abs(gap)) < 1e-10 * scale


# ------------------------------------------------------------------- the action


@cache
def solution(damping: float):
    """A double pendulum with a damper, at Gauss's nodes of 40 spans of time."""
    upper = ph.Body("upper", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    lower = ph.Body("lower", ph.solids.rod(mass=0.7, length=0.8, along=ph.Z))
    shoulder = ph.Revolute("a", ph.World().origin, upper.point(0, 0, 0.5), axis=ph.Y)
    elbow = ph.Revolute("b", upper.point(0, 0, -0.5), lower.point(0, 0, 0.4), axis=ph.Y)
    actions = [ph.Weight(9.81), *([ph.Damper(elbow, damping)] if damping else [])]
    system = ph.System([shoulder, elbow], actions, name="double pendulum")
    nodes, weights = np.polynomial.legendre.leggauss(12)
    edges = np.linspace(0, 2.0, 41)
    half = np.diff(edges)[:, None] / 2
    times = (edges[:-1, None] + half * (1 + nodes)).ravel()
    state = system.state(a=1.1, b=-0.6, speeds={"a": 0.5, "b": 1.0})
    motion = ph.simulate(system, state, until=2.0, rtol=1e-13).resampled(times)
    return system, times, (half * weights).ravel(), motion


def variation(times: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """A displacement (rows, 2) that vanishes at both ends, and its rate."""
    draw, end = rng(seed), 2.0
    waves = draw.normal(size=(4, 2)) / np.arange(1, 5)[:, None]
    k = np.arange(1, 5) * np.pi / end
    phase = np.multiply.outer(times, k)
    return np.sin(phase) @ waves, (k * np.cos(phase)) @ waves


@cache
def along_rows(damping: float):
    """(t, q, z) in rows -> T - V and the force of what is not stored, in rows."""
    system = solution(damping)[0]

    def at(t, q, z):
        L = system.kinetic_energy(t, q, z) - system.potential_energy(t, q)
        J, W = system.jacobians(t, q), system.nonconservative_wrenches(t, q, z)
        return L, jnp.einsum("nik,ni->k", J, W)

    return ph.compile(at, 0.0, np.zeros(2), np.zeros(2), batched=True)


def action(damping, times, weights, q, z):
    """S = integral of L dt along a path sampled at the nodes."""
    return weights @ along_rows(damping)(times, q, z)[0]


@pytest.mark.row("L-03")
def test_the_action_is_stationary_on_motions_and_nowhere_else():
    """S[q + e w] - S[q] = O(e^2) for every w that vanishes at the ends.

    About a path that is no motion it is O(e).
    """
    _, times, weights, motion = solution(0.0)
    base = action(0.0, times, weights, motion.q, motion.z)
    for seed in range(3):
        w, w_dot = variation(times, seed)

        def along(e, w=w, w_dot=w_dot):
            return action(0.0, times, weights, motion.q + e * w, motion.z + e * w_dot)

        assert abs(derivative(along, 0.0)) < 1e-8 * abs(base)
        second = [(along(e) + along(-e) - 2 * base) / e**2 for e in (1e-2, 5e-3)]
        assert_close(second[0], second[1], rtol=1e-2)
        q, z = motion.q + 0.1 * times[:, None], motion.z + 0.1

        def astray(e, w=w, w_dot=w_dot, q=q, z=z):
            return action(0.0, times, weights, q + e * w, z + e * w_dot)

        assert abs(derivative(astray, 0.0)) > 1e-3 * abs(base)


@pytest.mark.row("L-04")
def test_virtual_work_completes_the_variation_with_a_damper():
    """delta S + integral of w.Q dt = 0; with the printed sign it is not."""
    _, times, weights, motion = solution(0.9)
    Q = along_rows(0.9)(times, motion.q, motion.z)[1]
    for seed in range(3):
        w, w_dot = variation(times, seed)

        def along(e, w=w, w_dot=w_dot):
            return action(0.9, times, weights, motion.q + e * w, motion.z + e * w_dot)

        change, work = derivative(along, 0.0), weights @ np.sum(w * Q, axis=1)
        size = weights @ np.sum(np.abs(w * Q), axis=1)
        assert abs(change + work) < 1e-7 * size
        assert abs(change - work) > 1e-2 * size


def test_the_lagrangian_in_a_chart_is_that_of_the_system():
    """L(t, x, x_dot) at x = 0 is T - V of the state."""
    system = topology("spherical_pendulum")
    state = random_state(system, rng(3))

    def L(t, q, z):
        return lagrangian(system, q, {})(t, origin(system), z)

    T = system.kinetic_energy(state.t, state.q, state.z)
    V = system.potential_energy(state.t, state.q)
    assert_close(doubled(L)(state.t, state.q, state.z), T - V, rtol=1e-12)
