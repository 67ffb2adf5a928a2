"""Linear systems along motions: slopes of the motion's law, and how errors travel."""

from __future__ import annotations

from functools import cache

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipk

import polhode as ph
from closeness import assert_close
from polhode.analyse.linear.linear_along import errors_carried, slopes
from polhode.models.rolling.bicycle import riding

pytestmark = pytest.mark.long  # compiling takes longer than a quick suite has

STEP = 1e-3


@cache
def pendulum() -> ph.System:
    return ph.models.pendulum()


def start(system: ph.System, name: str) -> ph.State:
    """A bicycle or a disc that rolls."""
    if name == "bicycle":
        return riding(system, 4.6)
    return system.state(speeds={"free": (0, 5.0, 0, 5.0 * 0.26, 0, 0)})


def differences(equations: ph.results.Equations, state: ph.State) -> np.ndarray:
    """d(z_dot)/d(d, e) by Richardson's differences."""
    system, n = equations.system, equations.system.speeds

    def at(x):
        q = system.local(state.q, x[:n])
        return equations.accelerations(ph.State(system, 0.0, q, state.z + x[n:]))

    found = []
    for unit in np.eye(2 * n):
        one, two = ((at(h * unit) - at(-h * unit)) / (2 * h) for h in (STEP, 2 * STEP))
        found.append((4 * one - two) / 3)
    return np.transpose(found)


@pytest.mark.parametrize(
    "name", [pytest.param("bicycle", marks=pytest.mark.long), "rolling_disc"]
)
def test_slopes_are_those_of_the_motion(name):
    """Promise 19: derivatives equal differences of the nonlinear model to 1e-6."""
    system = getattr(ph.models, name)()
    state = start(system, name)
    n = system.speeds
    A, _ = slopes(state, {}, {})
    found = differences(ph.recursive(system), state)
    assert_close(A[n:], found, rtol=1e-7)
    # About the same state, few coordinates and all of them tell of one motion:
    # d = S_p p, e = S v + T p - P d, and the slopes of both sides agree.
    linear = ph.linearise(system, state)
    S_p, (S, T) = linear.reduced.shape, linear.reduced.slip
    P = errors_carried(state) - linear.turning
    X = np.block([[S_p, np.zeros_like(S)], [T - P @ S_p, S]])
    turn = np.kron(np.eye(2), linear.turning)
    assert_close((A - turn) @ X, X @ linear.matrices.A, atol=1e-8 * np.max(np.abs(A)))


def test_errors_travel_with_the_motion():
    """P x(0) is the difference of two simulated motions, to first order."""
    system = pendulum()
    method = ph.methods.DormandPrince8(rtol=1e-12)

    def end(angle, speed):
        state = system.state(hinge=angle, speeds={"hinge": speed})
        motion = ph.simulate(system, state, until=1.5, method=method)
        return motion, np.concatenate([motion.final.q, motion.final.z])

    motion, _ = end(1.0, 0.3)
    along = ph.linearise(system, about=motion)
    g_over_l = -along.A[0][1, 0] / np.cos(1.0)
    assert_close(along.A[:, 1, 0], -g_over_l * np.cos(motion.q[:, 0]), rtol=1e-12)
    h = 1e-4
    by_angle = (end(1.0 + h, 0.3)[1] - end(1.0 - h, 0.3)[1]) / (2 * h)
    by_speed = (end(1.0, 0.3 + h)[1] - end(1.0, 0.3 - h)[1]) / (2 * h)
    P = along.transition()
    assert_close(P, np.transpose([by_angle, by_speed]), rtol=1e-6)
    first, second = along.transition(0.0, 0.7), along.transition(0.7, 1.5)
    assert_close(second @ first, P, rtol=1e-7)
    assert along.states == ("hinge", "speed of hinge")
    assert "2 states" in repr(along)


@pytest.mark.long
def test_a_swing_has_multipliers_one():
    """Over a period of a pendulum both of Floquet's multipliers are 1: none grows, but
    another swing has another period."""
    system = pendulum()
    small = ph.linearise(system).modes().frequencies[0]
    period = 4 * ellipk(np.sin(0.5) ** 2) / small
    state = system.state(hinge=1.0)
    method = ph.methods.DormandPrince8(rtol=1e-12)
    motion = ph.simulate(system, state, until=period, method=method)
    along = ph.linearise(system, about=motion)
    assert_close(np.abs(along.multipliers()), [1, 1], rtol=1e-3)
    P = along.transition()
    assert_close(np.linalg.det(P), 1.0, rtol=1e-7)
    assert_close(np.trace(P), 2.0, rtol=1e-6)
    assert np.max(np.abs(P - np.eye(2))) > 0.1
    part = ph.simulate(system, state, until=0.4 * period, method=method)
    with pytest.raises(ph.PolhodeError, match="does not return to its start"):
        ph.linearise(system, about=part).multipliers()


@pytest.mark.long
@pytest.mark.parametrize(("shake", "is_held_up"), [(0.04, True), (0.015, False)])
def test_a_hinge_that_shakes_holds_a_rod_up(shake, is_held_up):
    """Kapitza: Floquet's multipliers are those of Hill's equation of the rod upright,
    2l/3 phi'' = (g + h'') phi, h = a cos W t; of size one if a W is large enough."""
    l, W = 0.6, 90.0
    cart = ph.Body("cart", ph.solids.box(mass=0.3, x=0.1, y=0.1, z=0.1))
    rod = ph.Body("rod", ph.solids.rod(mass=0.5, length=l))
    lift = ph.Prismatic("lift", ph.World().origin, cart.origin, axis=ph.Z)
    hinge = ph.Revolute("hinge", cart.origin, rod.point(0, 0, l / 2), axis=ph.Y)
    driver = ph.PrescribedMotion(lift, lambda t: shake * jnp.cos(W * t))
    system = ph.System([lift, hinge], [ph.Weight(9.81)], [driver], name="Kapitza")
    start = system.state(lift=shake, hinge=np.pi)
    method = ph.methods.DormandPrince8(rtol=1e-12)
    motion = ph.simulate(system, start, until=2 * np.pi / W, method=method)
    found = ph.linearise(system, about=motion).multipliers()

    def hill(t, x):
        lifted = 9.81 - shake * W**2 * np.cos(W * t)
        return [x[1], lifted / (2 * l / 3) * x[0]]

    span, options = (0.0, 2 * np.pi / W), {"rtol": 1e-12, "atol": 1e-14}
    columns = [solve_ivp(hill, span, x, **options).y[:, -1] for x in np.eye(2)]
    expected = np.linalg.eigvals(np.transpose(columns))
    assert_close(np.sort(np.abs(found)), np.sort(np.abs(expected)), rtol=1e-6)
    assert_close(np.sum(found).real, np.sum(expected).real, rtol=1e-6)
    assert (np.max(np.abs(found)) < 1 + 1e-6) == is_held_up
