"""The size of steps: as long as the error allows, and careful where that changes.

    |e| = hard^p |h|^p,          h <- 0.9 h |e|^-1/p 2^-c,
    c = max(r, 0.6 |r|),         r = log2(hard/hard before)

|e| is the estimated error over what is allowed; a step is accepted at 1 or less. Its
power is the integral part of the control, c the proportional one: what grows harder is
expected to go on so (Gustafsson's prediction), what grows easier may be chance and is
trusted in part. A factor need be known to a per cent or two, and logarithms are read
from the bits of numbers: exact ones would cost a good part of a small system's step.
Operations are ordered to shorten the critical path to the next step size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.integrate.field.inertial_axes import AS_STORED, InertialAxes

SAFETY, TRUST = 0.9, 0.6
SHRINK, GROW = 0.2, 10.0
# A change by more than this in one step, in powers of two, is not foreseen.
FORESEEN = 1.0
# Nothing is known of steps before the first.
FIRST_MEMORY = np.inf
# A state without numbers says nothing about the size: go back far.
RETREAT = 0.1
# 2^x is taken as (1 + x log(2)/8)^8.
ROOT = 8
# So small that nothing is: where nothing is allowed, and where no estimate errs.
LEAST = 1e-150


class Size(NamedTuple):
    """|e|^2 = above / below; the quotient itself is not on the critical path."""

    above: Any
    below: Any

    @property
    def is_allowed(self) -> Any:
        return self.above <= self.below

    @property
    def is_finite(self) -> Any:
        return jnp.isfinite(self.above + self.below)

    @property
    def log2(self) -> Any:
        """Of |e|^2, to 0.09."""
        bits = _bits(self.above) - _bits(self.below)
        return bits * 2.0**-52


def shares(
    before: Array,
    after: Array,
    rtol: Scalar,
    atol: Scalar,
    axes: InertialAxes = AS_STORED,
) -> Any:
    """What an error is multiplied by to be a share of what is allowed, entry by entry.

    The size of a place or a velocity of a free body is that of the vector: a component
    that happens to vanish allows no less, and the world's axes choose no steps. Where
    nothing is allowed, no error is none of it, and any other far too much.
    """
    each = larger(jnp.abs(before), jnp.abs(after))
    allowed = atol + rtol * axes.sizes(each, before, after)
    return 1 / larger(allowed, LEAST)


def size_of(errors: tuple[Any, ...], share: Scalar) -> Size:
    """|e|^2: the mean square of the errors, each as a share of what is allowed.

    Of two estimates, the finer and the coarser, |e| = |e1|^2 / hypot(|e1|, |e2|/10):
    it falls as fast as the error of the method, and is not fooled where one estimate
    vanishes by chance (Hairer, Norsett and Wanner, Solving ODEs I, II.10).
    """
    count = float(errors[0].size)
    sums = [jnp.sum((error * share) ** 2) for error in errors]
    if len(sums) == 1:
        return Size(sums[0], jnp.full((), count))
    fine, coarse = sums
    return Size(fine * fine, larger(count * fine + 0.01 * count * coarse, LEAST))


class Tried(NamedTuple):
    """A step that was tried.

    h          its size
    size       |e|^2
    good       whether it led to numbers; else |e| says nothing about the size
    accepted   whether it is, and then whether the next one may be longer
    may_grow
    """

    h: Any
    size: Size
    good: Any
    accepted: Any
    may_grow: Any


def chosen(order: int, tried: Tried, memory: Array) -> tuple[Any, Any]:
    """The next step and the controller's memory: log2 of how hard the last one was."""
    h, size, good, accepted, may_grow = tried
    excess, length = size.log2 / (2 * order), _log2(jnp.abs(h))
    rise = jnp.where(jnp.isfinite(memory), excess - (length + memory), 0.0)
    rise = _within(rise, -FORESEEN, FORESEEN)
    # -c is the smaller of -r and 0.6 r.
    power = smaller(-excess - rise, TRUST * rise - excess)
    fits = size.is_allowed
    root = 1 + np.log(2.0) / ROOT * jnp.where(fits, power, -excess)
    highest = jnp.where(fits, jnp.where(may_grow, _root(GROW), _root(1.0)), 1.0)
    lowest = jnp.where(fits, _root(SHRINK), _root(RETREAT))
    after = (SAFETY * h) * _within(root, lowest, highest) ** ROOT
    # Last: whether there are numbers is known later than how far they err.
    after = jnp.where(good, after, RETREAT * h)
    return after, jnp.where(accepted, excess - length, memory)


def _root(factor: float) -> float:
    return (factor / SAFETY) ** (1 / ROOT)


def _bits(x: Array) -> Any:
    return lax.bitcast_convert_type(x, jnp.int64)


def _log2(x: Array) -> Any:
    """log2(x) of a positive x, less by at most 0.09: its bits, read as a number."""
    return _bits(x) * 2.0**-52 - 1023.0


def _within(x: Array, lowest: Scalar, highest: Scalar) -> Any:
    return smaller(larger(x, lowest), highest)


def larger(a: Scalar, b: Scalar) -> Any:
    """The larger, and b if a is NaN: one instruction, where `jnp.maximum`, which
    keeps NaN, takes half a dozen."""
    return jnp.where(a > b, a, b)


def smaller(a: Scalar, b: Scalar) -> Any:
    """The smaller, likewise."""
    return jnp.where(a < b, a, b)
