"""Gauss's principle, against particles that know nothing of rigid bodies."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from moved import moved
from polhode import Y, Z
from polhode.double import doubled

GRAVITY = 9.81


class Points:
    """The particles of which two linked bodies are made, and their motion."""

    def __init__(self):
        rng = np.random.default_rng(5)
        self.masses = rng.uniform(0.2, 1.0, (2, 6))
        self.places = rng.uniform(-0.5, 0.5, (2, 6, 3))
        upper, lower = (
            ph.Body(name, ph.Cloud(m, r))
            for name, m, r in zip(
                ("upper", "lower"), self.masses, self.places, strict=True
            )
        )
        ball = ph.Spherical("ball", ph.World().origin, upper.point(0.1, 0.2, 0.3))
        hinge = ph.Revolute("hinge", upper.point(0, 0.1, -0.4), lower.origin, axis=Y)
        parts = [ball, hinge], [ph.Weight(GRAVITY)]
        self.system = ph.System(*parts, name="clouds")
        self.positions = self._positions
        self.accelerations = doubled(self._accelerations)
        self.partial = doubled(jax.jacfwd(self._accelerations, 2))

    def _positions(self, q):
        R, p = self.system.poses(0.0, q)
        return p[:, None] + jnp.einsum("bij,bkj->bki", R, self.places)

    def _velocities(self, q, z):
        q_dot = self.system.rates(0.0, q, z)
        return jax.jvp(self._positions, (q,), (q_dot,))[1]

    def _accelerations(self, q, z, z_dot):
        q_dot = self.system.rates(0.0, q, z)
        return jax.jvp(self._velocities, (q, z), (q_dot, z_dot))[1]

    def deviation(self, q, z, z_dot):
        """C = sum m |a - F/m|^2 / 2 over all particles."""
        falling = np.array([0, 0, -GRAVITY])
        gap = self.accelerations(q, z, z_dot) - falling
        return 0.5 * np.sum(self.masses[..., None] * gap**2)


@pytest.fixture(scope="module")
def clouds():
    return Points()


@pytest.fixture(scope="module")
def state(clouds):
    rng = np.random.default_rng(3)
    system = clouds.system
    q = system.normalised(system.local(system.neutral(), rng.uniform(-1, 1, 4)))
    return ph.State(system, 0.0, q, rng.normal(size=4))


@pytest.mark.row("Q-05")
@pytest.mark.parametrize(
    "form", [ph.gauss, ph.lagrange, ph.kane, ph.recursive, ph.boltzmann_hamel]
)
def test_no_partial_velocity_feels_what_is_left(clouds, state, form):
    """sum (m a - F) . dv/dz = 0 over the particles of which the bodies are made."""
    z_dot = form(clouds.system).accelerations(state)
    a = clouds.accelerations(state.q, state.z, z_dot)
    gap = clouds.masses[..., None] * (a + np.array([0, 0, GRAVITY]))
    partial = clouds.partial(state.q, state.z, z_dot)
    assert np.linalg.norm(gap) > 1.0
    residual = np.einsum("bki,bkir->r", gap, partial)
    assert_close(residual, np.zeros(4), atol=1e-12)


def test_the_true_accelerations_deviate_least(clouds, state):
    """Any other accelerations of the same state have a larger sum of m|a - F/m|^2."""
    z_dot = ph.gauss(clouds.system).accelerations(state)
    least = clouds.deviation(state.q, state.z, z_dot)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1.0):
        for _ in range(10):
            other = z_dot + size * rng.normal(size=4)
            assert clouds.deviation(state.q, state.z, other) > least
    # A quadratic function: its minimum by least squares is the same one.
    partial = clouds.partial(state.q, state.z, z_dot).reshape(-1, 4)
    rest = clouds.accelerations(state.q, state.z, np.zeros(4))
    roots = np.repeat(np.sqrt(clouds.masses).reshape(-1), 3)
    falling = np.tile([0, 0, -GRAVITY], 12) - rest.reshape(-1)
    by_squares = np.linalg.lstsq(roots[:, None] * partial, roots * falling, rcond=None)
    assert_close(z_dot, by_squares[0], rtol=1e-11)


def other_velocities():
    """Linear, affine in time, and genuinely nonlinear velocities of two joints."""
    mix = np.array([[1.0, 0.4], [-0.3, 2.0]])

    def turned(q):
        c, s = jnp.cos(q[0]), jnp.sin(q[0])
        return jnp.stack([jnp.stack([c, -s]), jnp.stack([s, c])])

    return {
        "linear": (lambda t, q, y: mix @ y, lambda t, q, z: jnp.linalg.solve(mix, z)),
        "turned": (lambda t, q, y: turned(q) @ y, lambda t, q, z: turned(q).T @ z),
        "moving": (
            lambda t, q, y: y + jnp.stack([jnp.sin(t), q[1] * t]),
            lambda t, q, z: z - jnp.stack([jnp.sin(t), q[1] * t]),
        ),
        "nonlinear": (
            lambda t, q, y: jnp.arcsinh(y),
            lambda t, q, z: jnp.sinh(z),
        ),
    }


@pytest.fixture(scope="module")
def arm():
    upper = ph.Body("upper", ph.solids.box(mass=1.0, x=0.2, y=0.3, z=0.9))
    lower = ph.Body("lower", ph.solids.box(mass=0.6, x=0.2, y=0.1, z=0.7))
    one = ph.Revolute("one", ph.World().origin, upper.point(0, 0, 0.4), axis=Y)
    two = ph.Revolute("two", upper.point(0, 0, -0.4), lower.point(0, 0, 0.3), axis=Z)
    return ph.System([one, two], [ph.Weight(GRAVITY)], name="arm")


@pytest.mark.row("Q-08")
@pytest.mark.parametrize("choice", other_velocities())
def test_any_velocities_give_the_same_motion(arm, choice):
    """z = zeta(t, q, y): the bodies' accelerations and the motion stay the same."""
    velocities = ph.theory.Velocities(("a", "b"), *other_velocities()[choice])
    equations = ph.gauss(arm, velocities)
    state = arm.state(one=0.5, two=-0.8, speeds={"one": 0.7, "two": 1.2}, t=0.3)
    expected = ph.gauss(arm).body_accelerations(state)
    assert_close(equations.body_accelerations(state), expected, rtol=1e-12)
    last = [moved(form, state, 1.0) for form in (ph.gauss(arm), equations)]
    assert_close(last[1].q, last[0].q, rtol=1e-8)
