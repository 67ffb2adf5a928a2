"""Where along a motion constraints lose or gain their grip.

The margin of a state is the least singular value, of those that count at the start, of
its constraint rows at unit size. Where it falls to zero the rank changes: a linkage
comes to a fork, and what holds it there is not unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from polhode.integrate.results.body_motion import asked
from polhode.integrate.results.trajectory import Trajectory
from polhode.system import numeric_constraints
from polhode.system.check import DEPENDENT
from polhode.system.state import State

NEAR = 0.1  # of the largest margin of the motion: nearer minima are looked at closely
LOST = 1e-4  # a margin, at the foot of a valley, that is a loss of rank
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
    natural = _natural_sizes(motion[0])
    sizes = _sizes(motion, natural)
    ranks = np.sum(sizes > DEPENDENT, axis=1)
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
    if not motion.system.constraints:
        return 0, 0
    found = []
    for state in (motion[0], motion[-1]):
        rows = _host_rows(state)
        sizes = np.linalg.svd(rows.relative, compute_uv=False)
        found.append(int(np.sum(sizes > DEPENDENT)))
    return found[0], found[1]


def _host_rows(state: State) -> numeric_constraints.HostRows:
    now = numeric_constraints.scene(state.system, float(state.t), np.asarray(state.q))
    return numeric_constraints.velocities(state.system, now, np.asarray(state.z))


def _natural_sizes(state: State) -> np.ndarray:
    """By what the rows' slopes (rows, speeds) are divided, to have no units."""
    rows = _host_rows(state)
    return rows.scales[:, None] / rows.along


def _sizes(motion: Trajectory, natural: np.ndarray) -> np.ndarray:
    """The singular values (n, k) of the rows at each time, each row at its size."""
    rows = asked(motion, "constraint rows")
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
