"""Constraints on velocities: linear, affine, moving, and not linear at all."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from moved import moved
from polhode import Z
from polhode.errors import IntegrationWarning
from strategies_system import random_state, topology

G = 9.81


@pytest.fixture(scope="module")
def sleigh():
    return ph.models.chaplygin_sleigh()


def sleigh_state(system, w=1.3, u=0.8, angle=0.4):
    """Turning at w, moving at u along the blade."""
    along = u * np.array([np.cos(angle), np.sin(angle)])
    return ph.State(system, 0.0, [angle, 0.2, -0.1], [w, *along])


@pytest.mark.row("N-02", "N-08")
def test_ideal_rows_have_no_power_and_reductions_need_none():
    """f_c = a^T s has no power; z spanning ker a gives the same motion without it.

    Maggi's basis is found or given; the reactions that it recovers are those of rows.
    """
    system = topology("sleigh")
    rows, reduced = ph.gauss(system), ph.maggi(system)
    given = ph.maggi(system, independent=("ice.angle", "ice.u"))
    assert reduced.row_names == ()
    assert len(reduced.velocity_names) == 2
    rng = np.random.default_rng(3)
    for _ in range(20):
        state = random_state(system, rng)
        A, _ = rows.rows(state)
        s = rows.multipliers(state)
        force = A.T @ s
        assert abs(force @ state.z) <= 1e-12 * np.linalg.norm(force)
        assert np.linalg.norm(force) > 1e-3
        expected = rows.body_accelerations(state)
        for form in (reduced, given):
            assert_close(form.body_accelerations(state), expected, rtol=1e-10)
            assert_close(form.multipliers(state), s, rtol=1e-10)


def test_dependent_speeds_are_no_choice():
    """Maggi's speeds must determine the others; what fails is named, with a choice."""
    system = topology("driven_hinge")
    with pytest.raises(ph.PolhodeError, match="track cannot be the independent speeds"):
        ph.maggi(system, independent=("track",))
    with pytest.raises(ph.PolhodeError, match="has no speed 'trak'"):
        ph.maggi(system, independent=("trak",))
    with pytest.raises(ph.PolhodeError, match="it has no constraints"):
        ph.maggi(topology("pendulum"))


@pytest.mark.row("N-03")
def test_the_sleigh_moves_as_its_closed_form(sleigh):
    """u' = a w^2, w' = -m a u w/J: from u = 0, w = w_0/cosh(k t), u = c tanh(k t).

    J = I + m a^2 is about the blade; m c^2 = J w_0^2 and k = a c m/J.
    """
    m, I, a = 1.0, 0.5, 0.3
    J = I + m * a * a
    w0 = 1.3
    state = sleigh_state(sleigh, w=w0, u=0.0, angle=-0.9)
    c, time = w0 * np.sqrt(J / m), 1.0
    k = a * c * m / J
    for form in (ph.gauss(sleigh), ph.maggi(sleigh)):
        last = moved(form, state, time, 300)
        angle, w = last.q[0], last.z[0]
        u = last.z[1] * np.cos(angle) + last.z[2] * np.sin(angle)
        across = -last.z[1] * np.sin(angle) + last.z[2] * np.cos(angle)
        assert_close(w, w0 / np.cosh(k * time), rtol=1e-8)
        assert_close(u, c * np.tanh(k * time), rtol=1e-8)
        assert abs(across) < 1e-9


@pytest.mark.row("N-03")
def test_the_gradient_by_coordinates_is_the_wrong_one(sleigh):
    """Reactions along d(a z)/dq, as printed, have power; along d(a z)/dz, none.

    ERR-003-26.
    """
    state = sleigh_state(sleigh)
    angle, (_, x, y) = state.q[0], state.z
    right = np.array([0.0, -np.sin(angle), np.cos(angle)])
    printed = np.array([-np.cos(angle) * x - np.sin(angle) * y, 0.0, 0.0])
    assert_close(ph.gauss(sleigh).rows(state)[0][0], right, rtol=1e-13)
    assert abs(right @ state.z) < 1e-14
    assert abs(printed @ state.z) > 0.5


def turntable(rate=0.7):
    """A ball on a table that turns: rows a z + c(q) = 0, affine in the speeds."""
    radius = 0.1
    ball = ph.Body("ball", ph.solids.sphere(mass=0.5, radius=radius))
    joint = ph.Free("ball", ph.World().origin, ball.origin)
    constraint = ph.VelocityEquation([joint], table_law(radius, rate), name="rolling",
                                     rows=("x", "y", "z"))  # fmt: skip
    return ph.System([joint], constraints=[constraint], name="turntable")


def table_law(radius, rate):
    """The ball's lowest point moves as the table under it: v + w x (-r k) = W k x p."""
    from polhode.geometry.rotations import quaternion
    from polhode.geometry.vector import cross

    def law(coordinates, speeds, t):
        (q,), (z,) = coordinates, speeds
        R = quaternion.to_matrix(q[:4])
        w, v = R @ z[:3], R @ z[3:]
        table = rate * cross(jnp.array([0.0, 0.0, 1.0]), q[4:])
        return v + cross(w, jnp.array([0.0, 0.0, -radius])) - table

    return law


@pytest.mark.row("N-04")
def test_a_ball_on_a_turntable_runs_in_circles():
    """The centre turns at 2/7 of the table's rate; the reactions' power is -s.c.

    Maggi's affine speeds z = C s + d give the same accelerations as rows do.
    """
    rate = 0.7
    system = turntable(rate)
    z = np.array([0.3, -0.2, 0.5, 0.4, -0.1, 0.0])
    q = np.array([1.0, 0, 0, 0, 0.3, 0.2, 0.1])
    state = system.consistent(ph.State(system, 0.0, q, z))
    rows = ph.gauss(system)
    R = system.poses(0.0, state.q).rotations[0]
    v = R @ state.z[3:]
    V_dot = rows.body_accelerations(state)[0]
    a = R @ (V_dot[3:] + np.cross(state.z[:3], state.z[3:]))
    assert_close(a, 2 / 7 * rate * np.cross([0, 0, 1], v), atol=1e-12)
    A, _ = rows.rows(state)
    s = rows.multipliers(state)
    c = -A @ state.z  # a z + c = 0
    assert np.linalg.norm(c) > 0.1
    place = state.q[4:]
    assert_close(-c, rate * np.cross([0, 0, 1], place), rtol=1e-10)
    powers = rows.powers(state)
    assert_close(sum(powers.values()), -s @ c, rtol=1e-10)
    reduced = ph.maggi(system)
    expected = rows.body_accelerations(state)
    assert_close(reduced.body_accelerations(state), expected, rtol=1e-10)


def appell_hamel(slope=0.6):
    """A point with z'^2 = k^2 (x'^2 + y'^2): a constraint that is not linear."""
    point = ph.Body.from_inertia("point", mass=1.3, inertia=np.diag([1.0, 1.0, 1.0]))
    before, joints = ph.World().origin, []
    for name, axis in (("x", ph.X), ("y", ph.Y), ("z", Z)):
        last = name == "z"
        body = point if last else ph.Body.from_inertia(
            name, mass=0.1, inertia=np.diag([0.1, 0.1, 0.1])
        )  # fmt: skip
        joints.append(ph.Prismatic(name, before, body.origin, axis=axis))
        before = body.origin

    def law(coordinates, speeds, t):
        (x,), (y,), (z,) = speeds
        return z**2 - slope**2 * (x**2 + y**2)

    cone = ph.VelocityEquation(joints, law, name="cone")
    return ph.System(joints, [ph.Weight(G)], [cone], name="Appell-Hamel")


@pytest.fixture(scope="module")
def cone():
    return appell_hamel()


def cone_state(system, x=0.7, y=-0.4, slope=0.6):
    """Speeds on the cone."""
    z = slope * np.hypot(x, y)
    return ph.State(system, 0.0, [0.1, 0.2, 0.3], [x, y, z])


@pytest.mark.row("Q-18", "N-07")
def test_nonlinear_velocity_constraints_by_gauss(cone):
    """The reaction is along dg/dz; z_dot keeps the rate of g at zero and C least.

    g is homogeneous, so the reaction has no power and energy is kept.
    """
    form = ph.gauss(cone)
    rng = np.random.default_rng(7)
    for _ in range(10):
        state = cone_state(cone, *rng.normal(size=2))
        z, found = state.z, form.accelerations(state)
        slope = np.array([-2 * 0.36 * z[0], -2 * 0.36 * z[1], 2 * z[2]])
        left = form.inverse_dynamics(state, found)
        assert_close(left, form.multipliers(state)[0] * slope, rtol=1e-11)
        assert abs(slope @ found) <= 1e-11 * np.linalg.norm(slope) * G
        assert_close(ph.theory.least_deviation(state), found, rtol=1e-11)
        assert abs(left @ z) <= 1e-11 * np.linalg.norm(left)
    last = moved(form, cone_state(cone), 0.08, 100)
    energies = [
        form.kinetic_energy(s) + form.potential_energy(s)
        for s in (cone_state(cone), last)
    ]
    assert_close(energies[1], energies[0], rtol=1e-8)
    x, y, z = last.z
    assert_close(z**2, 0.36 * (x**2 + y**2), rtol=1e-8)


@pytest.mark.row("Q-18", "N-07")
def test_a_linear_row_written_as_an_equation_is_the_same_row(sleigh):
    """Chetaev's reactions of a linear g are the ideal ones of its row."""
    ice = sleigh.joints[0]

    def law(coordinates, speeds, t):
        (q,), (z,) = coordinates, speeds
        return -jnp.sin(q[0]) * z[1] + jnp.cos(q[0]) * z[2]

    other = ph.System([ice], constraints=[ph.VelocityEquation([ice], law)])
    state = sleigh_state(sleigh)
    same = ph.State(other, 0.0, state.q, state.z)
    one, two = ph.gauss(sleigh), ph.gauss(other)
    assert_close(two.accelerations(same), one.accelerations(state), rtol=1e-13)
    assert_close(two.multipliers(same), one.multipliers(state), rtol=1e-13)


@pytest.mark.parametrize(
    ("form", "whose"),
    [(ph.kane, "Kane's"), (ph.maggi, "Maggi's"), (ph.dalembert, "D'Alembert's")],
)
def test_forms_of_virtual_velocities_refuse_nonlinear_rows(cone, form, whose):
    """Kane, Maggi and d'Alembert say which row, why, and that Gauss's form serves."""
    with pytest.raises(ph.PolhodeError) as refusal:
        form(cone)
    text = str(refusal.value)
    assert f"{whose} equations do not apply to 'Appell-Hamel'" in text
    assert "'cone' is not linear in the speeds" in text
    assert "ph.gauss" in text


@pytest.mark.row("Q-02")
@pytest.mark.parametrize(
    "name",
    [
        "spherical_pendulum",
        "driven_hinge",
        pytest.param("particles", marks=pytest.mark.long),
    ],
)
def test_dalembert_is_gauss_where_constraints_are_of_position(name):
    """Virtual power zero for all allowed virtual velocities: Gauss's accelerations."""
    from polhode.double import doubled
    from polhode.formulation.dalembert import virtual_power

    system = topology(name)
    forms = ph.dalembert(system), ph.gauss(system)
    power = doubled(
        lambda q, z, z_dot, v, t: virtual_power(system, (t, q, z), z_dot, v, {})
    )
    rng = np.random.default_rng(5)
    for _ in range(6):
        state = random_state(system, rng)
        found, expected = (form.accelerations(state) for form in forms)
        assert_close(found, expected, rtol=1e-10)
        A = system.constraint_rows(state.t, state.q, state.z)[0]
        allowed = np.eye(system.speeds) - np.linalg.pinv(A) @ A
        v = allowed @ rng.normal(size=system.speeds)
        at = state.q, state.z
        assert abs(power(*at, found, v, state.t)) < 1e-10
        assert abs(power(*at, found + v, v, state.t)) > 1e-3


def test_a_run_stops_where_maggis_speeds_cease_to_serve(sleigh):
    """At a dead centre of the chosen speeds a run ends with a sentence, or is right.

    A sleigh that turns through a right angle to x is no longer known by x'. Rows, which
    choose no speeds, pass, and so does a choice that is good there.
    """
    state = sleigh_state(sleigh, w=1.3, u=0.4, angle=0.2)
    through = ph.simulate(ph.gauss(sleigh), state, until=2.0, rtol=1e-10).final
    assert through.q[0] > np.pi / 2 + 0.2
    poor = ph.maggi(sleigh, independent=("ice.angle", "ice.u"))
    for steps in (
        {"rtol": 1e-10},
        {"rtol": 1e-7},
        {"method": ph.methods.RungeKutta4(2e-3)},
    ):
        with pytest.warns(IntegrationWarning, match="cease to determine"):
            run = ph.simulate(poor, state, until=2.0, **steps)
        assert run.outcome.code == "SING"
        assert 1.5 < run.final.q[0] < np.pi / 2
    there = sleigh_state(sleigh, w=1.3, u=0.4, angle=np.pi / 2 - 1e-3)
    with pytest.raises(ph.PolhodeError, match="cease to determine the others"):
        ph.simulate(poor, there, until=0.1)
    assert np.all(np.isfinite(poor.accelerations(there)))
