"""The door of stiffnesses, dampings and other numbers of a law."""

from __future__ import annotations

from typing import Any

from polhode.errors import NumericalWarning
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import at
from polhode.matter.quantities.scalar import ANY, NOT_NEGATIVE, scalar
from polhode.tracebacks import warn


def coefficient(
    name: str,
    what: str,
    value: Any,
    allow_negative: bool | None = None,
    *,
    unit: str = "",
) -> Any:
    """A number of a law as a parameter `name.what`; negative only if it is allowed.

    A spring of negative stiffness pushes away from rest, and a negative damper feeds
    motion: almost always a slip of sign. Where allowed, a warning still says so. None
    is for numbers that are never negative, such as a mass or g.
    """
    if allow_negative is None:
        why = "It is a size: its direction or sign is part of the law."
        repair = "Give a number of zero or more."
    else:
        why = "It would drive motion instead of resisting it."
        repair = "Check the sign; if it is meant, pass allow_negative=True."
    inside = ANY if allow_negative else NOT_NEGATIVE
    given = scalar(name, what, value, inside, unit=unit, why=why, repair=repair)
    nominal = at(given)
    if not is_traced(nominal) and nominal < 0:
        warn(
            f"the {what} of {name!r} is negative, {nominal:g}: it drives motion",
            NumericalWarning,
        )
    return given


def rest(name: str, what: str, value: Any) -> Any:
    """A length or angle at rest as a parameter; a length is never negative."""
    if what != "rest_length":
        return scalar(name, what, value, unit="rad")
    return scalar(
        *(name, what, value, NOT_NEGATIVE),
        unit="m",
        why="No spring is shorter than nothing.",
        repair="Give a length of zero or more.",
    )
