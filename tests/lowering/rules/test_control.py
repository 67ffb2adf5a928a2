"""Loops and branches, kept and unrolled, against XLA."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import polhode as ph
from lowering_cases import check, compiled, on_xla
from lowering_cases.control import CASES
from lowering_cases.memory import CASES as IN_MEMORY
from lowering_cases.memory import swapped
from polhode.arrays import scanned

LOOPS = [case for case in (*CASES, *IN_MEMORY) if case.function is not swapped]
SCANS = [case for case in CASES if {"scan", "counters", "map"} & set(case.name.split())]


@pytest.mark.parametrize("case", LOOPS, ids=lambda case: case.name)
def test_kept_loops_give_what_xla_gives(case):
    """Loops, branches and their nests, in lanes that go different ways."""
    check(case, unroll=0)


@pytest.mark.parametrize("case", SCANS, ids=lambda case: case.name)
def test_unrolled_loops_give_what_xla_gives(case):
    """The same programs with their short scans unrolled."""
    check(case)


def test_arrays_that_change_places_are_not_wrong():
    """What cannot be done in place runs elsewhere, and says so, rather than err."""
    case = next(case for case in IN_MEMORY if case.function is swapped)
    program = ph.compile(swapped, *case.system(0))
    expected = on_xla(swapped, case.systems())
    for system, right in zip(case.systems(), expected, strict=True):
        for mine, theirs in zip(program(*system), right, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-14)
    report = program.report()
    assert report.backend == "llvm" or "changed in place" in report.reason


def test_zeros_that_a_loop_carries_cost_nothing():
    """A dense body that keeps zeros zero has the operations of a sparse one."""

    def dense(x):
        turn = lambda a, _: (a @ jnp.diag(jnp.array([1.1, 0, 0, 0])), None)  # noqa: E731
        return lax.scan(turn, jnp.zeros((4, 4)).at[0, 0].set(x), length=20)[0]

    assert compiled(dense, 1.0, unroll=0).report().operations <= 2


def test_what_does_not_change_is_computed_before_the_loop():
    """A sine of the argument is not taken in every turn."""

    def turns(x):
        return lax.fori_loop(0, 50, lambda i, a: a * jnp.sin(x) + 1.0, x)

    program = compiled(turns, 1.0, unroll=0)
    assert program.report().loops == 1
    assert program.report().operations <= 3


def nested(depth):
    """Loops within one another, whose states and turns depend on the data."""

    def turn(depth, x):
        if depth == 0:
            return jnp.sin(x)
        start = (jnp.zeros((), jnp.int64), x, jnp.zeros(()))
        return lax.while_loop(
            lambda now: now[0] < now[1].size + (now[1][0] > 0),
            lambda now: (now[0] + 1, turn(depth - 1, now[1]) * 0.9, now[2]),
            start,
        )[1]

    return lambda x: turn(depth, x)


def test_loops_within_loops_are_not_lowered_by_powers_of_two():
    """One more loop around others adds about as much work as theirs is, no factor."""
    x = np.array([0.4, -0.7])
    work = [ph.compile(nested(depth), x).report().equations for depth in (4, 5, 6)]
    assert work[2] - work[1] < 1.5 * (work[1] - work[0])


@pytest.mark.parametrize("lanes", [1, 4])
def test_a_loop_that_ends_only_where_it_is_taken_is_not_run_elsewhere(lanes):
    """However short: a branch of few operations is else computed beside the other."""

    def run(x):
        def halved(v):
            return lax.while_loop(lambda w: ~(w < 1.0), lambda w: w / 2, v)

        return lax.cond(jnp.isfinite(x), halved, lambda v: -v, x)

    program = ph.compile(run, 1.0, batched=True, lanes=lanes)
    x = np.array([5.0, np.nan, np.inf, 0.5, 3.0])
    np.testing.assert_array_equal(program(x), [0.625, np.nan, -np.inf, 0.5, 0.75])


def test_marked_loops_over_short_tables_are_as_short_as_over_long_ones():
    """Places that are computed are found in memory, not by a choice among all."""

    def sums(x, rows):
        def add(x, row):
            i, j = row
            return x.at[i].add(2.0 * x[j]), None

        # The second loop has one turn: the place it changes is known.
        x = scanned(add, x, rows)[0]
        return scanned(add, x, np.array([[1, 0]]))[0]

    def made(n):
        x, draws = np.linspace(0.0, 1.0, n), np.random.default_rng(1)
        rows = draws.integers(0, n, (n, 2))
        expected = x.copy()
        for i, j in [*rows, (1, 0)]:
            expected[i] += 2.0 * expected[j]
        program = ph.compile(lambda x: sums(x, rows), x)
        np.testing.assert_array_equal(program(x), expected)
        return program.report().operations

    assert made(20) == made(200)
