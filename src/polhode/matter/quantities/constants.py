"""Constants of users' laws: numbers and parameters that a law is given by name.

    law(x, v, t, Cd=...)      with constants={"Cd": ph.Parameter("Cd", 0.4)}

A number inside a law's own code is unknown to everybody else. A constant is a parameter
of the model: sweeps, gradients, identification, files and printed equations see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from polhode.errors import ModelError
from polhode.matter.parameter import Table, at, named, quantity

NO_CONSTANTS: Mapping[str, Any] = MappingProxyType({})


def admit_constants(
    name: str, constants: Mapping[str, Any], law: Any = None
) -> Mapping[str, Any]:
    """The constants of a law as parameters; a bare number is called `name.key`.

    A law may bring constants of its own, as a `Formula` does; those given beside it
    come before them.
    """
    if not isinstance(constants, Mapping):
        raise ModelError(
            f"the constants of {name!r} are {constants!r}.",
            "A law takes its constants by name.",
            'Give a mapping: constants={"Cd": Cd}.',
        )
    given = {**getattr(law, "constants", {}), **constants}
    for key in given:
        if not isinstance(key, str):
            raise ModelError(
                f"a constant of {name!r} cannot be called {key!r}.",
                "A law takes its constants as arguments, by name.",
                'Give a word of Python, such as constants={"Cd": 0.4}.',
            )
    values = {
        key: named(quantity(value, f"{key!r} of {name!r}"), f"{name}.{key}")
        for key, value in given.items()
    }
    return MappingProxyType(values)


def values_of(constants: Mapping[str, Any], table: Table) -> dict[str, Any]:
    """The numbers of a law's constants, for a table of parameters."""
    return {key: at(value, table) for key, value in constants.items()}


def call_form(arguments: Iterable[str], constants: Iterable[str]) -> str:
    """How a law is called, in words of its error.

    >>> call_form(("length", "rate", "t"), ["k"])
    'law(length, rate, t, k=...)'
    """
    return f"law({', '.join([*arguments, *(f'{key}=...' for key in constants)])})"
