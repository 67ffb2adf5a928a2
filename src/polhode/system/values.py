"""Values that are given beside a state: of parameters, and of what drives actions."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.applied import AppliedCouple, AppliedForce
from polhode.actions.contact.carried_friction import REAL
from polhode.actions.force_elements.joint_law import Motor
from polhode.actions.force_elements.transmission import Servo
from polhode.errors import ConstraintError, ModelError
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.system.system import System

DRIVEN = (Motor, Servo, AppliedForce, AppliedCouple)


def require_values(system: System, table: Table) -> None:
    """Refuse names that the system does not know, and values that are not finite.

    Motors, couples and follower forces are known by their names, too.
    """
    require_mapping("table", table)
    system.require_parameters(table, others=driven_names(system))
    for name, value in table.items():
        if not is_traced(value):
            require_value(system, name, value)
            if np.ndim(value) and name in system.parameters:
                _refuse(f"parameter {name!r}", value)
    require_sound_values(system, table)


def require_sound_values(system: System, table: Table) -> None:
    """Refuse parameters beyond those of a sound system; between two, all are.

    Lengths with which no loop closes are sound: equations hold beside their rows.
    """
    known: dict[str, tuple[float, float]] = system.remembered("sound values", dict)
    for name, value in table.items():
        nominal = system.parameters.get(name)
        if nominal is None or is_traced(value, nominal):
            continue
        least, most = known.get(name, (float(nominal), float(nominal)))
        low, high = float(np.min(value)), float(np.max(value))
        for edge in {low, high}:
            if not least <= edge <= most:
                with suppress(ConstraintError):
                    system.with_({name: edge})
        known[name] = (min(low, least), max(high, most))


def require_mapping(word: str, given: Any) -> None:
    """Refuse what does not give values by name."""
    if not isinstance(given, Mapping):
        raise ModelError(
            f"{word} = {given!r} gives nothing by name.",
            "What drives or changes a system is called by its name.",
            f"Give {word}={{name: value}}.",
        )


def require_value(system: System, name: str, value: Any) -> None:
    """Refuse values of a parameter, or of a load, that are not finite real numbers."""
    is_parameter = name in system.parameters
    what = f"parameter {name!r}" if is_parameter else f"the load {name!r}"
    given = np.asarray(value)
    if given.dtype.kind not in "fiu":
        _refuse(what, value)
    if not np.all(np.isfinite(given)):
        raise ModelError(
            f"{what} is not finite: {value}.",
            "NaN and infinity measure nothing.",
            "Look where the number comes from: a division by zero or a missing value.",
        )


def _refuse(what: str, value: Any) -> None:
    raise ModelError(
        f"{what} cannot be {value!r}.",
        "A quantity of a model is a real number.",
        "Give a number, in SI units.",
    )


def driven_names(system: System) -> tuple[str, ...]:
    """What else a table may give: loads of actions, and pushes that friction needs."""
    driven = (a.name for a in system.actions if isinstance(a, DRIVEN))
    pushed = (a.load_name for a in system.actions if isinstance(a, REAL))
    return (*driven, *pushed)
