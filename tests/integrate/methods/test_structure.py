"""What structure-preserving methods preserve: a form, energy, momenta, symmetry."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from moving import (
    column,
    double_pendulum,
    many_steps,
    point_pendulum,
    spin,
    turning,
)
from polhode.errors import IntegrationError, IntegrationWarning
from polhode.formulation.gauss import gauss
from polhode.formulation.hamilton import hamiltonian
from polhode.geometry.rotations import quaternion
from polhode.integrate.field.vector_field import field_of
from strategies_system import floating_chain, four_bar

MOMENTS = np.array([1.0, 2.0, 3.0])


@pytest.fixture(scope="module")
def sprung() -> ph.System:
    """Two particles and a spring between them: constant masses, no world."""
    pair = ph.Particle("a", 1.0), ph.Particle("b", 2.5)
    spring = ph.Spring(pair[0].mass_centre, pair[1].mass_centre, 30.0, 1.0)
    return ph.System(pair, [spring], name="sprung pair")


def flow_jacobian(walk: ph.results.Program, x: np.ndarray, h: float) -> np.ndarray:
    """dx1/dx of three steps, by Richardson's differences: errors of 1e-10."""

    def central(d: float) -> np.ndarray:
        ends = [
            (walk(x + d * e, h, np.int64(3)) - walk(x - d * e, h, np.int64(3)))
            / (2 * d)
            for e in np.eye(len(x))
        ]
        return np.array(ends).T

    return (4 * central(5e-4) - central(1e-3)) / 3


def form_missed(J: np.ndarray) -> float:
    """|J^T Omega J - Omega|"""
    n = len(J) // 2
    omega = np.kron([[0.0, 1.0], [-1.0, 0.0]], np.eye(n))
    return float(np.max(np.abs(J.T @ omega @ J - omega)))


@pytest.mark.row("H-07")
@pytest.mark.parametrize("method", [ph.methods.Variational, ph.methods.MoserVeselov])
def test_variational_steps_preserve_the_symplectic_form(method):
    """J^T Omega J = Omega for three steps of the double pendulum in q and p = M z.

    Steps of the same size by Runge and Kutta's method do not preserve the form.
    """
    system, x = double_pendulum(), np.array([0.7, -0.4, 0.5, 0.2])

    def canonical(way) -> float:
        walk = many_steps(system, way)

        def moved(x, h, count):
            M = system.mass_matrix(0.0, x[:2])
            z = np.linalg.solve(M, x[2:])
            after = walk(np.concatenate([x[:2], z]), h, count)
            M = system.mass_matrix(0.0, after[:2])
            return np.concatenate([after[:2], M @ after[2:]])

        return form_missed(flow_jacobian(moved, x, 0.1))

    assert canonical(method(1.0)) < 1e-8
    assert canonical(ph.methods.RungeKutta4) > 1e-6


@pytest.mark.row("H-07")
def test_rates_are_brackets_with_the_energy():
    """{q, p} = 1, {q, q} = {p, p} = 0; {q, H} and {p, H} are Hamilton's rates."""
    system, x = double_pendulum(), np.array([0.7, -0.4, 0.5, 0.2])
    each = [lambda q, p, i=i: jnp.concatenate([q, p])[i] for i in range(4)]

    def H(q, p):
        return hamiltonian(system, np.zeros(2), {})(0.0, q, p)

    def brackets(q, p):
        pairs = [[ph.theory.poisson_bracket(a, b)(q, p) for b in each] for a in each]
        rates = [ph.theory.poisson_bracket(a, H)(q, p) for a in each]
        return jnp.array(pairs), jnp.array(rates)

    pairs, rates = ph.compile(brackets, x[:2], x[2:])(x[:2], x[2:])
    assert np.array_equal(pairs, np.kron([[0.0, 1.0], [-1.0, 0.0]], np.eye(2)))
    z = np.linalg.solve(system.mass_matrix(0.0, x[:2]), x[2:])
    equations, state = ph.hamilton(system), ph.State(system, 0.0, x[:2], z)
    assert np.allclose(rates[:2], z, rtol=1e-12)
    assert np.allclose(rates[2:], equations.accelerations(state), rtol=1e-10)


@pytest.mark.long
@pytest.mark.parametrize(
    "method",
    [ph.methods.ImplicitMidpoint, ph.methods.GaussLegendre4, ph.methods.GaussLegendre6],
)
def test_collocation_of_hamiltons_equations_is_symplectic(method):
    """J^T Omega J = Omega where the velocities of the equations are momenta."""
    walk = many_steps(double_pendulum(), method, ph.hamilton)
    x = np.array([0.7, -0.4, 0.5, 0.2])
    assert form_missed(flow_jacobian(walk, x, 0.1)) < 1e-8


@pytest.mark.parametrize(
    "method",
    [
        ph.methods.StormerVerlet,
        ph.methods.SemiImplicitEuler,
        pytest.param(ph.methods.ImplicitMidpoint, marks=pytest.mark.long),
    ],
)
def test_methods_of_speeds_preserve_it_where_masses_are_constant(method, sprung):
    """Two particles on a spring: q and m v are canonical."""
    x = np.array([0.0, 0.1, 0.0, 1.2, -0.1, 0.3, 0.2, 0.0, 0.4, -0.3, 0.5, 0.1])
    J = flow_jacobian(many_steps(sprung, method), x, 0.05)
    scale = np.array([1.0] * 6 + [1.0] * 3 + [2.5] * 3)
    assert form_missed(scale[:, None] * J / scale) < 1e-8


NO_DRIFT = [
    ph.methods.ImplicitMidpoint,
    ph.methods.MoserVeselov,
    pytest.param(ph.methods.EnergyMomentum, marks=pytest.mark.long),
    pytest.param(ph.methods.GaussLegendre4, marks=pytest.mark.long),
    pytest.param(ph.methods.GaussLegendre6, marks=pytest.mark.long),
]


def energies(method: ph.methods.ImplicitMidpoint, h: float, steps: int) -> np.ndarray:
    """The energy of a free rotation over its first value, less one, at 200 times."""
    system = turning(*MOMENTS)
    walk, x = many_steps(system, method), column(spin(system, (1.0, 1.0, 1.0)))
    found = []
    for _ in range(200):
        x = walk(x, h, np.int64(steps // 200))
        found.append(MOMENTS @ x[4:] ** 2 / 6.0 - 1)
    return np.array(found)


@pytest.mark.parametrize("method", NO_DRIFT)
def test_free_rotation_keeps_its_energy(method):
    """Over 1e5 steps the slope is below 1e-14 a step, the energy as at first."""
    errors = energies(method(1.0), 0.05, 100_000)
    assert abs(np.polyfit(np.arange(200) * 500, errors, 1)[0]) < 1e-14
    assert np.max(np.abs(errors)) < 1e-10


@pytest.mark.long
@pytest.mark.parametrize(
    "method", [ph.methods.ImplicitMidpoint, ph.methods.MoserVeselov]
)
def test_free_rotation_keeps_its_energy_for_a_million_steps(method):
    """The slope over 1e6 steps is below 1e-14 a step."""
    errors = energies(method(1.0), 0.05, 1_000_000)
    assert abs(np.polyfit(np.arange(200) * 5000, errors, 1)[0]) < 1e-14


@pytest.mark.long
def test_energy_that_swings_does_not_drift():
    """The variational method on a free rotation: amplitude as h^2, no slope.

    The slope is that of the least squares of all of 1e6 steps, each weighted by a bell
    over the run, so that where in a swing the run ends does not count.
    """
    system, count = turning(*MOMENTS), 1_000_000
    equations, method = gauss(system), ph.methods.Variational(1.0)

    def summed(x, h):
        field = field_of(equations, {})

        def step(k, state):
            x, slope, least, most = state
            x = method.attempt(field, 0.0, x, field.x_dot(0.0, x), h).x
            error = jnp.sum(MOMENTS * x[4:] ** 2) / 6.0 - 1
            place = 2.0 * k / count - 1
            bell = (1 - place * place) ** 3
            ends = jnp.minimum(least, error), jnp.maximum(most, error)
            return x, slope + bell * place * error, *ends

        return jax.lax.fori_loop(0, count, step, (x, 0.0, 0.0, 0.0))[1:]

    program = ph.compile(summed, np.zeros(7), 0.1)
    x, swings = column(spin(system, (1.0, 1.0, 1.0))), []
    place = np.linspace(-1, 1, 10_001)
    weight = np.mean(place**2 * (1 - place**2) ** 3) * count
    for h in (0.04, 0.02):
        slope, least, most = program(x, h)
        assert abs(2 * slope / weight / count) < 1e-14
        swings.append(most - least)
    assert abs(swings[0] / swings[1] - 4) < 0.1


@pytest.mark.row("R-34")
@pytest.mark.parametrize("method", [ph.methods.MuntheKaas4, ph.methods.CrouchGrossman4])
def test_group_methods_need_no_renormalising(method):
    """After 1e5 bare steps: a unit quaternion, T as at first, L where it was."""
    system = turning(*MOMENTS)
    x = column(spin(system, (1.0, 1.0, 1.0)))
    after = many_steps(system, method)(x, 1e-3, np.int64(100_000))
    R = quaternion.to_matrix(after[:4])
    assert np.max(np.abs(R.T @ R - np.eye(3))) < 1e-10
    assert abs(np.linalg.norm(after[:4]) - 1) < 1e-12
    assert abs(MOMENTS @ after[4:] ** 2 / 6.0 - 1) < 1e-8
    assert np.allclose(R @ (MOMENTS * after[4:]), MOMENTS, rtol=0, atol=4e-8)


@pytest.mark.long
@pytest.mark.parametrize("method", [ph.methods.MuntheKaas4, ph.methods.CrouchGrossman4])
def test_group_methods_keep_quaternions_unit_for_a_million_steps(method):
    """| |q| - 1 | < 1e-12 after 1e6 steps, with nothing put right on the way."""
    system = turning(*MOMENTS)
    x = column(spin(system, (1.0, 1.0, 1.0)))
    after = many_steps(system, method)(x, 0.01, np.int64(1_000_000))
    assert abs(np.linalg.norm(after[:4]) - 1) < 1e-12


@pytest.mark.parametrize(
    "method",
    [ph.methods.Variational, ph.methods.MoserVeselov, ph.methods.EnergyMomentum],
)
def test_steps_back_undo_steps(method):
    """Symmetric methods retrace: n steps of h and n of -h lead back."""
    walk = many_steps(double_pendulum(), method(1.0))
    x = np.array([0.9, -0.5, 1.0, -2.0])
    there = walk(x, 0.05, np.int64(20))
    assert np.max(np.abs(there - x)) > 0.1
    assert np.allclose(walk(there, -0.05, np.int64(20)), x, rtol=0, atol=1e-11)


def test_the_energy_method_keeps_energy_at_any_step():
    """The double pendulum, steps of a tenth of its time: energy to rounding."""
    system = double_pendulum()
    walk, x = (
        many_steps(system, ph.methods.EnergyMomentum(1.0)),
        np.array([2.0, 1.0, 0.0, 0.0]),
    )

    def energy(x: np.ndarray) -> float:
        q, z = x[:2], x[2:]
        return system.kinetic_energy(0.0, q, z) + system.potential_energy(0.0, q)

    first, errors = energy(x), []
    for _ in range(100):
        x = walk(x, 0.03, np.int64(100))
        errors.append(energy(x) - first)
    assert np.max(np.abs(errors)) < 1e-10
    # The same steps by a method that only does not drift swing a million times more.
    other = many_steps(system, ph.methods.Variational(1.0))
    swung = energy(other(np.array([2.0, 1.0, 0.0, 0.0]), 0.03, np.int64(25))) - first
    assert abs(swung) > 1e-4


def momenta(motion: ph.results.Trajectory) -> float:
    """The largest change of momentum and of angular momentum, over their sizes.

    The size is that of the parts, which may cancel in the whole.
    """
    ledger = motion.ledger()
    size = np.sqrt(2 * ledger.scale)  # kg m/s, for masses and lengths of about 1
    each = (ledger.momentum, ledger.angular_momentum)
    return max(np.max(np.abs(p - p[0])) for p in each) / size


@pytest.mark.long
def test_a_formation_keeps_energy_and_momenta(sprung):
    """1e4 steps of an isolated pair on a spring: all to 1e-12 and energy to 1e-11."""
    speeds = {"a": (0.2, 1.0, 0.4), "b": (-0.05, -0.35, -0.1)}
    start = sprung.state(a=(0.0, 0.1, 0.0), b=(1.2, -0.1, 0.3), speeds=speeds)
    run = ph.simulate(
        sprung, start, until=200.0, method=ph.methods.EnergyMomentum(step=0.02)
    )
    assert len(run) == 10_001
    assert momenta(run) < 1e-12
    ledger = run.ledger()
    assert np.ptp(ledger.kinetic) > 0.1 * ledger.scale
    assert np.max(np.abs(ledger.balance)) < 1e-11 * ledger.scale


@pytest.mark.long
@pytest.mark.parametrize(
    "method",
    [ph.methods.Variational, ph.methods.MoserVeselov, ph.methods.EnergyMomentum],
)
def test_a_free_chain_keeps_its_momenta(method):
    """A chain in space, 1e4 steps: momentum and angular momentum to 1e-12."""
    system = floating_chain()
    z = np.random.default_rng(3).normal(size=system.speeds)
    start = ph.State(system, 0.0, system.neutral(), z)
    # Far from the origin places have fewer digits: let the whole stay where it is.
    drift = ph.simulate(system, start, until=0.0).ledger().momentum[0] / 5.85
    hub = system.edge(system.joints[0].name).z
    z[hub.stop - 3 : hub.stop] -= drift
    start = ph.State(system, 0.0, system.neutral(), z)
    run = ph.simulate(system, start, until=200.0, method=method(step=0.02))
    assert len(run) == 10_001
    assert np.max(np.abs(run.ledger().momentum)) < 1e-10
    assert momenta(run) < 1e-12


@pytest.mark.long
def test_momenta_are_kept_far_out():
    """A body thrown 100 m off while it spins, 1e4 steps: its momenta to 1e-12.

    About the world's origin the angular momentum is that of parts of the size r p.
    """
    body = ph.Body.from_inertia(
        "body", mass=2.0, inertia=np.diag([0.3, 0.3, 0.4]), centre=(0.1, 0.2, 0)
    )
    free = ph.Free("free", ph.World().origin, body.origin)
    system = ph.System([free], name="thrown")
    start = system.state(speeds={"free": (0.5, 1.0, -0.7, 0.5, 0.1, 0.2)})
    run = ph.simulate(
        system, start, until=200.0, method=ph.methods.MoserVeselov(step=0.02)
    )
    far = np.max(np.linalg.norm(run["body"].position, axis=1))
    assert len(run) == 10_001
    assert far > 100
    ledger = run.ledger()
    size = np.linalg.norm(ledger.momentum[0])
    assert np.max(np.abs(ledger.momentum - ledger.momentum[0])) < 1e-12 * size
    moment = ledger.angular_momentum
    assert np.max(np.abs(moment - moment[0])) < 1e-12 * size * far


def test_runs_side_by_side_have_the_bits_of_runs_alone():
    """Iterations that end at different counts do not disturb each other."""
    system, method = point_pendulum(), ph.methods.ImplicitMidpoint(step=0.05)
    starts = [system.state(hinge=angle) for angle in (0.1, 1.0, 3.0)]
    together = ph.simulate(system, starts, until=4.0, method=method)
    for start, run in zip(starts, together, strict=True):
        alone = ph.simulate(system, start, until=4.0, method=method)
        assert np.array_equal(alone.steps.x, run.steps.x)
        again = ph.simulate(system, start, until=4.0, method=method)
        assert np.array_equal(alone.steps.x, again.steps.x)


def test_a_step_that_cannot_be_solved_ends_the_run():
    """An implicit step far too long says so; what was reached is kept."""
    system = point_pendulum()
    start = system.state(hinge=1.0, speeds={"hinge": 40.0})
    with pytest.warns(IntegrationWarning, match=r"could not be solved.*smaller step"):
        run = ph.simulate(
            system, start, until=50.0, method=ph.methods.ImplicitMidpoint(5.0)
        )
    assert run.outcome.code == "INTEG"
    assert np.all(np.isfinite(run.steps.x))
    assert run.t[-1] < 50.0


def test_what_cannot_be_composed_is_refused():
    """Only symmetric methods gain from composition, and only even orders."""
    with pytest.raises(IntegrationError, match=r"Runge-Kutta 4 cannot be composed"):
        ph.methods.Composed(ph.methods.RungeKutta4(0.1), order=6)
    for order in (2, 3, 5, 12):
        with pytest.raises(IntegrationError, match=rf"to order {order}\.(.|\n)*even"):
            ph.methods.Composed(ph.methods.ImplicitMidpoint(0.1), order=order)


def test_methods_for_trees_refuse_constraints():
    """A loop is named, and methods that keep it are offered."""
    loop = four_bar()
    with pytest.raises(
        IntegrationError, match=r"which .* hold(.|\n)*ph.methods.Rattle"
    ):
        ph.simulate(loop, loop.rest(), until=1.0, method=ph.methods.Variational(0.01))


def test_bodies_that_no_points_make_are_refused():
    """Added mass has no chords: the body is named, and another method offered."""
    ball = ph.solids.sphere(mass=2.0, radius=0.5)
    wet = ph.marine.with_added_mass(ball, np.diag([0.1, 0.1, 0.1, 1.0, 2.0, 3.0]))
    hull = ph.Body("hull", wet)
    system = ph.System([hull], name="afloat")
    with pytest.raises(IntegrationError, match=r"cannot move 'hull'(.|\n)*Variational"):
        ph.simulate(
            system, system.rest(), until=1.0, method=ph.methods.MoserVeselov(0.1)
        )
