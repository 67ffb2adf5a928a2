"""The equations of one rigid body, against the particles of which it is made."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from moved import moved
from particle_oracle import MovingCloud
from polhode.double import doubled
from polhode.formulation.boltzmann_hamel import structure_coefficients
from polhode.formulation.kirchhoff import twist_rate
from polhode.geometry.vector import cross
from strategies_system import arm

TIMES = np.random.default_rng(9).uniform(-0.5, 0.5, 20)
SPOT = (0.3, -0.2, 0.5)
PUSH, TWIST = np.array([0.7, -1.1, 0.4]), np.array([0.2, 0.5, -0.9])


def pushed(body):
    """A follower force at a point off the origin."""
    return ph.AppliedForce(body.point(*SPOT), ph.theory.Vector(PUSH, body.frame))


def twisted(body):
    """A follower couple."""
    return ph.AppliedCouple(body.frame, ph.theory.Vector(TWIST, body.frame))


@pytest.fixture(scope="module")
def cloud():
    return MovingCloud(2, actions=(pushed, twisted))


@pytest.fixture(scope="module")
def forms(cloud):
    makers = ph.kirchhoff, ph.newton_euler, ph.hybrid, ph.lagrange, ph.gauss
    return {make.__name__: make(cloud.system) for make in makers}


def frame_of(cloud, state):
    """R_WB and p_WoBo of the only body."""
    poses = cloud.system.poses(state.t, state.q)
    return poses.rotations[0], poses.origins[0]


def along_body(R, wrench):
    """Both halves along the body's axes."""
    return np.concatenate([R.T @ wrench[:3], R.T @ wrench[3:]])


@pytest.mark.row("Q-11")
def test_left_partial_velocities(cloud, forms):
    """With body twists dv_P/du_k = e_k and dv_P/dw_k = e_k x (P - O), e_k its axes."""
    for t in TIMES[:5]:
        state, _, _ = cloud.at(t)
        R, _ = frame_of(cloud, state)
        J = forms["kirchhoff"].jacobian(state, cloud.body.point(*SPOT))
        assert_close(J[3:, 3:], R, rtol=1e-13)
        assert_close(J[3:, :3], np.cross(R.T, R @ SPOT).T, rtol=1e-13)


@pytest.mark.row("Q-11")
@pytest.mark.parametrize("choice", ["kirchhoff", "newton_euler", "hybrid", "own"])
def test_partial_velocities_of_any_point_in_any_velocities(cloud, forms, choice):
    """dv_P/dy by differences of the velocity of P is the Jacobian, for every choice."""
    bent = ph.theory.Velocities(
        "abcdef",
        lambda t, q, y: jnp.arcsinh(y - t) + q[4],
        lambda t, q, z: jnp.sinh(z - q[4]) + t,
    )
    form = ph.gauss(cloud.system, bent) if choice == "own" else forms[choice]
    state, _, _ = cloud.at(0.2)
    place = cloud.body.point(*SPOT)
    y, core = form.velocities(state), form.functions

    def velocity(y):
        z = core.speeds(state.t, state.q, y, {})
        w, v = (each[0] for each in cloud.system.twists(state.t, state.q, z))
        R = cloud.system.poses(state.t, state.q).rotations[0]
        return v + cross(w, R @ np.array(SPOT))

    ask, h = doubled(velocity), 1e-4
    slopes = [
        (
            8 * (ask(y + h * e) - ask(y - h * e))
            - ask(y + 2 * h * e)
            + ask(y - 2 * h * e)
        )
        / (12 * h)
        for e in np.eye(6)
    ]
    assert_close(form.jacobian(state, place)[3:], np.stack(slopes, 1), rtol=1e-10)


@pytest.mark.row("Q-12")
def test_left_momenta_and_forces(cloud, forms):
    """dT/du = Q.e, dT/dw = Gamma_O.e; forces are R.e and M_O.e, as particles sum up."""
    for t in TIMES:
        state, _, _ = cloud.at(t)
        R, origin = frame_of(cloud, state)
        found = forms["kirchhoff"].momenta(state)
        assert_close(found, along_body(R, cloud.momentum(t, origin)), rtol=1e-12)
    force = np.concatenate([np.cross(SPOT, PUSH) + TWIST, PUSH])
    assert_close(forms["kirchhoff"].force(state), force, rtol=1e-13)


@pytest.mark.row("Q-14")
def test_right_partial_velocities_momenta_and_forces(cloud, forms):
    """About the observer's origin: dv/dxi = k, dv/dw = k x P, T_xi = Q, T_w = Gamma."""
    form = forms["newton_euler"]
    for t in TIMES:
        state, _, _ = cloud.at(t)
        R, origin = frame_of(cloud, state)
        assert_close(form.momenta(state), cloud.momentum(t, np.zeros(3)), rtol=1e-12)
        place = origin + R @ SPOT
        J = form.jacobian(state, cloud.body.point(*SPOT))
        assert_close(J[3:, 3:], np.eye(3), rtol=1e-13)
        assert_close(J[3:, :3], np.cross(np.eye(3), place).T, atol=1e-13)
        force = np.concatenate([np.cross(place, R @ PUSH) + R @ TWIST, R @ PUSH])
        assert_close(form.force(state), force, rtol=1e-12)


def wanted(cloud, form, t):
    """M y_dot + b of the particles' true motion."""
    state, _, _ = cloud.at(t)
    terms = form.inverse_dynamics(state, cloud.y_dot(form, t)) + form.force(state)
    return state, terms


@pytest.mark.row("Q-13")
def test_kirchhoff_equations_of_particles(cloud, forms):
    """T_u' + w x T_u = R and T_w' + w x T_w + u x T_u = M_O along the body's axes."""
    for t in TIMES[:6]:
        state, found = wanted(cloud, forms["kirchhoff"], t)
        R, origin = frame_of(cloud, state)
        assert_close(found, along_body(R, cloud.wrench(t, origin)), rtol=1e-11)


@pytest.mark.row("Q-15")
def test_newton_euler_equations_of_particles(cloud, forms):
    """Q' = R and Gamma' = M about the observer's origin, along its axes."""
    for t in TIMES[:6]:
        _, found = wanted(cloud, forms["newton_euler"], t)
        assert_close(found, cloud.wrench(t, np.zeros(3)), rtol=1e-11)


@pytest.mark.row("Q-16")
def test_hybrid_equations_of_particles(cloud, forms):
    """Q' = R in the world's axes, Gamma_O' + w x Gamma_O + v_O x Q = M_O in its own."""
    for t in TIMES[:6]:
        state, found = wanted(cloud, forms["hybrid"], t)
        R, origin = frame_of(cloud, state)
        wrench = cloud.wrench(t, origin)
        expected = np.concatenate([R.T @ wrench[:3], wrench[3:]])
        assert_close(found, expected, rtol=1e-11)


@pytest.fixture(scope="module")
def choices(cloud, forms):
    turned = ph.theory.Velocities("abcdef", to_speeds=lambda t, q, y: y[::-1] * 2.0)
    return {**forms, "own": ph.gauss(cloud.system, turned)}


@pytest.mark.row("Q-17")
def test_four_forms_accelerate_one_body_alike(cloud, choices):
    """Four choices of velocities, and a user's own, give one acceleration.

    The mass centre is off the origin; force and couple follow the body.
    """
    for t in TIMES[:3]:
        state, _, _ = cloud.at(t)
        expected = choices["gauss"].body_accelerations(state)
        for form in choices.values():
            assert_close(form.body_accelerations(state), expected, rtol=1e-11)


@pytest.mark.long
@pytest.mark.row("Q-13", "Q-15", "Q-16", "Q-17")
def test_four_forms_move_one_body_alike(cloud, choices):
    """From one state each of the choices reaches the same place by its own way."""
    state, _, _ = cloud.at(0.3)
    last = {name: moved(form, state, 1.0, 300) for name, form in choices.items()}
    for name in choices:
        assert_close(last[name].q, last["gauss"].q, rtol=1e-8)


@pytest.mark.row("Q-13", "Q-20")
def test_kirchhoff_carries_a_fluid():
    """A vehicle in a fluid: its impulse is kept in the world, and T_V' + V x* T_V = 0.

    The mass added is not the same along and across, so the momentum is not along v.
    """
    system = ph.models.ellipsoid_in_fluid()
    kirchhoff = ph.kirchhoff(system)
    z = np.array([0.3, -0.5, 0.4, 1.0, 0.7, -0.2])
    state = ph.State(system, 0.0, system.neutral(), z)
    M = system.inertias()[0]
    assert np.linalg.norm(np.cross(z[3:], (M @ z)[3:])) > 1.0
    rate = doubled(lambda V: twist_rate(lambda V: V @ (M @ V) / 2, V, np.zeros(6)))
    assert_close(kirchhoff.accelerations(state), rate(z), rtol=1e-12)
    later = moved(kirchhoff, state, 1.0, 400)

    def impulse(state):
        R, p = (x[0] for x in system.poses(state.t, state.q))
        moment, linear = np.split(M @ state.z, 2)
        return np.concatenate([R @ moment + np.cross(p, R @ linear), R @ linear])

    assert_close(impulse(later), impulse(state), rtol=1e-8)
    assert np.linalg.norm(later.z - z) > 0.1


@pytest.mark.row("Q-13")
def test_kirchhoff_takes_any_energy():
    """For T of any form in (w, v), T_V turns with the body: |T_v| and T_w.T_v stay."""

    def energy(V):
        return V @ V / 2 + jnp.cosh(V @ V / 4) + V[:3] @ V[3:] / 5 + V[0] ** 4

    def momentum(V):
        import jax

        return jax.grad(energy)(V)

    ask = doubled(lambda V: (twist_rate(energy, V, np.zeros(6)), momentum(V)))
    V, h = np.array([0.3, -0.2, 0.5, 0.8, 0.1, -0.4]), 5e-3
    first = ask(V)[1]
    for _ in range(200):
        k1 = ask(V)[0]
        k2 = ask(V + h / 2 * k1)[0]
        k3 = ask(V + h / 2 * k2)[0]
        V = V + h / 6 * (k1 + 2 * k2 + 2 * k3 + ask(V + h * k3)[0])
    last = ask(V)[1]
    assert_close(last[3:] @ last[3:], first[3:] @ first[3:], rtol=1e-9)
    assert_close(last[:3] @ last[3:], first[:3] @ first[3:], rtol=1e-9)
    assert np.linalg.norm(last - first) > 0.05


@pytest.mark.row("Q-20")
def test_a_robot_arm_in_all_velocities():
    """A serial arm on hinges: Kirchhoff's twists and the speeds of joints agree."""
    system = arm(3)
    rng = np.random.default_rng(1)
    state = ph.State(system, 0.0, *rng.uniform(-1, 1, (2, 3)))
    expected = ph.recursive(system).body_accelerations(state)
    assert_close(ph.kirchhoff(system).body_accelerations(state), expected, rtol=1e-10)


@pytest.mark.row("Q-19")
def test_structure_coefficients_of_rotations(cloud):
    """g^b_ac = eps_acb for angular velocity; for the whole twist they give V x* h."""
    ball = ph.System(
        [ph.Spherical("ball", ph.World().origin, cloud.body.point(0.1, 0.2, 0.3))]
    )
    ask = doubled(lambda q: structure_coefficients(ball, 0.0, q))
    q = cloud.at(0.3)[0].q
    g = np.asarray(ask(q[:4]))
    levi_civita = np.zeros((3, 3, 3))
    for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        levi_civita[a, b, c], levi_civita[a, c, b] = 1.0, -1.0
    assert_close(g, np.einsum("acb->bac", levi_civita), atol=1e-14)
    six = doubled(lambda q: structure_coefficients(cloud.system, 0.0, q))
    V, h = np.random.default_rng(4).normal(size=(2, 6))
    expected = np.concatenate(
        [np.cross(V[:3], h[:3]) + np.cross(V[3:], h[3:]), np.cross(V[:3], h[3:])]
    )
    turning = np.einsum("bac,c,b->a", np.asarray(six(q)), V, h)
    assert_close(turning, expected, rtol=1e-12)


@pytest.mark.row("Q-19")
def test_boltzmann_hamel_of_a_free_body_is_kirchhoff(cloud, forms):
    """On SE(3) the structure coefficients make Kirchhoff's bias, term by term."""
    form = ph.boltzmann_hamel(cloud.system)
    for t in TIMES[:5]:
        state, _, _ = cloud.at(t)
        for word in ("mass_matrix", "bias", "force"):
            expected = getattr(forms["kirchhoff"], word)(state)
            assert_close(getattr(form, word)(state), expected, rtol=1e-12)
