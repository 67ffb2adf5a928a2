"""The way out: whatever the scalar program cannot express runs on XLA, unchanged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from polhode.lowering.ir.program import is_key
from polhode.lowering.trace.trace import double_precision


class XlaRunner:
    """A flat function under `jit`, or `jit(vmap)` where it has a batch."""

    def __init__(self, flat: Callable[..., list], batched: list[bool]):
        self._one = jax.jit(flat)
        axes = tuple(0 if b else None for b in batched)
        self._many = jax.jit(jax.vmap(flat, in_axes=axes)) if any(batched) else None

    def __call__(self, arrays: list[np.ndarray], batch: int) -> list[Any]:
        with double_precision():
            run = self._one if batch < 0 else self._many
            assert run is not None
            return [_as_numpy(out) for out in run(*arrays)]


def _as_numpy(out: Any) -> Any:
    """A NumPy array; random keys, which it does not know, stay JAX's.

    A copy: what JAX gives cannot be written to, and results of other backends can.
    """
    return out if is_key(out) else np.array(out)
