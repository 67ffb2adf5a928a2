"""Kinds of values in a model file: how each is read, written and described."""

from __future__ import annotations

import math
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any, TypeGuard, final

import numpy as np

from polhode.dimension import has_unit
from polhode.errors import ModelError
from polhode.files.expression import Formula, names_in, parse
from polhode.files.issues import Way, nearest
from polhode.files.scope import INVALID, Scope, Writer
from polhode.matter.axes import X, Y, Z
from polhode.matter.quantities.direction import Direction

AXES = {str(axis): axis for one in (X, Y, Z) for axis in (one, -one)}


@final
@dataclass(frozen=True)
class Value:
    """One kind of value.

    read(scope, way, value)   -> what the API takes, or BAD
    write(writer, value, place)  -> what TOML takes; None where it cannot be said
    schema                    in the words of JSON Schema
    """

    read: Callable[[Scope, Way, Any], Any]
    write: Callable[[Writer, Any, str], Any]
    schema: dict[str, Any]


@final
@dataclass(frozen=True)
class Field:
    """A key of a table: its value, its unit, and what it is by default."""

    name: str
    value: Value
    about: str = ""
    default: Any = ...

    @property
    def is_required(self) -> bool:
        """Whether the key must be there."""
        return self.default is ...


def is_number(value: Any) -> bool:
    """Whether a value is a number and not a flag."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_one_of(value: Any, known: Container[str]) -> TypeGuard[str]:
    """Whether a value is one of some words; a list or a table is none."""
    return isinstance(value, str) and value in known


def as_finite(value: Any) -> float | None:
    """A number as a double; None where it is not finite, or too large for one."""
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def shorten(value: Any) -> str:
    """A value in an error, cut short."""
    try:
        text = repr(value)
    except ValueError:  # Python does not write out whole numbers of that length
        text = "a whole number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:57]}..."


def read_number(scope: Scope, path: Way, value: Any) -> Any:
    """A finite number."""
    if not is_number(value):
        return scope.refuse(path, f"{shorten(value)} is not a number.")
    found = as_finite(value)
    if found is None:
        text = f"{shorten(value)} measures nothing: give a finite number."
        return scope.refuse(path, text)
    return found


def read_quantity(scope: Scope, path: Way, value: Any) -> Any:
    """A number, or an expression of parameters."""
    if isinstance(value, str):
        return scope.quantity(path, value)
    if not is_number(value):
        text = f"{shorten(value)} is neither a number nor an expression of parameters."
        return scope.refuse(path, text)
    return read_number(scope, path, value)


def write_quantity(writer: Writer, value: Any, place: str) -> Any:
    """See `Writer.quantity`."""
    return writer.quantity(value, place, place.rpartition(".")[0] or place)


def each(value: Value, count: int | None = None) -> Value:
    """A list of values of one kind, of some length."""

    def read(scope: Scope, path: Way, given: Any) -> Any:
        if not isinstance(given, list) or (count and len(given) != count):
            many = f"{count} entries" if count else "entries"
            return scope.refuse(path, f"{shorten(given)} is no list of {many}.")
        found = []
        for k, entry in enumerate(given):
            found.append(value.read(scope, (*path, k), entry))
            if scope.report.is_full:
                return INVALID
        return INVALID if any(entry is INVALID for entry in found) else found

    def write(writer: Writer, given: Any, place: str) -> Any:
        return [value.write(writer, entry, place) for entry in given]

    size = {"minItems": count, "maxItems": count} if count else {}
    schema = {"type": "array", "items": value.schema, **size}
    return Value(read, write, schema)


def either(one: Value, other: Value) -> Value:
    """A single value or a list of them."""

    def read(scope: Scope, path: Way, given: Any) -> Any:
        chosen = other if isinstance(given, list) else one
        return chosen.read(scope, path, given)

    def write(writer: Writer, given: Any, place: str) -> Any:
        if not isinstance(given, tuple | list | np.ndarray):
            return one.write(writer, given, place)
        alike = all(entry is given[0] or entry == given[0] for entry in given)
        if len(given) and alike:
            return one.write(writer, given[0], place)
        return other.write(writer, given, place)

    return Value(read, write, {"anyOf": [one.schema, other.schema]})


def plain(kind: type, word: str, schema: dict[str, Any]) -> Value:
    """A text or a flag."""

    def read(scope: Scope, path: Way, value: Any) -> Any:
        if isinstance(value, kind):
            return value
        return scope.refuse(path, f"{shorten(value)} is no {word}.")

    return Value(read, lambda writer, value, place: kind(value), schema)


def read_direction(scope: Scope, path: Way, value: Any) -> Any:
    """An axis by its name, or three numbers."""
    if isinstance(value, str):
        if value in AXES:
            return AXES[value]
        known = nearest(value, AXES)
        return scope.refuse(path, f"{shorten(value)} is no direction. {known}")
    return THREE.read(scope, path, value)


def write_direction(writer: Writer, value: Any, place: str) -> Any:
    """The name of an axis where it is one; quantities where some are parameters."""
    if isinstance(value, Direction):
        return THREE.write(writer, value.entries, place)
    column = np.asarray(value, dtype=float)
    for name, axis in AXES.items():
        if np.array_equal(column, np.asarray(axis)):
            return name
    return column.tolist()


def read_bounds(scope: Scope, path: Way, value: Any) -> Any:
    """[lower, upper]: numbers, infinite where there is none, or lists of them.

    A number may have its unit, which the door of what is built reads.
    """
    ends = value if isinstance(value, list) else []
    flat = [e for end in ends for e in (end if isinstance(end, list) else [end])]
    known = [has_unit(e) or (is_number(e) and _is_bound(e)) for e in flat]
    if len(ends) != 2 or not all(known):
        return scope.refuse(path, f"{shorten(value)} is no pair [lower, upper].")
    return tuple(ends)


def _is_bound(value: Any) -> bool:
    """Whether a number can bound something: finite or infinite."""
    return as_finite(value) is not None or value in (math.inf, -math.inf)


def write_bounds(writer: Writer, bounds: Any, place: str) -> Any:
    """Nothing where there are none."""
    lower, upper = (np.asarray(end) for end in bounds)
    if not np.any(np.isfinite([lower, upper])):
        return None
    return [end.item() if end.size == 1 else end.tolist() for end in (lower, upper)]


def formula(*variables: str) -> Value:
    """A law of variables, or a quantity."""

    def read(scope: Scope, path: Way, value: Any) -> Any:
        try:
            used = names_in(parse(value)) if isinstance(value, str) else ()
        except ModelError:
            used = ()  # its error is told below
        if set(used) & set(variables):
            return scope.built(path, lambda: _formula(scope, value, variables))
        return read_quantity(scope, path, value)

    def write(writer: Writer, law: Any, place: str) -> Any:
        if isinstance(law, Formula):
            if len(law.of) != len(variables):
                own, names = ", ".join(law.of), ", ".join(variables)
                return writer.lose(f"{place}: its formula is of {own}, not of {names}")
            texts: dict[str, str] = {}
            for key, value in law.constants.items():
                text = writer.constant(
                    value, f"{place.rpartition('.')[0]}.{key}", place
                )
                if text is None:
                    return None
                texts[key] = text
            return law.called(variables, texts)
        if callable(law):
            return writer.lose(f"{place}: its law is a function of Python")
        return write_quantity(writer, law, place)

    return Value(read, write, QUANTITY.schema)


def _formula(scope: Scope, text: str, variables: tuple[str, ...]) -> Formula:
    """A formula of variables and of the file's parameters, which are its constants."""
    known = [n for n in names_in(parse(text)) if n not in variables]
    constants = {n: scope.parameters[n] for n in known if n in scope.parameters}
    return Formula(text, variables, constants)


def law_of(*variables: str) -> Value:
    """A function of variables, also where it uses none of them."""

    def read(scope: Scope, path: Way, value: Any) -> Any:
        if is_number(value):
            value = repr(value)
        if not isinstance(value, str):
            own = f"sin(2 * {variables[0]})"
            return scope.refuse(path, f'{shorten(value)} is no law such as "{own}".')
        return scope.built(path, lambda: _formula(scope, value, variables))

    return Value(read, formula(*variables).write, QUANTITY.schema)


QUANTITY = Value(
    read_quantity,
    write_quantity,
    {"anyOf": [{"type": "number"}, {"type": "string"}]},
)
NUMBER = Value(
    read_number, lambda writer, value, place: float(value), {"type": "number"}
)
THREE = each(QUANTITY, 3)
THREE_NUMBERS = each(NUMBER, 3)
MATRIX = each(THREE_NUMBERS, 3)
QUANTITIES = either(QUANTITY, each(QUANTITY))
TEXT = plain(str, "text", {"type": "string"})
FLAG = plain(bool, "flag: give true or false", {"type": "boolean"})
DIRECTION = Value(
    read_direction,
    write_direction,
    {"anyOf": [{"enum": [*AXES]}, THREE.schema]},
)
BOUNDS = Value(
    read_bounds,
    write_bounds,
    {"type": "array", "minItems": 2, "maxItems": 2},
)
