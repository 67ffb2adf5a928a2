"""Functions that XLA runs: what the scalar program cannot express, and large loops.

Where a function goes to XLA because it mostly calls native code, its executable is kept
on disk as native code is, with the names of what it calls: a second process neither
traces nor compiles it.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import jax
import numpy as np

from polhode.fingerprint import NoFingerprint
from polhode.lowering.arguments import DTYPES, Leaf
from polhode.lowering.backends import cache as disk
from polhode.lowering.backends.llvm.native import host
from polhode.lowering.backends.xla_targets import (
    Target,
    register_kept,
    targets_within,
)
from polhode.lowering.garbage import RareCollections
from polhode.lowering.ir.program import is_key
from polhode.lowering.report import Report
from polhode.lowering.trace.description import is_plain, surroundings
from polhode.lowering.trace.known_trace import Trace
from polhode.lowering.trace.trace import double_precision, function_of

# Half of XLA's time to compile long loops goes into its newer emitters of fused loops;
# what they make of steps round native equations runs no quicker.
QUICK = {"xla_cpu_use_fusion_emitters": False}


@contextmanager
def on_the_processor() -> Iterator[None]:
    """Double precision on the CPU, whatever device JAX takes outside.

    Native code is called there alone. On a GPU of JAX's a step would be the traced
    function, which was slower and had other bits.
    """
    with double_precision(), jax.default_device(_processor()):
        yield


@cache
def _processor() -> jax.Device | None:
    """JAX's device for the CPU; None, its default, where it was told to have none."""
    try:
        return jax.local_devices(backend="cpu")[0]
    except RuntimeError:
        return None


class XlaRunner:
    """A flat function under `jit`, or `jit(vmap)` where it has a batch."""

    def __init__(self, flat: Callable[..., list], batched: list[bool]):
        self._one = jax.jit(flat)
        axes = tuple(0 if b else None for b in batched)
        self._many = jax.jit(jax.vmap(flat, in_axes=axes)) if any(batched) else None

    def __call__(self, arrays: list[np.ndarray], batch: int) -> list[Any]:
        with on_the_processor():
            run = self._one if batch < 0 else self._many
            assert run is not None
            return [_as_numpy(out) for out in run(*arrays)]


def can_keep(trace: Trace, leaves: Sequence[Leaf]) -> bool:
    """Whether executables of a trace could be kept: on a CPU, of plain arrays."""
    plain = all(leaf.dtype in DTYPES for leaf in leaves) and is_plain(trace.outputs)
    return plain and _processor() is not None


class KeptXlaRunner:
    """A trace compiled by XLA, soon rather than well, for one system and for batches.

    It is for functions that mostly call native code.
    """

    def __init__(
        self,
        trace: Trace,
        leaves: Sequence[Leaf],
        batched: list[bool],
        report: Report,
    ):
        self._trace, self._leaves, self._batched = trace, leaves, batched
        self._report, self._lock = report, threading.Lock()
        self._variants: dict[int, Callable[..., list[Any]]] = {}
        self._untried: set[int] = set()  # loaded, and not yet run

    def __call__(self, arrays: list[np.ndarray], batch: int) -> list[Any]:
        run = self._variants.get(batch) or self._variant(batch)
        with on_the_processor():
            try:
                found = run(*arrays)
            except jax.errors.JaxRuntimeError:
                if batch not in self._untried:
                    raise
                # What XLA has read back it may still find to be incomplete.
                with self._lock:
                    run = self._variants[batch] = self._compiled(batch)
                found = run(*arrays)
            self._untried.discard(batch)
            return [np.array(out) for out in found]

    def _variant(self, batch: int) -> Callable[..., list[Any]]:
        with self._lock, on_the_processor():
            if batch not in self._variants:
                start = time.perf_counter()
                found = _loaded(self._entry(batch), len(self._leaves), self._trace)
                self._report.cache_hit = found is not None
                if found is not None:
                    self._untried.add(batch)
                with self._trace.notice, RareCollections():
                    self._variants[batch] = found or self._compiled(batch)
                self._trace.keep()
                self._report.compile_seconds += time.perf_counter() - start
            return self._variants[batch]

    def _compiled(self, batch: int) -> Callable[..., list[Any]]:
        function = function_of(self._trace.jaxpr)
        if batch >= 0:
            axes = tuple(0 if b else None for b in self._batched)
            function = jax.vmap(function, in_axes=axes)
        shapes = [
            jax.ShapeDtypeStruct(
                (batch, *leaf.shape) if b and batch >= 0 else leaf.shape, leaf.type
            )
            for leaf, b in zip(self._leaves, self._batched, strict=True)
        ]
        # Arguments that nobody reads stay: who loads the executable knows of no trace.
        made = jax.jit(function, keep_unused=True, compiler_options=_known_options())
        hits = _hits_of_jax()
        before = hits[0]
        run = made.lower(*shapes).compile()
        targets = targets_within(self._trace.jaxpr)
        entry = self._entry(batch)  # the trace may be another than the known one
        # What JAX has found in a cache of its own cannot be written once more.
        is_new = hits[0] == before
        if is_new and entry is not None and targets is not None:
            self._report.cache_note = _keep(entry, run, targets)
        return run

    def _entry(self, batch: int) -> str | None:
        """A name of the executable; None where it is not certain what it depends on."""
        marks = "".join("01"[b] for b in self._batched)
        flags = os.environ.get("XLA_FLAGS", ""), str(QUICK)
        try:
            around = surroundings().hex()
        except NoFingerprint:
            return None
        own = (self._trace.name, marks, str(batch))
        return disk.entry_name("xla", around, *own, *flags, *host())


def _keep(entry: str, run: Any, targets: list[Target]) -> str:
    """Keep an executable for later processes; says why not, if it could not."""
    from jax.experimental.serialize_executable import serialize

    try:
        content, _, _ = serialize(run)
    except Exception as reason:  # of a JAX or a device that cannot
        return f"XLA's code cannot be kept: {reason}"
    return disk.save(entry, {"targets": [list(each) for each in targets]}, content)


def _loaded(
    entry: str | None, inputs: int, trace: Trace
) -> Callable[..., list[Any]] | None:
    """An executable that was kept, with all that it calls; None if it must be made."""
    found = None if entry is None else disk.load(entry)
    if found is None:
        return None
    from jax.experimental.serialize_executable import deserialize_and_load

    facts, content = found
    if not all(register_kept(Target(*each)) for each in facts["targets"]):
        return None
    given = jax.tree_util.tree_structure(((0,) * inputs, {}))
    back = jax.tree_util.tree_structure([0] * len(trace.outputs))
    try:
        device = _processor()
        assert device is not None  # or nothing would have been kept
        return deserialize_and_load(
            content, given, back, backend="cpu", execution_devices=[device]
        )
    except Exception:  # of another build of XLA, whatever it is called
        return None


@cache
def _hits_of_jax() -> list[int]:
    """How often JAX has found an executable in its own cache, if it has one."""
    hits = [0]

    def listen(event: str, **_: object) -> None:
        hits[0] += event == "/jax/compilation_cache/cache_hits"

    jax.monitoring.register_event_listener(listen)
    return hits


@cache
def _known_options() -> dict[str, Any] | None:
    """The options, where this XLA knows them; versions differ."""
    try:
        jax.jit(lambda x: x, compiler_options=QUICK)(0)
    except Exception:
        return None
    return QUICK


def _as_numpy(out: Any) -> Any:
    """A NumPy array; random keys, which it does not know, stay JAX's.

    A copy: what JAX gives cannot be written to, and results of other backends can.
    """
    return out if is_key(out) else np.array(out)
