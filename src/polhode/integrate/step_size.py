"""The size of steps: a controller with proportional and integral parts.

    h <- h  0.9 |e|^-(1/5 - 3b/4) |e_before|^b,       b = 0.04

|e| is the estimated error over what is allowed; a step is accepted at 1 or less.
Gustafsson's controller with the constants of Hairer, Norsett and Wanner (Solving ODEs
I, II.4).
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp

SAFETY, SMOOTHING, ORDER = 0.9, 0.04, 5
SHRINK, GROW = 0.2, 10.0
FIRST_MEMORY = 1e-4
# A state without numbers says nothing about the size: go back far.
RETREAT = 0.1


def size_of(error: Any, before: Any, after: Any, rtol: Any, atol: Any) -> Any:
    """|e|: the mean square of the errors, each over what is allowed for it."""
    allowed = atol + rtol * jnp.maximum(jnp.abs(before), jnp.abs(after))
    # Where nothing is allowed nothing may be missed: 0/0 is then no error.
    shares = jnp.where(error == 0, 0.0, error / jnp.where(error == 0, 1.0, allowed))
    return jnp.sqrt(jnp.mean(shares * shares))


def chosen(
    h: Any, error: Any, memory: Any, accepted: Any, may_grow: Any
) -> tuple[Any, Any]:
    """The next step and the controller's memory."""
    e = jnp.where(jnp.isfinite(error), jnp.maximum(error, 1e-10), 1e10)
    power = 1 / ORDER - 0.75 * SMOOTHING
    smooth = SAFETY * jnp.exp(SMOOTHING * jnp.log(memory) - power * jnp.log(e))
    highest = jnp.where(may_grow, GROW, 1.0)
    grown = jnp.clip(smooth, SHRINK, highest)
    shrunk = jnp.clip(SAFETY * jnp.exp(-power * jnp.log(e)), RETREAT, SAFETY)
    factor = jnp.where(accepted, grown, shrunk)
    return h * factor, jnp.where(accepted, jnp.maximum(error, FIRST_MEMORY), memory)
