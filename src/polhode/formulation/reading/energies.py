"""Energies and positions for people, where the equations would be too long to read.

    T(t, q, z),      V(t, q),      g(t, q) = 0

Each is read by itself, and only if it is short: what is long is left out before any
time is spent on it. Where only the numbers of a system make it short, they are put in.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

from polhode.errors import UnfinishedReading, UnreadableProgram
from polhode.formulation.gauss import gauss
from polhode.formulation.reading.read import (
    nan,
    rounded,
    symbols_of,
    unit_quaternions,
)
from polhode.formulation.shared.dense_form import MOST as MOST_BODIES
from polhode.lowering.reading.sympy_reader import effort, read, to_latex
from polhode.matter.parameter import Table
from polhode.system import rows

if TYPE_CHECKING:
    from polhode.system.system import System

MOST = 120  # effort for what is read
LONGEST = 900  # letters of its LaTeX
OPERATIONS = 1_500_000  # on terms, for the shortest form


@final
@dataclass(frozen=True)
class ShortEnergies:
    """What could be read, as SymPy expressions; None where it is long.

    positions are those of the holonomic constraints, by row, which are zero;
    has_numbers says whether values of parameters were put in.
    """

    kinetic: Any
    potential: Any
    positions: tuple[Any, ...]
    has_numbers: bool

    def formulas(self) -> list[str]:
        """LaTeX, one formula a line."""
        energies = (("T", self.kinetic), ("V", self.potential))
        lines = [f"{word} = {_line(e)}" for word, e in energies if e is not None]
        return [*lines, *(f"{_line(each)} = 0" for each in self.positions)]

    def texts(self) -> list[str]:
        """The same in plain text."""
        energies = (("T", self.kinetic), ("V", self.potential))
        lines = [f"{word} = {rounded(e)}" for word, e in energies if e is not None]
        return [*lines, *(f"{rounded(each)} = 0" for each in self.positions)]


def _line(expression: Any) -> str:
    return to_latex(rounded(expression))


def short_energies(system: System) -> ShortEnergies:
    """The energies and positions of a system that are short enough to be read."""
    if len(system.bodies) > MOST_BODIES:
        return ShortEnergies(None, None, (), False)
    t, q, z, _, _, held, table = symbols_of(gauss(system), {})
    named = {name: placed(system, name, symbol) for name, symbol in table.items()}

    def kinetic(at: tuple[Any, Any, Any], table: Table) -> Any:
        return system.kinetic_energy(*at, table)

    def potential(at: tuple[Any, Any, Any], table: Table) -> Any:
        return system.potential_energy(at[0], at[1], table)

    def positions(at: tuple[Any, Any, Any], table: Table) -> Any:
        return rows.positions(system, at[0], at[1], table)

    def short(function: Callable[..., Any]) -> Any:
        return _read(system, q, function, ((t, q, z), named))

    T = short(kinetic)
    has_numbers = T is None
    if has_numbers:
        named = {}
        T = short(kinetic)
    V = short(potential)
    places = short(positions) if held and _places(system) else None
    said = [each for each in places or () if each not in (0, nan)]
    return ShortEnergies(T, V, tuple(said), has_numbers)


def placed(system: System, name: str, symbol: Any) -> Any:
    """The symbol of a parameter, or its number where its name is one already.

    A point given by numbers has a name such as `world.point(0, 0, 1) z`.
    """
    return float(system.parameters[name]) if "(" in name else symbol


def _places(system: System) -> bool:
    """Whether some constraint is an equation of position."""
    return any(constraint.is_holonomic for constraint in system.constraints)


def _read(system: System, q: Any, function: Callable[..., Any], at: Any) -> Any:
    """What a function is in symbols, or None where that is long."""
    try:
        if effort(function, *at) > MOST:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnfinishedReading)
            units = unit_quaternions(system, q)
            found = read(function, *at, operations=OPERATIONS, units=units)
    except UnreadableProgram:
        return None
    parts = list(found) if hasattr(found, "shape") else [found]
    return found if all(len(to_latex(each)) <= LONGEST for each in parts) else None
