r"""Laws of tyres: the force in the road from slip and load.

    slip_x  kappa = (w r - v_x)/|v_x|     the rim faster than the road: drives forwards
    slip_y  tan(alpha) = v_y/|v_x|        sliding to the left: the force is to the right

A law answers forces(slip_x, slip_y, load, table) -> (F_x, F_y), and `parameters`. All
oppose the slip; under no load there is no force.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeAlias, final

from polhode.actions.coefficient import coefficient
from polhode.arrays import Scalar, namespace, removable
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


@final
@dataclass(frozen=True, eq=False)
class LinearTyre:
    """Forces in proportion to slip, whatever the load:   F = (C_k kappa, -C_a tan a)

    cornering      C_a, N/rad
    longitudinal   C_k, N a unit of slip

    >>> float(LinearTyre(60e3, 80e3).forces(0.0, 0.01, 3000.0)[1])
    -600.0
    """

    cornering: Quantity
    longitudinal: Quantity = 0.0
    _: KW_ONLY
    name: str = "tyre"

    def __post_init__(self) -> None:
        _admit(self, "cornering", "longitudinal")

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Both stiffnesses."""
        return parameters_in((self.cornering, self.longitudinal))

    def forces(
        self, slip_x: Scalar, slip_y: Scalar, load: Scalar, table: Table = NOMINAL
    ) -> tuple[Any, Any]:
        """(F_x, F_y); zero only where the wheel is off the road."""
        xp = namespace(slip_x, slip_y, load)
        on = xp.where(load > 0, 1.0, 0.0)
        C_k, C_a = at(self.longitudinal, table), at(self.cornering, table)
        return on * C_k * slip_x, -on * C_a * slip_y


@final
@dataclass(frozen=True, eq=False)
class FialaTyre:
    """Fiala's brush: linear at small slip, sliding with mu N beyond 3 mu N of it.

        s = sqrt((C_k kappa)^2 + (C_a tan a)^2)
        |F| = s - s^2/(3 mu N) + s^3/(27 (mu N)^2)     s < 3 mu N;     else mu N

    along the slip: driving and cornering share one friction.

    >>> float(FialaTyre(60e3, 80e3, 0.9).forces(0.0, 1.0, 3000.0)[1])
    -2700.0
    """

    cornering: Quantity
    longitudinal: Quantity
    friction: Quantity
    _: KW_ONLY
    name: str = "tyre"

    def __post_init__(self) -> None:
        _admit(self, "cornering", "longitudinal", "friction")

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Both stiffnesses and the friction."""
        return parameters_in((self.cornering, self.longitudinal, self.friction))

    def forces(
        self, slip_x: Scalar, slip_y: Scalar, load: Scalar, table: Table = NOMINAL
    ) -> tuple[Any, Any]:
        """(F_x, F_y)"""
        x = at(self.longitudinal, table) * slip_x
        y = at(self.cornering, table) * slip_y
        xp = namespace(x, y, load)
        on = load > 0
        most = at(self.friction, table) * xp.where(on, load, 1.0)
        square = x * x + y * y
        still = square == 0
        s = xp.sqrt(removable(still, 1.0, square))
        share = 1.0 - s / (3 * most) + s * s / (27 * most * most)
        share = xp.where(s < 3 * most, share, most / s)
        share = xp.where(on, removable(still, 1.0, share), 0.0)
        return share * x, -share * y


@final
@dataclass(frozen=True, eq=False)
class MagicFormula:
    """Pacejka's formula, of the size of the slip, shared along it:

        F(s) = mu N sin(C atan(B s - E (B s - atan(B s)))),  s^2 = kappa^2 + tan^2 a
        F_x = F_long(s) kappa/s,     F_y = -F_lat(s) tan(a)/s

    B stiffness, C shape, E curvature and friction mu, of cornering; those of driving
    are the same unless given. Its slope at no slip is B C mu N.

    >>> float(MagicFormula(10.0, 1.9, 0.97, 1.0).forces(0.0, 0.05, 4000.0)[1].round(1))
    -2942.5
    """

    B: Quantity
    C: Quantity
    E: Quantity
    friction: Quantity
    _: KW_ONLY
    B_x: Quantity | None = None
    C_x: Quantity | None = None
    E_x: Quantity | None = None
    friction_x: Quantity | None = None
    name: str = "tyre"

    def __post_init__(self) -> None:
        for word in ("B", "C", "E", "friction"):
            for which in (word, f"{word}_x"):
                given = getattr(self, which)
                if given is None:
                    value = getattr(self, word)
                elif word == "E":  # a negative one sharpens the peak
                    checked = quantity(given, f"the {which} of {self.name!r}")
                    value = named(checked, f"{self.name}.{which}")
                else:
                    value = coefficient(self.name, which, given)
                object.__setattr__(self, which, value)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All coefficients."""
        across = (self.B, self.C, self.E, self.friction)
        along = (self.B_x, self.C_x, self.E_x, self.friction_x)
        return parameters_in((*across, *along))

    def forces(
        self, slip_x: Scalar, slip_y: Scalar, load: Scalar, table: Table = NOMINAL
    ) -> tuple[Any, Any]:
        """(F_x, F_y)"""
        xp = namespace(slip_x, slip_y, load)
        load = xp.maximum(load, 0.0)
        square = slip_x * slip_x + slip_y * slip_y
        still = square == 0
        s = xp.sqrt(removable(still, 1.0, square))

        def stiffness(B: Any, C: Any, E: Any, mu: Any) -> Any:
            """F(s)/s; at no slip B C mu N."""
            B, C, E, most = (at(x, table) for x in (B, C, E, mu))
            most = most * load
            u = B * s
            F = most * xp.sin(C * xp.arctan(u - E * (u - xp.arctan(u))))
            return removable(still, B * C * most, F / s)

        along = stiffness(self.B_x, self.C_x, self.E_x, self.friction_x)
        across = stiffness(self.B, self.C, self.E, self.friction)
        return along * slip_x, -across * slip_y


TyreLaw: TypeAlias = LinearTyre | FialaTyre | MagicFormula
LAWS = (LinearTyre, FialaTyre, MagicFormula)


def _admit(law: Any, *words: str) -> None:
    for word in words:
        unit = "" if word == "friction" else "N"
        value = coefficient(law.name, word, getattr(law, word), unit=unit)
        object.__setattr__(law, word, value)
