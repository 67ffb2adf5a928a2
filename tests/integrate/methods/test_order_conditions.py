"""Tables of Runge-Kutta methods keep the conditions of their orders, tree by tree."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest

from commutator_free_conditions import forests, lower, missed, sought
from polhode.integrate.field.dense_output import between
from polhode.integrate.methods.lie_group.commutator_free_six import PARTS
from polhode.integrate.methods.runge_kutta import calvo, dormand_prince
from polhode.integrate.methods.tableaux import dop853 as table
from polhode.integrate.methods.tableaux.commutator_free import FIVE

Tree = tuple  # of the trees on its root, sorted


@cache
def trees(order: int) -> tuple[Tree, ...]:
    """All rooted trees with so many vertices."""
    return tuple(sorted(set(_forests(order - 1, order - 1))))


def _forests(vertices: int, largest: int):
    """Sorted tuples of trees with so many vertices together."""
    if vertices == 0:
        yield ()
        return
    for size in range(1, min(vertices, largest) + 1):
        for count in range(1, vertices // size + 1):
            for rest in _forests(vertices - size * count, size - 1):
                for chosen in combinations_with_replacement(trees(size), count):
                    yield tuple(sorted((*rest, *chosen)))


def order(tree: Tree) -> int:
    return 1 + sum(map(order, tree))


def density(tree: Tree) -> float:
    """gamma: the product of the sizes of all subtrees."""
    return float(order(tree) * np.prod([density(child) for child in tree]))


def stages(tree: Tree, A: np.ndarray) -> np.ndarray:
    """What each stage makes of a tree."""
    product = np.ones(len(A))
    for child in tree:
        product = product * (A @ stages(child, A))
    return product


def matrix(rows) -> np.ndarray:
    """The stages as a lower triangular matrix; the first slope is at the start."""
    found = np.zeros((len(rows) + 1, len(rows) + 1))
    for i, row in enumerate(rows, start=1):
        for j, weight in row.items():
            found[i, j] = weight
    return found


def column(weights, size: int) -> np.ndarray:
    found = np.zeros(size)
    for j, weight in weights.items():
        found[j] = weight
    return found


def test_there_are_as_many_trees_as_cayley_counted():
    """1, 1, 2, 4, 9, 20, 48, 115 rooted trees with 1 to 8 vertices."""
    assert [len(trees(k)) for k in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@pytest.mark.parametrize(
    ("rows", "order"),
    [(table, 8), (calvo, 7), (dormand_prince, 5)],
    ids=["8", "7", "5"],
)
def test_a_step_keeps_every_condition_of_its_order(rows, order):
    """sum b_i u_i(tree) = 1/gamma(tree) for all trees with as many vertices."""
    A = matrix(rows.STAGES)
    b = column(rows.END, len(A))
    for vertices in range(1, order + 1):
        gaps = [b @ stages(tree, A) * density(tree) - 1 for tree in trees(vertices)]
        assert np.max(np.abs(gaps)) < 1e-12


@pytest.mark.parametrize(
    ("weights", "kept"), [(table.ERROR_5, 5), (table.ERROR_3, 3)], ids=["5", "3"]
)
def test_estimates_vanish_to_their_order_and_not_beyond(weights, kept):
    """The embedded formulas are of orders 5 and 3: estimates see the next order."""
    A = matrix(table.STAGES)
    e = column(weights, len(A))
    low = [e @ stages(tree, A) for k in range(1, kept + 1) for tree in trees(k)]
    high = [e @ stages(tree, A) for tree in trees(kept + 1)]
    assert np.max(np.abs(low)) < 1e-13
    assert np.max(np.abs(high)) > 1e-6


def test_nodes_are_the_sums_of_their_rows():
    """c_i = sum a_ij, for the stages of dense output too."""
    rows = [*table.STAGES, *table.STAGES_BETWEEN]
    nodes = [*table.NODES, *table.NODES_BETWEEN]
    sums = [sum(row.values()) for row in rows]
    assert np.max(np.abs(np.subtract(sums, nodes))) < 1e-13


def test_the_estimate_for_oscillations_is_of_order_five():
    """The embedded formula fails at the next order: an error falls as h^6."""
    A = matrix(calvo.STAGES)
    e = column(calvo.ERROR, len(A))
    low = [e @ stages(tree, A) for k in range(1, 6) for tree in trees(k)]
    high = [e @ stages(tree, A) for tree in trees(6)]
    assert np.max(np.abs(low)) < 1e-13
    assert np.max(np.abs(high)) > 1e-6
    sums = [sum(row.values()) for row in calvo.STAGES]
    assert np.max(np.abs(np.subtract(sums, calvo.NODES))) < 1e-13


def growth(table) -> np.poly1d:
    """R(z) = 1 + z b^T (1 + z A + ...) 1: what a step makes of x_dot = lambda x."""
    A = matrix(table.STAGES)
    b, ones = column(table.END, len(A)), np.ones(len(A))
    terms = [b @ np.linalg.matrix_power(A, k) @ ones for k in range(len(A))]
    return np.poly1d([*terms[::-1], 1.0])


def test_the_phase_for_oscillations_is_late_by_the_eleventh_power():
    """Of an oscillation by nu in a step; order eight for all gives powers 9 and 10."""
    nu = np.array([0.4, 0.8])

    def powers(table) -> tuple[float, float]:
        found = growth(table)(1j * nu)
        late, small = np.angle(found) - nu, np.abs(found) - 1
        return tuple(np.log2(np.abs(miss[1] / miss[0])) for miss in (late, small))

    assert powers(calvo) == pytest.approx((11, 10), abs=0.4)
    assert powers(table) == pytest.approx((9, 10), abs=0.4)


def test_it_is_stable_as_far_as_it_says():
    """|R| <= 1 on the negative axis up to the limit, and not much beyond."""
    within, beyond = -np.linspace(0, calvo.STABLE, 500), -1.1 * calvo.STABLE
    assert np.max(np.abs(growth(calvo)(within))) <= 1 + 1e-12
    assert abs(growth(calvo)(beyond)) > 1


def test_its_dense_output_keeps_the_conditions_of_order_five():
    """At every share of the step, for all trees with up to five vertices."""
    A = matrix([*calvo.STAGES, calvo.END])
    size = len(A)
    b, bends = column(calvo.END, size), [column(w, size) for w in calvo.BEND]
    start, end = np.eye(size)[0], np.eye(size)[-1]
    for s in (0.1, 0.37, 0.5, 0.9):
        weights = between(s, 1.0, (0 * b, start), (b, end), bends)
        for k in range(1, 6):
            for tree in trees(k):
                gap = weights @ stages(tree, A) * density(tree) - s**k
                assert abs(gap) < 1e-12


def exponentials(rows) -> np.ndarray:
    """The rows of a commutator-free method as (exponentials, stages + 1, stages)."""
    found = np.zeros((max(map(len, rows)), len(rows) + 1, len(rows)))
    for i, row in enumerate(rows, start=1):
        for k, weights in enumerate(row):
            found[k, i, : len(weights)] = weights
    return found


def test_there_are_as_many_ordered_forests_as_catalan_counted():
    """1, 2, 5, 14, 42 ordered forests with 1 to 5 vertices."""
    assert [len(forests(k)) for k in range(1, 6)] == [1, 2, 5, 14, 42]


def test_the_exponentials_of_order_five_keep_every_condition():
    """All ordered forests with up to five vertices, and not all of those with six."""
    conditions = missed(exponentials(FIVE), 6)
    assert np.max(np.abs(conditions[:64])) < 1e-14
    assert 1e-5 < np.max(np.abs(conditions[64:])) < 1e-2


def twins() -> list:
    """The method of order 6 as rows: each exponential is of one slope alone.

    Slopes are asked by turns of the motion and of its twin, which moves first.
    """
    moves, asked = [], 1
    for kick, share, *_ in PARTS:
        moves += [(asked - 1, kick), (asked, share)]
        asked += 2
    rows = []
    for k in range(len(moves)):
        own = moves[k % 2 : k + 1 : 2]
        rows.append(tuple((0.0,) * slope + (weight,) for slope, weight in own))
    return rows


def test_a_motion_and_its_twin_keep_every_condition_of_order_six():
    """All ordered forests with up to six vertices, and not all of those with seven."""
    rows = twins()
    assert len(rows) == 18
    conditions = missed(exponentials(rows), 7)
    assert np.max(np.abs(conditions[:196])) < 1e-13
    assert 1e-6 < np.max(np.abs(conditions[196:])) < 1e-2


def test_the_conditions_tell_exponentials_that_are_exchanged():
    """The order in which a method makes its exponentials matters from order 3 on."""
    turned = [row[::-1] for row in FIVE]
    conditions = np.abs(missed(exponentials(turned), 3))
    assert np.max(conditions[:3]) < 1e-14
    assert np.max(conditions[3:]) > 1e-3


def test_the_search_finds_a_method():
    """Of three stages with two exponentials at the end one of order 3 is found."""
    found, miss = sought(lower(3, 1, 2), 3, seed=1)
    assert miss < 1e-13
    assert np.max(np.abs(missed(found, 4)[8:])) > 1e-4
