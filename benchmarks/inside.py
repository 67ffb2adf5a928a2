"""A program with the choice between loop and straight code made by hand."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

import numpy as np

import polhode as ph


class Unrolling(Enum):
    """Scans of at most how many operations become straight code."""

    NEVER = 0
    ALWAYS = 10**9


def compiled(
    function: Callable, example: tuple[np.ndarray, ...], unrolling: Unrolling
) -> ph.results.Program:
    """For a batch of states, one after the other: one lane, one thread."""
    return ph.compile(
        function, *example, batched=True, threads=1, lanes=1, unroll=unrolling.value
    )
