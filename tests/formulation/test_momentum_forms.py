"""Routh's procedure, Lie and Poisson's bracket, and the rate of Hamilton's function."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from moved import moved
from polhode import Z
from polhode.double import doubled
from strategies_system import topology


@pytest.fixture(scope="module")
def top():
    """A symmetric heavy top on three hinges: precession, nutation, spin."""
    light = {"mass": 1e-3, "inertia": np.diag([1e-4, 1e-4, 1e-4])}
    outer, inner = (ph.Body.from_inertia(n, **light) for n in ("outer", "inner"))
    wheel = ph.Body.from_inertia(
        "wheel", mass=1.0, inertia=np.diag([0.05, 0.05, 0.02]), centre=(0, 0, 0.3)
    )
    joints = [
        ph.Revolute("precession", ph.World().origin, outer.origin, axis=Z),
        ph.Revolute("nutation", outer.origin, inner.origin, axis=ph.X),
        ph.Revolute("spin", inner.origin, wheel.origin, axis=Z),
    ]
    return ph.System(joints, [ph.Weight(9.81)], name="top")


def spinning(top):
    """A state of the top away from its vertical."""
    speeds = {"precession": 0.4, "nutation": -0.3, "spin": 30.0}
    return top.state(precession=0.2, nutation=0.8, spin=-0.5, speeds=speeds)


def test_cyclic_coordinates_of_the_top(top):
    """A symmetric top's Lagrangian holds its nutation only; a pendulum's all."""
    assert ph.questions.cyclic_coordinates(top) == ("precession", "spin")
    assert ph.questions.cyclic_coordinates(topology("pendulum")) == ()
    assert ph.questions.cyclic_coordinates(topology("spherical_pendulum")) == ()


def test_routh_reduces_and_recovers(top):
    """One equation of nutation with constant momenta; the ignored motion comes back.

    Same accelerations and same motion as Gauss's; p_dot = 0 to rounding.
    """
    routh, gauss = ph.routh(top), ph.gauss(top)
    assert routh.velocity_names == ("nutation", "p(precession)", "p(spin)")
    state = spinning(top)
    expected = gauss.body_accelerations(state)
    assert_close(routh.body_accelerations(state), expected, rtol=1e-11)
    assert_close(routh.accelerations(state)[1:], np.zeros(2), atol=1e-12)
    M = gauss.mass_matrix(state)
    p = M @ state.z
    assert_close(routh.velocities(state)[1:], p[[0, 2]], rtol=1e-12)
    # The reduced inertia is a Schur complement.
    c = np.ix_([0, 2], [0, 2])
    reduced = M[1, 1] - M[1, [0, 2]] @ np.linalg.solve(M[c], M[[0, 2], 1])
    assert_close(routh.mass_matrix(state)[0, 0], reduced, rtol=1e-12)
    last = [moved(form, state, 0.5, 500) for form in (routh, gauss)]
    assert_close(last[0].q, last[1].q, rtol=1e-8)


@pytest.mark.long
def test_routh_with_a_force_along_what_is_ignored():
    """What acts along a cyclic coordinate changes its momentum by just that."""
    world, cart = ph.World(), ph.Body("cart", ph.solids.box(mass=2.0, x=1, y=1, z=1))
    rod = ph.Body("rod", ph.solids.rod(mass=0.7, length=1.0, along=Z))
    track = ph.Prismatic("track", world.origin, cart.origin, axis=ph.X)
    pivot = ph.Revolute("pivot", cart.origin, rod.point(0, 0, 0.5), axis=ph.Y)
    drag = ph.Damper(track, 0.8)
    system = ph.System([track, pivot], [ph.Weight(9.81), drag], name="cart")
    routh = ph.routh(system)
    state = system.state(pivot=0.6, speeds={"track": 1.5, "pivot": -2.0})
    assert_close(routh.accelerations(state)[1], -0.8 * 1.5, rtol=1e-12)
    expected = ph.gauss(system).body_accelerations(state)
    assert_close(routh.body_accelerations(state), expected, rtol=1e-12)


def test_routh_says_why_not():
    """Without a cyclic coordinate the procedure has nothing to ignore, and says so."""
    with pytest.raises(ph.PolhodeError, match="it has no cyclic coordinate") as refusal:
        ph.routh(topology("pendulum"))
    assert "Use ph.lagrange or ph.hamilton" in str(refusal.value)


@pytest.fixture(scope="module")
def rotor():
    """A body of three moments that turns about its mass centre, pushed by a couple."""
    return turning()


def turning(couple=None):
    """A body on a ball joint at its mass centre."""
    body = ph.Body.from_inertia("body", mass=1.0, inertia=np.diag([0.2, 0.35, 0.5]))
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    acts = (
        [ph.AppliedCouple(body.frame, ph.theory.Vector(couple, body.frame))]
        if couple
        else []
    )
    return ph.System([ball], acts, name="rotor")


@pytest.mark.row("H-08")
def test_the_angular_momentum_of_the_body_is_the_state(rotor):
    """h' = h x w + torque along the body's axes, with h = I w as velocity y."""
    torque = (0.3, -0.1, 0.2)
    I = np.diag([0.2, 0.35, 0.5])
    for system, t in ((rotor, np.zeros(3)), (turning(torque), np.array(torque))):
        form = ph.lie_poisson(system)
        for w in np.random.default_rng(3).normal(size=(20, 3)):
            state = ph.State(system, 0.0, [1.0, 0, 0, 0], w)
            h = form.velocities(state)
            assert_close(h, I @ w, rtol=1e-13)
            expected = np.cross(h, w) + t
            assert_close(form.accelerations(state), expected, rtol=1e-12)


@pytest.mark.row("H-08")
def test_the_casimir_stays(rotor):
    """|h| and the energy are kept along a free rotation, while h itself turns."""
    form = ph.lie_poisson(rotor)
    state = ph.State(rotor, 0.0, [1.0, 0, 0, 0], [0.1, 2.0, 0.3])
    last = moved(form, state, 10.0, 2000)
    first, then = (form.velocities(s) for s in (state, last))
    assert_close(then @ then, first @ first, rtol=1e-8)
    assert_close(form.kinetic_energy(last), form.kinetic_energy(state), rtol=1e-8)
    assert np.linalg.norm(then - first) > 0.1


def test_lie_poisson_says_why_not():
    """Where all speeds are rates of coordinates the bracket is the canonical one."""
    with pytest.raises(ph.PolhodeError, match="says nothing new of 'pendulum'"):
        ph.lie_poisson(topology("pendulum"))


def moving_hinge(drag=0.0):
    """A pendulum whose hinge is driven: x_H = 0.3 sin 2t, and a damper on the hinge."""
    world = ph.World()
    cart = ph.Body("cart", ph.solids.box(mass=0.5, x=0.1, y=0.1, z=0.1))
    bob = ph.Body.from_inertia(
        "bob", mass=1.2, inertia=np.zeros((3, 3)), centre=(0, 0, -0.8)
    )
    track = ph.Prismatic("track", world.origin, cart.origin, axis=ph.X)
    hinge = ph.Revolute("hinge", cart.origin, bob.origin, axis=ph.Y)
    driver = ph.PrescribedMotion(track, lambda t: 0.3 * jnp.sin(2 * t), name="driver")
    acts = [ph.Weight(9.81), ph.Damper(hinge, drag)]
    return ph.System([track, hinge], acts, [driver], name="moving hinge")


def driven(system, t, angle, rate):
    """A state that the driver allows."""
    place, speed = 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t)
    return ph.State(system, t, [place, angle], [speed, rate])


@pytest.mark.row("H-05")
def test_hamiltons_function_is_not_the_energy_of_a_moving_hinge():
    """H = E - B q_dot - 2 C with the driver among the coordinates; H = E without.

    T = A th'^2/2 + B th' + C: A = m l^2, B = -m l cos(th) x', C = (m + M) x'^2/2.
    """
    system, m, M, l = moving_hinge(), 1.2, 0.5, 0.8
    moving, fixed = ph.maggi(system), ph.hamilton(system)
    assert moving.velocity_names == ("hinge",)
    rng = np.random.default_rng(2)
    for _ in range(20):
        t, angle, rate = rng.normal(size=3)
        state = driven(system, t, angle, rate)
        x_dot = state.z[0]
        ledger = ph.theory.hamiltonian_ledger(moving, state)
        B, C = -m * l * np.cos(angle) * x_dot, (m + M) * x_dot**2 / 2
        T = m * l**2 * rate**2 / 2 + B * rate + C
        energy = T - m * 9.81 * l * np.cos(angle)
        assert_close(ledger.energy, energy, rtol=1e-12)
        H = energy - B * rate - 2 * C
        assert_close(ledger.hamiltonian, H, rtol=1e-11, atol=1e-12)
        whole = ph.theory.hamiltonian_ledger(fixed, state)
        assert_close(whole.hamiltonian, whole.energy, rtol=1e-12)


@pytest.mark.row("H-06")
@pytest.mark.parametrize(
    "form", [ph.maggi, ph.gauss, pytest.param(ph.hamilton, marks=pytest.mark.long)]
)
def test_the_entries_of_the_rate_of_hamiltons_function(form):
    """dH/dt = -dL/dt + q_dot Q along the motion, driver inside H or outside it."""
    system = moving_hinge(drag=0.4)
    equations = form(system)
    core = equations.functions
    state = driven(system, 0.4, 0.7, -1.3)
    ledger = ph.theory.hamiltonian_ledger(equations, state)
    later = doubled(lambda t, q, z: slopes(core, t, q, z))
    q_dot, y, y_dot = later(state.t, state.q, state.z)

    def H(h):
        z = speeds(state.t + h, state.q + h * q_dot, y + h * y_dot)
        at = ph.State(system, state.t + h, state.q + h * q_dot, np.asarray(z))
        return equations.hamiltonian(at)

    speeds = doubled(lambda t, q, y: core.speeds(t, q, y, {}))
    h = 1e-4
    rate = (8 * (H(h) - H(-h)) - H(2 * h) + H(-2 * h)) / (12 * h)
    assert_close(ledger.rate, rate, rtol=1e-8)
    assert abs(ledger.actions) > 0.1
    if form is ph.maggi:
        assert_close(ledger.actions, -0.4 * 1.3**2, rtol=1e-12)
        assert abs(ledger.explicit) > 0.1
        assert ledger.constraints == 0.0
    else:
        assert abs(ledger.constraints) > 0.1


def slopes(core, t, q, z):
    """q_dot, y and y_dot at a state."""
    y = core.start(t, q, z, {})
    return core.rates(t, q, y, {}), y, core.accelerations(t, q, y, {})[0]
