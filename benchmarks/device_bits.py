"""Bits of kernels on a GPU: every program of the zoo, against native code made here."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import polhode as ph
from benchmarks.measure import Disagreement
from benchmarks.models.zoo import Animal, sweeps, zoo

Facts = dict[str, Any]


def same_bits(ours: Any, theirs: Any) -> str:
    """Every array equal to the bit, all NaN being one, or `Disagreement`."""
    pairs = zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True)
    for k, (a, b) in enumerate(pairs):
        a, b = np.atleast_1d(a), np.atleast_1d(b)
        if (a.shape, a.dtype) != (b.shape, b.dtype):
            raise Disagreement(f"array {k}: {a.dtype}{a.shape}, {b.dtype}{b.shape}")
        if a.dtype.kind == "f":
            a, b = (np.where(np.isnan(x), np.nan, x).view(np.int64) for x in (a, b))
        wrong = a != b
        if wrong.any():
            where = np.argwhere(wrong)[0].tolist()
            raise Disagreement(f"array {k}: {wrong.sum()} of {a.size}, first {where}")
    return "equal"


def on_backend(backend: str, animal: Animal) -> list[np.ndarray]:
    """The leaves of what a program gives."""
    example = animal.example()
    program = ph.compile(animal.function, *example, batched=True, backend=backend)
    return jax.tree.leaves(program(*animal.arguments))


def check(animal: Animal) -> Facts:
    """Whether a kernel's results are those of native code."""
    expected = on_backend("llvm", animal)
    begun = time.perf_counter()
    ours = on_backend("cuda", animal)
    seconds = time.perf_counter() - begun
    return {
        "bits of native code": same_bits(ours, expected),
        "seconds to build, run": seconds,
    }


def rows() -> dict[str, Callable[[], Facts]]:
    """A check of every program, the batch kernels first; each is made when called."""
    makers: dict[str, Callable[[], Animal]] = sweeps()
    makers |= {name: lambda a=animal: a for name, animal in zoo().items()}
    return {f"check {name}": lambda m=make: check(m()) for name, make in makers.items()}


def attempt(work: Callable[[], Any]) -> Any:
    """What it gives, or how it failed: the other rows are worth having all the same."""
    try:
        return work()
    except Disagreement as error:
        return f"WRONG: {error}"
    except Exception as error:
        traceback.print_exc()
        return f"FAILED: {type(error).__name__}: {error}".splitlines()[0]
