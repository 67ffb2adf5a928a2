"""Forms that are dense by nature: every velocity is coupled with every other.

They are written body by body, with matrices of the whole. Systems of many bodies have
the recursive form, whose code and work do not grow so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from polhode.errors import ModelError
from polhode.system.checked_argument import system_argument
from polhode.system.system import System

Form = TypeVar("Form", bound=Callable[..., Any])

# Bodies up to which a form that is written body by body is derived: sixty links take
# Kane's equations eleven seconds of processor time, and Lagrange's longer.
MOST = 64
WHY = "The form couples all {} speeds with each other and is written out body by body"
HOW = (
    "Take ph.recursive(system), the form of large systems, or a system of fewer like"
    " parts: it has the same equations."
)


def dense_form(form: Form) -> Form:
    """A form of a system; of one with many bodies it says that it has no place.

    >>> import polhode as ph
    >>> ph.kane(ph.models.chain_pendulum(300))
    Traceback (most recent call last):
    polhode.errors.ModelError: kane of 'chain of 300 rods' is dense: 300 bodies.
    <BLANKLINE>
      The form couples all 300 speeds with each other and is written out body by body, which is done for up to 64 bodies.
    <BLANKLINE>
      Take ph.recursive(system), the form of large systems, or a system of fewer like parts: it has the same equations.
    """  # noqa: E501  the words of an error are lines

    @wraps(form)
    def call(system: System, *given: Any, **named: Any) -> Any:
        refuse_many_bodies(system, form.__name__)
        return form(system, *given, **named)

    return system_argument(cast(Form, call))


def refuse_many_bodies(
    system: System, what: str, why: str = WHY, how: str = HOW
) -> None:
    """Refuses what is written out body by body, of a system of too many for that."""
    count = len(system.bodies)
    if count > MOST:
        raise ModelError(
            f"{what} of {system.name!r} is dense: {count} bodies.",
            f"{why.format(system.speeds)}, which is done for up to {MOST} bodies.",
            how,
        )
