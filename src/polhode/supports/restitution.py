r"""Laws of restitution: when the second half of an impact is over.

    Newton     u_N+ = -e u_N-              of velocities of approach and departure
    Poisson    P_r  =  e P_c               of the impulses of the two halves
    Stronge    W_r  = -e^2 W_c             of the work of the push in the two halves

They agree where an impact is central, without friction, or where slip keeps its
direction. With friction that stops or turns the slip, Newton's may gain energy; the
other two never do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias, final

from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import (
    Parameter,
    Quantity,
    at,
    parameters_in,
    quantity,
)


@dataclass(frozen=True, eq=False)
class _Law:
    """A law with one number between 0, no rebound, and 1, nothing lost by the push."""

    restitution: Quantity

    def __post_init__(self) -> None:
        word = type(self).__name__
        e = quantity(self.restitution, f"the restitution of {word}")
        object.__setattr__(self, "restitution", e)
        if not is_traced(at(e)) and not 0 <= at(e) <= 1:
            raise ModelError(
                f"the restitution of {word} is {at(e):g}.",
                "Below 0 bodies would pass through one another, above 1 a push would"
                " give more energy back than it took.",
                "Give a number from 0 (no rebound) to 1 (all of it).",
            )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The number, if it has a name."""
        return parameters_in([self.restitution])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({at(self.restitution):g})"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Stronge(_Law):
    """Energetic restitution: the push gives back e^2 of the work that it took.

    >>> Stronge(0.5)
    Stronge(0.5)
    """

    number: ClassVar[int] = 0


@final
@dataclass(frozen=True, eq=False, repr=False)
class Poisson(_Law):
    """Kinetic restitution: the impulse of the second half is e of the first's.

    >>> Poisson(0.5)
    Poisson(0.5)
    """

    number: ClassVar[int] = 1


@final
@dataclass(frozen=True, eq=False, repr=False)
class Newton(_Law):
    """Kinematic restitution: departure is e of approach; with friction it may gain.

    >>> Newton(0.5)
    Newton(0.5)
    """

    number: ClassVar[int] = 2


Restitution: TypeAlias = Stronge | Poisson | Newton


def restitution_law(name: str, given: Any) -> Restitution:
    """The law given, a plain number as Stronge's, its number named after the support.

    >>> restitution_law("heel", 0.3).restitution
    Parameter('heel.restitution', 0.3)
    """
    law = given if isinstance(given, Stronge | Poisson | Newton) else Stronge(given)
    e = law.restitution
    if isinstance(e, Parameter):
        return law
    return type(law)(Parameter(f"{name}.restitution", e))
