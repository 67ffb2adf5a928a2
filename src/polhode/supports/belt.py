"""The velocity of a belt: what a plane's own matter runs with, in its body's axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeGuard, final

import numpy as np

from polhode.arrays import Scalar, namespace
from polhode.errors import ModelError
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)

Entry = Quantity | Callable[[Any], Any]


@final
@dataclass(frozen=True, eq=False)
class Belt:
    """Velocity (3,) at a time.

    entries   three numbers, parameters or functions of t; None where one `law` of t
              gives the whole vector
    """

    entries: tuple[Entry, Entry, Entry] | None
    law: Callable[[Any], Any] | None = None

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of its entries that have a name."""
        fixed = [e for e in self.entries or () if not _is_law(e)]
        return parameters_in(fixed)

    def __call__(self, t: Scalar, table: Table = NOMINAL) -> Any:
        """The velocity at t, traced or not."""
        if self.entries is None:
            assert self.law is not None
            return self.law(t)
        values = [e(t) if _is_law(e) else at(e, table) for e in self.entries]
        xp = namespace(*values)
        return xp.stack([1.0 * xp.asarray(value) for value in values])


def belt_of(name: str, given: Any) -> Belt | None:
    """The belt of a support from what its user gave, its numbers named after it."""
    if given is None or isinstance(given, Belt):
        return given
    if callable(given):
        return Belt(None, given)
    entries = [*given] if isinstance(given, list | tuple | np.ndarray) else []
    if len(entries) != 3:
        raise ModelError(
            f"the belt of {name!r} cannot run with {given!r}.",
            "Its velocity has three entries, along the axes of the body it belongs to.",
            "Give (2.0, 0, 0) in m/s, or a function of time that gives three.",
        )
    first, second, third = (
        e
        if _is_law(e)
        else named(quantity(e, f"the belt of {name!r}", "m/s"), f"{name}.belt.{axis}")
        for axis, e in zip("xyz", entries, strict=True)
    )
    return Belt((first, second, third))


def _is_law(entry: Any) -> TypeGuard[Callable[[Any], Any]]:
    return callable(entry) and not isinstance(entry, Parameter)
