"""The size of steps: a controller with proportional and integral parts.

    h <- h  0.9 |e|^-(1/p - 3b/4) |e_before|^b,       b = 0.2/p,   p the order

|e| is the estimated error over what is allowed; a step is accepted at 1 or less.
Gustafsson's controller with the constants of Hairer, Norsett and Wanner (Solving ODEs
I, II.4).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp

SAFETY, SMOOTHING = 0.9, 0.2
SHRINK, GROW = 0.2, 10.0
FIRST_MEMORY = 1e-4
# A state without numbers says nothing about the size: go back far.
RETREAT = 0.1


def size_of(
    errors: tuple[Any, ...], before: Any, after: Any, rtol: Any, atol: Any
) -> Any:
    """|e|: the mean square of the errors, each over what is allowed for it.

    Of two estimates, the finer and the coarser, |e| = |e1|^2 / hypot(|e1|, |e2|/10):
    it falls as fast as the error of the method, and is not fooled where one estimate
    vanishes by chance (Hairer, Norsett and Wanner, Solving ODEs I, II.10).
    """
    allowed = atol + rtol * jnp.maximum(jnp.abs(before), jnp.abs(after))
    sizes = [_mean_square(error, allowed) for error in errors]
    if len(sizes) == 1:
        return jnp.sqrt(sizes[0])
    fine, coarse = sizes
    both = fine + 0.01 * coarse
    return fine / jnp.sqrt(jnp.where(both == 0, 1.0, both))


def _mean_square(error: Any, allowed: Any) -> Any:
    # Where nothing is allowed nothing may be missed: 0/0 is then no error.
    shares = jnp.where(error == 0, 0.0, error / jnp.where(error == 0, 1.0, allowed))
    return jnp.mean(shares * shares)


class Tried(NamedTuple):
    """A step that was tried: its size, |e|, whether accepted and whether to grow."""

    h: Any
    error: Any
    accepted: Any
    may_grow: Any


def chosen(order: int, tried: Tried, memory: Any) -> tuple[Any, Any]:
    """The next step and the controller's memory."""
    h, error, accepted, may_grow = tried
    smoothing = SMOOTHING / order
    e = jnp.where(jnp.isfinite(error), jnp.maximum(error, 1e-10), 1e10)
    fall = (1 / order - 0.75 * smoothing) * jnp.log(e)
    # One exponential for both: it is a good part of what a small system's step costs.
    smooth = jnp.where(accepted, smoothing * jnp.log(memory) - fall, -fall)
    highest = jnp.where(accepted, jnp.where(may_grow, GROW, 1.0), SAFETY)
    lowest = jnp.where(accepted, SHRINK, RETREAT)
    factor = jnp.clip(SAFETY * jnp.exp(smooth), lowest, highest)
    return h * factor, jnp.where(accepted, jnp.maximum(error, FIRST_MEMORY), memory)
