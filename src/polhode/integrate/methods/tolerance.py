"""Tolerances: what a run is allowed to err, and what methods that ask them share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from polhode.errors import IntegrationError, NumericalWarning
from polhode.tracebacks import warn

# Keeps the energy of a conservative tree to 1e-6 over 1000 of its own times.
RTOL = 1e-10
FLOOR = 100 * np.finfo(float).eps


@dataclass(frozen=True)
class Adaptive:
    """What methods that choose their steps share: tolerances that can be met.

    Each says its name, its order and the terms of its dense output, and how it attempts
    a step.
    """

    rtol: float = RTOL
    atol: float | None = None
    is_adaptive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        rtol, atol = admit_tolerances(self.rtol, self.atol)
        object.__setattr__(self, "rtol", rtol)
        object.__setattr__(self, "atol", atol)


def real_number(value: Any) -> float:
    """The number that was given; NaN for text, truth values, complex ones and lists.

    >>> real_number(2), real_number("2"), real_number(True)
    (2.0, nan, nan)
    """
    try:
        given = np.asarray(value)
        is_one = given.ndim == 0 and given.dtype.kind in "fiu"
        return float(given) if is_one else float("nan")
    except (TypeError, ValueError):
        return float("nan")


def admit_tolerances(
    rtol: Any, atol: Any, *, floor: float = FLOOR
) -> tuple[float, float | None]:
    """Tolerances that can be met, raised to the floor of rounding with a warning."""
    given = [real_number(v) for v in (rtol, atol) if v is not None]
    wrong = [v for v in given if not (np.isfinite(v) and v >= 0)]
    if wrong or not any(given) or not real_number(rtol) < 1:
        raise IntegrationError(
            f"no motion can be computed to rtol = {rtol!r}, atol = {atol!r}.",
            "Tolerances are finite, not negative, and not both zero; rtol is a share of"
            " the motion, below 1.",
            "Give rtol between 1e-13 and 1e-3, and leave atol out: it then follows from"
            " the system's own scales.",
        )
    relative = float(rtol)
    if relative < floor and not (atol and relative == 0):
        warn(
            f"rtol = {relative:g} asks for more than double precision can give;"
            f" {floor:.3g} is used",
            NumericalWarning,
        )
        relative = float(floor)
    return relative, None if atol is None else float(atol)
