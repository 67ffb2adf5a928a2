"""The worked exercises: their equations, accelerations and reactions in closed form."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sm

import polhode as ph
from closeness import assert_close

G = 9.81


@cache
def equations(name: str, form: str = "recursive", **choices) -> ph.results.Equations:
    """A model in one form, compiled once."""
    return getattr(ph, form)(getattr(ph.models, name)(**choices))


def accelerated(t):
    """x_H with x_H'' = 2, and 0.4 m/s at t = 0."""
    return t**2 + 0.4 * t


@cache
def driven(form: str) -> ph.results.Equations:
    return getattr(ph, form)(ph.models.moving_hinge_pendulum(accelerated))


@pytest.mark.row("X-01")
@pytest.mark.parametrize(
    "form", ["lagrange", pytest.param("lagrange_first_kind", marks=pytest.mark.long)]
)
def test_the_pendulum_on_a_moving_hinge(form):
    """l th'' + g sin th + xH'' cos th = 0, T = m (l th'^2 + g cos th - xH'' sin th)."""
    m, l, th, rate = 1.1, 0.7, 0.5, 1.3
    system = driven(form).system
    start = {"track": 0.0, "hinge": th}
    state = system.state(start, speeds={"track": 0.4, "hinge": rate})
    along = np.array([np.sin(th), 0, -np.cos(th)])  # from the hinge to the bob
    bob = driven(form).body_accelerations(state)[1]
    assert_close(bob[:3], [0, 9.226185224982824, 0], rtol=1e-12)  # about -Y
    printed = -(G * np.sin(th) - 2 * np.cos(th)) / l  # with the sign of the book
    assert abs(-bob[1] - printed) > 1
    pull = driven(form).reactions(state)["hinge"].force
    assert_close(pull, -9.716557240429767 * along, rtol=1e-12)
    s = -(m / l) * (l * rate**2 + G * np.cos(th) - 2 * np.sin(th))
    assert_close(-s * l, 9.716557240429767, rtol=1e-14)
    # The driver's power less what it gives the carriage: dE/dt = -T sin th xH'.
    force = driven(form).multipliers(state)[-1] - 1.0 * 2
    assert_close(force * 0.4, -9.716557240429767 * np.sin(th) * 0.4, rtol=1e-11)


@pytest.mark.row("X-01")
def test_the_pendulum_on_a_moving_hinge_with_a_multiplier():
    """Lagrange I in Cartesian coordinates: m x'' = s (x - xH), m y'' = m g + s y."""
    m, l, th, rate = 1.1, 0.7, 0.5, 1.3
    world, bob = ph.World(), ph.Particle("bob", m)
    carriage = ph.Particle("carriage", 1.0)
    track = ph.Prismatic("track", world.origin, carriage.mass_centre, axis=ph.X)
    rod = ph.Distance(carriage.mass_centre, bob.mass_centre, l, name="rod")
    driver = ph.PrescribedMotion(track, accelerated, name="driver")
    system = ph.System([track, bob], [ph.Weight(G)], [driver, rod])
    down = np.array([np.sin(th), 0, -np.cos(th)])
    across = np.array([np.cos(th), 0, np.sin(th)])
    speeds = {"track": 0.4, "bob": [0.4, 0, 0] + l * rate * across}
    form = ph.gauss(system)
    state = system.state(track=0.0, bob=l * down, speeds=speeds)
    s = form.multipliers(state)[1] / l
    assert_close(-s * l, 9.716557240429767, rtol=1e-12)
    gravity = np.array([0, 0, -m * G])
    found = form.accelerations(state)[1:]
    assert_close(m * found, gravity + s * l * down, rtol=1e-12)
    turning = across @ (found - [2, 0, 0]) / l
    assert_close(turning, -9.226185224982824, rtol=1e-12)


def test_a_steady_push_leans_gravity():
    """At tan th = -a/g the rod rests on its hinge, and swings at sqrt(g^2 + a^2)/l."""
    form, l, a = driven("lagrange"), 0.7, 2.0
    system, lean, small = driven("lagrange").system, np.arctan(-2.0 / G), 1e-5

    def turning(th):
        state = system.state(hinge=th, speeds={"track": 0.4})
        return -form.body_accelerations(state)[1][1]

    assert_close(turning(lean), 0.0, atol=1e-13)
    slope = (turning(lean + small) - turning(lean - small)) / (2 * small)
    assert_close(-slope, np.sqrt(G**2 + a**2) / l, rtol=1e-8)


CART = {"rail": 0.2, "hinge": 0.6}
CART_SPEEDS = {"rail": -0.3, "hinge": 1.1}


@cache
def cart(form: str) -> ph.results.Equations:
    return equations("cart_pendulum", form, force=0.7, couple=0.4)


@pytest.mark.row("X-02")
def test_the_cart_reads_as_in_the_book():
    """Both equations of exercise 7.1, by Lagrange, in its own symbols."""
    reading = cart("lagrange").read({"rail": "x", "hinge": "theta"})
    mA, mB, k, l, g = sm.symbols("m_A m_B k l g", positive=True)
    F, C = (reading_symbol(reading, name) for name in "FC")
    x, th, w, a, b = sm.symbols("x theta thetadot xddot thetaddot")
    first = (mA + mB) * a + mB * l * (b * sm.cos(th) - w**2 * sm.sin(th)) + k * x - F
    second = mB * l * (a * sm.cos(th) + l * b + g * sm.sin(th)) - C
    for found, expected in zip(reading.motion, (first, second), strict=True):
        assert sm.simplify(found - expected) == 0


def reading_symbol(reading, name: str) -> sm.Symbol:
    """The symbol of this name in a reading, whatever is assumed of it."""
    symbols = set().union(*(each.free_symbols for each in reading.motion))
    return next(s for s in symbols if s.name == name)


@pytest.mark.row("C-15", "X-02", "X-03")
@pytest.mark.parametrize(
    "form", ["recursive", pytest.param("lagrange_first_kind", marks=pytest.mark.long)]
)
def test_the_cart_and_what_holds_it(form):
    """Accelerations, the push of the rail and the pull of the rod, in closed form."""
    mA, mB, l, th, rate, C = 1.3, 0.8, 0.9, 0.6, 1.1, 0.4
    system = cart(form).system
    state = system.state(CART, speeds=CART_SPEEDS)
    x_ddot, th_ddot = 2.239417780351615, -7.590953732484342
    on_cart, on_bob = cart(form).body_accelerations(state)
    assert_close(on_cart, [0, 0, 0, x_ddot, 0, 0], rtol=1e-12)
    assert_close(on_bob[:3], [0, -th_ddot, 0], rtol=1e-12)
    reactions = cart(form).reactions(state)
    y_ddot = -l * th_ddot * np.sin(th) - l * rate**2 * np.cos(th)  # y is down
    N_y = mB * y_ddot - (mA + mB) * G
    assert_close(N_y, -18.233986466234505, rtol=1e-14)
    assert_close(reactions["rail"].force, [0, 0, -N_y], rtol=1e-12)
    # The couple C comes through the cart to the rail; the rod carries C/l across.
    assert_close(reactions["rail"].torque, [0, -C, 0], rtol=1e-12)
    down = np.array([np.sin(th), 0, -np.cos(th)])
    across = np.array([np.cos(th), 0, np.sin(th)])
    T = mB * (G * np.cos(th) - x_ddot * np.sin(th) + l * rate**2)
    assert_close(T, 6.336857590241111, rtol=1e-14)
    assert_close(reactions["hinge"].force, -T * down + C / l * across, rtol=1e-12)
    assert_close(reactions["hinge"].torque, np.zeros(3), atol=1e-12)


@pytest.mark.row("X-02")
def test_the_cart_by_dynamical_equilibria():
    """x-momentum of the whole, and the moment about the cart's hinge A."""
    mA, mB, k, l, F, C = 1.3, 0.8, 5.0, 0.9, 0.7, 0.4
    system, form = cart("recursive").system, cart("recursive")
    rng = np.random.default_rng(5)
    for _ in range(5):
        x, th, v, w = rng.uniform(-1.5, 1.5, 4)
        speeds = {"rail": v, "hinge": w}
        state = system.state(rail=x, hinge=th, speeds=speeds)
        a, b = form.accelerations(state)
        bob = a * np.array([1, 0]) + l * b * np.array([np.cos(th), np.sin(th)])
        bob += l * w**2 * np.array([-np.sin(th), np.cos(th)])
        assert_close(mA * a + mB * bob[0], F - k * x, rtol=1e-12, atol=1e-12)
        arm = l * np.array([np.sin(th), -np.cos(th)])
        change = mB * (arm[0] * bob[1] - arm[1] * bob[0])
        assert_close(change, C - mB * G * arm[0], rtol=1e-12, atol=1e-12)
