"""Where along a motion constraints lose or gain their grip.

The margin of a state is the least singular value, of those that count at the start, of
its constraint rows at unit size. Where it falls to zero the rank changes: a linkage
comes to a fork, and what holds it there is not unique.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np

from polhode.integrate.trajectory import Trajectory
from polhode.system import host_rows
from polhode.system.check import DEPENDENT
from polhode.system.state import State

NEAR = 0.1  # of the largest margin of the motion: nearer minima are looked at closely
LOST = 1e-4  # a margin, at the foot of a valley, that is a loss of rank
HALVINGS = 45  # by the golden ratio: a millionth of a millionth of what is between rows


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
    sizes = np.array([_sizes(motion[k]) for k in range(len(times))])
    ranks = np.sum(sizes > DEPENDENT, axis=1)
    rank = int(ranks[0])
    margins = sizes[:, rank - 1] if rank else np.zeros(len(times))
    found = [float(t) for t, r in zip(times, ranks, strict=True) if r != rank]
    found += _valleys(motion, times, margins, rank) if rank else []
    return RankAlong(rank, ranks, margins, tuple(sorted(set(found))))


def _sizes(state: State) -> np.ndarray:
    """The singular values of the rows, each at its natural size."""
    now = host_rows.scene(state.system, float(state.t), np.asarray(state.q))
    found = host_rows.velocities(state.system, now, np.asarray(state.z))
    return np.linalg.svd(found.slopes / found.sizes[:, None], compute_uv=False)


def _valleys(
    motion: Trajectory, times: np.ndarray, margins: np.ndarray, rank: int
) -> list[float]:
    """Times between rows at which the margin touches zero."""
    found = []
    for k in range(1, len(times) - 1):
        low = margins[k] <= min(margins[k - 1], margins[k + 1])
        if not low or margins[k] > NEAR * margins.max() or margins[k] <= DEPENDENT:
            continue

        def margin(t: float) -> float:
            return float(_sizes(motion.at(t))[rank - 1])

        t = _lowest(margin, float(times[k - 1]), float(times[k + 1]))
        if margin(t) < LOST * margins.max():
            found.append(t)
    return found


def _lowest(function: Callable[[float], float], left: float, right: float) -> float:
    """Where a function with one valley is least, by the golden section."""
    share = (np.sqrt(5.0) - 1.0) / 2.0
    for _ in range(HALVINGS):
        a, b = right - share * (right - left), left + share * (right - left)
        if function(a) < function(b):
            right = b
        else:
            left = a
    return (left + right) / 2.0
