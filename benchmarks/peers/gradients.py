"""Gradients of a motion by diffrax, and by finite differences of MuJoCo's runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.models.chain import Chain
from benchmarks.peers import peer, require

SMALL = 1e-6  # radians, radians a second: half the digits of a central difference


def by_diffrax(
    accelerations: Callable, x: np.ndarray, until: float, rtol: float
) -> Callable[[], np.ndarray]:
    """d(q . q at the end)/d(q, v at the start): reverse through checkpoints."""
    require("diffrax")
    import diffrax
    import jax
    import jax.numpy as jnp

    from polhode.lowering.trace.trace import double_precision

    n = len(x) // 2

    def law(t: Any, x: Any, _: Any) -> Any:
        return jnp.concatenate([x[n:], accelerations(x[:n], x[n:], jnp.zeros(n))])

    def cost(x: Any) -> Any:
        control = diffrax.PIDController(rtol=rtol, atol=rtol)
        found = diffrax.diffeqsolve(
            diffrax.ODETerm(law), diffrax.Dopri5(), 0.0, until, None, x,
            stepsize_controller=control, max_steps=16**3,
            saveat=diffrax.SaveAt(t1=True),
        )  # fmt: skip
        return found.ys[0][:n] @ found.ys[0][:n]

    with double_precision():
        slope, start = jax.jit(jax.grad(cost)), jnp.asarray(x)

    def once() -> np.ndarray:
        with double_precision():
            return np.asarray(jax.block_until_ready(slope(start)))

    return once


def by_mujoco(chain: Chain, x: np.ndarray, steps: int) -> Callable[[], np.ndarray]:
    """The same by central differences: two runs of C for each number of the state."""
    mujoco = peer("mujoco")
    n = len(x) // 2
    start = np.array(x)
    run = mujoco.stepper(chain, start[:n], start[n:], steps)

    def cost() -> float:
        q, _ = run()
        return float(q @ q)

    def once() -> np.ndarray:
        found = np.zeros(2 * n)
        for k in range(2 * n):
            start[k] = x[k] + SMALL
            above = cost()
            start[k] = x[k] - SMALL
            found[k] = (above - cost()) / (2 * SMALL)
            start[k] = x[k]
        return found

    return once
