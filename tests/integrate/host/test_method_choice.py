"""What is stiff: an implicit method for it, and explicit ones that notice it."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import polhode as ph
from held import dragged
from moving import point_pendulum
from polhode.errors import IntegrationWarning
from polhode.formulation.gauss import gauss
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.methods.implicit.lu import (
    eliminated_pair,
    lu_solver,
    solve_held,
)
from polhode.system.natural_sizes import NaturalSizes


@pytest.mark.parametrize("n", [1, 3, 7, 10])
def test_elimination_solves_any_regular_equations(n):
    """A x = b for matrices that need pivots, alone and side by side."""
    rng = np.random.default_rng(n)
    A, b = rng.normal(size=(9, n, n)), rng.normal(size=(9, n, 2))
    if n > 1:
        A[:, 0, 0] = 0.0
        A[::2, 1, 1] = 0.0
    solve = ph.compile(lambda A, b: lu_solver(A)(b), A[0], b[0], batched=True)
    size = np.linalg.cond(A).max()
    assert np.allclose(A @ solve(A, b), b, rtol=0, atol=1e-14 * size)
    assert np.array_equal(solve(A[0], b[0]), solve(A, b)[0])


@pytest.mark.parametrize("n", [3, 6])
def test_a_pair_of_complex_roots_is_one_complex_elimination(n):
    """(P + i s)(u + i v) = b + i c, where P needs pivots and is large or small."""
    rng = np.random.default_rng(n)
    P, s = rng.normal(size=(5, n, n)), rng.normal(size=5)
    P[:, 0, 0] = 0.0
    P, s = np.concatenate([P, 1e160 * P, 1e-160 * P]), np.concatenate([s, s, s])
    s[5:] *= np.repeat([1e160, 1e-160], 5)
    b, c = rng.normal(size=(2, len(P), n))
    own = (P[0], s[0], b[0], c[0])
    solve = ph.compile(lambda P, *on: eliminated_pair(P, on[0])(*on[1:]), *own,
                       batched=True)  # fmt: skip
    u, v = solve(P, s, b, c)
    true = np.linalg.solve(
        P + 1j * s[:, None, None] * np.eye(n), (b + 1j * c)[..., None]
    )
    size = np.abs(true).max(axis=(1, 2))
    missed = np.abs(u + 1j * v - true[..., 0]).max(axis=1)
    assert np.all(
        missed <= 1e-14 * size * np.linalg.cond(P + 1j * s[:, None, None]).max()
    )
    assert np.array_equal(solve(*own), (u[0], v[0]))


def test_rows_may_be_redundant_in_implicit_steps():
    """K x = r + B^T l, A x = g with a row given twice and K not symmetric."""
    rng = np.random.default_rng(0)
    K = np.eye(4) + 0.3 * rng.normal(size=(4, 4))
    A = rng.normal(size=(3, 4))
    A[2] = A[1]
    B, r, g = A + 0.01 * np.eye(3, 4)[[0, 1, 1]], rng.normal(size=4), np.ones(3)
    natural = NaturalSizes(np.ones(4), np.ones(3))

    def held(K, r, A, B, g):
        return solve_held(K, r, A, B, g=g, natural=natural)

    solve = ph.compile(held, K, r, A, B, g)
    for sign in (1, -1):
        x, loads = solve(sign * K, r, A, B, g)
        assert np.allclose(sign * K @ x, r + B.T @ loads, rtol=0, atol=1e-10)
        assert np.allclose(A @ x, g, rtol=0, atol=1e-10)


def exact_angle(t):
    """The pendulum of 1 m released from the horizontal, by elliptic functions."""
    sn = ellipj(ellipk(0.5) - np.sqrt(9.81) * np.asarray(t), 0.5)[0]
    return 2 * np.arcsin(np.sqrt(0.5) * sn)


def one_step(system):
    """(x, h, count) -> x, the estimate of the last step, whether all were solved."""
    equations, way = gauss(system), ph.methods.RadauIIA()

    def walk(x, h, count):
        field = field_of(equations, {})

        def step(k, state):
            x, _, good = state
            one = way.attempt(field, k * h, x, field.x_dot(k * h, x), h)
            return one.x, one.error[0], good & one.is_solved

        start = (x, 0.0 * x, x[0] == x[0])
        return jax.lax.fori_loop(0, count, step, start)

    return ph.compile(walk, np.zeros(2), 0.1, np.int64(1))


def test_the_order_of_radau_is_five():
    """Halving the step divides the error by 32, down to rounding."""
    walk, points = one_step(point_pendulum()), []
    for count in (40, 80, 160, 320, 640):
        x, _, is_solved = walk(np.array([np.pi / 2, 0.0]), 2.0 / count, count)
        assert is_solved
        error = abs(x[0] - exact_angle(2.0))
        if error > 1e3 * np.finfo(float).eps:
            points.append((np.log(2.0 / count), np.log(error)))
    assert len(points) >= 4
    assert abs(np.polyfit(*np.array(points).T, 1)[0] - 5) < 0.2


def test_the_estimate_is_near_the_error_of_the_embedded_formula():
    """x + estimate is the formula of order 3; its true error is what is estimated."""
    walk, rng, ratios = one_step(point_pendulum()), np.random.default_rng(2), []
    for _ in range(60):
        x = rng.normal(size=2)
        fifth, error, _ = walk(x, 0.02, 1)
        truth, _, _ = walk(x, 0.001, 20)
        miss = np.linalg.norm(fifth + error - truth)
        ratios.append(np.linalg.norm(error) / miss)
    assert np.mean([0.1 < ratio < 10 for ratio in ratios]) >= 0.95


def test_what_decays_at_once_is_gone_at_once():
    """L-stable: of a speed that is stopped in 10 us, a step of 1 s leaves nothing."""
    walk = one_step(dragged())
    x, _, is_solved = walk(np.array([0.0, 1.0]), 1.0, 1)
    assert is_solved
    assert abs(x[1]) < 1e-4
    assert abs(x[0] - 1e-5) < 1e-6


def creep(t):
    """q of the dragged block: q'' + 1e5 q' + q = 0 from q = 1 at rest."""
    fast, slow = np.roots([1.0, 1e5, 1.0])
    return (fast * np.exp(slow * t) - slow * np.exp(fast * t)) / (fast - slow)


def test_stiff_motion_takes_few_steps_and_keeps_its_tolerance():
    """Creeping for 1e5 s under a damper of 10 us: fewer than 300 steps."""
    for rtol in (1e-5, 1e-8):
        motion = ph.simulate(
            dragged(),
            dragged().state(rail=1.0),
            until=1e5,
            method=ph.methods.RadauIIA(rtol=rtol),
        )
        assert motion.outcome.accepted < 300
        assert abs(motion.final.q[0] - creep(1e5)) < 10 * rtol
        assert "Radau IIA 5" in motion.note


@pytest.mark.parametrize("kind", [ph.methods.DormandPrince, ph.methods.DormandPrince8])
def test_an_explicit_method_notices_what_is_stiff(kind):
    """Steps held by stability are counted; the limit stops it; the outcome says why."""
    start, method = dragged().state(rail=1.0), kind(rtol=1e-6)
    with pytest.warns(IntegrationWarning, match="It is stiff: stability, not accuracy"):
        motion = ph.simulate(dragged(), start, until=100.0, method=method, limit=2000)
    assert motion.outcome.code == "INTEG"
    assert "method=ph.methods.RadauIIA()" in motion.outcome.sentence
    assert 0 < motion.t[-1] < 1.0
    done = ph.simulate(dragged(), start, until=0.01, method=method)
    assert done.outcome.is_complete
    assert "It is stiff" in done.outcome.sentence


def test_a_run_that_begins_stiff_is_given_an_implicit_method():
    """Picked by what decays at the start, said in the note, and few steps taken."""
    start = dragged().state(rail=1.0)
    motion = ph.simulate(dragged(), start, until=1e5)
    assert motion.note.startswith(
        "Radau IIA 5 (picked: something decays in 1e-05 s, 1e+10 times as quick as the"
    )
    assert motion.method == ph.methods.RadauIIA()
    assert motion.outcome.accepted < 300
    assert abs(motion.final.q[0] - creep(1e5)) < 1e-7
    asked = ph.simulate(dragged(), start, until=1e5, rtol=1e-5)
    assert asked.method == ph.methods.RadauIIA(rtol=1e-5)


def test_a_sweep_picks_as_its_first_run_does():
    """Many runs by the method of the first, with the bits of each alone."""
    starts = [dragged().state(rail=place) for place in (1.0, 0.5)]
    found = ph.sweep(dragged(), starts, until=1e5)
    for k, start in enumerate(starts):
        alone = ph.simulate(dragged(), start, until=1e5)
        assert np.array_equal(found.final_q[k], alone.final.q)
        assert found.accepted[k] == alone.outcome.accepted


def test_what_decays_slowly_or_seldom_is_not_stiff():
    """A short run, and a damper no quicker than the swing, keep the explicit method."""
    brief = ph.simulate(dragged(), dragged().state(rail=1.0), until=0.01)
    assert brief.note == "Dormand-Prince 5(4) (picked)"
    world, bar = ph.World(), ph.Body("bar", ph.solids.rod(mass=1, length=1, along=ph.X))
    hinge = ph.Revolute("hinge", world.origin, bar.point(-0.5, 0, 0), axis=ph.Y)
    for damping in (0.01, 30.0):
        acting = [ph.Weight(9.81), ph.JointDamper(hinge, damping)]
        swing = ph.System([hinge], acting)
        motion = ph.simulate(swing, swing.rest(), until=20.0, rtol=1e-4)
        assert motion.note == "Dormand-Prince 5(4) (picked)"


def test_a_motion_that_is_not_stiff_is_not_called_so():
    """A pendulum's steps are held by accuracy, at any tolerance."""
    system = point_pendulum()
    for rtol in (1e-3, 1e-6, 1e-11):
        motion = ph.simulate(system, system.state(hinge=2.0), until=30.0, rtol=rtol)
        assert "stiff" not in motion.outcome.sentence


def test_the_run_says_what_was_picked():
    """Without a method: which, and how constraints are kept; with one: just it."""
    system = point_pendulum()
    picked = ph.simulate(system, system.state(hinge=0.1), until=0.1)
    assert picked.note == "Dormand-Prince 5(4) (picked)"
    given = ph.simulate(
        system,
        system.state(hinge=0.1),
        until=0.1,
        method=ph.methods.RungeKutta4(step=0.05),
    )
    assert given.note == "Runge-Kutta 4"
