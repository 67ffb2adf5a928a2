"""The way out: whatever the scalar program cannot express runs on XLA, unchanged."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import numpy as np

from polhode.lowering.ir.program import is_key
from polhode.lowering.trace.trace import double_precision

# Half of XLA's time to compile long loops goes into its newer emitters of fused loops;
# what they make of steps round native equations runs no quicker.
QUICK = {"xla_cpu_use_fusion_emitters": False}


class XlaRunner:
    """A flat function under `jit`, or `jit(vmap)` where it has a batch.

    `is_quick` asks for code that is soon there: of a function that mostly calls others.
    """

    def __init__(
        self, flat: Callable[..., list], batched: list[bool], is_quick: bool = False
    ):
        options = _known_options() if is_quick else None
        self._one = jax.jit(flat, compiler_options=options)
        axes = tuple(0 if b else None for b in batched)
        many = jax.vmap(flat, in_axes=axes)
        self._many = jax.jit(many, compiler_options=options) if any(batched) else None

    def __call__(self, arrays: list[np.ndarray], batch: int) -> list[Any]:
        with double_precision():
            run = self._one if batch < 0 else self._many
            assert run is not None
            return [_as_numpy(out) for out in run(*arrays)]


@cache
def _known_options() -> dict[str, Any] | None:
    """The options, where this XLA and its device know them; versions differ."""
    if jax.default_backend() != "cpu":
        return None
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
