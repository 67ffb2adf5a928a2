"""Laws of compliant contact: the push of two bodies that dent each other by x > 0.

    N = k x^n (1 + a x')       Hertz (a = 0), Hunt-Crossley, Flores, Lankarani-Nikravesh
    N = k x + c x'             Kelvin-Voigt

A push is never a pull: where a law would give N < 0, in a separation quicker than the
dent recovers, N = 0. The energy stored is that of the elastic part, k x^(n+1)/(n+1).

For the first kind restitution e from the speed v is, whatever k, n and the masses,

    alpha - ln(1 + alpha) = -e alpha - ln(1 - e alpha),      alpha = a v

which `damping_number` solves for alpha and `restitution_of` for e. The formulas of
Flores and of Lankarani and Nikravesh approximate it; they are kept as published.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, Protocol, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.arrays import Scalar, namespace, removable
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.vector import shown
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    number,
    parameters_in,
)
from polhode.matter.quantities.scalar import POSITIVE, Range, scalar

HERTZ = 1.5
TERMS = 36  # of the series below 0.3: 0.3^36 / 36 is below rounding
NEAR = 0.3
NEWTON = 7  # from its start five reach rounding for every e


class ContactLaw(Protocol):
    """The push of a contact from its depth x > 0 (m) and the rate x' (m/s) of it."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers of the law."""

    def elastic(self, depth: Scalar, table: Table = NOMINAL) -> Any:
        """The part of the push that comes from the stored energy, N."""

    def energy(self, depth: Scalar, table: Table = NOMINAL) -> Any:
        """The stored energy, J."""

    def damping_force(self, depth: Scalar, rate: Scalar, table: Table = NOMINAL) -> Any:
        """The part of the push that is lost, N; never below minus the elastic one."""


# ------------------------------------------------------------------------- kernels


def elastic_push(depth: Scalar, stiffness: Scalar, exponent: float) -> Any:
    """k x^n, zero where nothing is dented."""
    return stiffness * _power(depth, exponent)


def stored_energy(depth: Scalar, stiffness: Scalar, exponent: float) -> Any:
    """k x^(n+1)/(n+1), zero where nothing is dented."""
    return stiffness * _power(depth, exponent + 1.0) / (exponent + 1.0)


def damped_push(elastic: Scalar, damping: Scalar, rate: Scalar) -> Any:
    """N_e a x', but never below -N_e: the whole push is not negative."""
    xp = namespace(elastic, damping, rate)
    return elastic * xp.maximum(damping * rate, -1.0)


def viscous_push(elastic: Scalar, damping: Scalar, depth: Scalar, rate: Scalar) -> Any:
    """c x' of a contact that is dented, but never below -N_e."""
    xp = namespace(elastic, depth, rate)
    return xp.where(depth > 0, xp.maximum(damping * rate, -elastic), 0.0)


def _power(depth: Scalar, exponent: float) -> Any:
    """x^n by roots and products where n is a whole or a half number."""
    xp = namespace(depth)
    # Written so that a depth that is not finite is not taken for "apart".
    apart = depth <= 0
    # Guarded before the power: a root has no derivative at zero.
    x = removable(apart, 1.0, depth)
    whole, half = int(exponent), exponent - int(exponent)
    if half in (0.0, 0.5) and whole <= 8:
        grown = xp.sqrt(x) if half else xp.ones_like(x)
        for _ in range(whole):
            grown = grown * x
    else:
        grown = xp.exp(exponent * xp.log(x))
    return xp.where(apart, 0.0, grown)


def damping_number(restitution: Scalar) -> Any:
    """alpha = a v that gives a restitution 0 < e <= 1, to rounding; traceable.

        L(alpha) = e^2 L(-e alpha),      L(x) = (x - ln(1 + x))/x^2

    The relation without its double root at alpha = 0. Newton's unknown is
    w = -ln(1 - e alpha), in which both sides are nearly straight.
    """
    e = restitution
    xp = namespace(e)
    w = (1.0 + e) / e - xp.log1p(1.0 / e)
    for _ in range(NEWTON):
        alpha = -xp.expm1(-w) / e
        left, left_slope = _remainder(alpha)
        right, right_slope = _remainder_of_log(w)
        error = left - e * e * right
        slope = left_slope * xp.exp(-w) / e - e * e * right_slope
        w = xp.maximum(w - error / slope, 0.0)
    return -xp.expm1(-w) / e


def _remainder(x: Scalar) -> tuple[Any, Any]:
    """L(x) = (x - ln(1 + x))/x^2 and its derivative."""
    xp = namespace(x)
    is_near = xp.abs(x) < NEAR
    near = xp.where(is_near, x, 0.0)
    far = xp.where(is_near, 1.0, x)
    value = slope = xp.zeros_like(near)
    for k in range(TERMS - 1, -1, -1):
        slope = -slope * near - value
        value = -value * near + 1.0 / (k + 2)
    closed = (far - xp.log1p(far)) / far**2
    closed_slope = (1.0 / (1.0 + far) - 2.0 * closed) / far
    return xp.where(is_near, value, closed), xp.where(is_near, slope, closed_slope)


def _remainder_of_log(w: Scalar) -> tuple[Any, Any]:
    """L(-s) with s = 1 - exp(-w), and its derivative by w."""
    xp = namespace(w)
    s, rest = -xp.expm1(-w), xp.exp(-w)
    is_far = s > NEAR
    value, slope = _remainder(-xp.where(is_far, 0.0, s))
    far = xp.where(is_far, s, 1.0)
    closed = (w - far) / far**2
    closed_slope = (1.0 - rest) / far**2 - 2.0 * closed * rest / far
    return (
        xp.where(is_far, closed, value),
        xp.where(is_far, closed_slope, -slope * rest),
    )


def restitution_of(alpha: float) -> float:
    """The restitution of a damping number alpha = a v >= 0, to rounding."""
    if alpha == 0:
        return 1.0
    target = float(_remainder(np.float64(alpha))[0]) * alpha * alpha
    # w - (1 - exp(-w)) is convex: from the right Newton's steps fall to the root.
    w = min(target + 1.0, np.sqrt(2.0 * target) + target)
    for _ in range(60):
        s = -np.expm1(-w)
        left = float(_remainder_of_log(np.float64(w))[0]) * s * s
        step = (left - target) / s
        w -= step
        if abs(step) <= 1e-16 * w:
            break
    return float(-np.expm1(-w) / alpha)


# ---------------------------------------------------------------------------- laws


@final
@dataclass(frozen=True, eq=False)
class Hertz:
    """Elastic contact: N = k x^(3/2), k in N/m^1.5; nothing is lost.

    Of two balls k = 4/3 E sqrt(R), with 1/R = 1/R_1 + 1/R_2 and
    1/E = (1 - nu_1^2)/E_1 + (1 - nu_2^2)/E_2.
    """

    stiffness: Quantity
    name: str = "hertz"

    def __post_init__(self) -> None:
        _set(self, stiffness=_stiffness(self, 1.5))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The stiffness."""
        return parameters_in([self.stiffness])

    def elastic(self, depth: Scalar, table: Table = NOMINAL) -> Any:
        """k x^(3/2)"""
        return elastic_push(depth, at(self.stiffness, table), HERTZ)

    def energy(self, depth: Scalar, table: Table = NOMINAL) -> Any:
        """k x^(5/2)/(5/2)"""
        return stored_energy(depth, at(self.stiffness, table), HERTZ)

    def damping_force(self, depth: Scalar, rate: Scalar, table: Table = NOMINAL) -> Any:
        """None."""
        return 0.0 * depth

    def restitution_at(self, speed: float) -> float:
        """All comes back."""
        return 1.0

    def __repr__(self) -> str:
        return f"Hertz({shown(at(self.stiffness))} N/m^1.5)"


class DentingLaw(ABC):
    """N = k x^n (1 + a x'): what contact laws of this shape have in common."""

    stiffness: Quantity
    exponent: float

    @property
    @abstractmethod
    def damping(self) -> Any:
        """a, in s/m, as a quantity."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The stiffness, and what the damping a follows from."""
        return parameters_in([self.stiffness, self.damping])

    def elastic(self, depth: Scalar, table: Table = NOMINAL) -> Any:
        """k x^n"""
        return elastic_push(depth, at(self.stiffness, table), self.exponent)

    def energy(self, depth: Scalar, table: Table = NOMINAL) -> Any:
        """k x^(n+1)/(n+1)"""
        return stored_energy(depth, at(self.stiffness, table), self.exponent)

    def damping_force(self, depth: Scalar, rate: Scalar, table: Table = NOMINAL) -> Any:
        """k x^n a x'"""
        return damped_push(self.elastic(depth, table), at(self.damping, table), rate)

    def restitution_at(self, speed: float) -> float:
        """e of what strikes with a speed, by the exact relation."""
        return restitution_of(float(at(self.damping)) * speed)


class DampingFormula(DentingLaw):
    """A damping a = number(e)/v by a published formula of the restitution e at v."""

    name: str
    restitution: Quantity
    at_speed: Quantity

    def __post_init__(self) -> None:
        exponent = _exponent(self.name, self.exponent)
        _set(
            self,
            stiffness=_stiffness(self, exponent),
            exponent=exponent,
            at_speed=_positive(self.name, "at_speed", self.at_speed, "m/s"),
            restitution=_restitution(self),
        )

    @staticmethod
    @abstractmethod
    def number(e: Scalar) -> Any:
        """The damping number alpha = a v that the formula gives a restitution."""

    @property
    def damping(self) -> Any:
        """a = number(e)/v, in s/m, as a quantity."""
        number, name = self.number, f"{self.name}.damping"
        sources = self.restitution, self.at_speed
        return Parameter.derived(name, lambda e, v: number(e) / v, *sources)

    def __repr__(self) -> str:
        k, e = shown(at(self.stiffness)), shown(at(self.restitution))
        force = f"{k} N/m^{self.exponent:g}"
        speed = shown(at(self.at_speed))
        return f"{type(self).__name__}({force}, nominal {e} at {speed} m/s)"


@final
@dataclass(frozen=True, eq=False)
class HuntCrossley(DentingLaw):
    """Contact that loses as it dents: N = k x^n (1 + a x').

    Either `damping` is a in s/m, or `restitution` e and `at_speed` v (m/s): a is then
    found so that what strikes with v leaves with e v to rounding, whatever k, n and the
    masses are, as long as nothing else acts while they touch. Sweeps vary `damping`.

    >>> import polhode as ph
    >>> law = ph.contact.HuntCrossley(1e6, restitution=0.5, at_speed=1.0)
    >>> round(law.restitution_at(1.0), 12), round(law.restitution_at(2.0), 3)
    (0.5, 0.318)
    """

    stiffness: Quantity
    exponent: float = HERTZ
    damping: Quantity | None = None
    _: KW_ONLY
    restitution: Quantity | None = None
    at_speed: Quantity | None = None
    name: str = "hunt_crossley"

    def __post_init__(self) -> None:
        one = (self.damping is None) == (self.restitution is None)
        if one or (self.restitution is None) != (self.at_speed is None):
            raise ModelError(
                f"{self.name!r} does not know what it loses.",
                "Its damping a follows from a restitution at a speed, or is given.",
                "Give damping=..., in s/m, or both restitution=... and at_speed=....",
            )
        exponent = _exponent(self.name, self.exponent)
        _set(self, stiffness=_stiffness(self, exponent), exponent=exponent)
        a = self.damping
        if self.restitution is not None:
            _require_numbers(self)
            e = _restitution(self)
            v = _positive(self.name, "at_speed", self.at_speed, "m/s")
            a = float(damping_number(np.float64(at(e)))) / at(v)
            _set(self, restitution=float(at(e)), at_speed=float(at(v)))
        _set(self, damping=coefficient(self.name, "damping", a, unit="s/m"))

    def __repr__(self) -> str:
        k, a = shown(at(self.stiffness)), shown(at(self.damping))
        return f"HuntCrossley({k} N/m^{self.exponent:g}, {a} s/m)"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Flores(DampingFormula):
    """Flores' formula (2011): N = k x^n (1 + a x'), a = 8 (1 - e)/(5 e v).

    An approximation: `restitution_at(v)` says what it gives. `HuntCrossley` with a
    restitution gives e itself.
    """

    stiffness: Quantity
    exponent: float = HERTZ
    _: KW_ONLY
    restitution: Quantity
    at_speed: Quantity
    name: str = "flores"

    @staticmethod
    def number(e: Scalar) -> Any:
        """a v = 8 (1 - e)/(5 e)"""
        return 8.0 * (1.0 - e) / (5.0 * e)


@final
@dataclass(frozen=True, eq=False, repr=False)
class LankaraniNikravesh(DampingFormula):
    """Their formula (1990): N = k x^n (1 + a x'), a = 3 (1 - e^2)/(4 v).

    An approximation, for e near 1: `restitution_at(v)` says what it gives.
    `HuntCrossley` with a restitution gives e itself.
    """

    stiffness: Quantity
    exponent: float = HERTZ
    _: KW_ONLY
    restitution: Quantity
    at_speed: Quantity
    name: str = "lankarani_nikravesh"

    @staticmethod
    def number(e: Scalar) -> Any:
        """a v = 3 (1 - e^2)/4"""
        return 0.75 * (1.0 - e * e)


@final
@dataclass(frozen=True, eq=False)
class KelvinVoigt:
    """The linear law, a spring beside a damper: N = k x + c x', never below zero.

    Its push jumps to c v when something strikes, and its restitution depends on the
    masses.
    """

    stiffness: Quantity
    damping: Quantity = 0.0
    name: str = "kelvin_voigt"

    def __post_init__(self) -> None:
        _set(
            self,
            stiffness=_stiffness(self),
            damping=coefficient(self.name, "damping", self.damping, unit="N*s/m"),
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Stiffness and damping."""
        return parameters_in([self.stiffness, self.damping])

    def elastic(self, depth: Scalar, table: Table = NOMINAL) -> Any:
        """k x"""
        return elastic_push(depth, at(self.stiffness, table), 1.0)

    def energy(self, depth: Scalar, table: Table = NOMINAL) -> Any:
        """k x^2/2"""
        return stored_energy(depth, at(self.stiffness, table), 1.0)

    def damping_force(self, depth: Scalar, rate: Scalar, table: Table = NOMINAL) -> Any:
        """c x'"""
        elastic = self.elastic(depth, table)
        return viscous_push(elastic, at(self.damping, table), depth, rate)

    def __repr__(self) -> str:
        k, c = shown(at(self.stiffness)), shown(at(self.damping))
        return f"KelvinVoigt({k} N/m, {c} N s/m)"


# ------------------------------------------------------------------------- the door


def _set(law: Any, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(law, name, value)


def _stiffness(law: Any, exponent: float = 1.0) -> Any:
    """k as a parameter of its law, in N/m^p."""
    return _positive(law.name, "stiffness", law.stiffness, f"N/m^{exponent:g}")


def _positive(name: str, what: str, value: Any, unit: str) -> Any:
    why = "Nothing would push two bodies that dent each other apart."
    repair = f"Give a {what} above zero."
    return scalar(name, what, value, POSITIVE, unit=unit, why=why, repair=repair)


def _exponent(name: str, value: Any) -> float:
    if isinstance(value, Parameter):
        raise ModelError(
            f"the exponent of {name!r} cannot be the parameter {value.name!r}.",
            "It is the shape of the law, not a size of it.",
            f"Give its number, {at(value):g}.",
        )
    exponent = number(value, f"the exponent of {name!r}")
    if is_traced(exponent) or exponent < 1:
        raise ModelError(
            f"the exponent of {name!r} is {exponent}.",
            "Below 1 the stiffness is infinite where bodies begin to touch.",
            "Give 1.5 for smooth bodies (Hertz), 1 for a linear push.",
        )
    return float(exponent)


def _restitution(law: Any) -> Any:
    """e as a parameter of its law; refused outside 0 < e <= 1."""
    return scalar(
        *(law.name, "restitution", law.restitution, Range(0.0, 1.0, takes_low=False)),
        why="Above 1 a bounce would gain energy; 0 needs infinite damping.",
        repair="Give 0 < restitution <= 1; ph.Support has contacts that do not bounce.",
    )


def _require_numbers(law: Any) -> None:
    """Refuse parameters from which a damping would follow only by iteration."""
    for what in ("restitution", "at_speed"):
        given = getattr(law, what)
        if isinstance(given, Parameter) or is_traced(given):
            raise ModelError(
                f"the {what} of {law.name!r} cannot be {given!r}.",
                "The damping that hits it solves an equation without a closed form.",
                f"Give a number, and vary {law.name + '.damping'!r}.",
            )
