"""Which is written: a closed form, or one with names for what is long.

    M y_dot + b - f = 0                                     multiplied out: textbooks
    M y_dot + b - f = 0   where  R_11 = ...,  c_1 = ...     as long as the program

A closed form is taken where it fits a page. Where it does not, rotations, mass matrix
and what else is long and used often have names, and the shorter of the two is written.
What decides are counts of operations and of parts, so that every machine writes the
same.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy

from polhode.arrays import Array
from polhode.errors import UnfinishedReading, UnreadableProgram
from polhode.lowering.reading.definitions import Definition
from polhode.lowering.reading.sympy_reader import LongProgram, read_closed, read_defined
from polhode.lowering.reading.traced_function import TracedFunction
from polhode.lowering.reading.unread import UnreadFunction
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.system.system import System

NO_LETTER = re.compile(r"\W+")
PAGE = 600  # parts (symbols, numbers, operations) of a closed form that is read gladly
LONGEST = 20_000  # operations of a program, beyond which nothing is written
MULTIPLIED = 4_000  # operations of a program; longer ones are not multiplied out


class Writing(NamedTuple):
    """What was read: the parts of the result, definitions, unread functions."""

    parts: Any
    where: tuple[Definition, ...]
    unread: tuple[UnreadFunction, ...]
    is_shortest: bool


def written(
    function: Callable[..., Any], given: tuple[Any, ...], system: System, **limits: Any
) -> Writing:
    """The shorter of closed form and form with names.

    `function` gives its result, and a dictionary of quantities that have a name;
    `limits` are those of `read_closed`.
    """
    traced = TracedFunction(function, given)
    plain = _closed(traced, limits)
    if plain is not None and _parts(plain, PAGE) <= PAGE:
        return plain
    rotations = rotation_names(system)
    try:
        named = _read(
            lambda unread: read_defined(
                traced,
                unread=unread,
                rotations=rotations,
                longest=LONGEST,
                **limits,
            )
        )
    except LongProgram as long:
        raise UnreadableProgram(
            f"'{function.__name__}' is too long to be read: its program has"
            f" {long.operations} operations.",
            f"Nobody reads more than {LONGEST} of them, one a line.",
            "Read a part of the system, another form, or what acts on each body:"
            " polhode equations MODEL. ph.compile takes any length.",
        ) from None
    if plain is not None:
        most = _parts(named)
        if _parts(plain, most) <= most:
            return plain
    return named


def _closed(traced: TracedFunction, limits: dict[str, Any]) -> Writing | None:
    """The closed form; None where it would take too long to be multiplied out."""
    try:
        return _read(
            lambda unread: (
                read_closed(traced, unread=unread, longest=MULTIPLIED, **limits),
                (),
            )
        )
    except LongProgram:
        return None


def warn_unfinished(writing: Writing, name: str, operations: float) -> None:
    """A warning where what is written could be shorter."""
    if not writing.is_shortest:
        warn(
            f"'{name}' was not brought to its shortest form: it is too long, or "
            f"{operations:g} operations were done. What is written is right.",
            UnfinishedReading,
        )


def rotation_names(system: System) -> list[str]:
    """What the rotation of each body is called: R, or R_rod of several."""
    if len(system.bodies) == 1:
        return ["R"]
    return ["R_" + NO_LETTER.sub("_", body.name) for body in system.bodies]


def quantities(system: System, rotations: Array, mass_matrix: Array) -> dict[str, Any]:
    """What has a name of its own: rotations of bodies, and the mass matrix."""
    names = rotation_names(system)
    return {"M": mass_matrix} | {
        name: rotations[k] for k, name in enumerate(names) if names.count(name) == 1
    }


def _read(reader: Callable[[list[UnreadFunction]], tuple[Any, Any]]) -> Writing:
    unread: list[UnreadFunction] = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found, where = reader(unread)
    early = any(issubclass(w.category, UnfinishedReading) for w in said)
    return Writing(found, tuple(where), tuple(unread), not early)


def _parts(writing: Writing, most: float = float("inf")) -> int:
    """How many parts all expressions have, as printed; no further than `most`."""
    stack = [*_expressions(writing.parts), *(e for _, e in writing.where)]
    count = len(writing.where)
    while stack and count <= most:
        stack.extend(stack.pop().args)
        count += 1
    return count


def _expressions(parts: Any) -> Iterable[Any]:
    if isinstance(parts, sympy.NDimArray):
        return [*sympy.flatten(parts.tolist())]
    if isinstance(parts, tuple | list):
        return [e for part in parts for e in _expressions(part)]
    return [parts]
