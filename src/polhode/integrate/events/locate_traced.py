"""Zeros of guards along one step, inside a compiled loop.

Most steps hold nothing, and most others one plain zero: g passes once, and the points
that make its cubics between the looks change sign as often as it does. Such zeros are
found here. What is not plain (g touches zero, dips, jumps, is rough, passes twice, or
begins where nobody knows its side) is left to the host: see `locate`, by whose rules
sides are kept here too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Scalar
from polhode.integrate.events.locate import PARTS, POLE, SHARP, SMOOTH

# Of a step: no guard has a zero there.
NOWHERE = 2.0
# Each halves the bracket at least every second time.
MOST_TURNS = 120
# Where steps of Newton's method no longer shrink below this they are rounding.
ROUNDED = 1e-13

Look = Callable[[Any], tuple[Any, Any]]  # s -> g (e,), dg/ds (e,)


class Looks(NamedTuple):
    """Guards at places of one step.

    g, d        (looks, e) values, and their slopes by the share of the step
    doubt       (e,) how well g is known in the step; at_end: at its end
    band        (e,) the same after all steps so far
    sides       (e,) at the start, as in `StepperState`
    """

    g: Any
    d: Any
    doubt: Any
    at_end: Any
    band: Any
    sides: Any


class Zeros(NamedTuple):
    """What a step holds.

    s          (e,) where each guard passes zero; NOWHERE
    sides      (e,) after the whole step
    is_plain   whether that is all: else the host must look
    """

    s: Any
    sides: Any
    is_plain: Any


def is_quiet(looks: Looks) -> Any:
    """Whether nothing can have happened: all is clear of zero, on the side it was."""
    g, d = looks.g, looks.d / PARTS
    side = jnp.sign(looks.sides)
    limit = jnp.maximum(looks.doubt, looks.band)
    # A cubic lies among the four points that make it.
    hull = [g[:-1], g[:-1] + d[:-1] / 3, g[1:] - d[1:] / 3, g[1:]]
    clear = [jnp.all(side * each > limit) for each in hull]
    # Not finite is not clear, and a difference of infinities is NaN.
    return jnp.all(jnp.stack(clear)) & ~is_rough(looks)


def is_rough(looks: Looks) -> Any:
    """Whether the middle of two parts is not what the cubic of their ends says."""
    g, d, span = looks.g, looks.d, 2.0 / PARTS
    g0, g1, g2, d0, d1, d2 = g[:-1:2], g[1::2], g[2::2], d[:-1:2], d[1::2], d[2::2]
    middle = (g0 + g2) / 2 + span * (d0 - d2) / 8
    leaning = 1.5 * (g2 - g0) / span - (d0 + d2) / 4
    size = jnp.maximum(jnp.max(jnp.abs(g), axis=0), span * jnp.max(jnp.abs(d), axis=0))
    missed = jnp.maximum(jnp.abs(g1 - middle), span * jnp.abs(d1 - leaning))
    return jnp.any(~(missed <= SMOOTH * size + looks.doubt))


class _Passes(NamedTuple):
    """Which guards pass zero, in which part (0 to PARTS - 1), and whether plainly."""

    crosses: Any
    part: Any
    sets_out: Any
    is_plain: Any


def _passes(looks: Looks) -> _Passes:
    sign = jnp.sign(looks.sides)
    p, v = sign * looks.g, sign * looks.d / PARTS
    c = [p[:-1], p[:-1] + v[:-1] / 3, p[1:] - v[1:] / 3, p[1:]]
    part = jnp.arange(PARTS)[:, None]
    is_in = p[1:] > 0
    crosses, first = jnp.any(~is_in, axis=0), jnp.argmax(~is_in, axis=0)
    # After a change a guard is where it was zero, on either side of it, and leaves it.
    sets_out = (p[0] <= looks.doubt) & (v[0] > 0)
    begins = (c[0] > 0) | ((part == 0) & sets_out & (c[1] > 0))
    above = begins & (c[1] > 0) & (c[2] > 0) & (c[3] > 0)
    below = (c[0] < 0) & (c[1] < 0) & (c[2] < 0) & (c[3] < 0)
    # From above to below, and its points change sign once: so does the cubic.
    passes = begins & (c[3] < 0) & ((c[1] > 0) | (c[2] < 0))
    before, at = ~crosses | (part < first), crosses & (part == first)
    is_plain = jnp.where(before, above, jnp.where(at, passes, below))
    # It turns near zero, on either side: it may have touched it.
    band = looks.band
    fall = jnp.abs(p[:-1]) - 2 * jnp.abs(v[:-1])
    dips = (p[:-1] * v[:-1] < 0) & (p[1:] * v[1:] >= 0) & (fall <= band) & ~at
    dips = dips & ~((part == 0) & sets_out)
    turns = ~is_in & (v[1:] >= 0) & (p[1:] >= -band)
    is_plain = is_plain & ~dips & ~turns & jnp.isfinite(p[1:])
    return _Passes(crosses, first, sets_out, jnp.all(is_plain, axis=0) & (sign != 0))


def zeros(look: Look, looks: Looks) -> Zeros:
    """The zeros in a step, each guard's own, where they are plain."""
    passes = _passes(looks)
    is_plain = jnp.all(passes.is_plain) & ~is_rough(looks)
    sign = jnp.sign(looks.sides).astype(float)

    def one(carry: Any, k: Scalar) -> tuple[Any, Any]:
        def found(_: object) -> tuple[Any, Any]:
            low = passes.part[k] / PARTS
            ends = (jnp.asarray(low, float), jnp.asarray(low + 1 / PARTS, float))
            start = passes.sets_out[k] & (passes.part[k] == 0)
            return _zero(_of_guard(look, k, sign[k]), *ends, start)

        nothing = (jnp.asarray(NOWHERE), jnp.asarray(True))
        is_met = passes.crosses[k] & is_plain
        return carry, lax.cond(is_met, found, lambda _: nothing, None)

    count = looks.g.shape[1]
    _, (s, is_found) = lax.scan(one, 0.0, jnp.arange(count))
    return Zeros(s, _sides_after(looks, passes), is_plain & jnp.all(is_found))


def _sides_after(looks: Looks, passes: _Passes) -> Any:
    """+-2 where g is clear of zero at the end; else where it went, 2 if once clear."""
    sign, part = jnp.sign(looks.sides), jnp.arange(PARTS)[:, None]
    there = (sign * looks.g)[1:]
    left = jnp.any((part >= passes.part) & (-there > looks.doubt), axis=0)
    stayed = jnp.any(there > looks.doubt, axis=0)
    same = jnp.where(stayed, 2 * sign, looks.sides)
    near = jnp.where(passes.crosses, -sign * (1 + left), same)
    is_near = jnp.abs(looks.g[-1]) <= looks.at_end
    clear = (2 * jnp.sign(looks.g[-1])).astype(looks.sides.dtype)
    return jnp.where(is_near, near.astype(looks.sides.dtype), clear)


def _of_guard(look: Look, k: Scalar, sign: Any) -> Callable[[Any], tuple[Any, Any]]:
    """s -> sign g_k, sign dg_k/ds."""

    def value(s: Scalar) -> tuple[Any, Any]:
        g, d = look(s)
        return sign * g[k], sign * d[k]

    return value


class _Bracket(NamedTuple):
    """p(low) > 0 >= p(high); s is looked at next, after steps of this size."""

    low: Any
    high: Any
    s: Any
    step: Any
    before: Any
    turn: Any
    is_over: Any


def _zero(value: Any, low: Any, high: Any, sets_out: Any) -> tuple[Any, Any]:
    """The zero of a falling function between two places, and whether it is one.

    Newton's method within a bracket. One that begins at zero and sets out is looked
    for from beyond its top.
    """
    top, is_out = _top(value, low, high, sets_out)
    low = jnp.where(sets_out, top, low)
    (p0, _), (p1, _) = value(low), value(high)
    guess = low + (high - low) * _within(p0 / (p0 - p1))
    over = jnp.zeros((), bool)
    span = high - low
    first = _Bracket(low, high, guess, span, span, jnp.zeros((), np.int64), over)

    def turn(b: _Bracket) -> _Bracket:
        p, v = value(b.s)
        low, high = jnp.where(p > 0, b.s, b.low), jnp.where(p > 0, b.high, b.s)
        way = -p / v
        s = b.s + way
        # Newton's step is taken within the bracket, and while it halves the one before.
        quick = (s > low) & (s < high) & (2 * jnp.abs(way) <= jnp.abs(b.before))
        middle = low + (high - low) / 2
        s = jnp.where(quick, s, middle)
        step = s - b.s
        least = SHARP * jnp.abs(s)
        # Newton's own step says how near it is, whichever was taken.
        near = jnp.abs(way) <= least
        worn = (jnp.abs(way) <= ROUNDED * jnp.abs(s)) & ~quick
        over = near | worn | (p == 0) | (jnp.abs(high - low) <= least)
        s = jnp.where(over & ((p == 0) | worn), b.s, s)
        return _Bracket(low, high, s, step, b.step, b.turn + 1, over)

    last = lax.while_loop(lambda b: ~b.is_over & (b.turn < MOST_TURNS), turn, first)
    p, _ = value(last.s)
    # Beside a pole g is larger than on both sides of it.
    is_zero = jnp.abs(p) <= POLE * jnp.maximum(jnp.abs(p0), jnp.abs(p1))
    return last.s, is_zero & is_out & last.is_over


def _within(share: Any) -> Any:
    return jnp.where((share > 0) & (share < 1), share, 0.5)


def _top(value: Any, low: Any, high: Any, sets_out: Any) -> tuple[Any, Any]:
    """A place where a function that sets out from zero is above it; whether there is.

    It rises at the first place and falls at the last: its slope is zero between, found
    by false position, whose ends are halved in turn (Illinois).
    """

    def turn(b: tuple[Any, ...]) -> tuple[Any, ...]:
        low, high, v0, v1, s, k, _ = b
        p, v = value(s)
        rises = v > 0
        low, high = jnp.where(rises, s, low), jnp.where(rises, high, s)
        v0, v1 = jnp.where(rises, v, v0 / 2), jnp.where(rises, v1 / 2, v)
        next_ = low + (high - low) * _within(v0 / (v0 - v1))
        is_above = p > 0
        return low, high, v0, v1, jnp.where(is_above, s, next_), k + 1, is_above

    v0, v1 = value(low)[1], value(high)[1]
    guess = low + (high - low) * _within(v0 / (v0 - v1))
    first = (low, high, v0, v1, guess, jnp.zeros((), np.int64), ~sets_out)
    last = lax.while_loop(lambda b: ~b[6] & (b[5] < MOST_TURNS), turn, first)
    return last[4], last[6]
