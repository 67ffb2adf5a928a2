"""Functions asked a few times are evaluated by NumPy, operation by operation."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from polhode.double import doubled
from polhode.fingerprint import fingerprint
from polhode.lowering.evaluation import evaluation
from polhode.lowering.evaluation.plan import Plan
from polhode.lowering.trace.trace import closed_jaxpr


@pytest.fixture
def compilations(monkeypatch) -> list[str]:
    """Functions that XLA is asked for."""
    asked: list[str] = []
    by_xla = evaluation._by_xla

    def noted(flat):
        asked.append(flat)
        return by_xla(flat)

    monkeypatch.setattr(evaluation, "_by_xla", noted)
    return asked


def plan_of(function, *examples) -> Plan:
    return Plan(closed_jaxpr(function, *examples)[0])


def test_nothing_is_compiled(compilations):
    """A function with branches, loops and factors is asked without XLA."""

    def asked(x):
        solved = jnp.linalg.solve(jnp.outer(x, x) + jnp.eye(3), x)
        summed = lax.fori_loop(0, 5, lambda k, s: s + solved[k % 3], 0.0)
        return lax.cond(summed > 0, jnp.sin, jnp.cos, summed)

    x = np.array([0.3, -0.2, 0.9])
    total = np.linalg.solve(np.outer(x, x) + np.eye(3), x)[[0, 1, 2, 0, 1]].sum()
    expected = np.sin(total) if total > 0 else np.cos(total)
    assert float(doubled(asked)(x)) == pytest.approx(float(expected), rel=1e-14)
    assert not compilations


def test_long_functions_and_unknown_words_go_to_xla(compilations, monkeypatch):
    """The trace alone decides, so that a question has the same bits each time."""

    def chaotic(x):
        return lax.fori_loop(0, 20, lambda _, y: 3.9 * y * (1 - y), x)

    short = doubled(chaotic)(0.4)
    assert not compilations
    monkeypatch.setattr(evaluation, "MOST", 10)
    long = doubled(lambda x: chaotic(x))(0.4)
    assert len(compilations) == 1
    assert float(long) == pytest.approx(float(short), rel=1e-9)
    monkeypatch.undo()
    drawn = doubled(lambda x: x * jax.random.uniform(jax.random.key(3)))
    assert 0 < float(drawn(1.0)) < 1


def test_a_loop_counts_its_turns():
    """What a plan costs is its number of NumPy's calls."""

    def looped(n):
        return lambda x: lax.fori_loop(0, n, lambda _, y: jnp.sin(y) + y, x)

    costs = [plan_of(looped(n), 0.0).cost for n in (10, 1000)]
    assert 90 < costs[1] / costs[0] < 110


def test_results_belong_to_the_caller():
    """Neither arguments nor constants change with what is given back."""
    held = np.arange(3.0)
    ask = doubled(lambda x: (x, jnp.asarray(held), jnp.broadcast_to(x[0], (2,))))
    x = np.ones(3)
    for _ in range(2):
        for each in ask(x):
            assert each[0] in (0.0, 1.0)
            each[0] = 7.0
    assert (x[0], held[0]) == (1.0, 0.0)


def test_values_are_let_go():
    """A long row of operations holds few arrays at a time; unread ones are not made."""

    def row(x):
        unread = jnp.exp(x)
        for _ in range(50):
            x = jnp.sin(x) * 2.0
        return x, unread.shape[0]

    plan = plan_of(row, np.zeros(4))
    assert len(plan.steps) == 100
    constants = sum(each is not None for each in plan.start)
    assert len(plan.start) - constants <= 3


def test_rows_of_a_loop_end_each_by_its_own():
    """Under `vmap`, a row whose condition no longer holds stays as it is."""

    def halvings(x):
        return lax.while_loop(
            lambda c: c[0] > 1, lambda c: (c[0] / 2, c[1] + 1), (x, 0)
        )

    x = np.array([0.5, 3.0, 100.0, 1024.0])
    left, turns = doubled(jax.vmap(halvings))(x)
    np.testing.assert_array_equal(turns, [0, 2, 7, 10])
    np.testing.assert_array_equal(left, x / 2.0**turns)


def test_programs_are_found_by_the_function_alone():
    """What was asked does not change a law's fingerprint; its numbers do."""

    def law_of(number):
        law = doubled(lambda x: number * x)
        return law, lambda x: law(x) + 1

    law, user = law_of(2.0)
    before = fingerprint(user)
    law(3.0)
    assert fingerprint(user) == before == fingerprint(law_of(2.0)[1])
    assert fingerprint(law_of(2.5)[1]) != before
