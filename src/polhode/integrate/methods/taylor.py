"""Taylor's method: the series of the solution itself, to an order set by the tolerance.

    x(t + h) = sum_(k <= p) c_k h^k,      p = ceil(1 - ln(tolerance)/2)

A. Jorba and M. Zou, A software package for the numerical integration of ODEs by means
of high-order Taylor methods, Exp. Math. 14 (2005) 99-117. The step is e^-2 times the
radius of convergence as the last two coefficients tell it, for which this order asks
the least work; a tighter tolerance raises the order and leaves the steps as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, comb, log
from typing import Any, ClassVar, NamedTuple, final

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import (
    RTOL,
    Attempt,
    WrappedMethod,
    admit_tolerances,
)
from polhode.lowering.series.taylor import opened, refusal, taylor_coefficients

# Beneath it every coefficient of a further order is lost in the roundings of others.
FLOOR = 1e-18
# Hermite's cubic and one term of its own: what dense output is made of.
LEAST_ORDER = 4
LEAST = 1e-150  # so small that nothing is


class Expansion(NamedTuple):
    """The series at a state: c (order + 1, width)."""

    c: Any

    def at(self, h: Scalar) -> Any:
        """x(t + h) - x(t): Horner's rule for odd and for even powers, side by side."""
        square, last = h * h, len(self.c) - 1
        halves = []
        for first in (last, last - 1):
            total = self.c[first]
            for k in range(first - 2, 0, -2):
                total = self.c[k] + square * total
            halves.append(total)
        odd, even = halves if last % 2 else halves[::-1]
        return h * (odd + h * even)


@final
@dataclass(frozen=True)
class Taylor:
    """Order and steps by the tolerance: for smooth motions to the last digits.

    The order grows with the digits, the steps hardly shrink. Forces must be analytic:
    what has a kink (`abs`, `max`, `where` on the state, tables) is refused with its
    line. Sums of steps are compensated, so that `rtol=1e-15` means it.

    >>> Taylor(rtol=1e-15).order
    19
    """

    rtol: float = RTOL
    atol: float | None = None
    is_adaptive: ClassVar[bool] = True
    knows_step: ClassVar[bool] = True

    def __post_init__(self) -> None:
        rtol, atol = admit_tolerances(self.rtol, self.atol, floor=FLOOR)
        object.__setattr__(self, "rtol", rtol)
        object.__setattr__(self, "atol", atol)

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"Taylor of order {self.order}"

    @property
    def order(self) -> int:
        """The degree of its polynomials."""
        tolerance = self.rtol if self.rtol > 0 else max(self.atol or 0.0, FLOOR)
        return max(LEAST_ORDER, ceil(1 - log(tolerance) / 2))

    @property
    def dense_terms(self) -> int:
        """Those beyond Hermite's cubic."""
        return self.order - 3

    def expansion(self, field: Field, t: Scalar, x: Array) -> Expansion:
        """The series at a state, traced."""
        jaxpr, _ = opened(field.x_dot, t, x)
        found = refusal(jaxpr, self.order)
        if found is not None:
            place = f" at {found.line}" if found.line else ""
            raise IntegrationError(
                f"'{field.system.name}' cannot be moved by {self.name}:"
                f" {found.name}{place}.",
                f"A series needs every derivative of the forces: {found.reason}.",
                "Write the law without it, or give ph.methods.DormandPrince8.",
            )
        return Expansion(taylor_coefficients(field.x_dot, t, x, self.order))

    def step_size(self, series: Expansion, rtol: Any, atol: Any) -> Any:
        """How far the series reaches, by its last two terms.

        Of what is allowed, the last but one may be all and the last e^-2.
        """
        c, p = series.c, self.order
        allowed = atol + rtol * jnp.abs(c[0])
        share = 1 / jnp.where(allowed > LEAST, allowed, LEAST)
        last, before = (_largest(jnp.abs(c[k]) * share) for k in (p, p - 1))
        reach = jnp.minimum(
            -_log2(before) / (p - 1), -(_log2(last) + 2 / np.log(2.0)) / p
        )
        return np.exp(-0.7 / (p - 1)) * _exp2(reach)

    def dense(self, series: Expansion, h: Scalar) -> tuple[Any, ...]:
        """Its terms beyond Hermite's cubic: divided differences at both ends."""
        p, power, scaled = self.order, h**LEAST_ORDER, {}
        for k in range(LEAST_ORDER, p + 1):
            scaled[k], power = power * series.c[k], power * h
        return tuple(
            sum(w * scaled[k] for k, w in row.items()) for row in dense_weights(p)
        )

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step of a given size, traced."""
        series = self.expansion(field, t, x)
        error = (h**self.order * series.c[self.order],)
        return Attempt(x + series.at(h), error, self.dense(series, h))


@final
@dataclass(frozen=True)
class EndsAlone(WrappedMethod):
    """The same steps where none is kept: without dense output and slopes at ends."""

    method: Taylor
    knows_step: ClassVar[bool] = True
    dense_terms: ClassVar[int] = 0

    def expansion(self, field: Field, t: Scalar, x: Array) -> Expansion:
        """The series at a state, traced."""
        return self.method.expansion(field, t, x)

    def step_size(self, series: Expansion, rtol: Any, atol: Any) -> Any:
        """How far the series reaches."""
        return self.method.step_size(series, rtol, atol)

    def dense(self, series: Expansion, h: Scalar) -> tuple[Any, ...]:
        """No terms."""
        return ()

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step of a given size, traced."""
        return self.method.attempt(field, t, x, x_dot, h)


def dense_weights(order: int) -> list[dict[int, float]]:
    """Of each term of dense output: weights of c_k h^k.

    Its products s^a (1 - s)^b are Newton's for nodes 0, 1, 0, 1, ..., of which the
    divided differences of s^k are binomial coefficients.
    """
    rows = []
    for m in range(LEAST_ORDER, order + 1):
        ones, sign = (m + 1) // 2 - 1, (-1.0) ** (m // 2)
        rows.append({k: sign * comb(k - m + ones, ones) for k in range(m, order + 1)})
    return rows


def _largest(x: Array) -> Any:
    while x.shape[0] > 1:
        half = x.shape[0] // 2
        a, b, rest = x[:half], x[half : 2 * half], x[2 * half :]
        x = jnp.concatenate([jnp.where(a > b, a, b), rest])
    return x[0]


def _log2(x: Array) -> Any:
    """log2(x) of a positive x, less by at most 0.09: its bits, read as a number."""
    return lax.bitcast_convert_type(x, jnp.int64) * 2.0**-52 - 1023.0


def _exp2(y: Array) -> Any:
    """2^y to 0.3 per cent."""
    whole = jnp.floor(y)
    rest = y - whole
    power = ((whole + 1023.0) * 2.0**52).astype(jnp.int64)
    scale = lax.bitcast_convert_type(power, jnp.float64)
    return scale * (1 + rest * (0.6565 + 0.3435 * rest))
