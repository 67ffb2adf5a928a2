"""Bits of kernels on a GPU: every program of the zoo, against native code.

Native code is made here if LLVM is installed. Without it, a reference file has its
results, and the kernel's own text runs as C++ on the CPU; without any of these, XLA's
values must agree within a tolerance.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

import jax
import numpy as np

import polhode as ph
from benchmarks.measure import Disagreement, require_agreement
from benchmarks.models.zoo import Animal, sweeps, zoo
from polhode.lowering.trace.trace import double_precision

ROOT = Path(__file__).parents[1]
TOLERANCE = 1e-8  # of the largest entry, where there are no bits to hold it against
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


def programs() -> dict[str, Callable[[], Animal]]:
    """All programs whose bits are compared, each made when it is called."""
    return {name: lambda a=animal: a for name, animal in zoo().items()} | sweeps()


def write_reference(path: Path) -> None:
    """Arguments and results of the zoo, for a machine without LLVM."""
    content = {}
    for name, make in programs().items():
        animal = make()
        for k, leaf in enumerate(jax.tree.leaves(animal.arguments)):
            content[f"{name}/in{k}"] = leaf
        for k, leaf in enumerate(on_backend("llvm", animal)):
            content[f"{name}/out{k}"] = leaf
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **content)


def from_reference(file: Any, name: str, animal: Animal) -> tuple[Animal, list]:
    """The animal with the arguments of the reference, and the results there."""
    old, tree = jax.tree.flatten(animal.arguments)
    given = tree.unflatten([file[f"{name}/in{k}"] for k in range(len(old))])
    count = sum(key.startswith(f"{name}/out") for key in file.files)
    results = [file[f"{name}/out{k}"] for k in range(count)]
    return Animal(animal.function, given), results


def on_host(animal: Animal) -> list[np.ndarray] | None:
    """The leaves of what the kernel's own text gives as C++ on the CPU."""
    sys.path.append(str(ROOT / "tests" / "support"))
    from host_cupy import COMPILER, host_cupy

    if COMPILER is None:
        return None
    with mock.patch.dict(sys.modules, cupy=host_cupy()):
        return on_backend("cuda", animal)


def on_xla(animal: Animal) -> list[np.ndarray]:
    """The leaves of what XLA gives on the CPU."""
    with double_precision(), jax.default_device(jax.devices("cpu")[0]):
        given = jax.jit(jax.vmap(animal.function))(*animal.arguments)
    return [np.asarray(leaf) for leaf in jax.tree.leaves(given)]


def check(name: str, animal: Animal, reference: Any) -> Facts:
    """How a kernel's results stand to those that other code gives."""
    expected: dict[str, Any] = {}
    if find_spec("llvmlite"):
        expected["LLVM here"] = on_backend("llvm", animal)
    else:
        if reference is not None:  # another version of JAX may trace it otherwise
            animal, expected["LLVM elsewhere"] = from_reference(reference, name, animal)
        expected["C++ here"] = on_host(animal)
    begun = time.perf_counter()
    ours = on_backend("cuda", animal)
    seconds = time.perf_counter() - begun
    known = {word: them for word, them in expected.items() if them is not None}
    if not known:
        return {"XLA": attempt(lambda: near(name, ours, on_xla(animal)))}
    bits = {
        f"bits of {word}": attempt(lambda t=them: same_bits(ours, t))
        for word, them in known.items()
    }
    return {**bits, "seconds to build, run": seconds}


def near(name: str, ours: list, theirs: list) -> str:
    """Whether all arrays agree within the tolerance."""
    for a, b in zip(ours, theirs, strict=True):
        require_agreement(name, plain(a), plain(b), TOLERANCE)
    return f"within {TOLERANCE:g}"


def plain(x: np.ndarray) -> np.ndarray:
    """Numbers that can be subtracted, with no NaN, infinity or plain zero array."""
    return np.append(np.nan_to_num(x.astype(float).ravel(), posinf=1e9, neginf=-1e9), 1)


def attempt(work: Callable[[], Any]) -> Any:
    """What it gives, or how it failed: the other rows are worth having all the same."""
    try:
        return work()
    except Disagreement as error:
        return f"WRONG: {error}"
    except Exception as error:
        traceback.print_exc()
        return f"FAILED: {type(error).__name__}: {error}".splitlines()[0]
