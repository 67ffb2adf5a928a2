"""The door of a number that a model is given: its unit, and the range it lies in."""

from __future__ import annotations

from typing import Any, NamedTuple

from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import Amount, at, named, quantity


class Range(NamedTuple):
    """Numbers that make sense: above or from `low`, up to `high`, perhaps not zero."""

    low: float = -float("inf")
    high: float = float("inf")
    takes_low: bool = True
    takes_zero: bool = True

    def holds(self, value: float) -> bool:
        """Whether a number is inside; what is not a number is not."""
        above = value >= self.low if self.takes_low else value > self.low
        return above and value <= self.high and (self.takes_zero or value != 0)


ANY = Range()
POSITIVE = Range(0.0, takes_low=False)
NOT_NEGATIVE = Range(0.0)
NOT_ZERO = Range(takes_zero=False)


def scalar(  # limit: who, what and the two halves of a refusal are words, not data
    owner: str,
    what: str,
    value: Amount,
    inside: Range = ANY,
    *,
    kind: str = "",
    unit: str = "",
    why: str = "",
    repair: str = "",
) -> Any:
    """A number or parameter as the parameter `owner.what`, inside a range.

    `kind` is what its owner is, a screw or a pulley; `unit` the one that a text such as
    "3 cm" is turned into; `why` and `repair` are halves of the refusal of a number
    outside the range.

    >>> scalar("rod", "length", "12 cm", POSITIVE, unit="m").value
    0.12
    """
    of = f"{kind} {owner!r}" if kind else repr(owner)
    place = f"the {what.replace('_', ' ')} of {of}"
    given = quantity(value, place, unit)
    nominal = at(given)
    if not is_traced(nominal) and not inside.holds(nominal):
        raise ModelError(f"{place} is {_words(nominal, unit)}.", why, repair)
    return named(given, f"{owner}.{what}")


def _words(nominal: float, unit: str) -> str:
    if nominal == 0:
        return "zero"
    size = f"{nominal:g} {unit}".rstrip()
    return f"negative: {size}" if nominal < 0 else size
