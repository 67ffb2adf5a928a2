"""Why a run could not keep its constraints: which are missed ahead, and by how much."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polhode.matter.parameter import Table
from polhode.system import assemble

if TYPE_CHECKING:
    from polhode.integrate.kernel.outcome import Ending
    from polhode.system.assemble import Miss
    from polhode.system.system import System

# Of the time left: how far ahead of the end to look, for at the end itself, which is
# where they just cease to be met, all misses are small.
AHEAD = 0.01
SHOWN = 4


def misses_ahead(
    system: System, end: Ending, until: float, table: Table
) -> tuple[float, list[Miss]]:
    """A time after the end of a run, and what no state near can keep then.

    None are missed where the constraints can be met, and only the step was too long.
    """
    far = max(abs(end.tried), AHEAD * abs(until - end.t))
    way = np.sign(until - end.t) * min(far, abs(until - end.t))
    t = end.t + float(way)
    own = system.with_(_parameters(system, end, table))
    loose = np.ones(system.speeds, dtype=bool)
    q, misses = assemble.find(own, t, end.q, loose)
    if not misses:
        misses = assemble.find_speeds(own, t, q, end.z, loose)[1]
    return t, misses


def _parameters(system: System, end: Ending, table: Table) -> dict[str, float]:
    """The values of the run's parameters at its end, without those of its inputs."""
    given = table(end.t, end.q, end.z) if callable(table) else table
    return {n: float(v) for n, v in given.items() if n in system.parameters}


def unmet(system: System, end: Ending, until: float, table: Table) -> str:
    """Which constraints cannot be kept just after, with time and numbers; or ""."""
    if not system.constraints or not np.all(np.isfinite(end.q)):
        return ""
    t, misses = misses_ahead(system, end, until, table)
    if not misses:
        return ""
    each = ", ".join(f"{m.row} by {m.residual:.3g}" for m in misses[:SHOWN])
    more = f" and {len(misses) - SHOWN} more" if len(misses) > SHOWN else ""
    return (
        f"At t = {t:.6g} s, as near as they can be kept, these miss: {each}{more}. A"
        " driver or a length asks for what the joints do not reach."
    )
