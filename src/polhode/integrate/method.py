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

    x           at t + h
    error       estimates of the error of x, each (width,), the finest first; a method
                of fixed step has none
    bend        what its dense output adds to Hermite's cubic (see `dense`): as many
                terms (width,) as the method says in `bends`
    is_solved   whether the equations of an implicit step were solved
    carried     (x,) what the next step of the method is told: `Field.carried`
    stiffness   h |lambda| over the method's limit of stability: above 1 it is not
                accuracy that holds the step
    """

    x: Any
    error: tuple[Any, ...] = ()
    bend: tuple[Any, ...] = ()
    is_solved: Any = True
    carried: Any = None
    stiffness: Any = 0.0


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

    @property
    def bends(self) -> int:
        """How many terms its dense output adds to Hermite's cubic."""

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
