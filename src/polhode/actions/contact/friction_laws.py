r"""Dry friction beyond Coulomb's two numbers: falling with the slip, or by direction.

Stribeck      T = -mu(|v|) N v/|v|,   mu = mu_d + (mu_s - mu_d) exp(-(|v|/v_s)^2)
                                           + c |v|
Anisotropic   |(T1/mu_1, T2/mu_2)| <= N,  and the slip is square to that ellipse
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.actions.coefficient import coefficient
from polhode.actions.contact.friction import sliding_friction, sticks
from polhode.arrays import Array, Scalar, namespace
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.geometry.vector import norm, shown
from polhode.matter.axes import X, direction
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at
from polhode.matter.parameter import parameters_in as listed

SIDES = ("ground", "body")
SLIP = {"speed": "m/s", "viscous": "s/m"}


@final
@dataclass(frozen=True, eq=False)
class Stribeck:
    """Dry friction that falls from static to dynamic as the slip grows.

    `speed` is the slip at which exp(-1) of the difference is left, `viscous` (s/m) the
    part that grows with the slip. A `ph.Support` with it sticks up to static N. An
    impact takes the coefficient of the slip with which it strikes.

    >>> law = Stribeck(dynamic=0.3, static=0.5, speed=0.1)
    >>> round(float(law.coefficient(0.1)), 6)
    0.373576
    """

    dynamic: Quantity
    static: Quantity
    speed: Quantity
    viscous: Quantity = 0.0
    name: str = "stribeck"

    def __post_init__(self) -> None:
        for word, unit in {**dict.fromkeys(("dynamic", "static"), ""), **SLIP}.items():
            value = coefficient(self.name, word, getattr(self, word), unit=unit)
            object.__setattr__(self, word, value)
        low, high, speed = (at(x) for x in (self.dynamic, self.static, self.speed))
        if is_traced(low, high, speed):
            return
        if high < low:
            raise ModelError(
                f"{self.name!r} has static friction {high:g} below dynamic {low:g}.",
                "What holds less at rest than while sliding could never come to rest.",
                "Give static >= dynamic; perhaps the two are exchanged.",
            )
        if speed == 0:
            raise ModelError(
                f"the speed of {self.name!r} is zero.",
                "It is the slip over which friction falls; zero is a jump.",
                "Give a speed above zero, or ph.Coulomb(dynamic, static).",
            )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Its four numbers."""
        return listed([self.dynamic, self.static, self.speed, self.viscous])

    def coefficient(self, slip: Any, table: Table = NOMINAL) -> Any:
        """mu at a slip |v|."""
        xp = namespace(slip)
        low, high = at(self.dynamic, table), at(self.static, table)
        share = xp.exp(-((slip / at(self.speed, table)) ** 2))
        return low + (high - low) * share + at(self.viscous, table) * slip

    def force(self, velocity: Array, load: Scalar, table: Table = NOMINAL) -> Any:
        """T = -mu(|v|) N v/|v|, zero at rest, where a constraint must hold instead."""
        mu = self.coefficient(norm(velocity), table)
        return sliding_friction(velocity, load, mu)

    def holds(self, tangential: Any, load: Scalar, table: Table = NOMINAL) -> Any:
        """Whether the contact can stay at rest: |T| <= mu_s N."""
        return sticks(tangential, load, at(self.static, table))

    def __repr__(self) -> str:
        words = ("dynamic", "static", "speed", "viscous")
        said = ", ".join(f"{w}={shown(at(getattr(self, w)))}" for w in words)
        return f"Stribeck({said})"


@final
@dataclass(frozen=True, eq=False)
class Anisotropic:
    """Dry friction of two directions: along `axis`, and across it.

    Friction is within an ellipse, and slip goes where it dissipates most: T = -N D^2
    v/|D v| with D = diag(mu_1, mu_2). `axis` is in the axes of the `of` side: of the
    "ground" as for grooves in a floor, or of the "body" as for a skate or a ski.
    `static` has the same proportions.

    >>> Anisotropic((0.1, 0.4), axis=(1, 0, 0), of="body")
    Anisotropic(dynamic=(0.1, 0.4), static=(0.1, 0.4), axis=[1, 0, 0] of 'body')
    """

    dynamic: Any
    static: Any = None
    axis: Any = X
    of: str = "ground"
    name: str = "anisotropic"

    def __post_init__(self) -> None:
        put = object.__setattr__
        if self.of not in SIDES:
            raise ModelError(
                f"the axis of {self.name!r} cannot belong to {self.of!r}.",
                "It turns with what rests, or stays with what is rested on.",
                'Give of="ground" or of="body".',
            )
        put(
            self, "axis", np.asarray(direction(self.axis, f"the axis of {self.name!r}"))
        )
        static = self.dynamic if self.static is None else self.static
        put(self, "dynamic", _pair(self.name, "dynamic", self.dynamic))
        put(self, "static", _pair(self.name, "static", static))
        low, high = (np.array([at(x) for x in p]) for p in (self.dynamic, self.static))
        if np.any(high < low):
            raise ModelError(
                f"{self.name!r} has static friction {_pair_text(high)} below dynamic"
                f" {_pair_text(low)}.",
                "What holds less at rest than while sliding could never come to rest.",
                "Give static >= dynamic along and across.",
            )
        if abs(low[0] * high[1] - low[1] * high[0]) > 1e-12 * max(high) ** 2:
            raise ModelError(
                f"{self.name!r} has ellipses of two shapes: dynamic {_pair_text(low)},"
                f" static {_pair_text(high)}.",
                "A slip that begins must set out along the friction that held it.",
                "Give static in the proportions of dynamic.",
            )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All coefficients."""
        return listed([*self.dynamic, *self.static])

    def scales(self, table: Table = NOMINAL) -> Any:
        """mu_1 and mu_2 (2,), each of the greater of the two."""
        mu = [at(x, table) for x in self.static]
        xp = namespace(*mu)
        both = xp.stack([1.0 * xp.asarray(x) for x in mu])
        most = xp.max(both)
        return both / xp.where(most > 0, most, 1.0)

    def greatest(self, table: Table = NOMINAL) -> tuple[Any, Any]:
        """The greater of the dynamic ones, and of the static ones."""
        low, high = ([at(x, table) for x in p] for p in (self.dynamic, self.static))
        xp = namespace(*low, *high)
        return xp.maximum(*low), xp.maximum(*high)

    def __repr__(self) -> str:
        low, high = ([at(x) for x in p] for p in (self.dynamic, self.static))
        return (
            f"Anisotropic(dynamic={_pair_text(low)}, static={_pair_text(high)},"
            f" axis={shown(self.axis)} of {self.of!r})"
        )


def _pair(name: str, word: str, given: Any) -> tuple[Quantity, Quantity]:
    entries = [*given] if isinstance(given, list | tuple | np.ndarray) else []
    if len(entries) != 2:
        raise ModelError(
            f"{name!r} cannot have {word} friction {given!r}.",
            "It has two coefficients: along its axis, and across it.",
            f"Give {word}=(0.1, 0.4).",
        )
    first, second = (
        coefficient(name, f"{word}.{where}", x)
        for where, x in zip(("along", "across"), entries, strict=True)
    )
    return first, second


def _pair_text(pair: Any) -> str:
    return "(" + ", ".join(f"{x:g}" for x in pair) + ")"
