"""Starts that are allowed but hardly meant: beyond limits, or where branches part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import NumericalWarning
from polhode.system.row_rank import plain_rank, row_rank
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.integrate.field.states import States
    from polhode.system.system import System

# So many runs of a sweep are looked at: each is looked at on the host.
MOST = 64


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
