"""How `ph.compile` says no, and where it turns when it cannot do a thing itself."""

from __future__ import annotations

import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import polhode as ph
from compile_examples import STATE, State, doubled, energy
from polhode.errors import CompileError, UnsupportedPrimitive

REFUSED = {
    "unknown backend": (
        lambda: ph.compile(doubled, 1.0, backend="fortran"),
        "`backend` is 'fortran', not one of 'auto', 'llvm'",
    ),
    "unknown folding": (
        lambda: ph.compile(doubled, 1.0, fold="fast"),
        "`fold` is 'fast', not one of 'zeros', 'ieee'",
    ),
    "no threads": (lambda: ph.compile(doubled, 1.0, threads=0), "`threads` is 0"),
    "half a lane": (lambda: ph.compile(doubled, 1.0, lanes=0.5), "`lanes` is 0.5"),
    "unknown name": (
        lambda: ph.compile(energy, STATE, 2.0, vary=["state.w"]),
        r"`vary` names 'state\.w'.*Did you mean 'state\.[qz]'",
    ),
    "batched and folded": (
        lambda: ph.compile(energy, STATE, 2.0, vary=["state"], batched=["mass"]),
        "'mass' is batched but does not vary",
    ),
    "folded shape": (
        lambda: ph.compile(doubled, jax.ShapeDtypeStruct((), float), vary=False),
        "'x' is to be folded in but is only a shape",
    ),
    "object array": (
        lambda: ph.compile(doubled, np.array([[1.0], [1.0, 2.0]], dtype=object)),
        "'x' has dtype object.*rows differ in length",
    ),
    "single precision": (
        lambda: ph.compile(doubled, np.ones(2, np.float32)),
        "'x' has dtype float32.*float64",
    ),
    "complex": (lambda: ph.compile(doubled, 1j * np.ones(2)), "complex128.*real"),
    "text": (lambda: ph.compile(doubled, "one"), "'x' is a str, not an array"),
    "swapped bytes": (lambda: ph.compile(doubled, np.ones(2, ">f8")), "has dtype >f8"),
    "wrong shape": (
        lambda: ph.compile(doubled, np.ones(3))(np.ones(4)),
        r"'x' has shape \(4,\), not \(3,\)",
    ),
    "wrong shape under a trace": (
        lambda: jax.jit(ph.compile(doubled, np.ones(3)))(jnp.ones(4)),
        r"'x' has shape \(4,\), not \(3,\)",
    ),
    "a batch not declared": (
        lambda: ph.compile(doubled, np.ones(3))(np.ones((2, 3))),
        r"To run a batch, compile with batched=\['x'",
    ),
    "wrong type": (
        lambda: ph.compile(doubled, 1.0)(1),
        r"'x' has dtype int64, not float64.*dtype='float64'",
    ),
    "ragged batch": (
        lambda: ph.compile(energy, STATE, 2.0, batched=True)(
            State(np.ones((3, 2)), np.ones((4, 3))), np.ones(3)),
        r"ragged.*'state\.q': 3, 'state\.z': 4",
    ),
    "batch in part": (
        lambda: ph.compile(energy, STATE, 2.0, batched=True)(STATE, np.ones(3)),
        r"ragged.*'mass': 3, 'state\.q': none",
    ),
    "wrong tree": (
        lambda: ph.compile(energy, STATE, 2.0)((STATE.q, STATE.z), 2.0),
        "arguments do not fit 'energy'.*same structure",
    ),
    "too many": (lambda: ph.compile(doubled, 1.0)(1.0, 2.0), "do not fit 'doubled'"),
    "a Python if": (
        lambda: ph.compile(lambda x: 1.0 if x > 0 else x, 1.0),
        "decides in Python on a value that is known only when it runs.*lax.cond",
    ),
    "a Python float": (lambda: ph.compile(lambda x: float(x), 1.0), "float()"),
    "a NumPy function": (lambda: ph.compile(lambda x: np.linalg.inv(x), np.eye(2)),
                         "known only when it runs"),
    "a list index": (lambda: ph.compile(lambda n: [1.0, 2.0][n], 1),
                     "known only when it runs"),
    "a mask as index": (lambda: ph.compile(lambda x: x[x > 0], np.ones(3)),
                        "known only when it runs"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_in_words(name):
    """Every refusal is a CompileError that names the thing and offers a repair."""
    attempt, words = REFUSED[name]
    with pytest.raises(CompileError) as caught:
        attempt()
    text = " ".join(str(caught.value).split())
    assert re.search(words, text), text
    assert caught.value.what.endswith(".")


def test_a_misfit_is_also_a_type_error():
    """Code that catches TypeError of a wrong argument still does."""
    with pytest.raises(TypeError):
        ph.compile(doubled, 1.0)("text")


# ---------------------------------------------------------------- unknown to us


def spectrum(x):
    return jnp.abs(jnp.fft.rfft(x)) + 1.0  # this line is named


def test_an_unknown_primitive_runs_on_xla_with_a_note():
    """The answer is right, and the report says who stopped it, and where."""
    x = np.arange(4.0)
    program = ph.compile(spectrum, x, batched=True)
    report = program.report()
    assert report.backend == "xla"
    assert "'fft'" in report.reason
    assert re.search(r"test_refusals\.py:\d+ in spectrum", report.reason)
    np.testing.assert_allclose(program(x), np.abs(np.fft.rfft(x)) + 1)
    many = np.stack([x, x + 1, x * 2])
    np.testing.assert_allclose(program(many), np.abs(np.fft.rfft(many)) + 1)
    assert "fft" in str(report)


def test_asked_for_native_code_it_refuses_by_name():
    """backend="llvm" raises, naming the primitive and the user's line."""
    with pytest.raises(UnsupportedPrimitive) as caught:
        ph.compile(spectrum, np.arange(4.0), backend="llvm")
    words = str(caught.value)
    assert "'spectrum' cannot become native code: primitive 'fft'" in words
    assert re.search(r"test_refusals\.py:\d+ in spectrum", words)


def test_a_primitive_deep_in_a_loop_is_named_too():
    """The line inside the loop's body, not that of the loop."""

    def loop(x):
        return jax.lax.scan(lambda c, _: (c * spectrum(c)[0], None), x, length=3)[0]

    reason = ph.compile(loop, np.arange(4.0)).report().reason
    assert re.search(r"'fft' at .*test_refusals\.py:\d+ in spectrum", reason)


def test_narrow_floats_inside_run_on_xla():
    """Programs compute in float64; what asks for less goes elsewhere, not wrong."""
    program = ph.compile(lambda x: x.astype(jnp.float32) * 2, 1.0 / 3)
    assert program.report().backend == "xla"
    assert "float32" in program.report().reason
    assert program(1.0 / 3) == np.float32(1.0 / 3) * 2


def test_random_keys_come_out_as_jax_has_them():
    """NumPy has no such type: a function that gives keys runs on XLA."""
    program = ph.compile(jax.random.key, 3)
    assert "key<fry>" in program.report().reason
    words = jax.random.key_data(program(3))
    with jax.enable_x64(True):
        assert_array_equal(words, jax.random.key_data(jax.random.key(3)))


def test_xla_on_request():
    """backend="xla" gives the same function, and its reason is the request."""
    program = ph.compile(energy, STATE, 2.0, backend="xla")
    assert program.report().reason == "asked for"
    assert program(STATE, 2.0)["kinetic"] == 5.0
