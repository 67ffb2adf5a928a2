"""A program of one system between arrays of its own, for who calls it all the time.

An ordinary call finds its arrays, makes new ones for what comes out and asks where each
of them is in memory: some microseconds, where a short program takes less than one.
"""

from __future__ import annotations

import ctypes
import time
from typing import Any, final

import numpy as np

from polhode.lowering.backends.threads import SHORT, WORTH_LISTENING, Frame, pool


@final
class DirectCall:
    """Write into `inputs`, `run`, and read `outputs` before the next run.

    Not for two threads at once: each takes one of its own.
    """

    __slots__ = (
        "_allowance",
        "_frame",
        "_memory",
        "_outs",
        "_run",
        "_takes_long",
        "_where",
        "inputs",
        "outputs",
    )

    def __init__(
        self, frame: Frame, inputs: list[np.ndarray], outputs: list[np.ndarray]
    ):
        self.inputs, self.outputs, self._frame = inputs, outputs, frame
        self._memory, scratch = frame.scratch_memory()
        self._run, self._allowance = frame.code.run, len(outputs)
        self._outs = frame.outs
        # Numbers: pointers of their own kind would be converted at every call.
        pointers = map(ctypes.addressof, (frame.ins, frame.outs))
        self._where = (*pointers, scratch, 0, 1)
        self._takes_long = False  # whether the last call did

    def run(self) -> None:
        """One call; what takes long goes on beside the main thread, for Ctrl-C."""
        if not self._takes_long:
            self._outs[self._allowance] = SHORT
            if self._run(*self._where) == 1:
                return
        start = time.perf_counter()
        pool().run(self._frame, [(0, 1)], 1)
        self._takes_long = time.perf_counter() - start > WORTH_LISTENING


@final
class IndirectCall:
    """The same for a program that is not native code."""

    __slots__ = ("_runner", "inputs", "outputs")

    def __init__(
        self, runner: Any, inputs: list[np.ndarray], outputs: list[np.ndarray]
    ):
        self._runner, self.inputs, self.outputs = runner, inputs, outputs

    def run(self) -> None:
        """One call."""
        found = self._runner(self.inputs, -1)
        for mine, value in zip(self.outputs, found, strict=True):
            mine[...] = value
