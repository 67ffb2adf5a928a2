"""The door of stiffnesses, dampings and other numbers of a law."""

from __future__ import annotations

from typing import Any

from polhode.errors import ModelError, NumericalWarning
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import at, named, quantity
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
    given = quantity(value, f"the {what} of {name!r}", unit)
    nominal = at(given)
    if not is_traced(nominal) and nominal < 0:
        if allow_negative is None:
            raise ModelError(
                f"the {what} of {name!r} is negative: {nominal:g}.",
                "It is a size: its direction or sign is part of the law.",
                "Give a number of zero or more.",
            )
        if not allow_negative:
            raise ModelError(
                f"the {what} of {name!r} is negative: {nominal:g}.",
                "It would drive motion instead of resisting it.",
                "Check the sign; if it is meant, pass allow_negative=True.",
            )
        warn(
            f"the {what} of {name!r} is negative, {nominal:g}: it drives motion",
            NumericalWarning,
        )
    return named(given, f"{name}.{what}")


def rest(name: str, what: str, value: Any) -> Any:
    """A length or angle at rest as a parameter; a length is never negative."""
    unit = "m" if what == "rest_length" else "rad"
    given = quantity(value, f"the {what} of {name!r}", unit)
    nominal = at(given)
    if what == "rest_length" and not is_traced(nominal) and nominal < 0:
        raise ModelError(
            f"the rest length of {name!r} is negative: {nominal:g} m.",
            "No spring is shorter than nothing.",
            "Give a length of zero or more.",
        )
    return named(given, f"{name}.{what}")
