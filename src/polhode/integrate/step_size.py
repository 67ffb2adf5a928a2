"""The size of steps: as long as the error allows, and careful where that changes.

    |e| = hard^p |h|^p,          h <- 0.9 h |e|^-1/p 2^-c,
    c = max(r, 0.6 |r|),         r = log2(hard/hard before)

|e| is the estimated error over what is allowed; a step is accepted at 1 or less. Its
power is the integral part of the control, c the proportional one: what grows harder is
expected to go on so (Gustafsson's prediction), what grows easier may be chance and is
trusted in part. A factor need be known to a per cent or two, and logarithms are read
from the bits of numbers: exact ones would be felt in a small system's step.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

SAFETY, TRUST = 0.9, 0.6
SHRINK, GROW = 0.2, 10.0
# A change by more than this in one step, in powers of two, is not foreseen.
FORESEEN = 1.0
# Nothing is known of steps before the first.
FIRST_MEMORY = np.inf
# A state without numbers says nothing about the size: go back far.
RETREAT = 0.1


def size_of(
    errors: tuple[Any, ...], before: Any, after: Any, rtol: Any, atol: Any
) -> Any:
    """|e|^2: the mean square of the errors, each over what is allowed for it.

    Of two estimates, the finer and the coarser, |e| = |e1|^2 / hypot(|e1|, |e2|/10):
    it falls as fast as the error of the method, and is not fooled where one estimate
    vanishes by chance (Hairer, Norsett and Wanner, Solving ODEs I, II.10).
    """
    share = 1 / (atol + rtol * _larger(jnp.abs(before), jnp.abs(after)))
    sizes = [_mean_square(error, share) for error in errors]
    if len(sizes) == 1:
        return sizes[0]
    fine, coarse = sizes
    both = fine + 0.01 * coarse
    return fine * fine / jnp.where(both == 0, 1.0, both)


def _mean_square(error: Any, share: Any) -> Any:
    # Where nothing is allowed nothing may be missed: no error is then none of it.
    shares = jnp.where(error == 0, 0.0, error * share)
    return jnp.mean(shares * shares)


class Tried(NamedTuple):
    """A step that was tried: its size, |e|^2, whether accepted and whether to grow."""

    h: Any
    square: Any
    accepted: Any
    may_grow: Any


def chosen(order: int, tried: Tried, memory: Any) -> tuple[Any, Any]:
    """The next step and the controller's memory: log2 of how hard the last one was."""
    h, square, accepted, may_grow = tried
    square = jnp.where(jnp.isfinite(square), _within(square, 1e-20, 1e20), 1e20)
    excess = _log2(square) / (2 * order)
    hard = excess - _log2(jnp.abs(h))
    rise = jnp.where(jnp.isfinite(memory), hard - memory, 0.0)
    rise = _within(rise, -FORESEEN, FORESEEN)
    care = jnp.where(accepted, _larger(rise, TRUST * jnp.abs(rise)), 0.0)
    highest = jnp.where(accepted, jnp.where(may_grow, GROW, 1.0), SAFETY)
    lowest = jnp.where(accepted, SHRINK, RETREAT)
    factor = _within(SAFETY * _power_of_two(-excess - care), lowest, highest)
    return h * factor, jnp.where(accepted, hard, memory)


def _log2(x: Any) -> Any:
    """log2(x) of a positive x, less by at most 0.09: its bits, read as a number."""
    return lax.bitcast_convert_type(x, jnp.int64) * 2.0**-52 - 1023.0


def _power_of_two(x: Any) -> Any:
    """2^x near x = 0; less by a few per cent where |x| is 1, by a third at 3."""
    near = 1 + (np.log(2.0) / 8) * _within(x, -4.0, 4.0)
    return near**8


def _within(x: Any, lowest: Any, highest: Any) -> Any:
    """x between bounds. The size of the next step waits for it: see `_larger`."""
    x = _larger(x, lowest)
    return jnp.where(x < highest, x, highest)


def _larger(a: Any, b: Any) -> Any:
    """The larger, and b if a is no number: one instruction, where `jnp.maximum`, which
    keeps what is no number, takes half a dozen."""
    return jnp.where(a > b, a, b)
