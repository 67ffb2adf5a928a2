"""Primitives of newer versions of JAX, stood in for where this one lacks them."""

from __future__ import annotations

import mpmath
import numpy as np
from jax.extend.core import Primitive

import polhode as ph
from closeness import assert_close, ulps


def standing_in(name: str) -> Primitive:
    """A primitive of that name, of which only the shape is known."""
    primitive = Primitive(name)
    primitive.def_abstract_eval(lambda x, *_: x)
    return primitive


def test_binary_logarithms_are_right_to_two_ulp_and_whole_at_powers():
    """log2(2^k) = k exactly, and elsewhere within two units of the last place."""
    log2 = ph.compile(standing_in("log2").bind, 1.0, batched=True, backend="llvm")
    powers = np.arange(-1022, 1024)
    assert np.array_equal(log2(np.ldexp(1.0, powers)), powers)
    rng = np.random.default_rng(5)
    x = np.exp(np.concatenate([rng.uniform(-700, 700, 500), rng.normal(size=500) / 9]))
    with mpmath.workdps(40):
        exact = [float(mpmath.log(mpmath.mpf(v), 2)) for v in x]
    assert np.max(ulps(log2(x), exact)) <= 2
    with np.errstate(all="ignore"):
        special = np.array([0.0, -1.0, np.inf, np.nan, 5e-324, 3e-310])
        assert np.allclose(log2(special), np.log2(special), equal_nan=True, rtol=1e-15)


def test_one_less_a_square_keeps_its_digits_near_one():
    """1 - x^2 = (1 + x)(1 - x), each factor exact near one."""
    kept = ph.compile(standing_in("one_minus_square").bind, 1.0, batched=True)
    x = 1 - np.ldexp(1.0, -np.arange(1, 53))
    with mpmath.workdps(40):
        exact = [float(1 - mpmath.mpf(v) ** 2) for v in x]
    assert np.max(ulps(kept(x), exact)) <= 2


def test_polynomials_follow_horner():
    """Coefficients come from the lowest degree up."""
    bind = standing_in("polynomial").bind
    program = ph.compile(bind, 0.5, 1.0, -2.0, 0.25, backend="llvm")
    assert_close(program(0.5, 1.0, -2.0, 0.25), 1 - 2 * 0.5 + 0.25 * 0.25)
