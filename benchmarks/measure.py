"""Timing side by side: contenders take turns, and the best of each counts.

On a machine that does other work too, a short time is nearer the truth than a long one:
nothing makes code run quicker than it can. Taking turns gives every contender the same
share of quiet moments.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

Work = Callable[[], Any]


class Disagreement(AssertionError):
    """What is to be timed does not compute what it should."""


def race(contenders: dict[str, Work], rounds: int, work: float = 1) -> dict[str, float]:
    """The least seconds that each contender took, divided by the work in a call."""
    for run in contenders.values():
        run()
    best = dict.fromkeys(contenders, float("inf"))
    with without_collection():
        for _ in range(rounds):
            for name, run in contenders.items():
                start = time.perf_counter()
                run()
                best[name] = min(best[name], time.perf_counter() - start)
    return {name: seconds / work for name, seconds in best.items()}


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
