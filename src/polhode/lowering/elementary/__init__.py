"""Elementary functions, each built from basic operations of the scalar program.

`sin(b, x)` adds the operations of a sine to the builder `b` and returns the element of
its value. Equal parts of two functions are one part of the program, since the builder
makes equal nodes once.
"""

from __future__ import annotations

from collections.abc import Callable

from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.error_function import erf, erfc
from polhode.lowering.elementary.exponential import exp, exp2, expm1, logistic
from polhode.lowering.elementary.hyperbolic import cosh, sinh, tanh
from polhode.lowering.elementary.inverse_error_function import erf_inv
from polhode.lowering.elementary.inverse_hyperbolic import acosh, asinh, atanh
from polhode.lowering.elementary.inverse_trigonometric import acos, asin, atan, atan2
from polhode.lowering.elementary.logarithm import log, log1p
from polhode.lowering.elementary.power import cbrt, pow, rsqrt
from polhode.lowering.elementary.trigonometric import cos, sin, tan

ELEMENTARY: dict[str, Callable[..., Element]] = {
    "acos": acos,
    "acosh": acosh,
    "asin": asin,
    "asinh": asinh,
    "atan": atan,
    "atan2": atan2,
    "atanh": atanh,
    "cbrt": cbrt,
    "cos": cos,
    "cosh": cosh,
    "erf": erf,
    "erf_inv": erf_inv,
    "erfc": erfc,
    "exp": exp,
    "exp2": exp2,
    "expm1": expm1,
    "log": log,
    "log1p": log1p,
    "logistic": logistic,
    "pow": pow,
    "rsqrt": rsqrt,
    "sin": sin,
    "sinh": sinh,
    "tan": tan,
    "tanh": tanh,
}

__all__ = ["ELEMENTARY", "Build", "Element"]
