"""The user's own `jax_enable_x64` is never touched."""

from __future__ import annotations

import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import CompileError

SCRIPT = """
import jax, jax.numpy as jnp, numpy as np
if {set}: jax.config.update("jax_enable_x64", {double})
before = jnp.arange(3.0).dtype
import polhode as ph
program = ph.compile(lambda x: jnp.cumsum(x) / 3, np.arange(3.0), batched=True)
got = program(np.ones((4, 3)))
assert got.dtype == np.float64 and got[0, 0] == 1 / 3, got
other = ph.compile(lambda x: jnp.fft.fft(x).real, np.arange(3.0))
assert other.report().backend == "xla" and other(np.ones(3)).dtype == np.float64
jax.jit(program)(jnp.ones(3)); jax.grad(lambda x: program(x)[0])(jnp.ones(3))
try:
    ph.compile(lambda x: 1 / 0, 1.0)
except ZeroDivisionError:
    pass
assert jnp.arange(3.0).dtype == before
assert jax.config.jax_enable_x64 == {double}, jax.config.jax_enable_x64
print("kept")
"""


@pytest.mark.parametrize(
    ("chosen", "double"), [(False, False), (True, False), (True, True)]
)
def test_the_setting_survives(chosen, double):
    """Importing, compiling, running, tracing and failing leave it as it was."""
    script = SCRIPT.format(set=chosen, double=double)
    command = [sys.executable, "-W", "error::UserWarning", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "kept"


def by_product(tenth):
    return lambda x: x * tenth


def by_conversion(tenth):
    return lambda x: jnp.asarray(tenth) * x


def by_function(tenth):
    return lambda x: 10 * jnp.arcsin(jnp.sin(tenth)) * x / 10


def by_choice(tenth):
    return lambda x: jnp.where(x > 0, tenth, 0.0)


def by_stacking(tenth):
    return lambda x: jnp.stack([tenth, x * tenth])[0]


def within_a_jit(tenth):
    return jax.jit(lambda x: jnp.asarray(tenth).astype(float) * x)


USES = [by_product, by_conversion, by_function, by_choice, by_stacking, within_a_jit]


@pytest.mark.parametrize("shape", [(), (2,), (100,)])
@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
def test_constants_that_the_user_ran_in_single_precision_keep_their_digits(use, shape):
    """JAX remembers a NumPy array as it first saw it; a program has all its digits."""
    tenth = np.full(shape, 0.1)
    single = jax.jit(use(tenth))
    assert single(1.0).dtype == np.float32
    program = ph.compile(use(tenth), 1.0, backend="llvm")
    np.testing.assert_allclose(program(1.0), tenth, rtol=1e-15)
    assert single(2.0).dtype == np.float32


@pytest.mark.parametrize("use", USES, ids=lambda use: use.__name__)
@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_trace_that_holds_on_to_single_precision_is_refused(use, shape, monkeypatch):
    """While the user keeps such a trace, JAX gives rounded constants: it is said."""
    # A program that is found by its description has all digits, and needs no trace.
    monkeypatch.setattr("polhode.lowering.compile.description_key", lambda *_: None)
    tenth = np.full(shape, 0.1)
    held = jax.make_jaxpr(use(tenth))(1.0)
    with pytest.raises(CompileError, match=r"constant.*single precision"):
        ph.compile(use(tenth), 1.0)
    del held


LONG = 2**40 + 3


@pytest.mark.parametrize("start", [1, 1.0])
@pytest.mark.parametrize("use", USES[:2] + USES[3:], ids=lambda use: use.__name__)
@pytest.mark.parametrize("shape", [(), (2,)])
def test_integers_that_the_user_ran_in_32_bits_keep_theirs(use, shape, start):
    """Closed-over long integers are not cut to what JAX remembers of them."""
    long = np.full(shape, LONG)
    jax.jit(use(long))(start)
    assert np.all(ph.compile(use(long), start)(start) == LONG)


@pytest.mark.parametrize("shape", [(), (2,)])
def test_a_trace_that_holds_integers_of_32_bits_is_refused(shape):
    """While the user keeps such a trace, JAX gives what is left of them: it is said."""
    long = np.full(shape, LONG)
    held = jax.make_jaxpr(lambda x: x * long)(1)
    with pytest.raises(CompileError, match=r"constant.*single precision"):
        ph.compile(lambda x: x * long, 1)
    del held


def test_indices_of_jax_itself_are_no_doubt():
    """A solve holds JAX's own short integers, and is traced once."""
    traced = []

    def solve(matrix):
        traced.append(matrix)
        return jnp.linalg.solve(matrix, matrix[0]) * np.array(3)

    ph.compile(solve, np.eye(3))
    ph.compile(lambda x: solve(x) + 1, np.eye(3))
    assert len(traced) == 2


def test_complex_constants_keep_their_digits():
    """What runs on XLA for its complex numbers has them in double precision too."""
    turned = np.array(0.1 + 0.3j)
    jax.jit(lambda x: jnp.real(x * turned))(1.0)
    assert ph.compile(lambda x: jnp.real(x * turned), 1.0)(1.0) == 0.1


def test_constants_of_single_precision_stay_what_they_are():
    """A NumPy array of float32 is a choice of the user's, and is exact in double."""
    coarse = np.array([0.1, 0.2], np.float32)
    got = ph.compile(lambda x: x * coarse, 1.0)(1.0)
    np.testing.assert_array_equal(got, coarse.astype(float))


def test_a_program_with_folded_values_serves_a_trace_in_single_precision():
    """Values folded in follow the precision of the trace that inlines them."""
    program = ph.compile(lambda a, x: a * x.sum(), 0.1, np.ones(3), vary=["x"])
    assert float(jax.jit(program)(jnp.ones(3))) == pytest.approx(0.3, rel=1e-6)
    assert program(np.ones(3)) == 0.1 * 3


def test_what_jax_keeps_of_a_jitted_function_stays_whole():
    """Compiling a function leaves the traces of jitted functions in it as they were."""
    inner = jax.jit(lambda x: jnp.where(x > 0, x * np.array([2.0, 3.0]), 0.0))
    ph.compile(lambda x: inner(x).sum(), np.ones(2))
    gradient = ph.compile(jax.grad(lambda x: inner(x).sum()), np.ones(2))
    assert np.array_equal(gradient(np.ones(2)), [2.0, 3.0])
