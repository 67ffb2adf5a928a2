"""Speeds of kernels on a GPU: ensembles, body-steps a second, long records.

Beside them runs what else the machine has: all its cores, and XLA on the same GPU.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np

import polhode as ph
from benchmarks.ensembles import lorenz_row, pendulums_row
from benchmarks.models import chain, orbit
from polhode.lowering.backends.cuda import runner
from polhode.lowering.trace.trace import double_precision

RECORDS = (8, 16, 32, 64, 128, 256, 512)  # doubles a system
ROUNDS = 5
Facts = dict[str, Any]


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


def rows(sizes: Any) -> dict[str, Callable[[], Facts]]:
    """Rows whose time counts, of the sizes that are asked."""
    few = min(sizes.on_cores, sizes.pendulums)
    return {
        "double pendulums by order 8": lambda: pendulums_row(sizes.pendulums, few),
        "Lorenz ensemble": lambda: lorenz_row(sizes.lorenz),
        "spacecraft, RK4 steps/s": lambda: spacecraft(sizes.craft, sizes.steps),
        "7-link chain, steps/s": lambda: arms(sizes.arms, sizes.steps),
    }


def machine() -> Facts:
    """The device, and the versions of what runs it."""
    import cupy

    card = cupy.cuda.runtime.getDeviceProperties(0)["name"]
    return {
        "device": card.decode() if isinstance(card, bytes) else str(card),
        "cores": os.cpu_count(),
        "cupy": cupy.__version__,
        "jax": jax.__version__,
        "numpy": np.__version__,
        "llvmlite": bool(find_spec("llvmlite")),
    }
