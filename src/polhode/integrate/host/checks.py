"""What is refused before a run begins: a start without forces, rows without room."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import (
    ConstraintError,
    ForceError,
    IntegrationError,
    PolhodeError,
    SingularMassMatrix,
)
from polhode.integrate.field.inconsistency import inconsistency
from polhode.integrate.field.states import States
from polhode.integrate.kernel.outcome import Ending, fault_of, lawless
from polhode.integrate.kernel.status import (
    NOT_A_NUMBER,
    REFUSED,
    RUNNING,
    SINGULAR,
    UNMET,
)
from polhode.integrate.kernel.stepper_state import RunBounds
from polhode.integrate.kernel.stiffness import Start
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System


def require_sound_start(
    drive: Drive, states: States, start: Any, *, table: dict[str, Any], held: Any
) -> None:
    """Refuse a state at which an action is not finite, by its name.

    `table` and `held` are parameters and held inputs of all runs.
    """
    refused = start_faults(drive, states, start, table=table, held=held)
    for error in refused.values():
        raise error


def start_faults(
    drive: Drive,
    states: States,
    start: Any,
    *,
    table: dict[str, Any],
    held: Any,
    refused: Collection[int] = (),
) -> dict[int, PolhodeError]:
    """Runs that cannot start from their states, and why.

    Those that are refused already are not asked again.
    """
    fine = np.isfinite(start.x_dot).all(axis=1) & start.is_sound & start.is_kept
    if np.all(fine):
        return {}
    runs = [k for k in np.flatnonzero(~fine).tolist() if k not in refused]
    first = Start(states, table, drive, held, start)
    return {k: _fault(first, k) for k in runs}


def sentence_of(error: PolhodeError) -> str:
    """An error as the sentence of a run that could not begin."""
    return " ".join(w for w in (error.what, error.why, error.repair, error.fact) if w)


def status_of(error: PolhodeError) -> int:
    """The status of a run that could not begin, by the code of why."""
    return {"CONSTR": UNMET, "FORCE": NOT_A_NUMBER, "SING": SINGULAR}.get(
        error.code, REFUSED
    )


def _fault(first: Start, k: int) -> PolhodeError:
    """Why run k cannot start."""
    states, table, drive, held, start = first
    system = states.system
    t, q, z = float(states.t[k]), states.q[k], states.z[k]
    own = {name: values[k] for name, values in table.items()}
    which = f"state {k} of " if len(states) > 1 else ""
    if not start.is_kept[k]:
        return inconsistency(system, StateArrays(t, q, z), own)
    at = Ending(RUNNING, t, q, z, 0.0, 0, 0)
    guilty = lawless(system, at, drive.table_function(own, held[k]))
    if guilty:
        return ForceError(
            f"{which}{system.name!r} cannot start at t = {t:g} s: {guilty!r} gives no"
            " force there.",
            fault_of(system, guilty),
            "Start from another state, or change the law where it is undefined.",
        )
    broken = _broken(system, t, q, z, own)
    if broken:
        return ConstraintError(
            f"{which}{system.name!r} cannot start at t = {t:g} s: {broken!r} has no"
            " slope there.",
            "A constraint pushes along the slope of its equation, which is not a number"
            " in this state: a root, a norm or a quotient is at its edge.",
            "Start from another state, or write the equation without its edge: d @ d -"
            " L**2 in place of a norm.",
        )
    return SingularMassMatrix(
        f"{which}{system.name!r} has no unique acceleration at t = {t:g} s.",
        "Its mass matrix or its constraints are singular in this state, or the speeds"
        " chosen cease to determine the others.",
        "Start from another state, or choose other speeds.",
    )


def _broken(system: System, t: float, q: Any, z: Any, table: dict[str, Any]) -> str:
    """The first constraint whose row is not finite there, or none."""
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
    method: Method, bounds: RunBounds, samples: Any, width: int, memory: float
) -> None:
    """Refuse rows that would need more bytes than were allowed.

    How many an adaptive run takes is not known before: it stops on its way.
    """
    runs = len(bounds.start)
    if samples is not None:
        rows = len(samples) * runs
    elif method.is_adaptive:
        return
    else:
        rows = int(np.sum(bounds.steps + 1))
    dense_terms = method.dense_terms if samples is None else 0
    needed = 8.0 * rows * ((2 + dense_terms) * width + 1)
    if needed > memory:
        raise IntegrationError(
            f"{rows} rows would need {needed / 1e9:.3g} GB, and {memory / 1e9:.3g} GB"
            " are allowed.",
            "Every step, or every sample, is kept in memory.",
            "Give fewer samples=..., or allow more with memory=... (bytes).",
        )
