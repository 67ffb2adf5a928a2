"""A hundred thousand spacecraft against XLA in the layout it likes best."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import jax
import jax.numpy as jnp
import numpy as np

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.models.orbit import Craft, fleet, stepping
from benchmarks.table import Claim, Measured, cores
from polhode.lowering.trace.trace import double_precision

COUNT, STEPS = 100_000, 20
BLOCKS = (250, 1000, 2000)  # craft together: their arrays fit a cache


def by_xla(craft: Craft) -> dict[str, Callable]:
    """The same steps under `jit` in several layouts; each gives its own layout back."""
    advance = stepping(STEPS)
    columns = jax.tree.map(lambda x: np.ascontiguousarray(x.T), craft)
    runs = {
        "vmap [N,k]": on_device(jax.vmap(advance), craft),
        "vmap [k,N]": on_device(jax.vmap(advance, in_axes=-1, out_axes=-1), columns),
        "arrays [k,N]": on_device(advance, columns),
    }
    for size in BLOCKS:
        blocks = jax.tree.map(lambda x, size=size: in_blocks(x, size), craft)
        runs[f"vmap over [k,{size}]"] = on_device(jax.vmap(advance), blocks)
        runs[f"threads, map over [k,{size}]"] = on_threads(advance, blocks)
    return runs


def on_threads(advance: Callable, blocks: Craft) -> Callable:
    """Block after block, a share of them on each core.

    XLA runs a `lax.map` on one core; `jit` lets go of Python's lock, so that threads
    put the other cores to work.
    """
    threads = cores()
    pool = ThreadPoolExecutor(threads)
    shares = zip(*(np.array_split(x, threads) for x in blocks), strict=True)
    runs = [on_device(lambda s: jax.lax.map(advance, s), Craft(*x)) for x in shares]

    def once() -> Craft:
        parts = [job.result() for job in [pool.submit(run) for run in runs]]
        return Craft(*(list(column) for column in zip(*parts, strict=True)))

    return once


def in_blocks(x: np.ndarray, size: int) -> np.ndarray:
    """(N, k) as (N / size, k, size)."""
    return np.ascontiguousarray(x.reshape(-1, size, x.shape[1]).transpose(0, 2, 1))


def on_device(function: Callable, craft: Craft) -> Callable:
    with double_precision():
        run, placed = jax.jit(function), jax.tree.map(jnp.asarray, craft)

    def once() -> Craft:
        with double_precision():
            return jax.block_until_ready(run(placed))

    return once


def as_rows(result: Craft, like: Craft) -> Craft:
    """Any of the layouts, or a list of its shares, back as (N, k)."""

    def rows(x, shape: tuple[int, int]) -> np.ndarray:
        x = np.concatenate([np.asarray(part) for part in x]) if type(x) is list else x
        x = np.asarray(x)
        if x.shape == shape:
            return x
        return x.T if x.ndim == 2 else x.transpose(0, 2, 1).reshape(shape)

    return Craft(*(rows(x, y.shape) for x, y in zip(result, like, strict=True)))


def against_xla(rounds: int) -> Measured:
    craft = fleet(COUNT)
    one = jax.tree.map(lambda x: x[0], craft)
    program = ph.compile(stepping(STEPS), one, batched=True)
    theirs, ours = by_xla(craft), program(craft)
    for name, run in theirs.items():
        require_agreement(f"fleet, {name}", as_rows(run(), craft), ours, 1e-12)

    heat = race(theirs, 3, COUNT * STEPS).seconds
    finalists = sorted(theirs, key=heat.__getitem__)[:2]
    contenders = {
        "ours": lambda: program(craft),
        **{name: theirs[name] for name in finalists},
    }
    result = race(contenders, max(3, rounds // 3), COUNT * STEPS)
    best = result.seconds
    quickest = min(finalists, key=best.__getitem__)
    rates = ", ".join(f"{name} {1e-6 / s:.1f}" for name, s in {**heat, **best}.items())
    note = f"million steps a second: {rates}"
    return Measured(best["ours"], best[quickest], note, result.doubt("ours", quickest))


CLAIMS = [
    Claim(
        name="spacecraft",
        work="10^5 spacecraft, gravity gradient, RK4, all cores, a step",
        other="XLA",
        compared=(
            "20 steps in a lax.fori_loop in both, states in memory before and after, "
            "all cores in both; XLA jit with vmap over [N,k], over [k,N], over blocks "
            "[k,B], on whole arrays [k,N], and lax.map over blocks on a thread a core: "
            "the quickest counts"
        ),
        measure=against_xla,
        required=4,
        stretch=8,
    )
]
