"""NaN, infinities, signed zeros and subnormals, against NumPy, with fold="ieee"."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
from jax import lax
from jax.extend.core import primitives

from closeness import ulps
from lowering_cases import compiled, primitives_of
from polhode.lowering.rules.arithmetic import RULES

TINY, HUGE = np.finfo(float).tiny, np.finfo(float).max
SPECIAL = np.array(
    [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 2.5, -2.5, 1e10, -1e10,
     5e-324, -5e-324, 1e-310, -1e-310, TINY, -TINY, TINY * 0.75, HUGE, -HUGE, 710.0,
     -745.2, 1e-20, -1e-20]
)  # fmt: skip
LEFT, RIGHT = (a.reshape(-1) for a in np.meshgrid(SPECIAL, SPECIAL))

UNARY = {
    "neg": (jnp.negative, np.negative, 0),
    "abs": (jnp.abs, np.abs, 0),
    "sign": (jnp.sign, lambda x: np.where(x == 0, x, np.sign(x)), 0),
    "floor": (jnp.floor, np.floor, 0),
    "ceil": (jnp.ceil, np.ceil, 0),
    "round": (jnp.round, np.rint, 0),
    "sqrt": (jnp.sqrt, np.sqrt, 0),
    "square": (lax.square, np.square, 0),
    "integer_pow": (lambda x: x**3, lambda x: x * x * x, 0),
    "reciprocal": (lambda x: x**-1, lambda x: 1.0 / x, 0),
    "is_finite": (lax.is_finite, np.isfinite, 0),
    "copy": (jnp.copy, np.copy, 0),
    "stop_gradient": (lax.stop_gradient, np.copy, 0),
    "reduce_precision": (lambda x: lax.reduce_precision(x, 11, 52), np.copy, 0),
    "optimization_barrier": (lax.optimization_barrier, np.copy, 0),
    "convert_element_type": (lambda x: x.astype(bool), lambda x: x.astype(bool), 0),
    "bitcast_convert_type": (
        lambda x: lax.bitcast_convert_type(x, "int64"), lambda x: x.view("int64"), 0),
    "rsqrt": (lax.rsqrt, lambda x: 1.0 / np.sqrt(x), 2),
    "cbrt": (jnp.cbrt, np.cbrt, 2),
    "exp": (jnp.exp, np.exp, 2),
    "exp2": (jnp.exp2, np.exp2, 2),
    "expm1": (jnp.expm1, np.expm1, 2),
    "log": (jnp.log, np.log, 2),
    "log1p": (jnp.log1p, np.log1p, 2),
    "sin": (jnp.sin, np.sin, 2),
    "cos": (jnp.cos, np.cos, 2),
    "tan": (jnp.tan, np.tan, 2),
    "asin": (jnp.arcsin, np.arcsin, 2),
    "acos": (jnp.arccos, np.arccos, 2),
    "atan": (jnp.arctan, np.arctan, 2),
    "sinh": (jnp.sinh, np.sinh, 3),
    "cosh": (jnp.cosh, np.cosh, 3),
    "tanh": (jnp.tanh, np.tanh, 3),
    "asinh": (jnp.arcsinh, np.arcsinh, 3),
    "acosh": (jnp.arccosh, np.arccosh, 3),
    "atanh": (jnp.arctanh, np.arctanh, 3),
    "logistic": (jax.nn.sigmoid, scipy.special.expit, 3),
    "erf": (lax.erf, scipy.special.erf, 3),
    "erfc": (lax.erfc, scipy.special.erfc, 4),
    "erf_inv": (lax.erf_inv, lambda x: np.copysign(scipy.special.erfinv(x), x), 8),
}  # fmt: skip
BINARY = {
    "add": (jnp.add, np.add, 0),
    "add_any": (primitives.add_jaxvals_p.bind, np.add, 0),
    "sub": (jnp.subtract, np.subtract, 0),
    "mul": (jnp.multiply, np.multiply, 0),
    "div": (jnp.divide, np.divide, 0),
    "rem": (lax.rem, np.fmod, 0),
    "max": (lax.max, np.maximum, 0),
    "min": (lax.min, np.minimum, 0),
    "nextafter": (jnp.nextafter, np.nextafter, 0),
    "atan2": (jnp.arctan2, np.arctan2, 2),
    "pow": (lax.pow, np.power, 2),
    "eq": (jnp.equal, np.equal, 0),
    "ne": (jnp.not_equal, np.not_equal, 0),
    "lt": (jnp.less, np.less, 0),
    "le": (jnp.less_equal, np.less_equal, 0),
    "gt": (jnp.greater, np.greater, 0),
    "ge": (jnp.greater_equal, np.greater_equal, 0),
    "select_n": (lambda x, y: lax.select_n(x < y, x, y),
                 lambda x, y: np.where(x < y, y, x), 0),
    "clamp": (lambda x, y: lax.clamp(-1.0, x, y),
              lambda x, y: np.minimum(np.maximum(x, -1.0), y), 0),
}  # fmt: skip
ALL = {**UNARY, **BINARY}
# Of integers and booleans alone, or compared by their bits: other tests have them.
WITHOUT_FLOATS = {
    *("and", "or", "xor", "not", "clz", "population_count", "sharding_constraint"),
    *("shift_left", "shift_right_logical", "shift_right_arithmetic"),
    *("eq_to", "le_to", "lt_to"),
}


def arguments(name: str) -> tuple[np.ndarray, ...]:
    return (SPECIAL,) if name in UNARY else (LEFT, RIGHT)


def assert_alike(got, right, args, allowed: float, zeros: bool = True) -> None:
    """NaN where NaN, infinities and zeros with their signs, the rest within ulps."""
    assert got.dtype == right.dtype
    if got.dtype.kind != "f":
        np.testing.assert_array_equal(got, right)
        return
    with np.errstate(all="ignore"):
        close = (ulps(got, right) <= allowed) & (np.isinf(got) == np.isinf(right))
    good = np.where(np.isnan(right), np.isnan(got), close)
    signed = (right != 0) | np.isnan(right) | (np.signbit(got) == np.signbit(right))
    wrong = ~(good & (signed | (not zeros)))
    where = [a[wrong][:4] for a in args]
    assert not wrong.any(), f"at {where}: {got[wrong][:4]}, not {right[wrong][:4]}"


@pytest.mark.parametrize("name", ALL)
def test_special_values_are_those_of_numpy(name):
    """Every operation of the trace is kept, and rounds as IEEE 754 has it."""
    function, numpy, allowed = ALL[name]
    args = arguments(name)
    program = compiled(function, *(a[0] for a in args), fold="ieee")
    with np.errstate(all="ignore"):
        right = numpy(*args)
    # IEEE 754 leaves open which of two zeros is the larger.
    zeros = name not in ("max", "min", "clamp")
    assert_alike(program(*args), right, args, allowed, zeros)


@pytest.mark.parametrize("name", ALL)
def test_constants_fold_to_the_same_special_values(name):
    """What is known when traced is what would have been computed."""
    function, numpy, allowed = ALL[name]
    args = arguments(name)
    known = lambda x: (function(*map(jnp.asarray, args)), x)  # noqa: E731
    program = compiled(known, 0.0, batched=False, fold="ieee")
    with np.errstate(all="ignore"):
        right = numpy(*args)
    zeros = name not in ("max", "min", "clamp")
    assert_alike(program(0.0)[0], right, args, allowed, zeros)


def test_every_elementwise_primitive_is_here():
    """No elementwise rule escapes its special values."""
    seen = set(WITHOUT_FLOATS)
    for name, (function, _, _) in ALL.items():
        seen |= primitives_of(function, *(a[0] for a in arguments(name)))
    assert set(RULES) - seen == set()


NOTHING_VANISHES = {
    "x 0": (lambda x: x * 0.0, lambda x: x * 0.0),
    "x + 0": (lambda x: x + 0.0, lambda x: x + 0.0),
    "0 - x": (lambda x: 0.0 - x, lambda x: 0.0 - x),
    "x - x": (lambda x: x - x, lambda x: x - x),
    "0 / x": (lambda x: 0.0 / x, lambda x: 0.0 / x),
    "x / x": (lambda x: x / x, lambda x: x / x),
    "x / 3": (lambda x: x / 3.0, lambda x: x / 3.0),
    "-(-x)": (lambda x: jnp.negative(-x), lambda x: x),
    "-1 x": (lambda x: -1.0 * x, lambda x: -x),
    "x + -0": (lambda x: x + -0.0, lambda x: x),
    "x - 0": (lambda x: x - 0.0, lambda x: x),
    "x == x": (lambda x: x == x, lambda x: x == x),
    "sum": (lambda x: jnp.sum(jnp.stack([x, 0.0, -0.0])), lambda x: x + 0.0),
    "dot": (lambda x: jnp.array([0.0, 1.0]) @ jnp.stack([x, 1.0]), lambda x: 0 * x + 1),
    "x y + x": (lambda x: x * 1.1 + x, lambda x: x * 1.1 + x),
}


@pytest.mark.parametrize("name", NOTHING_VANISHES)
def test_nothing_vanishes_with_ieee(name):
    """With fold="ieee" only what is exactly known for every value is left out."""
    function, numpy = NOTHING_VANISHES[name]
    with np.errstate(all="ignore"):
        right = numpy(SPECIAL)
    assert_alike(compiled(function, 0.0, fold="ieee")(SPECIAL), right, [SPECIAL], 0)


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (lambda x: x * 0.0 + 1.0, 1.0),
        (lambda x: x - x, 0.0),
        (lambda x: 0.0 / x, 0.0),
        (lambda x: jnp.array([0.0, 1.0]) @ jnp.stack([x, 2.0]), 2.0),
    ],
)
def test_literal_zeros_vanish_with_the_licence(function, kept):
    """With fold="zeros" a literal zero annihilates even NaN and infinity."""
    program = compiled(function, 0.0)
    assert program.report().operations == 0
    np.testing.assert_array_equal(program(SPECIAL), np.full(len(SPECIAL), kept))
