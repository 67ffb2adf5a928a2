"""Running native code: variants for one system and for lanes, blocks over threads."""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
import time
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from polhode.lowering.backends import cache as disk
from polhode.lowering.backends.direct import DirectCall
from polhode.lowering.backends.llvm.native import (
    Code,
    host,
    host_lanes,
    least_effort,
    machine_code,
)
from polhode.lowering.backends.thread_limit import thread_limit
from polhode.lowering.backends.threads import (
    SHORT,
    UNLIMITED,
    WORTH_LISTENING,
    Frame,
    is_main_thread,
    pool,
)
from polhode.lowering.garbage import RareCollections
from polhode.lowering.options import Choices
from polhode.lowering.report import Report
from polhode.lowering.trace.known_trace import Trace
from polhode.version import __version__

# What only makes code is loaded where code is made: most programs are found made.
if TYPE_CHECKING:
    from polhode.lowering.ir.prepare import Prepared

PACK_AT_MOST = 3000  # operations for which packing is worth LLVM's time
# Operations a loop from which LLVM's passes find nothing, and without a loop from the
# first on: zeros, equal terms and what stays the same in a loop are gone from straight
# code before it is written.
STRAIGHT = 1000
# Operations from which LLVM's passes and its full effort are not worth their time: its
# last scheduler takes longer by the square of a block, and the code runs no quicker.
LONG_CODE = 3000
# Operations a loop, on the mean, of code that is loops over tables: there passes take
# addresses and what tables have in common out of short bodies, a fifth of their time.
# Quick passes do, in two thirds of the time, up to so many operations.
SHORT_BODIES, MANY_BODIES = 100, 12_000
WORTH_THREADS = 300_000  # scalar operations below which one thread is quicker


def available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_threads() -> int:
    """Threads that a call takes: a core each, or fewer by POLHODE_THREADS."""
    cores = available_cores()
    return min(cores, thread_limit() or cores)


class NativeRunner:
    """Calls machine code with the user's arrays; makes each variant on first use."""

    def __init__(
        self, trace: Trace, choices: Choices, batched: list[bool], report: Report
    ):
        self._trace, self._choices, self._batched = trace, choices, batched
        self._report = report
        self._threads = choices.threads or available_cores()
        self.lanes = choices.lanes or (host_lanes() if any(batched) else 1)
        report.threads, report.lanes = self._threads, self.lanes
        self._outputs = trace.outputs
        self._prepared: Prepared | None = None
        self._variants: dict[int, tuple[Code, int]] = {}
        self._pointers = (
            ctypes.c_void_p * len(batched),
            ctypes.c_void_p * (len(self._outputs) + 1),  # and the allowance
        )
        self._takes_long = False  # whether the last call alone did
        self._lock = threading.Lock()
        if any(batched):
            self._begin()
        else:
            self.variant(1)
        trace.keep()

    # ------------------------------------------------------------------ making

    def _begin(self) -> None:
        """Code from the disk, or a program ready to become code when it is called.

        Whether a call has many systems or one is not known yet, and each kind has code
        of its own.
        """
        start = time.perf_counter()
        for lanes in (self.lanes, 1):
            found = disk.load(self.entry(lanes))
            if found is not None:
                self._variants[lanes] = self._kept(*found, hit=True)
                break
        else:
            with self._trace.notice, RareCollections():
                self._prepared = self._prepare()
        self._report.compile_seconds += time.perf_counter() - start

    def complete(self) -> None:
        """Compile what a report describes, if nothing has been compiled yet."""
        if not self._variants:
            self.variant(self.lanes)

    def variant(self, lanes: int) -> tuple[Code, int]:
        """The code for a number of lanes, and the scratch bytes that it needs."""
        found = self._variants.get(lanes)
        if found is not None:
            return found
        with self._lock:
            if lanes not in self._variants:
                self._variants[lanes] = self._make(lanes)
            return self._variants[lanes]

    def _make(self, lanes: int) -> tuple[Code, int]:
        start = time.perf_counter()
        name = self.entry(lanes)
        found = disk.load(name)
        if found is None:
            with self._trace.notice, RareCollections():
                facts, code = self._build(lanes)
            # A trace that was made now may be another than the one that was known.
            name = self.entry(lanes)
            self._report.cache_note = disk.save(name, facts, code)
        else:
            facts, code = found
        made = self._kept(facts, code, hit=found is not None)
        self._report.compile_seconds += time.perf_counter() - start
        return made

    def entry(self, lanes: int) -> str:
        """A name of the code for so many lanes: one for what it computes, and how."""
        marks = "".join("01"[b] for b in self._batched)
        made_of = (
            self._trace.name,
            self._choices.fold,
            str(self._choices.unroll_at_most),
        )
        effort = ("least effort",) if least_effort() else ()
        return disk.entry_name(
            __version__, *made_of, marks, str(lanes), *host(), _llvm(), *effort
        )

    def _prepare(self) -> Prepared:
        from polhode.lowering.ir.prepare import prepared

        jaxpr = self._trace.jaxpr
        self._outputs = self._trace.outputs
        return prepared(jaxpr, self._choices, abreast=host_lanes())

    def _build(self, lanes: int) -> tuple[dict[str, int], bytes]:
        from polhode.lowering.backends.llvm.module import write_module

        ready = self._prepared = self._prepared or self._prepare()
        if not any(self._batched) or self._variants:
            self._prepared = None  # no other variant will be wanted
        self._trace.notice.size(ready.operations)
        module = write_module(ready.program, ready.plan, self._batched, lanes)
        facts = {
            "scratch": module.scratch_bytes,
            "operations": ready.operations,
            "operations_traced": ready.operations_traced,
            "operations_before": ready.operations_before,
            "loops": ready.loops,
            "equations": ready.program.equations,
        }
        return facts, machine_code(module.text, *_passes(ready, lanes))

    def _kept(self, facts: dict[str, int], code: bytes, hit: bool) -> tuple[Code, int]:
        """The code in memory, and its facts in the report."""
        for word, value in facts.items():
            setattr(self._report, word, value)
        self._report.cache_hit, self._report.bytes = hit, len(code)
        return Code(code), facts["scratch"]

    # ----------------------------------------------------------------- running

    def __call__(self, arrays: list[np.ndarray], batch: int) -> list[np.ndarray]:
        count = max(batch, 1) if batch != 0 else 0
        leading = () if batch < 0 else (batch,)
        outputs = [np.empty((*leading, *shape), type) for shape, type in self._outputs]
        if count == 0:
            return outputs
        arrays = [
            a if a.flags.c_contiguous else np.ascontiguousarray(a) for a in arrays
        ]
        lanes = 1 if count == 1 else self.lanes
        frame = Frame(self.variant(lanes), self._pointers, arrays, outputs)
        blocks = -(-count // lanes)
        # Asked anew for each call: programs outlive the sweep that made them.
        threads = min(self._threads, blocks, thread_limit() or blocks)
        if threads == 1 or not self._is_long(count):
            self._alone(frame, count)
        else:
            pool().run(frame, self._pieces(count, lanes, threads), threads)
        return outputs

    def direct(self, inputs: list[np.ndarray]) -> DirectCall:
        """A call of one system that reads these arrays again and again."""
        outputs = [np.empty(shape, type) for shape, type in self._outputs]
        frame = Frame(self.variant(1), self._pointers, inputs, outputs)
        return DirectCall(frame, inputs, outputs)

    def _is_long(self, count: int) -> bool:
        heavy = self._report.loops > 0
        return heavy or count * self._report.operations > WORTH_THREADS

    def _alone(self, frame: Frame, count: int) -> None:
        """All systems in this thread.

        The main thread hears no Ctrl-C in native code: what takes longer goes on
        elsewhere, while it listens, and so does the next call.
        """
        if not is_main_thread():
            frame.run(0, count, UNLIMITED)
            return
        done = 0 if self._takes_long else frame.run(0, count, SHORT)
        if done < count:
            start = time.perf_counter()
            pool().run(frame, [(done, count)], 1)
            self._takes_long = time.perf_counter() - start > WORTH_LISTENING

    @staticmethod
    def _pieces(count: int, lanes: int, threads: int) -> list[tuple[int, int]]:
        """Whole blocks of lanes, in a few pieces a thread to even out."""
        blocks = -(-count // lanes)
        pieces = min(4 * threads, blocks)
        edges = [min(count, lanes * (k * blocks // pieces)) for k in range(pieces + 1)]
        edges[-1] = count
        return [(a, b) for a, b in itertools.pairwise(edges) if b > a]


def _passes(ready: Prepared, lanes: int) -> tuple[bool, int, int]:
    """What LLVM does for a program: see `machine_code`."""
    size, loops = ready.operations, ready.loops
    if LONG_CODE < size < min(SHORT_BODIES * loops, MANY_BODIES):
        return lanes == 1, 2, 1
    pack = lanes == 1 and loops > 0 and size < PACK_AT_MOST
    if size > LONG_CODE:
        return pack, 1, 0
    return pack, 2, 0 if size >= STRAIGHT * loops else 2


@cache
def _llvm() -> str:
    import llvmlite
    import llvmlite.binding

    return f"{llvmlite.__version__} {llvmlite.binding.llvm_version_info}"
