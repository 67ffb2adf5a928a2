"""Exercise 7.4: a pendulum on its head, fallen, sprung, shaken and held."""

from __future__ import annotations

from functools import cache

import jax
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.models.pendulums.inverted_pendulum import GAINS, balancing_force

M, m, L, G = 1.0, 0.3, 0.5, 9.81


@cache
def cart() -> ph.results.Equations:
    return ph.recursive(ph.models.inverted_pendulum())


def slope(form: ph.results.Equations, q: list[float], table: dict) -> np.ndarray:
    """d z_dot / d (q, z) at rest at q, by JAX."""

    n = len(q)

    def accelerations(x, table):
        return form.functions.accelerations(0.0, x[:n], x[n:], table)[0]

    x = np.array([*q, *np.zeros(n)])
    key = ("slope", form.name)
    if key not in form.programs:
        form.programs[key] = ph.compile(jax.jacfwd(accelerations), x, table)
    return form.programs[key](x, table)


@pytest.mark.row("X-14")
def test_the_cart_pole_obeys_its_equations():
    """(M + m) x'' + m l th'' cos th - m l th'^2 sin th = F, and that of the rod."""
    system, rng = cart().system, np.random.default_rng(3)
    for _ in range(6):
        th, v, w, F = rng.uniform(-2, 2, 4)
        state = system.state(hinge=th, speeds={"rail": v, "hinge": w})
        a, b = cart().accelerations(state, {"F": F})
        along = (M + m) * a + m * L * (b * np.cos(th) - w**2 * np.sin(th)) - F
        turning = m * L * (a * np.cos(th) + L * b - G * np.sin(th))
        assert_close([along, turning], np.zeros(2), atol=1e-12)


@pytest.mark.row("X-14")
def test_the_rod_falls_at_its_own_rate():
    """Upright on a free cart a lean grows by exp(s t), s^2 = (M + m) g/(M l)."""
    A = slope(cart(), [0.0, 0.0], {})
    assert_close(A[1, 1], (M + m) * G / (M * L), rtol=1e-12)
    assert_close(A[0, 1], -m * G / M, rtol=1e-12)
    growth = np.max(np.linalg.eigvals(closed(A)).real)
    assert_close(growth, np.sqrt((M + m) * G / (M * L)), rtol=1e-12)


def closed(A: np.ndarray) -> np.ndarray:
    """[[0, 1], [A]]: the matrix of d/dt (q, z)."""
    n = len(A)
    return np.block([[np.zeros((n, n)), np.eye(n)], [A]])


@pytest.mark.row("X-14")
def test_feedback_brings_the_rod_upright():
    """F = K (x, th, x', th') at 100 Hz: eigenvalues go left, the rod comes up."""
    system = cart().system
    A = closed(slope(cart(), [0.0, 0.0], {}))
    B = np.array([0, 0, 1 / M, -1 / (M * L)])
    assert np.max(np.linalg.eigvals(A + np.outer(B, GAINS)).real) < -0.3
    step = ph.stepper(cart(), dt=0.01, inputs=["F"])
    state = system.state(rail=0.5, hinge=0.4)
    first = step(state, {"F": balancing_force(state)})
    assert first.speed("rail") > 0  # away from where it should be
    for _ in range(2000):
        state = step(state, {"F": float(balancing_force(state))})
    assert abs(state["rail"]) + abs(state["hinge"]) < 1e-3
    fallen = system.state(rail=0.5, hinge=0.4)
    for _ in range(100):
        fallen = step(fallen, {"F": 0.0})
    assert fallen["hinge"] > 2


@pytest.mark.row("X-14")
def test_a_stiff_spring_holds_the_rod():
    """Stable iff k > m g l; below, a pitchfork: it leans where k th = m g l sin th."""
    form = ph.recursive(ph.models.sprung_pendulum())
    load = m * G * L
    for k in (0.9 * load, 1.1 * load):
        (A,) = slope(form, [0.0], {"k": k})
        assert_close(A[0], (load - k) / (m * L**2), rtol=1e-12)
        assert (A[0] < 0) == (k > load)
    lean = 0.7
    k = load * np.sin(lean) / lean
    for side in (lean, -lean):
        (A,) = slope(form, [side], {"k": k})
        assert A[0] < 0  # the leaning rod is held, the upright one is not
        state = form.system.state(hinge=side)
        assert_close(form.accelerations(state, {"k": k}), [0.0], atol=1e-13)
    assert slope(form, [0.0], {"k": k})[0][0] > 0


@pytest.mark.row("X-14")
def test_a_shaken_hinge_is_a_changing_gravity():
    """l th'' = (g + z_H'') sin th"""
    system = ph.models.shaken_pendulum()
    form = ph.recursive(system)
    t, rate, size = 0.013, 300.0, 0.02
    lift = size * np.sin(rate * t), size * rate * np.cos(rate * t)
    speeds = {"lift": lift[1], "hinge": -0.3}
    state = system.state(lift=lift[0], hinge=0.4, speeds=speeds, t=t)
    felt = G - size * rate**2 * np.sin(rate * t)
    found = form.accelerations(state)
    assert_close(found[1], felt * np.sin(0.4) / L, rtol=1e-12)


@pytest.mark.long
@pytest.mark.row("X-14")
def test_only_a_fast_shake_holds_the_rod():
    """Kapitza: it stays up for seconds if (a w)^2 > 2 g l, and falls if not."""
    system = ph.models.shaken_pendulum()
    assert 2 * G * L < (0.02 * 300) ** 2
    weak = ph.models.shaken_pendulum(amplitude=0.02, rate=100.0)
    assert 2 * G * L > (0.02 * 100) ** 2
    for model, stays in ((system, True), (weak, False)):
        rate = 300.0 if stays else 100.0
        start = model.state(hinge=0.1, speeds={"lift": 0.02 * rate})
        motion = ph.simulate(model, start, until=2.0, rtol=1e-6)
        furthest = np.max(np.abs(motion.q[:, 1]))
        assert furthest < 0.4 if stays else furthest > 2
