"""`python -m benchmarks.gpu`: kernels on a GPU, their bits and their speed.

    python -m benchmarks.gpu --write-reference build/gpu_reference.npz    anywhere
    python -m benchmarks.gpu --reference build/gpu_reference.npz          on the GPU
    python -m benchmarks.gpu --bits                                       bits alone
    python -m benchmarks.gpu --sweeps                                     ph.sweep alone
    python -m benchmarks.gpu --contact                                    contact alone

Every program of the zoo, kernels of `ph.sweep` among them: the bits of native
code, computed here if LLVM is installed, else read from the reference file, and those
of the kernel's own text as C++ on the CPU; without any of these, XLA's values within a
tolerance. Speeds come first, as bits take long to build: `ph.sweep` against all cores,
the Lorenz ensemble beside `vmap`, body-steps a second against XLA on the same GPU, and
what turning long records costs and gains. A table is printed, row by row; it goes to
the path of --json too, and to $OUT/gpu.json if OUT is set. The exit code is 1 where
bits differ or something failed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # CuPy needs some too

import jax
import jax.numpy as jnp
import numpy as np

import polhode as ph
from benchmarks import device_contact, device_sweeps
from benchmarks.ensembles import lorenz_row, pendulums_row
from benchmarks.measure import Disagreement, require_agreement
from benchmarks.models import chain, orbit
from benchmarks.models.zoo import Animal, sweeps, zoo
from polhode.lowering.backends.cuda import runner
from polhode.lowering.trace.trace import double_precision

ROOT = Path(__file__).parents[1]
TOLERANCE = 1e-8  # of the largest entry, where there are no bits to hold it against
RECORDS = (8, 16, 32, 64, 128, 256, 512)  # doubles a system
ROUNDS = 5
Facts = dict[str, Any]


# ------------------------------------------------------------------------- values


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
    expected: dict[str, Any] = {"C++ here": on_host(animal)}
    if find_spec("llvmlite"):
        expected["LLVM here"] = on_backend("llvm", animal)
    elif reference is not None:  # another version of JAX may have traced it otherwise
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


# -------------------------------------------------------------------------- speed


def on_device(tree: Any) -> Any:
    """Arrays of CuPy."""
    import cupy

    return jax.tree.map(cupy.asarray, tree)


def device_seconds(run: Callable[[], Any]) -> float:
    """The least time of a few runs, between two events of the device."""
    import cupy

    run()
    best = float("inf")
    for _ in range(ROUNDS):
        start, stop = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        run()
        stop.record()
        stop.synchronize()
        best = min(best, cupy.cuda.get_elapsed_time(start, stop) / 1e3)
    return best


def wall_seconds(run: Callable[[], Any]) -> float:
    """The least time of a few runs, by the clock on the wall."""
    run()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def by_xla(function: Callable, arguments: Any, work: float) -> Facts:
    """Work a second under `jit` on the GPU that JAX sees, if it sees one."""
    try:
        device = jax.devices("gpu")[0]
    except RuntimeError as error:
        return {"xla": f"no GPU: {str(error).splitlines()[0]}"}
    with double_precision():
        placed, run = jax.device_put(arguments, device), jax.jit(function)
        seconds = wall_seconds(lambda: jax.block_until_ready(run(*placed)))
    return {"xla": work / seconds}


def spacecraft(count: int, steps: int) -> Facts:
    """Body-steps a second of a fleet on the device, in both layouts, and from NumPy."""
    fleet, advance, work = orbit.fleet(count), orbit.stepping(steps), count * steps
    one = jax.tree.map(lambda x: x[0], fleet)
    placed = on_device(fleet)
    kernel = ph.compile(advance, one, batched=True, backend="cuda")
    with mock.patch.object(runner, "WORTH_TURNING", 0):
        turned = ph.compile(advance, one, batched=True, backend="cuda")
    columns = jax.tree.map(lambda x: np.ascontiguousarray(x.T), fleet)
    seconds = device_seconds(lambda: kernel(placed))
    operations = kernel.report().operations
    return {
        "rate": work / seconds,
        "operations a second": work * operations / seconds,
        "turned": work / device_seconds(lambda: turned(placed)),
        "from NumPy": work / wall_seconds(lambda: kernel(fleet)),
        **by_xla(jax.vmap(advance), (fleet,), work),
        "xla [k,N]": by_xla(advance, (columns,), work)["xla"],
    }


def arms(count: int, steps: int) -> Facts:
    """Steps a second of 7-link chains on the device, and one step a call."""
    draw, arm = np.random.default_rng(3), chain.Chain(7)
    state = draw.normal(size=(count, 7)), draw.normal(size=(count, 7))
    one, placed = (state[0][0], state[1][0]), on_device(state)
    many = ph.compile(chain.stepping(arm, steps), *one, batched=True, backend="cuda")

    def step(q: Any, v: Any) -> Any:
        return chain.step(arm, q, v)

    single = ph.compile(step, *one, batched=True, backend="cuda")
    seconds = device_seconds(lambda: many(*placed))
    few = tuple(x[: max(1, count // 10)] for x in state)
    theirs = jax.vmap(chain.stepping(arm, 10))
    return {
        "rate": count * steps / seconds,
        "operations a second": count * steps * many.report().operations / seconds,
        "one step a call": count / device_seconds(lambda: single(*placed)),
        **by_xla(theirs, few, 10 * len(few[0])),
    }


def records(count: int) -> Facts:
    """Gigabytes a second through a kernel, record by record and turned."""
    out = {}
    for size in RECORDS:
        placed = on_device(np.ones((count, size)))
        rates = []
        for bound in (10**9, 0):
            with mock.patch.object(runner, "WORTH_TURNING", bound):
                kernel = ph.compile(
                    lambda x: x * jnp.sum(x),
                    np.ones(size),
                    batched=True,
                    backend="cuda",
                )
            seconds = device_seconds(lambda k=kernel, x=placed: k(x))
            rates.append(2 * placed.nbytes / seconds / 1e9)
        out[f"{8 * size} bytes"] = "{:.0f} as given, {:.0f} turned".format(*rates)
    return out


# -------------------------------------------------------------------------- table


def attempt(work: Callable[[], Any]) -> Any:
    """What it gives, or how it failed: the other rows are worth having all the same."""
    try:
        return work()
    except Disagreement as error:
        return f"WRONG: {error}"
    except Exception as error:
        traceback.print_exc()
        return f"FAILED: {type(error).__name__}: {error}".splitlines()[0]


def spelt(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def show(name: str, facts: Facts | str) -> None:
    rows = facts.items() if isinstance(facts, dict) else [("", facts)]
    text = [f"    {word:22} {spelt(value)}" for word, value in rows]
    print("\n".join([name, *text]), flush=True)


def machine() -> Facts:
    """The device, and the versions of what runs it."""
    import cupy

    name = cupy.cuda.runtime.getDeviceProperties(0)["name"]
    return {
        "device": name.decode() if isinstance(name, bytes) else str(name),
        "cupy": cupy.__version__,
        "jax": jax.__version__,
        "numpy": np.__version__,
        "llvmlite": bool(find_spec("llvmlite")),
    }


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.gpu", description=__doc__)
    parser.add_argument("--write-reference", type=Path, metavar="PATH")
    parser.add_argument("--reference", type=Path, metavar="PATH")
    parser.add_argument("--bits", action="store_true", help="bits alone, no speeds")
    parser.add_argument("--sweeps", action="store_true", help="calls of ph.sweep alone")
    parser.add_argument("--contact", action="store_true", help="Moreau's scheme alone")
    parser.add_argument("--json", type=Path, metavar="PATH", help="all rows, as JSON")
    parser.add_argument(
        "--seconds", type=float, default=230.0, help="no row begins after so many"
    )
    parser.add_argument("--pendulums", type=int, default=1_000_000)
    parser.add_argument("--on-cores", type=int, default=131_072)
    parser.add_argument("--lorenz", type=int, default=8_388_608)
    parser.add_argument("--craft", type=int, default=1_000_000)
    parser.add_argument("--arms", type=int, default=1_000_000)
    parser.add_argument("--steps", type=int, default=200)
    chosen = parser.parse_args(words)
    if chosen.write_reference:
        write_reference(chosen.write_reference)
        return 0
    reference = np.load(chosen.reference) if chosen.reference else None
    checks: dict[str, Callable[[], Facts]] = {
        f"check {name}": lambda n=name, m=make: check(n, m(), reference)
        for name, make in programs().items()
    }
    speeds: dict[str, Callable[[], Facts]] = {
        "double pendulums by order 8": lambda: pendulums_row(
            chosen.pendulums, min(chosen.on_cores, chosen.pendulums)
        ),
        "Lorenz ensemble": lambda: lorenz_row(chosen.lorenz),
        "spacecraft, RK4 steps/s": lambda: spacecraft(chosen.craft, chosen.steps),
        "7-link chain, steps/s": lambda: arms(chosen.arms, chosen.steps),
    }
    subjects: dict[str, Callable[[], Facts]] = {"machine": machine}
    if chosen.sweeps or chosen.contact:
        subjects |= device_sweeps.rows() if chosen.sweeps else {}
        subjects |= device_contact.rows() if chosen.contact else {}
    else:
        subjects |= {} if chosen.bits else speeds
        subjects |= checks
    if not (chosen.bits or chosen.sweeps or chosen.contact):
        subjects["layout, GB/s"] = lambda: records(min(chosen.craft, 200_000))
    results = {}
    begun = time.perf_counter()
    paths = [chosen.json] if chosen.json else []
    if os.environ.get("OUT"):
        paths.append(Path(os.environ["OUT"], "gpu.json"))
    for name, work in subjects.items():
        spent = time.perf_counter() - begun
        late = f"left out: {spent:.0f} s are spent"
        results[name] = late if spent > chosen.seconds else attempt(work)
        show(name, results[name])
        for path in paths:  # after every row: a run that is cut short leaves its rows
            path.write_text(json.dumps(results, indent=2))
    text = json.dumps(results)
    return int("WRONG" in text or "FAILED" in text)


if __name__ == "__main__":
    raise SystemExit(main())
