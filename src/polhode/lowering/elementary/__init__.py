"""Elementary functions, each built from basic operations of the scalar program.

`sin(b, x)` adds the operations of a sine to the builder `b` and returns the element of
its value. Equal parts of two functions are one part of the program, since the builder
makes equal nodes once.
"""

from __future__ import annotations

from collections.abc import Callable

from polhode.lowering.elementary.build import Build, Element
from polhode.lowering.elementary.exponential import exp
from polhode.lowering.elementary.logarithm import log
from polhode.lowering.elementary.trigonometric import cos, sin, tan

ELEMENTARY: dict[str, Callable[..., Element]] = {
    "cos": cos,
    "exp": exp,
    "log": log,
    "sin": sin,
    "tan": tan,
}

__all__ = ["ELEMENTARY", "Build", "Element"]
