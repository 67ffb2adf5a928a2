"""Elementary functions in native code, against mpmath: XLA's own err by a few ulp."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import mpmath
from jax import lax

from lowering_cases.case import Case, uniform

POINTS = 24


def over(name, function, exact, low, high, ulps=2.0) -> Case:
    points = uniform(low, high, POINTS).reshape(-1)
    return Case(name, function, (points,), ulps, exact=exact)


def of_two(name, function, exact, first, second, ulps=2.0) -> Case:
    points = [uniform(*ends, POINTS).reshape(-1) for ends in (first, second)]
    return Case(name, function, tuple(points), ulps, exact=exact)


CASES = [
    over("sin", jnp.sin, mpmath.sin, -50, 50),
    over("cos", jnp.cos, mpmath.cos, -50, 50),
    over("tan", jnp.tan, mpmath.tan, -5, 5),
    over("asin", jnp.arcsin, mpmath.asin, -1, 1),
    over("acos", jnp.arccos, mpmath.acos, -1, 1),
    over("atan", jnp.arctan, mpmath.atan, -9, 9),
    over("sinh", jnp.sinh, mpmath.sinh, -9, 9),
    over("cosh", jnp.cosh, mpmath.cosh, -9, 9),
    over("tanh", jnp.tanh, mpmath.tanh, -3, 3),
    over("asinh", jnp.arcsinh, mpmath.asinh, -9, 9),
    over("acosh", jnp.arccosh, mpmath.acosh, 1, 9),
    over("atanh", jnp.arctanh, mpmath.atanh, -1, 1),
    over("exp", jnp.exp, mpmath.exp, -30, 30),
    over("exp2", jnp.exp2, lambda x: mpmath.power(2, x), -30, 30),
    over("expm1", jnp.expm1, mpmath.expm1, -2, 2),
    over("log", jnp.log, mpmath.log, 0, 30),
    over("log1p", jnp.log1p, mpmath.log1p, -0.9, 2),
    over("logistic", jax.nn.sigmoid, lambda x: 1 / (1 + mpmath.exp(-x)), -9, 9),
    over("rsqrt", lax.rsqrt, lambda x: 1 / mpmath.sqrt(x), 0, 30),
    over("cbrt", jnp.cbrt, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), -9, 9),
    over("erf", lax.erf, mpmath.erf, -3, 3),
    over("erfc", lax.erfc, mpmath.erfc, -3, 9),
    over("erf_inv", lax.erf_inv, mpmath.erfinv, -1, 1, ulps=4),
    of_two("atan2", jnp.arctan2, mpmath.atan2, (-9, 9), (-9, 9)),
    of_two("pow", jnp.power, mpmath.power, (0, 9), (-9, 9)),
    of_two("hypot", jnp.hypot, mpmath.hypot, (-9, 9), (-9, 9)),
    over("sinc", lambda x: jnp.sin(x) / x, lambda x: mpmath.sin(x) / x, 0.1, 9, 4.0),
]
