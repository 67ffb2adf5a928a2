"""Repeated calls give what the program gives, in arrays of their own."""

from __future__ import annotations

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import ArgumentError
from polhode.lowering.repeated_call import RepeatedCall


def pair(q, z):
    return {"sum": q + jnp.sin(z), "product": (q * z).sum()}


def test_the_bits_are_those_of_the_program():
    """Trees, scalars and arrays; lists and other layouts of arguments, too."""
    q, z = np.linspace(0, 1, 6)[::2], np.array([0.3, -0.2, 7.0])
    program = ph.compile(pair, np.zeros(3), np.zeros(3))
    call, expected = RepeatedCall(program), program(q, z)
    for given in ((q, z), (q.tolist(), z), (q, z.astype(np.float64))):
        found = call(*given)
        assert set(found) == {"sum", "product"}
        for word, value in expected.items():
            np.testing.assert_array_equal(found[word], value)


def test_an_answer_is_not_overwritten_by_the_next():
    """Results are new arrays, and arguments are copied."""
    call = RepeatedCall(ph.compile(lambda q: 2.0 * q, np.zeros(2)))
    q = np.array([1.0, 2.0])
    first = call(q)
    q[:] = 5.0
    second = call(q)
    assert first.tolist() == [2.0, 4.0]
    assert second.tolist() == [10.0, 10.0]


def test_a_tree_of_one_array_stays_a_tree():
    """(x,) is not x."""
    (found,) = RepeatedCall(ph.compile(lambda q: (q + 1.0,), np.zeros(2)))(np.ones(2))
    assert found.tolist() == [2.0, 2.0]


def test_threads_take_turns():
    """Eight threads, each its own answer."""
    call, wrong = RepeatedCall(ph.compile(lambda q: q * q, np.zeros(3))), []

    def ask(k):
        for _ in range(200):
            if call(np.full(3, float(k))).tolist() != [float(k * k)] * 3:
                wrong.append(k)

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_xla_and_long_loops_are_called_as_ever():
    """What is no native code, and what runs beyond the allowance of a short call."""
    q = np.array([1.0, 2.0])
    on_xla = ph.compile(lambda q: jnp.sin(q), q, backend="xla")
    np.testing.assert_allclose(RepeatedCall(on_xla)(q), np.sin(q))

    def long(q):
        step = lambda _, x: jnp.sin(x) + 1e-3  # noqa: E731
        return jax.lax.fori_loop(0, 60_000_000, step, q)

    program = ph.compile(long, np.zeros(()))
    assert RepeatedCall(program)(np.array(0.5)) == program(np.array(0.5))


def test_shapes_that_do_not_fit_are_refused():
    """A scalar does not stand for a row."""
    call = RepeatedCall(ph.compile(lambda q: 2.0 * q, np.zeros(2)))
    with pytest.raises(ArgumentError, match=r"shapes \(3,\) do not fit"):
        call(np.zeros(3))
    with pytest.raises(ArgumentError, match=r"shapes \(\) do not fit"):
        call(1.0)
