"""`ph.compile`: what it takes, what it gives, how it says no."""

from __future__ import annotations

import gc
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import polhode as ph
from compile_examples import STATE, doubled, energy
from polhode.errors import ArgumentError


def unaligned(a):
    """The same numbers, one byte off the places where a double should lie."""
    raw = np.frombuffer(b"x" + a.tobytes(), np.uint8)[1:]
    return raw.view(float).reshape(a.shape)


# ------------------------------------------------------------------------ giving


def test_trees_go_in_and_come_out():
    """Named tuples, dictionaries and None are kept as the function has them."""
    program = ph.compile(energy, STATE, 2.0)
    got = program(STATE, 2.0)
    assert got["kinetic"] == 5.0
    assert_array_equal(got["q"], STATE.q)
    assert ph.compile(lambda x: (None, [x], {}), 1.0)(3.0) == (None, [3.0], {})


def test_every_kind_of_number_is_taken():
    """Python numbers, NumPy scalars, JAX arrays: all are arrays of their type."""
    program = ph.compile(lambda x, n, b: jnp.where(b, x * n, -x), 1.0, 2, True)
    for x in (3.0, np.float64(3), np.array(3.0)):
        for n in (2, np.int64(2), np.array(2)):
            for b in (True, np.True_, np.array(True)):
                assert program(x, n, b) == 6.0
    with jax.enable_x64(True):
        assert program(jnp.float64(3), jnp.int64(2), jnp.array(True)) == 6.0


@pytest.mark.parametrize(
    "layout",
    [
        lambda a: np.asfortranarray(a),
        lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
        lambda a: np.broadcast_to(a, (5, *a.shape))[3],
        unaligned,
    ],
    ids=["fortran", "strided", "reversed", "broadcast", "unaligned"],
)  # fmt: skip
def test_any_layout_of_memory_is_read(layout):
    """What counts is the array, not how it lies."""
    a = np.arange(12.0).reshape(3, 4)
    batch = ph.compile(lambda r: r * 2.0 + 1.0, a[0], batched=True, lanes=2)
    whole = ph.compile(lambda m: m.T @ m, a)
    assert_array_equal(batch(layout(a)), a * 2 + 1)
    assert_array_equal(whole(layout(a)), a.T @ a)


def test_arguments_are_not_changed_and_results_are_new():
    """Even a function that gives its argument back gives a copy of it."""
    x = np.arange(3.0)
    x.setflags(write=False)
    same = ph.compile(lambda x: x, x)
    first, second = same(x), same(x)
    first[0] = 7.0
    assert_array_equal(x, np.arange(3.0))
    assert_array_equal(second, np.arange(3.0))


def test_a_function_of_nothing():
    """No arguments, or none that vary: a program that knows its answer."""
    assert_array_equal(ph.compile(lambda: jnp.arange(3.0))(), np.arange(3.0))
    folded = ph.compile(doubled, 4.0, vary=False)
    assert folded() == 8.0
    assert folded(4.0) == 8.0
    assert folded.report().operations == 0


def test_arguments_that_are_not_used():
    """They are taken all the same, and must fit all the same."""
    program = ph.compile(lambda x, y: x, 1.0, np.zeros(2), batched=["y"], lanes=2)
    assert_array_equal(program(3.0, np.zeros((4, 2))), np.full(4, 3.0))


def test_closed_over_values_are_constants():
    """What the function sees when traced is what it keeps."""
    table = np.arange(3.0)
    program = ph.compile(lambda x: x + table, 0.0)
    table[:] = 9.0
    assert_array_equal(program(1.0), [1.0, 2.0, 3.0])


def test_examples_may_be_shapes():
    """A shape and a type are all that an argument that varies needs."""
    shape = jax.ShapeDtypeStruct((2,), np.dtype("float64"))
    assert_array_equal(ph.compile(doubled, shape)(np.ones(2)), [2.0, 2.0])


# ------------------------------------------------------------------------- vary


def test_what_does_not_vary_is_folded_in():
    """Fewer operations; the argument may be left out, and must not differ."""
    both = ph.compile(energy, STATE, 1.0)
    folded = ph.compile(energy, STATE, 1.0, vary=["state"])
    assert folded.report().operations < both.report().operations
    assert folded(STATE)["kinetic"] == folded(STATE, 1.0)["kinetic"] == 2.5
    with pytest.raises(ArgumentError, match=r"'mass' was folded in as 1.0; now 3.0"):
        folded(STATE, 3.0)


def test_a_part_of_a_tree_may_vary():
    """Leaves are named by their path."""
    program = ph.compile(energy, STATE, 2.0, vary=["state.z"])
    assert program(STATE, 2.0)["kinetic"] == 5.0
    moved = STATE._replace(z=np.ones(3))
    assert program(moved, 2.0)["kinetic"] == 3.0
    with pytest.raises(ArgumentError, match=r"'state\.q' was folded in"):
        program(STATE._replace(q=np.ones(2)), 2.0)


def test_what_was_folded_in_stays():
    """Changing the user's array afterwards changes neither program nor its copy."""
    mass = np.array(2.0)
    program = ph.compile(lambda m, x: m * x, mass, 1.0, vary=["x"])
    mass[...] = 5.0
    assert program(3.0) == 6.0


# ------------------------------------------------------------------ as an object


def test_programs_pickle_by_rebuilding():
    """A copy of a program computes the same, folded values included."""
    mass = np.array(2.0)
    program = ph.compile(np_free, mass, np.ones(2), vary=["x"], batched=["x"], lanes=2)
    mass[...] = 9.0  # the program has folded the old value in
    copy = pickle.loads(pickle.dumps(program))
    x = np.arange(6.0).reshape(3, 2)
    assert_array_equal(copy(x), program(x))
    assert copy.report().lanes == 2
    assert repr(copy) == repr(program)


def np_free(mass, x):
    return mass * jnp.sin(x)


def test_threads_may_share_a_program():
    """Calls at the same time, with first uses of both variants among them."""
    program = ph.compile(jnp.cumsum, np.zeros(20), batched=True, lanes=4)
    rows = np.arange(2000.0).reshape(100, 20)

    def one(k):
        return np.array_equal(program(rows[k]), np.cumsum(rows[k]))

    def all_at_once(_):
        return np.array_equal(program(rows), np.cumsum(rows, axis=1))

    with ThreadPoolExecutor(8) as pool:
        singles, batches = pool.map(one, range(100)), pool.map(all_at_once, range(30))
        assert all(singles)
        assert all(batches)


def test_programs_compile_in_threads():
    """Compiling is safe from several threads too."""

    def make(k):
        return ph.compile(lambda x: x * float(k) + 1.0, 0.0)(2.0)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(make, range(12))) == [2.0 * k + 1 for k in range(12)]


def test_code_is_freed_with_its_program():
    """Nothing keeps a program alive once nobody holds it."""
    import weakref

    program = ph.compile(doubled, 1.0)
    program(1.0)
    watch = weakref.ref(program)
    del program
    gc.collect()
    assert watch() is None


def test_the_report_reads_well():
    """Operations, lanes, bytes and times, in words."""
    program = ph.compile(energy, STATE, 2.0, batched=True, lanes=4, threads=2)
    report = program.report()
    assert (report.lanes, report.threads, report.name) == (4, 2, "energy")
    assert report.bytes > 0
    assert report.operations <= report.operations_before
    assert "operations, folded" in str(report)
    assert repr(program).startswith("Program energy on llvm: 'state.q' of shape (2,)")


# ------------------------------------------------------------- under a user's jax


@dataclass(frozen=True)
class Law:
    """A program used inside other traced code."""

    program: ph.results.Program

    def __call__(self, x):
        return jnp.sum(self.program(x) ** 2)


@pytest.mark.parametrize("double", [True, False], ids=["x64", "x32"])
def test_a_program_composes_with_jit_grad_and_vmap(double):
    """Under a trace a program is its function, in the user's own precision."""
    law = Law(ph.compile(lambda x: jnp.sin(x) * x, np.ones(3)))
    x = np.array([0.3, -1.2, 2.0])
    exact = np.sin(x) * x
    slope = 2 * exact * (np.cos(x) * x + np.sin(x))
    close = {"rtol": 1e-14 if double else 2e-5}
    with jax.enable_x64(double):
        assert float(jax.jit(law)(x)) == pytest.approx(exact @ exact, rel=1e-5)
        np.testing.assert_allclose(jax.grad(law)(x), slope, **close)
        rows = np.stack([x, 2 * x])
        np.testing.assert_allclose(jax.vmap(jax.grad(law))(rows)[0], slope, **close)
        np.testing.assert_allclose(jax.jacfwd(law)(x), slope, **close)


def test_a_batch_under_a_trace_is_a_batch():
    """Declared batched, a traced argument with one axis more is mapped over."""
    program = ph.compile(lambda x: x @ x, np.ones(3), batched=True)
    with jax.enable_x64(True):
        got = jax.jit(program)(np.arange(6.0).reshape(2, 3))
    np.testing.assert_allclose(got, [5.0, 50.0])


def test_programs_compile_inside_other_programs():
    """A program called in the function of another is inlined there."""
    inner = ph.compile(doubled, 1.0)
    outer = ph.compile(lambda x: inner(x) + inner(x), 1.0, backend="llvm")
    assert outer(3.0) == 12.0
    assert outer.report().operations <= 2
