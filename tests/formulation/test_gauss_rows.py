"""Gauss's principle row by row: its function, its velocities, its one minimum."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from moved import moved
from particle_oracle import MovingCloud
from polhode import Y, Z
from polhode.double import doubled
from polhode.formulation.questions.deviation import deviation
from polhode.formulation.questions.point_motion import point_functions
from polhode.formulation.shared.jet import jet
from polhode.geometry.rotations import euler_angles
from polhode.matter.continuum import sampled
from strategies_system import across_the_blade, random_state, topology

G = 9.81
DOWN = np.array([0, 0, -G])


class Sled:
    """A cloud of particles on ice with a blade, tilted so that weight acts along it."""

    def __init__(self):
        rng = np.random.default_rng(5)
        self.masses, self.places = (
            rng.uniform(0.2, 1, 7),
            rng.uniform(-0.5, 0.5, (7, 3)),
        )
        body = ph.Body("sled", ph.Cloud(self.masses, self.places))
        ice = ph.Planar("ice", ph.World().origin, body.origin, normal=(0.3, 0.1, 1.0))
        blade = ph.VelocityRows([ice], across_the_blade, name="blade")
        self.system = ph.System([ice], [ph.Weight(G)], [blade], name="sled")
        self.accelerations = doubled(self._accelerations)

    def _positions(self, q):
        R, p = self.system.poses(0.0, q)
        return p[0] + self.places @ R[0].T

    def _velocities(self, q, z):
        return jax.jvp(self._positions, (q,), (self.system.rates(0.0, q, z),))[1]

    def _accelerations(self, q, z, z_dot):
        q_dot = self.system.rates(0.0, q, z)
        return jax.jvp(self._velocities, (q, z), (q_dot, z_dot))[1]

    def deviation(self, q, z, z_dot):
        """C = sum m |a - F/m|^2 / 2."""
        gap = self.accelerations(q, z, z_dot) - DOWN
        return 0.5 * np.sum(self.masses[:, None] * gap**2)


@pytest.fixture(scope="module")
def sled():
    return Sled()


@pytest.mark.long
@pytest.mark.row("Q-01")
def test_the_least_deviation_is_the_motion_with_multipliers(sled):
    """Minimising C directly gives what multipliers give, with a constraint; 20 states.

    Any other allowed acceleration has a larger C, particle by particle.
    """
    system, rng = sled.system, np.random.default_rng(3)
    bodies = ph.gauss(system)
    for _ in range(20):
        state = random_state(system, rng)
        found = ph.theory.least_deviation(state)
        by_rows = bodies.accelerations(state)
        assert_close(found, by_rows, rtol=1e-11)
        A, _ = system.constraint_rows(state.t, state.q, state.z)
        allowed = np.linalg.svd(A)[2][1:].T
        least = sled.deviation(state.q, state.z, found)
        other = found + allowed @ rng.normal(size=2)
        assert sled.deviation(state.q, state.z, other) > least
        # Without the blade it could be less: the row is felt.
        free = np.linalg.lstsq(
            system.mass_matrix(0.0, state.q),
            bodies.force(state) - bodies.bias(state),
            rcond=None,
        )[0]
        assert sled.deviation(state.q, state.z, free) < least


@pytest.mark.row("Q-01")
def test_gauss_function_of_bodies_is_that_of_their_particles(sled):
    """C of a body and of its particles differ by what no acceleration changes."""
    system, rng = sled.system, np.random.default_rng(4)
    state = random_state(system, rng)
    at = state.t, state.q, state.z
    ask = doubled(lambda z_dot: deviation(system, at, z_dot))
    one, two = rng.normal(size=(2, 3))
    of_particles = [sled.deviation(state.q, state.z, a) for a in (one, two)]
    assert_close(ask(one) - ask(two), of_particles[0] - of_particles[1], rtol=1e-11)


@pytest.mark.long
@pytest.mark.row("Q-01")
def test_gauss_function_of_tied_particles():
    """Two particles on a rod, one on a spring: least C is the motion of multipliers."""
    system = topology("particles")
    rng = np.random.default_rng(6)
    form = ph.gauss(system)
    for _ in range(5):
        state = random_state(system, rng)
        found = ph.theory.least_deviation(state)
        assert_close(found, form.accelerations(state), rtol=1e-10)


@pytest.fixture(scope="module")
def arm():
    upper = ph.Body("upper", ph.solids.box(mass=1.0, x=0.2, y=0.3, z=0.9))
    lower = ph.Body("lower", ph.solids.box(mass=0.6, x=0.2, y=0.1, z=0.7))
    motor = {"rotor_inertia": 0.01, "gear_ratio": 5.0}
    one = ph.Revolute("one", ph.World().origin, upper.point(0, 0, 0.4), axis=Y, **motor)
    two = ph.Revolute("two", upper.point(0, 0, -0.4), lower.point(0, 0, 0.3), axis=Z)
    return ph.System([one, two], [ph.Weight(G)], name="arm")


def choices():
    """Linear, affine and moving, nonlinear; each given in one direction only."""
    mix = np.array([[1.0, 0.4], [-0.3, 2.0]])
    return {
        "linear": ph.theory.Velocities("ab", to_speeds=lambda t, q, y: mix @ y),
        "affine": ph.theory.Velocities(
            "ab", from_speeds=lambda t, q, z: z * (2 + jnp.sin(q)) + jnp.sin(t)
        ),
        "sinh": ph.theory.Velocities("ab", from_speeds=lambda t, q, z: jnp.sinh(z)),
    }


@pytest.mark.row("Q-03")
@pytest.mark.parametrize(
    "choice", ["linear", "sinh", pytest.param("affine", marks=pytest.mark.long)]
)
def test_velocities_given_in_one_direction(arm, choice):
    """q_dot = psi(t, q, y), given as psi or as its inverse, moves the arm alike."""
    form = ph.gauss(arm, choices()[choice])
    state = arm.state(one=0.5, two=-0.8, speeds={"one": 0.7, "two": 1.2}, t=0.3)
    expected = ph.gauss(arm).body_accelerations(state)
    assert_close(form.body_accelerations(state), expected, rtol=1e-11)
    last = [moved(each, state, 0.5, 100) for each in (ph.gauss(arm), form)]
    assert_close(last[1].q, last[0].q, rtol=1e-8)


@pytest.mark.row("Q-03", "Q-07")
def test_dependent_velocities_are_refused(arm):
    """A choice that does not determine the speeds is refused, with what is loose."""
    flat = np.array([[1.0, 2.0], [2.0, 4.0]])
    same = ph.theory.Velocities("ab", lambda t, q, y: flat @ y, lambda t, q, z: z)
    with pytest.raises(ph.PolhodeError, match=r"a, b of 'arm' are dependent: rank 1"):
        ph.gauss(arm, same)
    crooked = ph.theory.Velocities("ab", lambda t, q, y: 2 * y, lambda t, q, z: z)
    with pytest.raises(ph.PolhodeError, match="do not come back"):
        ph.gauss(arm, crooked)
    with pytest.raises(ph.PolhodeError, match="2 speeds, and 3 velocities are given"):
        ph.gauss(arm, ph.theory.Velocities("abc", lambda t, q, y: y))
    beyond = ph.theory.Velocities("ab", lambda t, q, y: jnp.tanh(y))
    with pytest.raises(ph.PolhodeError, match="have no slope"):
        ph.gauss(arm, beyond)
    with pytest.raises(ph.PolhodeError, match="to_speeds"):
        ph.theory.Velocities("ab")


@pytest.mark.row("Q-07")
def test_one_minimum_and_how_firm(arm):
    """The Hessian is definite at all states; the report gives its conditioning."""
    form, rng = ph.gauss(arm), np.random.default_rng(8)
    for _ in range(20):
        state = random_state(arm, rng)
        report = ph.questions.solvability(form, state)
        assert report.is_unique
        assert report.eigenvalues[0] > 0
    values = np.linalg.eigvalsh(form.mass_matrix(state))
    assert np.all(values > 0)
    # Free of units: scaled velocities have the same conditioning.
    scaled = ph.theory.Velocities("ab", lambda t, q, y: y * np.array([1e3, 1e-3]))
    again = ph.questions.solvability(ph.gauss(arm, scaled), state)
    assert_close(again.condition, report.condition, rtol=1e-9)
    assert "condition" in repr(report)


def bent():
    """Six velocities of a free body that are not linear in its twist."""
    return ph.theory.Velocities(
        "abcdef",
        lambda t, q, y: jnp.arcsinh(y - t) + q[4],
        lambda t, q, z: jnp.sinh(z - q[4]) + t,
    )


@pytest.fixture(scope="module")
def cloud():
    return MovingCloud(11, actions=(lambda body: ph.Weight(G),))


@pytest.mark.row("Q-04")
def test_accelerations_of_points_by_the_chain_rule(cloud):
    """a(t, q, y, y_dot) of a point is the second rate of its place along any motion.

    And da/dy_dot = dv/dy.
    """
    form = ph.gauss(cloud.system, bent())
    ask = doubled(point_functions(form, cloud.body.point(*cloud.places[3])))
    places = doubled(cloud.particles)
    for t in (-0.3, 0.1, 0.4):
        state, _, _ = cloud.at(t)
        y, y_dot = form.velocities(state), cloud.y_dot(form, t)
        motion = ask(t, state.q, y, y_dot, {})
        assert_close(motion.place, places(t)[3], rtol=1e-13)
        rate = lambda s: derivative(places, s)[3]  # noqa: E731
        assert_close(motion.velocity, rate(t), rtol=1e-9)
        assert_close(motion.acceleration, derivative(rate, t), rtol=1e-6)
    slopes = [
        ask(t, state.q, y, y_dot + e, {}).acceleration - motion.acceleration
        for e in np.eye(6)
    ]
    J = form.jacobian(state, cloud.body.point(*cloud.places[3]))
    assert_close(np.stack(slopes, 1), J[3:], rtol=1e-12)


@pytest.mark.row("Q-04")
def test_points_of_particles_and_bodies_move_as_asked(arm):
    """The acceleration asked of a point at a state is that of the equations' motion."""
    form, tip = ph.gauss(arm), arm.bodies[1].point(0.1, 0.2, -0.3)
    state = arm.state(one=0.5, two=-0.8, speeds={"one": 0.7, "two": 1.2})
    motion = ph.questions.point_motion(form, state, tip)
    J = form.jacobian(state, tip)
    assert_close(motion.velocity, J[3:] @ state.z, rtol=1e-13)
    later = lambda h: ph.questions.point_motion(form, moved(form, state, h, 4), tip)  # noqa: E731
    rate = (later(1e-3).velocity - later(-1e-3).velocity) / 2e-3
    assert_close(motion.acceleration, rate, rtol=1e-5)


@pytest.mark.row("Q-06")
@pytest.mark.parametrize("choice", ["own", "bent"])
def test_the_unified_equation_is_stationarity(cloud, choice):
    """d/dt dT/dy - sum m v.d/dt dv/dy = sum F.dv/dy is Gauss's equation, all terms."""
    velocities = bent() if choice == "bent" else None
    forms = ph.unified(cloud.system, velocities), ph.gauss(cloud.system, velocities)
    for t in np.linspace(-0.5, 0.5, 20):
        state, _, _ = cloud.at(t)
        for word in ("mass_matrix", "bias", "force"):
            ours, expected = (getattr(form, word)(state) for form in forms)
            assert_close(ours, expected, rtol=1e-11)


@pytest.mark.long
def test_the_unified_equation_knows_rotors(arm):
    """A rotor moves along its joint: in bent velocities, too, it resists as one."""
    velocities = ph.theory.Velocities(
        "ab",
        lambda t, q, y: (y - jnp.sin(t)) / (2 + jnp.sin(q)),
        lambda t, q, z: z * (2 + jnp.sin(q)) + jnp.sin(t),
    )
    state = arm.state(one=0.5, two=-0.8, speeds={"one": 0.7, "two": 1.2}, t=0.3)
    expected = ph.gauss(arm).body_accelerations(state)
    for form in (ph.unified, ph.kane, ph.gibbs_appell):
        found = form(arm, velocities).body_accelerations(state)
        assert_close(found, expected, rtol=1e-11)


@pytest.mark.row("Q-09")
def test_sums_become_integrals():
    """A body by quadrature moves as a solid, and as six particles of equal moments."""
    m, half = 1.4, np.array([0.2, 0.35, 0.5])
    volume = 8 * half.prod()
    continuum = sampled(
        lambda u, v, w: (u, v, w), [(-h, h) for h in half], m / volume, points=4
    )
    spread = np.sqrt(3 * half**2 / 3)
    six = ph.Cloud(
        np.full(6, m / 6), np.concatenate([np.diag(spread), -np.diag(spread)])
    )
    solid = ph.solids.box(mass=m, x=0.4, y=0.7, z=1.0)
    rng, found = np.random.default_rng(2), []
    turn, w = rng.normal(size=4), rng.normal(size=3)
    for matter in (continuum, six, solid):
        body = ph.Body("body", matter)
        ball = ph.Spherical("ball", ph.World().origin, body.point(0.1, 0.2, 0.6))
        system = ph.System([ball], [ph.Weight(G)])
        state = ph.State(system, 0.0, turn / np.linalg.norm(turn), w)
        found.append(ph.gauss(system).accelerations(state))
    assert_close(found[0], found[2], rtol=1e-10)
    assert_close(found[1], found[2], rtol=1e-10)


@pytest.mark.row("Q-10")
def test_rates_of_coordinates_give_lagrange(cloud):
    """With y = x_dot, Gauss's equations are d/dt dT/dx_dot - dT/dx = sum F.dP/dx.

    x are Euler angles and a place; T and the places of particles come from the cloud.
    """
    form = ph.gauss(cloud.system, jet(cloud.system, "zyx"))
    m, r = cloud.masses, cloud.places

    def place(x):
        return x[3:] + r @ euler_angles.to_matrix("zyx", x[:3]).T

    def kinetic(x, x_dot):
        v = jax.jvp(place, (x,), (x_dot,))[1]
        return 0.5 * (m[:, None] * v**2).sum()

    def sides(x, x_dot, x_ddot):
        momentum = jax.grad(kinetic, 1)
        growth = jax.jvp(momentum, (x, x_dot), (x_dot, x_ddot))[1]
        forces = jax.grad(lambda x: (m[:, None] * place(x) * DOWN).sum())(x)
        return growth - jax.grad(kinetic)(x, x_dot), forces

    ask = doubled(sides)
    for t in np.linspace(-0.4, 0.4, 20):
        state, _, _ = cloud.at(t)
        R = cloud.system.poses(t, state.q).rotations[0]
        x = np.concatenate([euler_angles.from_matrix("zyx", R), state.q[4:]])
        y_dot = np.linspace(-1, 1, 6)
        left, right = ask(x, form.velocities(state), y_dot)
        ours = form.inverse_dynamics(state, y_dot) + form.force(state)
        assert_close(ours, left, rtol=1e-10)
        assert_close(form.force(state), right, rtol=1e-10)
