"""A program with the choice between loop and straight code made by hand.

`ph.compile` chooses by a measured threshold and has no switch for it. To compare both
choices, the threshold is replaced while a program is compiled; all else is as users get
it. The disk cache does not know of the choice, so an empty one stands in meanwhile.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from enum import Enum
from functools import partial
from unittest import mock

import numpy as np

import polhode as ph
from polhode.lowering import runner
from polhode.lowering.program import scalarise


class Unrolling(Enum):
    """Scans of at most how many operations become straight code."""

    NEVER = 0
    ALWAYS = 10**9


def compiled(
    function: Callable, example: tuple[np.ndarray, ...], unrolling: Unrolling
) -> ph.Program:
    """For a batch of states, one after the other: one lane, one thread."""
    chosen = partial(scalarise, unroll_at_most=unrolling.value)
    with (
        tempfile.TemporaryDirectory() as empty,
        mock.patch.dict(os.environ, {"POLHODE_CACHE": empty}),
        mock.patch.object(runner, "scalarise", chosen),
    ):
        return ph.compile(function, *example, batched=True, threads=1, lanes=1)
