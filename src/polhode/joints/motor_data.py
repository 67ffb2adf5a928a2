"""What engineers know of a joint: limits, rotors, gears; and their doors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from polhode.dimension import has_unit
from polhode.errors import ModelError
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import Parameter, at, named, quantity


def common_unit(units: Iterable[str]) -> str:
    """The unit of all coordinates of a joint; "" where they differ."""
    found = set(units)
    return found.pop() if len(found) == 1 else ""


def effort_unit(units: Iterable[str]) -> str:
    """The unit of the effort along coordinates; "" where they differ."""
    return {"rad": "N*m", "m": "N"}.get(common_unit(units), "")


def admit_bounds(
    name: str, what: str, bounds: Any, count: int, *, unit: str = ""
) -> tuple[Any, Any]:
    """(lower, upper), each (count,) and read-only; infinite where none are given.

    Texts such as "30 deg" are read where there is a unit.
    """
    if bounds is None:
        bounds = (-np.inf, np.inf)
    try:
        lower, upper = (
            _without_units(b, f"a {what} of {name!r}", unit) for b in bounds
        )
        ends = [np.broadcast_to(np.array(b, float), (count,)) for b in (lower, upper)]
    except ModelError:
        raise  # of a unit
    except (TypeError, ValueError) as reason:
        raise ModelError(
            f"the {what}s of joint {name!r} are not a pair: {bounds!r}.",
            f"There is a lower and an upper {what}.",
            f"Give (lower, upper), each one number or {count} of them.",
        ) from reason
    if np.any(np.isnan(ends)):
        raise ModelError(
            f"a {what} of joint {name!r} is NaN.",
            "NaN bounds nothing.",
            "Give a number, or infinity where there is no bound.",
        )
    if np.any(ends[0] > ends[1]):
        raise ModelError(
            f"the lower {what} of joint {name!r} is above the upper one:"
            f" {lower} > {upper}.",
            "Nothing lies between them.",
            "Exchange the two, or check their signs and units (radians, metres).",
        )
    return ends[0], ends[1]


def _without_units(bound: Any, what: str, unit: str) -> Any:
    """A bound, or one a coordinate, in SI."""
    if isinstance(bound, list | tuple):
        return [_without_units(each, what, unit) for each in bound]
    return at(quantity(bound, what, unit)) if has_unit(bound) else bound


def admit_motor(name: str, rotor: Any, gear: Any, count: int) -> dict[str, Any]:
    """Rotor inertias and gear ratios as quantities, one a speed."""
    rotors = _each(name, "rotor_inertia", rotor, count)
    gears = _each(name, "gear_ratio", gear, count)
    for inertia in rotors:
        if not is_traced(at(inertia)) and at(inertia) < 0:
            raise ModelError(
                f"the rotor inertia of joint {name!r} is negative: {at(inertia):g}.",
                "Mass spreads outwards only: no rotor has less than none.",
                "Give kg m^2 about the rotor's own shaft, zero or more.",
            )
    for ratio in gears:
        if not is_traced(at(ratio)) and at(ratio) == 0:
            raise ModelError(
                f"the gear ratio of joint {name!r} is zero.",
                "A motor that does not turn with the joint drives nothing.",
                "Give turns of the motor a turn of the joint, 1 for a direct drive.",
            )
    return {"rotor_inertia": rotors, "gear_ratio": gears}


def _each(name: str, word: str, value: Any, count: int) -> tuple[Any, ...]:
    """A quantity for each speed; a bare gear ratio of 1 is structure, as zero is."""
    many = isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 1
    values = list(value) if many else [value] * count
    if len(values) != count:
        raise ModelError(
            f"joint {name!r} has {count} speeds, and {len(values)} given as {word}.",
            "Each speed has one motor.",
            f"Give one number, or {count} of them.",
        )
    what = f"the {word} of joint {name!r}"
    unit = "kg*m^2" if word == "rotor_inertia" else ""
    checked = [quantity(entry, what, unit) for entry in values]
    places = [f"{name}.{word}" + (f".{k}" if many else "") for k in range(count)]
    return tuple(_name_of(c, p) for c, p in zip(checked, places, strict=True))


def _name_of(value: Any, place: str) -> Any:
    if not isinstance(value, Parameter) and not is_traced(value) and value == 1.0:
        return value
    return named(value, place)
