"""Laws of several inputs at once: `inputs={("tau1", "tau2"): law}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import IntegrationError
from polhode.integrate.field.input_table import Group, Law, arity
from polhode.integrate.inputs.controller import Controller
from polhode.integrate.inputs.ports import input_size

if TYPE_CHECKING:
    from polhode.system.system import System


class Begun(NamedTuple):
    """A group, and the states that it begins with."""

    group: Group
    states: np.ndarray


def require_names_once(inputs: Mapping[Any, Any]) -> None:
    """Refuse an input that is driven twice, and keys that are no names."""
    each = [n for key in inputs for n in (key if isinstance(key, tuple) else (key,))]
    for name in each:
        if not isinstance(name, str) or each.count(name) > 1:
            twice = isinstance(name, str)
            raise IntegrationError(
                f"the input {name!r} is driven twice."
                if twice
                else f"{name!r} is no name of an input.",
                "An input has one value at a time."
                if twice
                else "Inputs are called by the names of motors and loads.",
                'Give each once: inputs={("tau1", "tau2"): law}.',
            )


def admit_group(
    system: System, names: Any, given: Any, others: Sequence[Begun]
) -> Begun:
    """A law of several inputs, or of one with constants or states of its own."""
    listed = names if isinstance(names, tuple) else (names,)
    if not listed:
        raise IntegrationError(
            "a law drives no input: its list of names is empty.",
            "A law gives one number or more for each input that it drives.",
            'Name them: inputs={("tau1", "tau2"): law}.',
        )
    size = sum(max(input_size(system, name), 1) for name in listed)
    if not isinstance(given, Controller):
        if not callable(given):
            raise IntegrationError(
                f"the inputs {listed!r} cannot be {given!r}.",
                "They are driven by one law, which returns them all.",
                "Give a function of time and state that returns one number for each.",
            )
        given = Controller(given, name=", ".join(listed))
    first = sum(len(other.states) for other in others)
    count = len(given.states)
    wanted = min(arity(given.law), 2)
    group = Group(
        given.name,
        listed,
        given.law,
        wanted,
        size,
        constants=given.constants,
        first=first,
        width=count,
    )
    return Begun(group, given.states)


def laws_of(system: System, groups: Sequence[Begun]) -> dict[str, Law]:
    """What each input takes of the last of some groups."""
    group, laws, first = groups[-1].group, {}, 0
    for name in group.names:
        size = input_size(system, name)
        part = slice(first, first + max(size, 1))
        laws[name] = Law(group.function, group.arity, size, len(groups) - 1, part)
        first = part.stop
    return laws
