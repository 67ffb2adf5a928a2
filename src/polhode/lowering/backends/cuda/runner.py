"""Running a kernel: a thread a system, arguments from either memory."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from polhode.lowering.arguments import is_on_device
from polhode.lowering.backends.cuda.device import Device, Kernel, current_device
from polhode.lowering.backends.cuda.source import Source, write_source
from polhode.lowering.ir.prepare import Prepared, prepared
from polhode.lowering.ir.program import type_of
from polhode.lowering.options import Choices
from polhode.lowering.report import Report

SLOT = 8  # bytes of scratch memory that a scalar of any type takes
WORTH_TURNING = 1024  # bytes of a system: longer records outgrow the cache untouched
SHARE = 4  # scratch memory takes at most one part in so many of what is free


class CudaRunner:
    """Calls a kernel with the user's arrays, NumPy's or CuPy's.

    Arrays of NumPy go to the device and the results come back. If an argument is on
    the device already, so are the results.
    """

    def __init__(
        self, jaxpr: Any, choices: Choices, batched: list[bool], report: Report
    ):
        self._device: Device = current_device()
        start = time.perf_counter()
        ready = prepared(jaxpr, choices)
        self._batched, self._sizes = batched, [b.size for b in ready.program.inputs]
        self._outputs = [
            (tuple(v.aval.shape), type_of(v.aval)) for v in jaxpr.jaxpr.outvars
        ]
        self._turned = self._is_long(ready)
        self.source: Source = write_source(
            ready.program, ready.plan, batched, self._turned
        )
        self._kernel: Kernel = self._device.kernel(self.source.text)
        self._threads = self._affordable()
        report.operations_traced = ready.operations_traced
        report.operations_before = ready.operations_before
        report.operations, report.loops = ready.operations, ready.loops
        report.equations = ready.program.equations
        report.scratch = self.source.slots * SLOT
        report.threads = self._threads
        report.compile_seconds = time.perf_counter() - start

    def _is_long(self, ready: Prepared) -> bool:
        """Whether a system's own data is so long that threads should share lines."""
        pairs = zip(ready.program.inputs, self._batched, strict=True)
        own = sum(b.size * np.dtype(b.type).itemsize for b, mine in pairs if mine)
        given = sum(
            math.prod(shape) * np.dtype(type).itemsize for shape, type in self._outputs
        )
        return max(own, given) >= WORTH_TURNING

    def _affordable(self) -> int:
        """Threads at once: as many as fit the device with their scratch memory."""
        each = max(1, self.source.slots * SLOT)
        return max(
            32, min(self._device.threads, self._device.free_bytes // SHARE // each)
        )

    # ----------------------------------------------------------------- running

    def __call__(self, arrays: list[Any], batch: int) -> list[Any]:
        try:
            return self._results(arrays, batch)
        except BaseException:
            # Ctrl-C: the kernel goes on, and arrays go when this returns.
            self._device.synchronise()
            raise

    def _results(self, arrays: list[Any], batch: int) -> list[Any]:
        stay = any(map(is_on_device, arrays))
        count = 1 if batch < 0 else batch
        shapes = [((count, math.prod(shape)), type) for shape, type in self._outputs]
        results = [self._device.empty(self._laid(s), type) for s, type in shapes]
        if count > 0:
            self._launch(arrays, results, count)
        leading = () if batch < 0 else (batch,)
        given = []
        for result, (shape, _) in zip(results, self._outputs, strict=True):
            plain = result.T if self._turned else result
            plain = plain if stay else self._device.fetch(plain)
            given.append(plain.reshape((*leading, *shape)))
        return given

    def _launch(self, arrays: list[Any], results: list[Any], count: int) -> None:
        threads = min(count, self._threads)
        inputs = []
        for array, size, own in zip(arrays, self._sizes, self._batched, strict=True):
            if own and self._turned:
                array = self._device.send(array).reshape(count, size).T
            inputs.append(self._device.send(array))
        scratch = self._device.empty((max(1, self.source.slots * threads),), "uint64")
        numbers = [np.int64(threads), np.int64(count)]
        try:
            self._kernel([*inputs, *results, scratch, *numbers], threads)
        except BaseException:
            self._device.synchronise()  # before inputs and scratch memory go
            raise

    def _laid(self, shape: tuple[int, int]) -> tuple[int, int]:
        return shape[::-1] if self._turned else shape
