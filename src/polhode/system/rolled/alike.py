"""Like things as one of them and a table of the numbers in which they differ.

    Revolute a, Revolute b, ...   ->   a Revolute,   axis (m, 3), triad (m, 3, 3), ...

Two things are alike if they are of one type and agree in all that is no number: laws,
rows, options. Names and the bodies that they are on do not count: those are numbers of
bodies, in tables of their own. One of them, with the numbers of a row of the table in
place of its own, answers as the thing of that row would, in a trace as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, final

import numpy as np

from polhode.arrays import namespace
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.joints.joint import Joint
from polhode.joints.seat import coordinates_of, triad_of
from polhode.matter.material_point import MaterialPoint
from polhode.matter.parameter import Parameter, Table, at
from polhode.matter.quantities.direction import Direction

# What kernels of a joint never read: its name, and what is known of its motor, whose
# rotor is in a table of its own. A direction by parameters is read at the table, as a
# triad.
UNREAD = {"name", "limits", "rotor_inertia", "gear_ratio", "effort_limits"}
UNREAD |= {"quantities", "directed"}

# Triads beside `triad`, of joints with two directions, and the direction of each.
SECOND_TRIADS = {"second_triad": "second_axis", "axis_triad": "axis"}

Numbers = dict[str, Any]


@final
@dataclass(frozen=True, eq=False)
class Group:
    """Like things: one of them, and of all the places, numbers by field, and names."""

    template: Any
    members: np.ndarray
    columns: Numbers
    names: tuple[str, ...]

    def one(self, row: Numbers) -> Any:
        """The thing with the numbers of one row of the table."""
        return with_numbers(self.template, row)


def groups(things: Sequence[Any], table: Table) -> list[Group]:
    """The things by kind, each kind in the order of its first."""
    found: dict[Any, list[int]] = {}
    split = [parted(thing, table) for thing in things]
    for place, (key, _) in enumerate(split):
        found.setdefault(key, []).append(place)
    return [
        Group(
            things[own[0]],
            np.array(own),
            differing([split[k][1] for k in own]),
            tuple(things[k].name for k in own),
        )
        for own in found.values()
    ]


def parted(thing: Any, table: Table) -> tuple[Any, Numbers]:
    """What makes a thing like others, and the numbers in which it may differ."""
    key: list[Any] = [type(thing)]
    numbers: Numbers = {}
    for field in fields(thing):
        word, value = field.name, getattr(thing, field.name)
        if word in UNREAD or isinstance(value, Frame):
            continue
        if isinstance(value, Direction):
            numbers[word] = value.at(table)
        elif word == "triad":
            numbers[word] = thing.triad_at(table)
        elif word in SECOND_TRIADS:
            own = getattr(thing, SECOND_TRIADS[word])
            numbers[word] = triad_of(own, value, table)
        elif isinstance(value, Point | MaterialPoint):
            numbers[word] = coordinates_of(value, table)
        elif isinstance(value, Parameter):
            numbers[word] = at(value, table)
        elif isinstance(value, float | np.ndarray):
            numbers[word] = value
        elif isinstance(value, tuple) and _are_quantities(value):
            entries = [at(entry, table) for entry in value]
            numbers[word] = namespace(*entries).stack(entries)
        elif isinstance(value, Mapping) and _are_quantities(tuple(value.values())):
            numbers[word] = {name: at(entry, table) for name, entry in value.items()}
        elif isinstance(value, Joint):
            inner, numbers[word] = parted(value, table)
            key.append((word, inner))
        else:
            key.append((word, _told_apart(value)))
    plain = [(w, n) for w, n in numbers.items() if not isinstance(n, dict)]
    shapes = [(word, np.shape(n)) for word, n in plain]
    return (*key, *shapes), numbers


def differing(rows: Sequence[Numbers]) -> Numbers:
    """Numbers of several things as one table, its first axis the things.

    Those in which all agree are left out: they stay with the one that stands for all,
    and zeros among them cost nothing.
    """
    out: Numbers = {}
    for word in rows[0]:
        column = [row[word] for row in rows]
        if isinstance(column[0], dict):
            nested = differing(column)
            if nested:
                out[word] = nested
        elif not _are_one(column):
            out[word] = namespace(*column).stack(column)
    return out


def _are_one(column: list[Any]) -> bool:
    first = column[0]
    if is_traced(*column):
        return all(item is first for item in column)
    return all(item is first or np.array_equal(item, first) for item in column)


def _are_quantities(values: tuple[Any, ...]) -> bool:
    return bool(values) and all(isinstance(v, float | Parameter) for v in values)


def _told_apart(value: Any) -> Any:
    """Plain values by what they are, everything else by which object it is."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, tuple) and all(isinstance(v, str) for v in value):
        return value
    if isinstance(value, Mapping) and not value:
        return ()
    return id(value)


def with_numbers(thing: Any, row: Mapping[str, Any]) -> Any:
    """A copy with other numbers: not constructed, since it was admitted before."""
    copy = object.__new__(type(thing))
    copy.__dict__.update(thing.__dict__)
    for word, number in row.items():
        copy.__dict__[word] = _replaced(getattr(thing, word), number)
    if "triad" in row:
        copy.__dict__["directed"] = None  # the table has its direction
    return copy


def _replaced(value: Any, number: Any) -> Any:
    if isinstance(value, Mapping):
        return {**value, **number}
    if isinstance(number, dict):
        return with_numbers(value, number)
    if isinstance(value, Point | MaterialPoint):
        point = object.__new__(Point)
        point.__dict__.update(frame=value.frame, coordinates=number, name=value.name)
        return point
    return tuple(number) if isinstance(value, tuple) else number
