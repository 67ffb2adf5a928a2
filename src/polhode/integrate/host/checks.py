"""Starts that are refused, and starts that are allowed but hardly meant.

Refused are a start without forces and rows without room. Warned of are starts beyond
limits of joints, where constraints fork, and where dry friction is at rest.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.contact.carried_friction import JointFriction
from polhode.actions.contact.friction import Coulomb
from polhode.arrays import Array
from polhode.errors import (
    ConstraintError,
    ForceError,
    IntegrationError,
    IntegrationWarning,
    NumericalWarning,
    PolhodeError,
    SingularMassMatrix,
)
from polhode.integrate.field.inconsistency import inconsistency
from polhode.integrate.field.states import States
from polhode.integrate.host.method_choice import Start
from polhode.integrate.kernel.outcome import Ending, fault_of, lawless
from polhode.integrate.kernel.status import (
    NOT_A_NUMBER,
    REFUSED,
    RUNNING,
    SINGULAR,
    UNMET,
)
from polhode.integrate.kernel.stepper_state import RunBounds
from polhode.system.row_rank import plain_rank, row_rank
from polhode.system.state_arrays import StateArrays
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.kernel.start import InitialDerivative
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System

# So many runs of a sweep are looked at: each is looked at on the host.
MOST = 64


def require_sound_start(
    drive: Drive, states: States, start: Any, *, table: dict[str, Any], held: np.ndarray
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
    start: InitialDerivative,
    *,
    table: dict[str, Any],
    held: np.ndarray,
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


def _broken(system: System, t: float, q: Array, z: Array, table: dict[str, Any]) -> str:
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
    method: Method, bounds: RunBounds, samples: Array | None, width: int, memory: float
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


def warn_of_start(states: States) -> None:
    """Tell of the first state beyond a joint's limits, or where constraints fork."""
    _warn_of_limits(states)
    if states.system.constraints:
        _warn_of_fork(states)


def _warn_of_limits(states: States) -> None:
    for edge in _limited(states.system):
        margins = np.asarray(edge.joint.margin(states.q[:, edge.q]))
        beyond = np.argwhere(margins < 0)
        if not len(beyond):
            continue
        run, k = beyond[0]
        name, unit = edge.joint.coordinate_names[k], edge.joint.units[k]
        low, high = (np.asarray(bound)[k] for bound in edge.joint.limits)
        which = f"state {run} of " if len(states) > 1 else ""
        warn(
            f"{which}{states.system.name!r} begins beyond a limit: {name} ="
            f" {states.q[run, edge.q][k]:.6g} {unit} is not within {low:g} and"
            f" {high:g} {unit}. Limits say what a joint is built for, and do not push:"
            " start within them, or give supports=[ph.Stop(joint)], which do;"
            " ph.limit_events(...) tell when they are passed",
            NumericalWarning,
        )


def _limited(system: System) -> list[Any]:
    """The edges of joints with limits, found once."""
    return system.remembered(
        "limited edges",
        lambda: [
            edge
            for edge in system.tree.edges
            if edge.joint.limits is not None and np.any(np.isfinite(edge.joint.limits))
        ],
    )


def _warn_of_fork(states: States) -> None:
    system = states.system
    for run in range(min(len(states), MOST)):
        if run in states.faults:
            continue
        t, q, _ = states.at(run)
        rank, most = _ranks(system, t, q)
        if most is not None and rank >= most:
            continue
        which = f"state {run} of " if len(states) > 1 else ""
        warn(
            f"{which}{system.name!r} begins {_what_is_wrong(t, rank, most)}",
            NumericalWarning,
        )
        return


def _what_is_wrong(t: float, rank: int, most: int | None) -> str:
    if most is None:
        return (
            f"where it cannot move, at t = {t:g} s: the rank of its constraints is"
            f" {rank}, which lets it move for an instant, but no place beside keeps"
            " them. What holds it there is not unique, and rounding may move it. Make"
            " rods or links a little longer, or fix what stands still"
        )
    return (
        f"where its constraints fork, at t = {t:g} s: their rank is {rank}, and {most}"
        " beside. Motions part there, speeds that keep the constraints may lead"
        " nowhere, and which branch a run takes is rounding. Start a little beside:"
        " ph.assemble(system, ...) with a joint moved by a thousandth"
    )


def _ranks(system: System, t: float, q: np.ndarray) -> tuple[int, int | None]:
    """The rank of the rows there, and beside; None where no place is beside.

    Of the place that was asked last they are known; and once a rank beside is, a place
    with as large a one is not at a fork.
    """
    place = (t, q.tobytes())
    last, ranks = system.compiled.get("last ranks", (None, (0, 0)))
    if last == place:
        return ranks
    rank, most = plain_rank(system, t, q), system.compiled.get("rank beside", np.inf)
    if rank is None:
        return 0, 0  # a law without a slope there is refused in words of its own
    if rank < most:
        rank, most = row_rank(system, t, q, np.zeros(system.speeds))[:2]
        if most is not None:
            system.compiled["rank beside"] = most
    system.compiled["last ranks"] = place, (rank, most)
    return rank, most


def warn_static_friction(states: States) -> None:
    """Tell of dry friction that does not slip where the first run begins."""
    system, z = states.system, states.z[0]
    for action in system.actions:
        law: Any = getattr(action, "law", None)
        if not isinstance(law, Coulomb):
            continue
        rubs = isinstance(action, JointFriction)
        own = z[system.edge(action.joint.name).z] if rubs else z
        if np.any(own):
            continue
        warn(
            f"{system.name!r} begins at rest where {action.name!r} is dry: {law!r} has"
            " no force at rest, and holds nothing there, whatever its static"
            " coefficient. What sticks are supports: give a ph.JointFriction among"
            " supports=[...], ph.Brake(joint, law, load=...) where the push is known,"
            " ph.Support where bodies touch; or give ph.contact.Regularised(mu, speed),"
            " which creeps instead.",
            IntegrationWarning,
        )
