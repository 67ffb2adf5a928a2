"""The pair 5(4) of Dormand and Prince, with dense output."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp
import numpy as np

from polhode.errors import IntegrationError, NumericalWarning
from polhode.integrate.field import Field
from polhode.integrate.method import Attempt

# Keeps the energy of a conservative tree to 1e-6 over 1000 of its own times.
RTOL = 1e-10
FLOOR = 100 * np.finfo(float).eps

# |lambda h| at the edge of stability, on the negative axis (Hairer and Wanner, IV.2).
STABLE = 3.25

NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (
    *(71 / 57600, 0.0, -71 / 16695, 71 / 1920),
    *(-17253 / 339200, 22 / 525, -1 / 40),
)
# Shampine's quartic as Hairer, Norsett and Wanner write it (Solving ODEs I, II.6).
BEND = (
    *(-12715105075 / 11282082432, 0.0, 87487479700 / 32700410799),
    *(-10690763975 / 1880347072, 701980252875 / 199316789632),
    *(-1453857185 / 822651844, 69997945 / 29380423),
)


@final
@dataclass(frozen=True)
class DormandPrince:
    """Order 5 with steps chosen so that each errs by less than the tolerance.

        error_i  <=  atol_i + rtol |x_i|,       in the mean square over i

    `atol` is a number for all of x = [q; y]; by default it is `rtol` of the system's
    own scales of length and rate. Dense output is of order 4.
    """

    rtol: float = RTOL
    atol: float | None = None
    name: ClassVar[str] = "Dormand-Prince 5(4)"
    order: ClassVar[int] = 5
    is_adaptive: ClassVar[bool] = True
    bends: ClassVar[int] = 1

    def __post_init__(self) -> None:
        rtol, atol = admit_tolerances(self.rtol, self.atol)
        object.__setattr__(self, "rtol", rtol)
        object.__setattr__(self, "atol", atol)

    def attempt(self, field: Field, t: Any, x: Any, slope: Any, h: Any) -> Attempt:
        """One step, traced."""
        k, there = [slope], x
        for node, weights in zip(NODES, STAGES, strict=True):
            before, there = there, x + h * _mix(weights, k)
            k.append(field.slope(t + node * h, there))
        lambda_h = h * _ratio(field, x, k[-1] - k[-2], there - before)
        error, bend = (h * _mix(ERROR, k),), (h * _mix(BEND, k),)
        return Attempt(there, error, bend, stiffness=lambda_h / STABLE)


def _ratio(field: Field, x: Any, rise: Any, way: Any) -> Any:
    """|f(a) - f(b)| / |a - b|: of two states at one time, how quick the quickest is.

    Both are measured by what is allowed, so that it has no units but 1/s.
    """
    rtol, atol = field.allowed
    allowed = atol + rtol * jnp.abs(x)
    allowed = jnp.where(allowed > 0, allowed, 1.0)
    above, below = jnp.sum((rise / allowed) ** 2), jnp.sum((way / allowed) ** 2)
    return jnp.sqrt(above / jnp.where(below > 0, below, jnp.inf))


def _mix(weights: tuple[float, ...], slopes: list[Any]) -> Any:
    parts = [w * k for w, k in zip(weights, slopes, strict=True) if w]
    return sum(parts[1:], parts[0]) if parts else jnp.zeros(())


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def admit_tolerances(rtol: Any, atol: Any) -> tuple[float, float | None]:
    """Tolerances that can be met, raised to the floor of rounding with a warning."""
    given = [_number(v) for v in (rtol, atol) if v is not None]
    wrong = [v for v in given if not (np.isfinite(v) and v >= 0)]
    if wrong or not any(given):
        raise IntegrationError(
            f"no motion can be computed to rtol = {rtol!r}, atol = {atol!r}.",
            "Tolerances are finite, not negative, and not both zero.",
            "Give rtol between 1e-13 and 1e-3, and leave atol out: it then follows from"
            " the system's own scales.",
        )
    relative = float(rtol)
    if relative < FLOOR and not (atol and relative == 0):
        warnings.warn(
            f"rtol = {relative:g} asks for more than double precision can give;"
            f" {FLOOR:.3g} is used",
            NumericalWarning,
            stacklevel=5,
        )
        relative = float(FLOOR)
    return relative, None if atol is None else float(atol)
