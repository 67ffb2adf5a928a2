"""Coordinates and parameters that answers are asked by, found by their names."""

from __future__ import annotations

from polhode.errors import AnalysisError
from polhode.matter.parameter import at
from polhode.system.members import suggestion
from polhode.system.system import System


def coordinate_of(system: System, name: str) -> int:
    """Which coordinate has a name."""
    names = system.coordinate_names
    if name not in names:
        raise AnalysisError(
            f"{system.name!r} has no coordinate {name!r}.",
            "The coordinates are those of its joints.",
            suggestion(name, names),
        )
    return names.index(name)


def state_names(system: System) -> tuple[str, ...]:
    """Coordinates, then 'speed of hinge': the entries of [q; z]."""
    speeds = (f"speed of {name}" for name in system.speed_names)
    return (*system.coordinate_names, *speeds)


def first_names(system: System) -> tuple[str, ...]:
    """What errors of a first state are called: along the joints, then of speeds."""
    names = system.speed_names
    return (*(f"first {n}" for n in names), *(f"first speed of {n}" for n in names))


def nominal(system: System, name: str) -> float:
    """The value of a parameter in the system."""
    require_parameter(system, name)
    return float(at(system.parameters[name], system.table()))


def require_parameter(system: System, name: str) -> None:
    """Refuse a name that is no parameter of a system."""
    if name not in system.parameters:
        raise AnalysisError(
            f"{system.name!r} has no parameter {name!r}.",
            "Only a named number of the model can take other values.",
            suggestion(name, system.parameters),
        )
