"""`ph.simulate` of a system with supports: its arguments checked, its runs one by one."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from polhode.errors import IntegrationError, IntegrationWarning
from polhode.formulation.contact.mode_forces import contact_equations
from polhode.formulation.contact.questions import require_order
from polhode.integrate.host.admission import admit_limit, admitted
from polhode.integrate.host.contact_run import require_exact, run_contacts
from polhode.integrate.host.method_choice import picked
from polhode.integrate.results.motions import Motions
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System


def simulate_contacts(  # limit: it has the arguments of simulate
    system: System,
    state: Any,
    *,
    until: Any,
    settings: tuple[Any, Any, Any],
    samples: Any,
    parameters: Any,
    limit: Any,
    impacts: str,
    others: dict[str, Any],
) -> Any:
    """The motion, or the motions of several states; `settings` (method, rtol, atol)."""
    equations = contact_equations(system)
    _refuse(system, others)
    require_order(impacts)
    pick = picked(equations, *settings)
    require_exact(system, settings[0])
    asked = admitted(
        equations, state, until=until, samples=samples, parameters=parameters
    )
    asked.require_all()
    runs, end, times, table, _ = asked
    if any(float(t) > end for t in runs.t):
        raise IntegrationError(
            f"{system.name!r} cannot run back to t = {end:g} s.",
            "An impact and a slip that stops forget what was before them.",
            "Let until be later than the start.",
        )
    found = []
    for k in range(len(runs)):
        own = {name: float(values[k]) for name, values in table.items()}
        motion = run_contacts(
            runs[k],
            pick,
            until=end,
            table=own,
            limit=admit_limit(limit),
            order=impacts,
        )
        found.append(motion if times is None else _sampled(motion, times))
    _warn(found)
    return (
        found[0]
        if isinstance(state, State) and len(found) == 1
        else Motions(tuple(found))
    )


def _sampled(motion: Trajectory, times: Any) -> Trajectory:
    reached = times[times <= motion.t[-1]]
    return motion.resampled(reached)


def _refuse(system: System, others: dict[str, Any]) -> None:
    """Refuse arguments of `simulate` that runs with supports do not know yet."""
    given = {"to": others["to"], "inputs": others["inputs"] or None}
    given["events"] = others["events"] if len(_listed(others["events"])) else None
    for word, value in given.items():
        if value is not None:
            raise IntegrationError(
                f"{word}=... cannot be given to a run of {system.name!r}, which has"
                " supports.",
                "Such runs go from switch to switch of their contacts, and know of no"
                " others yet.",
                f"Leave {word} out; touches, slips and openings are in motion.events.",
            )


def _listed(events: Any) -> list[Any]:
    return [events] if not isinstance(events, list | tuple) else [*events]


def _warn(motions: list[Trajectory]) -> None:
    failed = [k for k, motion in enumerate(motions) if not motion.outcome.is_complete]
    if failed:
        first = motions[failed[0]]
        warning = IntegrationWarning(first.outcome.sentence)
        warning.__cause__ = first.cause
        warnings.warn(warning, stacklevel=4)
