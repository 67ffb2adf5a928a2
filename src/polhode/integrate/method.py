"""What every method answers: one attempted step of a field.

    attempt(field, t, x, slope, h) -> Attempt

`slope` is x_dot at (t, x), which the step before has left. A method of fixed step says
`step`; an adaptive one says its tolerances, and gives an estimate of its error.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from polhode.errors import IntegrationError
from polhode.integrate.field import Field


class Attempt(NamedTuple):
    """Where a step leads.

    x       at t + h
    error   the estimated error of x; zeros where the method has none
    bend    what its dense output adds to Hermite's cubic: theta^2 (1 - theta)^2 bend
    """

    x: Any
    error: Any
    bend: Any


@runtime_checkable
class Method(Protocol):
    """A way of stepping; see the module."""

    @property
    def name(self) -> str:
        """What reports call it."""

    @property
    def order(self) -> int:
        """The error over a given time falls as h^order."""

    @property
    def is_adaptive(self) -> bool:
        """Whether it chooses its own steps."""

    def attempt(self, field: Field, t: Any, x: Any, slope: Any, h: Any) -> Attempt:
        """One step, traced."""


def admit_step(method: str, step: Any) -> float:
    """A step that is one: finite and not zero."""
    size = float(step)
    if not (np.isfinite(size) and size > 0):
        raise IntegrationError(
            f"{method} cannot step by {step!r} s.",
            "A step is a positive number of seconds; backwards runs find their sign.",
            "Give step > 0.",
        )
    return size
