"""Quantities with units at the edge: "1.2 kg" becomes 1.2, and its dimension is kept.

Inside, all numbers are SI and radians. pint (extra `units`) reads the unit; it is
imported when the first text with a unit comes.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

from polhode.errors import ModelError

# A number, a space or none, a unit. Texts come from files too: units are short, and
# their powers have one digit and perhaps a half, as Hertz's stiffness in N/m^1.5 has,
# so that nobody waits for a power of a million.
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
UNIT = r"[A-Za-zµμΩ°][A-Za-zµμΩ°0-9 */^().·-]{0,39}"
MEASURED = re.compile(rf"\s*({NUMBER})\s*({UNIT})\s*")
SEVERAL_DIGITS = re.compile(r"\d[\deE]|\d\.(?!5(?![\deE.]))")


class Measured(NamedTuple):
    """A number in SI, and the SI unit it is in."""

    value: float
    unit: str


def has_unit(text: Any) -> bool:
    """Whether a text is a number with a unit; an expression such as "2 * m" is not."""
    return isinstance(text, str) and MEASURED.fullmatch(text) is not None


def measured(text: str, what: str) -> Measured:
    """A text such as "12 cm" in SI: 0.12 m.

    >>> measured("12 cm", "the length of a rod")
    Measured(value=0.12, unit='m')
    """
    found = MEASURED.fullmatch(text)
    if found is None or SEVERAL_DIGITS.search(found[2]):
        raise ModelError(
            f"{what} is not a number with a unit: {text[:60]!r}.",
            "A text is read as a number followed by its unit.",
            'Write "1.2 kg", or a number in SI units.',
        )
    pint = _pint(what)
    try:
        unit = _registry().Unit(found[2].strip().replace("·", "*"))
        given = _registry().Quantity(float(found[1]), unit).to_base_units()
    except (pint.errors.PintError, ValueError, TypeError, AttributeError) as reason:
        raise ModelError(
            f"{what} has a unit that is not known: {text[:60]!r} ({reason}).",
            "Units are those of pint, by name or symbol, joined by *, / and powers.",
            'Write such as "1.2 kg", "0.3 N*m" or "30 deg".',
        ) from None
    return Measured(float(given.magnitude), f"{given.units:~C}")


def require_dimension(unit: str, wanted: str, what: str) -> None:
    """Refuse a unit of another dimension; radians are none."""
    there, needed = (_registry().Unit(each) for each in (unit, wanted))
    if there.dimensionality != needed.dimensionality:
        raise ModelError(
            f"{what} has the unit {unit or '1'}, and needs {wanted}.",
            f"Its dimension is {_unit_text(there)}, and not {_unit_text(needed)}.",
            "Look whether two quantities have changed places, or give its unit right.",
        )


def combined(law: Any, sources: list[Measured | float]) -> str | None:
    """The unit of what a law makes of quantities; None where it cannot be said.

    A law of quantities that do not fit, such as a sum of a mass and a length, is a
    DimensionalityError of pint, which is a TypeError.
    """
    registry = _registry()
    given = [
        registry.Quantity(each.value, each.unit) if isinstance(each, Measured) else each
        for each in sources
    ]
    made = law(*given)
    if not isinstance(made, registry.Quantity):
        return None
    return f"{made.to_base_units().units:~C}"


def _unit_text(unit: Any) -> str:
    return str(unit.dimensionality).replace("dimensionless", "none")


def _pint(what: str) -> Any:
    try:
        import pint
    except ImportError:
        raise ModelError(
            f"{what} has a unit, and nothing here reads units.",
            "Units are read by pint, which is not installed.",
            "Install the extra: pip install 'polhode[units]'; or give SI numbers.",
        ) from None
    return pint


@cache
def _registry() -> Any:
    return _pint("a quantity").UnitRegistry()
