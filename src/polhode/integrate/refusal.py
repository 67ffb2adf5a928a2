"""What is refused before a run begins: a start without forces, rows without room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import (
    ConstraintError,
    ForceError,
    IntegrationError,
    SingularMassMatrix,
)
from polhode.integrate.chunk import RUNNING, Plan
from polhode.integrate.outcome import Ending, fault_of, lawless
from polhode.integrate.states import States

if TYPE_CHECKING:
    from polhode.integrate.drive import Drive
    from polhode.integrate.method import Method
    from polhode.system.system import System


def require_sound_start(
    drive: Drive, states: States, start: Any, given: tuple[dict[str, Any], Any]
) -> None:
    """Refuse a state at which an action gives no number, by its name.

    `given` are parameters and held inputs of all runs.
    """
    system, (table, held) = states.system, given
    fine = np.isfinite(start.slope).all(axis=1) & start.is_sound
    if np.all(fine):
        return
    k = int(np.argmin(fine))
    t, q, z = float(states.t[k]), states.q[k], states.z[k]
    own = {name: values[k] for name, values in table.items()}
    which = f"state {k} of " if len(states) > 1 else ""
    at = Ending(RUNNING, t, q, z, 0.0, 0, 0)
    guilty = lawless(system, at, drive.table_function(own, held[k]))
    if guilty:
        raise ForceError(
            f"{which}{system.name!r} cannot start at t = {t:g} s: {guilty!r} gives no"
            " force there.",
            fault_of(system, guilty),
            "Start from another state, or change the law where it is undefined.",
        )
    broken = _broken(system, t, q, z, own)
    if broken:
        raise ConstraintError(
            f"{which}{system.name!r} cannot start at t = {t:g} s: {broken!r} has no"
            " slope there.",
            "A constraint pushes along the slope of its equation, which is not a number"
            " in this state: a root, a norm or a quotient is at its edge.",
            "Start from another state, or write the equation without its edge: d @ d -"
            " L**2 in place of a norm.",
        )
    raise SingularMassMatrix(
        f"{which}{system.name!r} has no unique acceleration at t = {t:g} s.",
        "Its mass matrix or its constraints are singular in this state, or the speeds"
        " chosen cease to determine the others.",
        "Start from another state, or choose other speeds.",
    )


def _broken(system: System, t: float, q: Any, z: Any, table: dict[str, Any]) -> str:
    """The first constraint whose row is no number there, or none."""
    if not system.constraints:
        return ""
    import jax

    with jax.enable_x64(True):
        now = [jax.numpy.asarray(part) for part in (t, q, z)]
        A, gamma = system.constraint_rows(now[0], now[1], now[2], table)
    rows = np.concatenate([np.asarray(A), np.asarray(gamma)[:, None]], axis=1)
    wrong = ~np.isfinite(rows).all(axis=1)
    return system.row_names[int(np.argmax(wrong))] if np.any(wrong) else ""


def require_memory(
    method: Method, plans: Plan, samples: Any, width: int, memory: float
) -> None:
    """Refuse rows that would need more bytes than were allowed.

    How many an adaptive run takes is not known before: it stops on its way.
    """
    runs = len(plans.start)
    if samples is not None:
        rows = len(samples) * runs
    elif method.is_adaptive:
        return
    else:
        rows = int(np.sum(plans.steps + 1))
    bends = method.bends if samples is None else 0
    needed = 8.0 * rows * ((2 + bends) * width + 1)
    if needed > memory:
        raise IntegrationError(
            f"{rows} rows would need {needed / 1e9:.3g} GB, and {memory / 1e9:.3g} GB"
            " are allowed.",
            "Every step, or every sample, is kept in memory.",
            "Give fewer samples=..., or allow more with memory=... (bytes).",
        )
