"""Where along a motion constraints lose or gain their grip.

The margin of a state is the least singular value, of those that count at the start, of
its constraint rows at unit size. Where it falls to zero the rank changes: a linkage
comes to a fork, and what holds it there is not unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from polhode.integrate.audit.rates import audited
from polhode.integrate.results.body_motion import at_rows
from polhode.integrate.results.checked_argument import motion_argument
from polhode.integrate.results.trajectory import Trajectory
from polhode.system import numeric_constraints
from polhode.system.row_rank import DEPENDENT, row_rank

if TYPE_CHECKING:
    from polhode.system.system import System

NEAR = 0.1  # of the largest margin of the motion: nearer minima are looked at closely
LOST = 1e-4  # a margin, at the foot of a valley, that is a loss of rank
# Rows that repeat each other are apart by what a place misses, times lengths of links.
SPREAD = 10.0
LOOKS, ZOOMS = 33, 9  # each zoom is 16-fold: to a billionth of what is between rows


@final
@dataclass(frozen=True, eq=False)
class RankAlong:
    """The rank of a motion's constraints at its rows, and when it changes.

    rank     at the start
    ranks    (rows,) at every recorded time
    margins  (rows,) see the module
    times    when the rank changes, for an instant or for longer
    """

    rank: int
    ranks: np.ndarray
    margins: np.ndarray
    times: tuple[float, ...]


@motion_argument
def rank_along(motion: Trajectory) -> RankAlong:
    """The rank of the constraints along a motion; changes between rows are found too.

    Of a motion that was only sampled, changes at its samples alone.

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 1.0)
    >>> fall = ph.System([ball], [ph.Weight(9.81)])
    >>> rank_along(ph.simulate(fall, fall.rest(), until=0.1)).times
    ()
    """
    times = np.asarray(motion.t)
    if not motion.system.constraints or len(times) == 0:
        nothing = np.zeros(len(times))
        return RankAlong(0, nothing.astype(int), nothing, ())
    natural = _natural_sizes(motion)
    sizes = _sizes(motion, natural)
    limits = np.maximum(DEPENDENT, SPREAD * _misses(motion))
    ranks = np.sum(sizes > limits[:, None], axis=1)
    rank = int(ranks[0])
    margins = sizes[:, rank - 1] if rank else np.zeros(len(times))
    found = [float(t) for t, r in zip(times, ranks, strict=True) if r != rank]
    if rank and motion.is_dense:
        found += _valleys(motion, natural, margins, rank)
    return RankAlong(rank, ranks, margins, tuple(sorted(set(found))))


def ranks_at_ends(motion: Trajectory) -> tuple[int, int]:
    """The rank of the constraints at the first row and at the last, without compiling.

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 1.0)
    >>> fall = ph.System([ball], [ph.Weight(9.81)])
    >>> ranks_at_ends(ph.simulate(fall, fall.rest(), until=0.1))
    (0, 0)
    """
    system = _with_values(motion)
    if not system.constraints:
        return 0, 0
    first, last = (
        row_rank(system, float(motion.t[k]), motion.q[k], motion.z[k]).rank
        for k in (0, -1)
    )
    return first, last


def _with_values(motion: Trajectory) -> System:
    """The system with the parameters of the run."""
    system = motion.system
    values = {n: float(v) for n, v in motion.table.items() if n in system.parameters}
    return system.with_(values) if values else system


def _natural_sizes(motion: Trajectory) -> np.ndarray:
    """By what the rows' slopes (rows, speeds) are divided, to have no units."""
    system, t = _with_values(motion), float(motion.t[0])
    now = numeric_constraints.scene(system, t, motion.q[0])
    rows = numeric_constraints.velocities(system, now, motion.z[0])
    return rows.scales[:, None] / rows.along


def _misses(motion: Trajectory) -> np.ndarray:
    """By what rows of places are missed (n,), of radians or lengths of the system."""
    return audited(motion, motion.t, motion.steps.x).position_share


def _sizes(motion: Trajectory, natural: np.ndarray) -> np.ndarray:
    """The singular values (n, k) of the rows at each time, each row at its size."""
    rows = at_rows(motion, "constraint rows")
    return np.linalg.svd(rows / natural, compute_uv=False)


def _valleys(
    motion: Trajectory, natural: np.ndarray, margins: np.ndarray, rank: int
) -> list[float]:
    """Times between rows at which the margin touches zero."""
    times, found = motion.t, []
    for k in range(1, len(times) - 1):
        low = margins[k] <= min(margins[k - 1], margins[k + 1])
        if not low or margins[k] > NEAR * margins.max() or margins[k] <= DEPENDENT:
            continue
        t, margin = _lowest(motion, natural, rank, (times[k - 1], times[k + 1]))
        if margin < LOST * margins.max():
            found.append(t)
    return found


def _lowest(
    motion: Trajectory, natural: np.ndarray, rank: int, span: tuple[float, float]
) -> tuple[float, float]:
    """Where the margin is least in a span with one valley, and how small."""
    first, last = span
    for _ in range(ZOOMS):
        times = np.linspace(first, last, LOOKS)
        margins = _sizes(motion.resampled(times), natural)[:, rank - 1]
        k = int(np.argmin(margins))
        first, last = times[max(k - 1, 0)], times[min(k + 1, LOOKS - 1)]
    return float(times[k]), float(margins[k])
