"""Linear equations of motion: definite, constrained, redundant, massless."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formulation.solve import ordering
from polhode.formulation.solve.banded import band_of, factored_band
from polhode.formulation.solve.equations_of_motion import (
    STRAIGHT,
    solve_constrained,
    solve_definite,
    solve_ordered,
)
from polhode.formulation.solve.ordering import by_degree, ordered, pattern_of
from polhode.formulation.solve.sparse import below_pivots, factored_sparse, products
from polhode.models.mechanisms.four_bars import four_bars, start
from polhode.system.natural_sizes import NaturalSizes
from polhode.system.rolled import size
from strategies_system import topology


def definite(n: int, rng: np.random.Generator) -> np.ndarray:
    root = rng.normal(size=(n, n))
    return root @ root.T + np.eye(n)


PROGRAMS: dict[tuple, ph.results.Program] = {}


def run(function, *arguments):
    """As native code: one program a function and shapes, quicker made than XLA's."""
    shapes = tuple(np.shape(leaf) for leaf in jax.tree.leaves(arguments))
    if (function, shapes) not in PROGRAMS:
        PROGRAMS[function, shapes] = ph.compile(function, *arguments, backend="llvm")
    return PROGRAMS[function, shapes](*arguments)


def ones(A: np.ndarray) -> NaturalSizes:
    """Velocities and rows of natural size one."""
    return NaturalSizes(np.ones(A.shape[1]), np.ones(A.shape[0]))


@pytest.mark.parametrize("n", [1, 5, STRAIGHT, STRAIGHT + 3])
@pytest.mark.parametrize("columns", [(), (4,)])
def test_straight_code_and_loops_solve_alike(n, columns):
    """M x = b, one column or several, below and above the size where loops begin."""
    rng = np.random.default_rng(n)
    M, b = definite(n, rng), rng.normal(size=(n, *columns))
    assert_close(M @ run(solve_definite, M, b), b, rtol=1e-11)


@pytest.mark.parametrize("n", [6, STRAIGHT + 4])
def test_redundant_rows_leave_one_motion(n):
    """Rows given twice change the shares of the load and nothing else."""
    rng = np.random.default_rng(2)
    M, f = definite(n, rng), rng.normal(size=n)
    A, g = rng.normal(size=(3, n)), rng.normal(size=3)
    a, intensity = run(solve_constrained, M, f, A, g, ones(A))
    twice = np.vstack([A, A[:2]]), np.concatenate([g, g[:2]])
    a_twice, shared = run(solve_constrained, M, f, *twice, ones(twice[0]))
    assert_close(a_twice, a, rtol=1e-11)
    assert_close(twice[0].T @ shared, A.T @ intensity, rtol=1e-9)
    assert_close(A @ a, g, rtol=1e-11)
    assert_close(M @ a, f + A.T @ intensity, rtol=1e-9)


@pytest.mark.parametrize("missed", [1e-6, 1e-7, 1e-9])
def test_rows_redundant_only_where_they_are_kept_bear_nothing_beside(missed):
    """A row that repeats others but for what is missed changes a by no more than that.

    A ring that turns though it ought to be rigid is so at each stage of a step.
    """
    rng = np.random.default_rng(5)
    M, f = definite(6, rng), rng.normal(size=6)
    A, g = rng.normal(size=(3, 6)), rng.normal(size=3)
    a, _ = run(solve_constrained, M, f, A, g, ones(A))
    nearly = A[0] - A[1] + missed * rng.normal(size=6), g[0] - g[1] + missed
    more = np.vstack([A, nearly[0]]), np.append(g, nearly[1])
    beside, _ = run(solve_constrained, M, f, *more, ones(more[0]))
    assert_close(beside, a, rtol=0, atol=missed)


def test_rows_may_hold_what_has_no_mass():
    """A singular mass matrix is solved where the constraints hold the rest."""
    M, A = np.diag([2.0, 3.0, 0.0]), np.array([[0.0, 1.0, -1.0]])
    f = np.array([4.0, 6.0, 3.0])
    a, intensity = run(solve_constrained, M, f, A, np.zeros(1), ones(A))
    assert_close(a, [2.0, 3.0, 3.0], rtol=1e-12)
    assert_close(intensity, [3.0], rtol=1e-12)


def test_rows_that_are_all_rounding_hold_nothing():
    """Where every row is redundant, what is left of them is noise, and has no say."""
    M, f, A = np.diag([2.0, 3.0]), np.array([4.0, 6.0]), 1e-17 * np.ones((2, 2))
    a, _ = run(solve_constrained, M, f, A, np.full(2, 1e-16), ones(A))
    assert_close(a, [2.0, 2.0], rtol=1e-12)


@pytest.mark.parametrize("row", [1e-12, 1e12])
@pytest.mark.parametrize("speed", [1e-12, 1e12])
def test_units_of_speeds_and_rows_change_no_answer(speed, row):
    """a / c and r l are the same, one row given twice, in whatever units."""
    rng = np.random.default_rng(3)
    M, f = definite(5, rng), rng.normal(size=5)
    A, g = rng.normal(size=(3, 5)), rng.normal(size=3)
    A[2], g[2] = A[0], g[0]
    a, l = run(solve_constrained, M, f, A, g, ones(A))
    c, r = np.array([1.0, speed, 1.0, speed, 1.0]), np.array([row, 1.0, row])
    other = M / np.outer(c, c), f / c, r[:, None] * A / c, r * g
    b, n = run(solve_constrained, *other, NaturalSizes(c, r))
    assert_close(b / c, a, rtol=1e-12)
    assert_close(r * n, l, rtol=1e-7)


@pytest.mark.parametrize("name", ["four_bar", "doubled_hinge", "driven_hinge"])
def test_an_order_of_elimination_changes_no_answer(name):
    """Accelerations and A^T l are those of the dense solve, redundant rows or not."""
    system = topology(name)
    rng = np.random.default_rng(11)
    k, m = system.speeds, len(system.row_names)
    M, f = definite(k, rng), rng.normal(size=k)
    felt = pattern_of(system).rows
    A = felt * rng.normal(size=(1, k)) * rng.normal(size=(m, 1))  # of rank one
    g = A @ rng.normal(size=k)
    a, l = run(solve_constrained, M, f, A, g, ones(A))
    order = ordered(system)
    b, n = run(
        lambda *given: solve_ordered(*given, ordering=order), M, f, A, g, ones(A)
    )
    assert_close(b, a, rtol=1e-9)
    assert_close(A.T @ n, A.T @ l, rtol=1e-8)


@pytest.mark.parametrize(("n", "width"), [(9, 0), (9, 1), (23, 4), (50, 7)])
def test_bands_are_solved_in_loops(n, width):
    """K x = b for a symmetric K with pivots of both signs and a band of any width."""
    rng = np.random.default_rng(n)
    near = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= width
    K = rng.normal(size=(n, n)) * near
    K = K + K.T + np.diag(np.where(np.arange(n) % 3, 9.0, -9.0) * (width + 1))
    b = rng.normal(size=n)
    x = run(lambda K, b: factored_band(band_of(K, width))(b), K, b)
    assert_close(K @ x, b, rtol=1e-11)


def test_rows_come_after_what_they_feel_and_bands_are_narrow(monkeypatch):
    """Four-bars in a row: the band does not widen with their number."""
    monkeypatch.setattr(ordering, "PRODUCTS", 0)
    widths = []
    for loops in (10, 12):
        order = ordered(four_bars(loops))
        place = np.argsort(order.order)
        k = 2 * loops + 1
        for rows, speeds in order.blocks:
            first = place[k + np.arange(rows.start, rows.stop)].min()
            assert first > place[speeds].max()
        widths.append(order.width)
        assert order.below is None
    assert widths[0] == widths[1] < 10


def test_loops_in_a_row_cost_as_many_times_one_loop():
    """Every pair of four-bars more takes as many products more."""
    few, more, many = (products(ordered(four_bars(n)).below) for n in (10, 12, 14))
    assert many - more == more - few < few / 4


@pytest.mark.parametrize("density", [0.1, 0.4])
def test_the_factor_has_entries_where_it_is_said_to(density):
    """L of L diag(d) L^T is zero outside `below`, and full inside, for any pattern."""
    rng = np.random.default_rng(8)
    K = rng.normal(size=(12, 12)) * (rng.random((12, 12)) < density)
    K = K + K.T + 20 * np.eye(12)
    lower = np.linalg.cholesky(K)
    below = below_pivots(K != 0)
    for j, own in enumerate(below):
        assert own == tuple(j + 1 + np.flatnonzero(np.abs(lower[j + 1 :, j]) > 1e-13))
    places, b = np.arange(144).reshape(12, 12), rng.normal(size=12)
    x = run(lambda K, b: factored_sparse(K.reshape(-1), places, below)(b), K, b)
    assert_close(K @ x, b, rtol=1e-12)


def test_many_couplings_are_eliminated_along_a_band():
    """An order by degree is given up where it takes too many products."""
    assert by_degree(np.ones((60, 60), dtype=bool), 12_000) is None
    assert len(by_degree(np.ones((30, 30), dtype=bool), 12_000)) == 30


def test_leaves_are_eliminated_before_what_carries_them():
    """Two arms on one shoulder: no fill between the arms, the shoulder last."""
    coupled = np.eye(5, dtype=bool)
    for i, j in [(0, 1), (0, 2), (1, 2), (0, 3), (0, 4), (3, 4)]:
        coupled[i, j] = coupled[j, i] = True
    filled = coupled.copy()
    for i in by_degree(coupled):
        near = np.flatnonzero(filled[i])
        filled[np.ix_(near, near)] = True
        filled[i, :] = filled[:, i] = False
        assert not filled[1, 3]


@pytest.mark.parametrize(
    "most", [12_000, pytest.param(0, marks=pytest.mark.long)], ids=["entries", "band"]
)
def test_a_long_row_of_loops_moves_as_the_dense_equations_say(monkeypatch, most):
    """Straight code, and the loop over the band, give the accelerations of NumPy."""
    monkeypatch.setattr(ordering, "PRODUCTS", most)
    # The description of a program does not know that the library's constants changed.
    monkeypatch.setattr("polhode.lowering.compile.description_key", lambda *_: None)
    monkeypatch.setattr(size, "COUPLED_UNKNOWNS", 1000)
    system = four_bars(10)
    equations, state = ph.recursive(system), start(system)
    state = system.consistent(
        ph.State(
            system, 0.0, system.local(state.q, np.full(system.speeds, 0.2)), state.z
        )
    )
    core = equations.functions

    def both(*at):
        return core.accelerations(*at), core.terms(*at)

    (a, l), (M, b, f, A, g) = equations.ask("both", both, state, {})
    K = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
    expected = np.linalg.solve(K, np.concatenate([f - b, g]))
    assert_close(a, expected[: len(a)], rtol=1e-10)
    assert_close(l, expected[len(a) :], rtol=1e-10)
