"""Starts that are allowed but hardly meant: beyond limits, or where branches part."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import NumericalWarning
from polhode.system import assemble, numeric_constraints

if TYPE_CHECKING:
    from polhode.integrate.field.states import States
    from polhode.system.system import System

# Of rows at unit size: a singular value below it is that of a fork. At one positions
# are known to the root of their rounding only.
FORK = 1e-6
# Radians, or lengths of the system, by which a configuration is moved to see the rank
# that its neighbours have; and how many are tried.
AWAY, TRIES = 0.1, 3
# So many runs of a sweep are looked at: each is looked at on the host.
MOST = 64


def warn_of_start(states: States, stacklevel: int = 4) -> None:
    """Tell of the first state beyond a joint's limits, or where constraints fork."""
    _warn_of_limits(states, stacklevel + 1)
    if states.system.constraints:
        _warn_of_fork(states, stacklevel + 1)


def _warn_of_limits(states: States, stacklevel: int) -> None:
    for edge in _limited(states.system):
        margins = np.asarray(edge.joint.margin(states.q[:, edge.q]))
        beyond = np.argwhere(margins < 0)
        if not len(beyond):
            continue
        run, k = beyond[0]
        name, unit = edge.joint.coordinate_names[k], edge.joint.units[k]
        low, high = (np.asarray(bound)[k] for bound in edge.joint.limits)
        which = f"state {run} of " if len(states) > 1 else ""
        warnings.warn(
            f"{which}{states.system.name!r} begins beyond a limit: {name} ="
            f" {states.q[run, edge.q][k]:.6g} {unit} is not within {low:g} and"
            f" {high:g} {unit}. Limits say what a joint is built for, and do not push:"
            " start within them, or give a force that pushes back there;"
            " ph.limit_events(...) tell when they are passed",
            NumericalWarning,
            stacklevel=stacklevel,
        )


def _limited(system: System) -> list[Any]:
    """The edges of joints with limits, found once."""
    if "limited edges" not in system.compiled:
        system.compiled["limited edges"] = [
            edge
            for edge in system.tree.edges
            if edge.joint.limits is not None and np.any(np.isfinite(edge.joint.limits))
        ]
    return system.compiled["limited edges"]


def _warn_of_fork(states: States, stacklevel: int) -> None:
    system = states.system
    for run in range(min(len(states), MOST)):
        if run in states.faults:
            continue
        t, q, _ = states.at(run)
        rank, most = _rank(system, t, q), _rank_near(system, t, q)
        if rank < most:
            which = f"state {run} of " if len(states) > 1 else ""
            warnings.warn(
                f"{which}{system.name!r} begins where its constraints fork, at t ="
                f" {t:g} s: their rank is {rank}, and {most} beside. Motions part"
                " there, speeds that keep the constraints may lead nowhere, and which"
                " branch a run takes is rounding. Start a little beside:"
                " ph.assemble(system, ...) with a joint moved by a thousandth",
                NumericalWarning,
                stacklevel=stacklevel,
            )
            return


def _rank(system: System, t: float, q: np.ndarray) -> int:
    """The rank of the rows there; of the place that was asked last it is known."""
    place = (t, q.tobytes())
    known, rank = system.compiled.get("last rank", (None, 0))
    if known != place:
        now = numeric_constraints.scene(system, t, q)
        rows = numeric_constraints.velocities(system, now, np.zeros(system.speeds))
        sizes = np.linalg.svd(rows.relative, compute_uv=False)
        rank = int(np.sum(sizes > FORK))
        system.compiled["last rank"] = place, rank
    return rank


def _rank_near(system: System, t: float, q: np.ndarray) -> int:
    """The rank at configurations beside the first that was asked, found once.

    On the constraints: rows that are redundant only where they are kept stay so.
    """
    if "rank beside" not in system.compiled:
        rng, found = np.random.default_rng(0), [0]
        loose = np.ones(system.speeds, dtype=bool)
        along = numeric_constraints.velocities(
            system, numeric_constraints.scene(system, t, q), np.zeros(system.speeds)
        ).along
        for _ in range(TRIES):
            away = AWAY * along * rng.uniform(-1, 1, system.speeds)
            near = assemble.place(system, t, system.local(q, away), loose)
            if not assemble.position_misses(system, t, near):
                found.append(_rank(system, t, near))
        system.compiled["rank beside"] = max(found)
    return system.compiled["rank beside"]
