"""Ensembles on a GPU: a million double pendulums, and GPUODEBenchmarks' Lorenz systems.

Lorenz: sigma = 10, beta = 8/3, rho from 0 to 21, from (1, 0, 0) over one second, each
system by steps of its own. The published rows are in single precision on another card;
ours and `vmap` are in double precision, the same loop on the same card in the same run.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from unittest import mock

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import polhode as ph
from polhode.integrate.host import device_loop
from polhode.lowering.trace.trace import double_precision

Facts = dict[str, Any]
# Milliseconds for 8 388 608 solves, Tesla V100, float32, adaptive: Utkarsh et al.,
# GPUODEBenchmarks, paper_artifacts/data/Tesla_V100.
PUBLISHED = {
    "published V100 float32: Julia EnsembleGPUKernel, ms": 69.5,
    "published V100 float32: MPGOS, ms": 48.8,
    "published V100 float32: JAX vmap, ms": 2611.0,
}
TOLERANCE = 1e-8

# Dormand and Prince's pair 5(4).
STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def lorenz(rho: Any) -> Any:
    """The state of one system after a second, by adaptive steps; traced."""

    def rate(u: Any) -> Any:
        x, y, z = u
        return jnp.stack([10.0 * (y - x), x * (rho - z) - y, x * y - 8 / 3 * z])

    def attempt(carry: Any) -> Any:
        t, u, k0, h = carry
        h = jnp.minimum(h, 1.0 - t)
        k = [k0]
        for row in STAGES:
            v = u + h * sum(a * b for a, b in zip(row, k, strict=True) if a)
            k.append(rate(v))
        off = h * sum(e * b for e, b in zip(ERROR, k, strict=True) if e)
        scale = TOLERANCE * (1.0 + jnp.maximum(jnp.abs(u), jnp.abs(v)))
        size = jnp.sqrt(jnp.mean((off / scale) ** 2)) + 1e-30
        good = size <= 1.0
        factor = jnp.clip(0.9 * size**-0.2, 0.2, 5.0)
        # The last step ends at one, whatever the sum of all steps is.
        last = good & (t + h >= 1.0 - 1e-14)
        t = jnp.where(last, 1.0, jnp.where(good, t + h, t))
        return t, jnp.where(good, v, u), jnp.where(good, k[-1], k0), h * factor

    u = jnp.array([1.0, 0.0, 0.0])
    first = (0.0 * rho, u, rate(u), 0.0 * rho + 1e-3)
    return lax.while_loop(lambda c: c[0] < 1.0, attempt, first)[1]


def lorenz_row(count: int, rounds: int = 3) -> Facts:
    """Milliseconds of all solves, ours and by `vmap` of the same loop."""
    import cupy

    rho = np.linspace(0.0, 21.0, count)
    kernel = ph.compile(lorenz, 1.0, batched=True, backend="cuda")
    placed = cupy.asarray(rho)

    def solve(given: Any = placed) -> Any:
        answer = kernel(given)
        cupy.cuda.Device().synchronize()
        return answer

    ours = _least(solve, rounds)
    found = solve().get()
    facts: Facts = {"solves": count, "ours float64, ms": 1e3 * ours, **PUBLISHED}
    cupy.get_default_memory_pool().free_all_blocks()
    with double_precision():
        given = jax.device_put(rho, jax.devices("gpu")[0])
        run = jax.jit(jax.vmap(lorenz))
        theirs = _least(lambda: jax.block_until_ready(run(given)), rounds)
        gap = np.max(np.abs(np.asarray(run(given)) - found))
    return {
        **facts,
        "JAX vmap float64, same card, ms": 1e3 * theirs,
        "ours is quicker by": theirs / ours,
        "largest difference": float(gap),
    }


def pendulums_row(count: int, on_cores: int) -> Facts:
    """Runs a second of `ph.sweep` by order 8, on the GPU and on all cores."""
    start, draw = ph.models.start("double_pendulum"), np.random.default_rng(5)
    q = start.q + draw.normal(size=(count, 2))
    states = ph.States(start.system, 0.0, q, np.zeros((count, 2)))
    method = ph.methods.DormandPrince8(rtol=1e-9, atol=1e-9)

    def swept(runs: int, backend: str) -> Any:
        own = states.part(slice(0, runs))
        return ph.sweep(start.system, own, until=10.0, method=method, backend=backend)

    swept(1024, "cuda")
    with mock.patch.object(
        device_loop, "run_on_device", _Timed(device_loop.run_on_device)
    ) as loop:
        begun = time.perf_counter()
        ours = swept(count, "cuda")
        whole = time.perf_counter() - begun
    attempts = float(np.sum(ours.accepted + ours.rejected))
    facts: Facts = {
        "runs": count,
        "GPU, the whole call, s": whole,
        "GPU, the loop with its copies, s": loop.seconds,
        "GPU, attempts/s of the loop": attempts / loop.seconds,
    }
    if not find_spec("llvmlite"):
        return {**facts, "all cores": "no llvmlite here"}
    swept(1024, "llvm")
    from polhode.integrate import sweep_start

    with mock.patch.object(
        sweep_start, "run_batch", _Timed(sweep_start.run_batch)
    ) as cores:
        begun = time.perf_counter()
        theirs = swept(on_cores, "llvm")
        cpu = time.perf_counter() - begun
    done = float(np.sum(theirs.accepted + theirs.rejected))
    same = all(
        np.array_equal(getattr(ours, name)[:on_cores], getattr(theirs, name))
        for name in ("q", "z", "accepted", "rejected", "status")
    )
    return {
        **facts,
        "cores, runs": on_cores,
        "cores, attempts/s of the loop": done / cores.seconds,
        "whole call, times the cores": (count / whole) / (on_cores / cpu),
        "loop, times the cores": (attempts / loop.seconds) / (done / cores.seconds),
        "bits of the cores": "equal" if same else "WRONG: they differ",
    }


class _Timed:
    """A function whose time is added up."""

    def __init__(self, function: Callable[..., Any]):
        self._function, self.seconds = function, 0.0

    def __call__(self, *words: Any) -> Any:
        begun = time.perf_counter()
        found = self._function(*words)
        self.seconds += time.perf_counter() - begun
        return found


def _least(run: Callable[[], Any], rounds: int) -> float:
    run()
    best = float("inf")
    for _ in range(rounds):
        begun = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begun)
    return best
