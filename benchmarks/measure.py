"""Timing side by side: contenders take turns, and the best of each counts.

On a machine that does other work too, a short time is nearer the truth than a long one:
nothing makes code run quicker than it can. Two things keep that fair. All samples last
equally long, for a short one finds a quiet moment more easily than a long one. And the
share of the cores that each best sample got is kept: where shares differ, the ratio
tells of the machine's other work and not of the code, and the row says so.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

Work = Callable[[], Any]
SHORTEST = 0.01  # seconds of a sample
ALIKE = 0.9  # cores that contenders had, at least, as a share of one another's


class Disagreement(AssertionError):
    """What is to be timed does not compute what it should."""


@dataclass(frozen=True)
class Race:
    """The best sample of each contender: seconds for one unit of work, cores it had."""

    seconds: dict[str, float]
    cores: dict[str, float]

    def doubt(self, *names: str) -> str:
        """Why a comparison of these is not to be trusted, or ''."""
        shares = [self.cores[name] for name in names]
        if min(shares) < ALIKE * max(1.0, *shares):
            had = ", ".join(f"{name} {self.cores[name]:.2f}" for name in names)
            return f"unsteady: cores at the best sample: {had}"
        return ""


def race(contenders: dict[str, Work], rounds: int, work: float = 1) -> Race:
    """Samples by turns; a contender's work is repeated until all last equally long."""
    for run in contenders.values():
        run()
    with without_collection():
        rough = {
            name: min(sample(run, 1)[0] for _ in range(3))
            for name, run in contenders.items()
        }
        longest = max(*rough.values(), SHORTEST)
        calls = {name: max(1, round(longest / rough[name])) for name in contenders}
        best = {name: (float("inf"), 0.0) for name in contenders}
        for _ in range(rounds):
            for name, run in contenders.items():
                best[name] = min(best[name], sample(run, calls[name]))
    return Race(
        {name: taken / work for name, (taken, _) in best.items()},
        {name: cores for name, (_, cores) in best.items()},
    )


def paired(
    contenders: dict[str, Work], rounds: int, before: Callable[[], object]
) -> Race:
    """One run of each by turns, all about equally long; `before` is not timed."""
    best = {name: (float("inf"), 0.0) for name in contenders}
    with without_collection():
        for _ in range(rounds):
            for name, run in contenders.items():
                before()
                best[name] = min(best[name], sample(run, 1))
    return Race(
        {name: taken for name, (taken, _) in best.items()},
        {name: cores for name, (_, cores) in best.items()},
    )


def sample(run: Work, calls: int) -> tuple[float, float]:
    """Seconds a call, and how many cores this process had meanwhile."""
    busy, start = time.process_time(), time.perf_counter()
    for _ in range(calls):
        run()
    taken = time.perf_counter() - start
    return taken / calls, (time.process_time() - busy) / taken


@contextmanager
def without_collection() -> Iterator[None]:
    """No pauses of Python's own within."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def require_agreement(what: str, ours: Any, other: Any, relative: float) -> None:
    """Every array within a share of the largest entry, or `Disagreement`."""
    pairs = zip(jax.tree.leaves(ours), jax.tree.leaves(other), strict=True)
    for k, (a, b) in enumerate(pairs):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape:
            raise Disagreement(f"{what}: shapes {a.shape} and {b.shape} (array {k})")
        error = np.max(np.abs(a - b)) / np.max(np.abs(b))
        if not error <= relative:  # NaN fails
            raise Disagreement(f"{what}: relative error {error:.1e} (array {k})")
