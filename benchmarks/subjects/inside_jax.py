"""Native steps inside somebody's `jit`, against what XLA makes of the same step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import polhode as ph
from benchmarks.measure import race, require_agreement
from benchmarks.table import Claim, Measured

DT = 1e-3
STEPS = 200


def contenders(run: Callable[[Callable], Callable], *given: Any) -> dict[str, Callable]:
    """A function of a step, of native code and of the traced one, jitted."""
    start = ph.models.start("double_pendulum")
    step = ph.stepper(start.system, DT)
    made = {}
    for word, one in (("ours", step.jax), ("xla", step.function)):
        call = jax.jit(run(lambda q, z, one=one: tuple(one(0.0, q, z, {}))))
        made[word] = partial(_settled, call, *given)
    require_agreement("steps in JAX", made["ours"](), made["xla"](), 1e-9)
    return made


def _settled(call: Callable, *given: Any) -> Any:
    return jax.block_until_ready(call(*given))


def rollout(step: Callable) -> Callable:
    def run(q: Any, z: Any) -> Any:
        return lax.fori_loop(0, STEPS, lambda _, c: step(*c), (q, z))

    return run


def gradient(step: Callable) -> Callable:
    def loss(q: Any, z: Any) -> Any:
        last = lax.scan(lambda c, _: (step(*c), None), (q, z), None, length=STEPS)[0]
        return sum(jnp.sum(x**2) for x in last)

    return jax.grad(loss, (0, 1))


def measured(run: Callable, count: int, rounds: int) -> Measured:
    with jax.enable_x64(True):
        start = ph.models.start("double_pendulum")
        q, z = start.q, start.z
        if count > 1:
            q = q + 1e-3 * np.random.default_rng(0).normal(size=(count, len(q)))
            z = np.broadcast_to(z, q.shape)
            given = partial(_many, run)
        else:
            given = run
        made = contenders(given, jnp.array(q), jnp.array(z))
        result = race(made, max(3, rounds // 3), STEPS * count)
        best = result.seconds
        return Measured(best["ours"], best["xla"], "", result.doubt(*made))


def _many(run: Callable, step: Callable) -> Callable:
    return jax.vmap(run(step))


CLAIMS = [
    Claim(
        name="jax-step",
        work="a step of a double pendulum inside a user's jit",
        other="XLA",
        compared=(
            "200 steps of CommutatorFree4 in a lax.fori_loop under jit: ours "
            "step.jax, XLA's the same traced step"
        ),
        measure=partial(measured, rollout, 1),
        required=8,
    ),
    Claim(
        name="jax-vmap",
        work="4096 double pendulums in a vmap, a step of one",
        other="XLA",
        compared="as jax-step, under vmap; XLA may use all cores, ours takes one",
        measure=partial(measured, rollout, 4096),
        required=50,
    ),
    Claim(
        name="jax-grad",
        work="the gradient of 200 steps",
        other="XLA",
        compared="jit(grad) of a lax.scan of the steps, by initial state",
        measure=partial(measured, gradient, 1),
        required=50,
    ),
]
