"""Many systems at once: the same bits at any batch size, lane count and threads."""

from __future__ import annotations

import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import polhode as ph
from lowering_cases.case import assert_same_bits, on_xla, stacked
from polhode.arrays import true_beside

RANDOM = np.random.default_rng(7)
MANY = 100_000


def busy(x):
    for k in range(30):
        x = x * 1.01 + jnp.where(x > k, 0.5, 0.25) * x / (1.0 + x * x)
    return x


def everything(x, n, shared):
    """Elementary functions, a loop, a while loop, branches and indexed memory."""
    table = jnp.sin(x[0] * jnp.arange(20.0)) + shared["offset"]
    y, rows = lax.scan(lambda c, t: (jnp.cos(c) * t, c), x[1], shared["times"])
    turn = lambda s: (s[0] - 1, s[1] * 0.7 + x[1])  # noqa: E731
    y = lax.while_loop(lambda s: s[0] > 0, turn, (n, y))[1]
    y = lax.cond(n % 3 == 0, busy, lambda v: v - table[n % 20], y)
    out = jnp.stack([y, table[(7 * n) % 20], x[0] / x[1], jnp.exp(x[2])])
    return {"out": out, "rows": rows, "n": n * 2, "positive": x > 0}


SHARED = {"offset": np.array(0.25), "times": np.linspace(0.0, 1.0, 6)}


def systems(count: int) -> tuple:
    return RANDOM.normal(size=(count, 3)), RANDOM.integers(0, 9, count), SHARED


def program(lanes: int, threads: int = 1):
    options = {"lanes": lanes, "threads": threads, "backend": "llvm", "unroll": 0}
    batched = ["x", "n"]
    example = jax.tree_util.tree_map(lambda a: a[0], systems(1)[:2])
    return ph.compile(everything, *example, SHARED, batched=batched, **options)


@pytest.fixture(scope="module")
def programs():
    return {lanes: program(lanes) for lanes in (1, 2, 4, 8)}


@pytest.fixture(scope="module")
def many(programs):
    """A large batch, and what one lane makes of it."""
    arguments = systems(MANY)
    return arguments, programs[1](*arguments)


def first(tree, count: int):
    return jax.tree_util.tree_map(lambda a: a[:count], tree)


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_batch_size_changes_no_bit(programs, many, lanes):
    """0, 1, lanes - 1, lanes, lanes + 1 systems: each as in the large batch."""
    (x, n, shared), right = many
    for count in {0, 1, lanes - 1, lanes, lanes + 1, 3 * lanes + 2}:
        got = programs[lanes](x[:count], n[:count], shared)
        assert_same_bits(got, first(right, count))


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_lanes_change_no_bit(programs, many, lanes):
    """A hundred thousand systems, in lanes and one by one."""
    arguments, right = many
    assert_same_bits(programs[lanes](*arguments), right)


@pytest.mark.parametrize("lanes", [1, 4])
def test_threads_change_no_bit(many, lanes):
    """Blocks of systems on two threads are those on one."""
    arguments, right = many
    assert_same_bits(program(lanes, threads=2)(*arguments), right)


def test_a_system_alone_is_the_system_in_a_batch(programs, many):
    """Without a batch axis the result has none, and the same bits."""
    (x, n, shared), right = many
    for k in (0, 5, MANY - 1):
        alone = programs[8](x[k], n[k], shared)
        assert_same_bits(alone, jax.tree_util.tree_map(lambda a, k=k: a[k], right))


def test_batches_agree_with_xla(many):
    """The large batch holds what XLA gives for its first systems."""
    (x, n, shared), right = many
    expected = stacked(on_xla(everything, [(x[k], n[k], shared) for k in range(40)]))
    for name, value in first(right, 40).items():
        np.testing.assert_allclose(value, expected[name], rtol=1e-12, atol=1e-13)


def test_an_empty_batch_gives_empty_arrays(programs):
    """No system: outputs of no rows, with their types."""
    got = programs[4](*systems(0))
    assert got["out"].shape == (0, 4)
    assert got["rows"].shape == (0, 6)
    assert got["n"].dtype == np.int64
    assert got["positive"].dtype == bool


def test_neighbours_do_not_matter(programs, many):
    """A NaN in one lane leaves the others as they were."""
    (x, n, shared), right = many
    x = x[:8].copy()
    x[3] = np.nan
    got = programs[8](x, n[:8], shared)
    for k in set(range(8)) - {3}:
        mine, theirs = (
            jax.tree_util.tree_map(lambda a, k=k: a[k], t) for t in (got, right)
        )
        assert_same_bits(mine, theirs)


def wandering(x, n):
    """A while loop that ends for each system by itself; branches change its values."""

    def turn(carry):
        k, kept, both, sometimes = carry
        kept = lax.cond((n + k) % 3 == 0, busy, lambda v: v, kept)
        kept = lax.cond((n * k) % 5 == 2, lambda v: busy(v) - k, lambda v: v, kept)
        both = lax.cond(kept > 0, busy, lambda v: busy(v) - kept, both)
        return k + 1, kept, both, jnp.where(kept > both, sometimes + kept, sometimes)

    return lax.while_loop(lambda c: c[0] < n, turn, (0, x[0], x[1], x[2]))


@pytest.mark.parametrize("lanes", [2, 8])
def test_a_loop_that_has_ended_keeps_what_branches_would_change(lanes):
    """Systems leave a loop at their own turns, with the bits of one alone."""
    x, n, _ = systems(24)
    options = {"backend": "llvm", "threads": 1}
    lone = ph.compile(wandering, x[0], n[0], batched=True, lanes=1, **options)
    wide = ph.compile(wandering, x[0], n[0], batched=True, lanes=lanes, **options)
    assert_same_bits(wide(x, n), lone(x, n))


def written(x, n):
    """Each system writes in its own turns, at places of its own, some twice."""
    places = jnp.array([4, 0, 7, 2, 4, 1, 6, 3, 5])

    def turn(carry):
        k, rows, flags = carry
        at = (places[k] + n) % 8
        rows = lax.dynamic_update_slice(rows, (x + k)[None], (at, 0))
        flags = lax.cond((n + k) % 2 == 0, lambda f: f.at[at].set(True), itself, flags)
        return k + 1, rows, flags

    start = (0, jnp.full((8, 3), -1.0), jnp.zeros(8, bool))
    return lax.while_loop(lambda c: c[0] < n, turn, start)


def itself(value):
    return value


@pytest.mark.parametrize("lanes", [2, 8])
def test_lanes_write_to_their_own_places_in_their_own_turns(lanes):
    """Lanes that have left a loop, or a branch, leave memory as it was."""
    x, n, _ = systems(24)
    options = {"backend": "llvm", "threads": 1}
    wide = ph.compile(written, x[0], n[0], batched=True, lanes=lanes, **options)
    assert_same_bits(wide(x, n), stacked(on_xla(written, [*zip(x, n, strict=True)])))


def beside(flag, n):
    """Whether a flag is true beside, of the systems that take a branch."""
    return lax.cond(
        n > 1, lambda: true_beside(flag & (busy(n * 1.0) > 0)), lambda: n < 0
    )


@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_what_is_true_beside_may_be_true(lanes):
    """It is where the flag is, and in lanes that take part with one where it is."""
    program = ph.compile(beside, True, 0, batched=True, lanes=lanes, backend="llvm")
    flag, both, apart = np.array([False, True] * 4), np.full(8, 3), np.array([3, 1] * 4)
    np.testing.assert_array_equal(program(flag, both), flag if lanes == 1 else True)
    np.testing.assert_array_equal(program(flag, apart), False)
    assert program(True, 2)
    assert not program(False, 2)


def test_outputs_that_no_batched_argument_reaches_are_repeated():
    """A constant, and a function of shared arguments, have a row for every system."""
    double = ph.compile(lambda x, y: (x, 2.0 * y, 3), 0.0, 0.0, batched=["x"], lanes=4)
    x, y, three = double(np.arange(5.0), 1.5)
    np.testing.assert_array_equal(x, np.arange(5.0))
    np.testing.assert_array_equal(y, np.full(5, 3.0))
    np.testing.assert_array_equal(three, np.full(5, 3))


FORKED = """
import os, sys
import jax.numpy as jnp, numpy as np
import polhode as ph
from jax import lax
def turn(x): return lax.fori_loop(0, 100, lambda i, c: jnp.sin(c) + x, x)
program = ph.compile(turn, np.ones(3), batched=True, threads=2)
many = np.linspace(0, 1, 300).reshape(100, 3)
here = program(many)
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(program(many), here) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_forked_process_has_threads_of_its_own():
    """A batch runs in a child of a process that ran one, and gives the same bits."""
    done = subprocess.run([sys.executable, "-c", FORKED], timeout=280)
    assert done.returncode == 0
