"""A hundred thousand spacecraft against XLA in the layout it likes best."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.models.orbit import Craft, fleet, stepping
from benchmarks.table import Claim, Measured
from polhode.lowering.trace import double_precision

COUNT, STEPS, BLOCK = 100_000, 20, 1000


def by_xla(craft: Craft) -> dict[str, Callable]:
    """The same steps under `jit` in several layouts; each gives its own layout back."""
    advance = stepping(STEPS)
    columns = jax.tree.map(lambda x: np.ascontiguousarray(x.T), craft)
    blocks = jax.tree.map(lambda x: in_blocks(x, BLOCK), craft)
    layouts = {
        "vmap [N,k]": (jax.vmap(advance), craft),
        "vmap [k,N]": (jax.vmap(advance, in_axes=-1, out_axes=-1), columns),
        "arrays [k,N]": (advance, columns),
        "map over [k,1000]": (lambda s: jax.lax.map(advance, s), blocks),
        "vmap over [k,1000]": (jax.vmap(advance), blocks),
    }
    return {name: on_device(*layout) for name, layout in layouts.items()}


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


def against_xla(rounds: int) -> Measured:
    craft = fleet(COUNT)
    one = jax.tree.map(lambda x: x[0], craft)
    program = ph.compile(stepping(STEPS), one, batched=True)
    theirs = by_xla(craft)
    require_agreement("fleet", program(craft), theirs["vmap [N,k]"](), 1e-12)
    turned = jax.tree.map(lambda x: x.T, theirs["arrays [k,N]"]())
    require_agreement("fleet in columns", program(craft), turned, 1e-12)

    contenders = {"ours": lambda: program(craft), **theirs}
    best = race(contenders, max(3, rounds // 3), COUNT * STEPS)
    rates = ", ".join(f"{name} {1e-6 / best[name]:.1f}" for name in contenders)
    quickest = min(theirs, key=best.__getitem__)
    return Measured(best["ours"], best[quickest], f"million steps a second: {rates}")


CLAIMS = [
    Claim(
        name="spacecraft",
        work="10^5 spacecraft, gravity gradient, RK4, all cores, a step",
        other="XLA",
        compared=(
            "20 steps in a lax.fori_loop in both, states in memory before and after; "
            "XLA jit with vmap over [N,k], over [k,N], on whole arrays [k,N], and in "
            "blocks of 1000 that fit the cache: the quickest counts"
        ),
        measure=against_xla,
        required=4,
        stretch=8,
    )
]
