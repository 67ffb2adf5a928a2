"""Limits: guards that a law keeps above zero, and what is done where one falls.

    g(t, q, z, table) >= 0        while modes last, by rounding r at most:  g >= -r

An event is a zero that g passes; a limit is a mode that g leaves. It has no side to
remember: after a change g often begins at zero, and sets out as slowly as t^3 (a
contact that has just opened). Limits are looked at in places of every step, and the
first that has fallen is found on the method's own interpolant. One at a time fires: its
number is held in a mode, and `change` is made in the next turn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar, scanned

if TYPE_CHECKING:
    from polhode.integrate.field.input_table import Drive
    from polhode.matter.parameter import Table

# Shares of a step at which limits are looked at.
PLACES = np.linspace(0.0, 1.0, 6)
# Of a step: no limit falls in it.
NOWHERE = 2.0
# Between the places a limit is the polynomial through them, looked at here, to an error
# of these shares of its differences of the fourth and the fifth order.
BETWEEN = np.linspace(0.0, 1.0, 26)
FOURTH, FIFTH = 0.5, 0.25
# A step in which a limit may fall unseen is taken again, this share of it; steps are
# not shortened so below this share of the run.
SHORTER, SHORTEST = 0.25, 1e-7
# A limit that begins at zero may rise and fall again: so near is looked for its top.
HALVINGS = 50
MOST_TURNS = 120
SHARP = 2 * np.finfo(float).eps
# No limit has fallen; or all are to be decided anew, as where a run begins.
NONE = -1.0


class LimitValues(NamedTuple):
    """(e,) each: limits, and what of them is rounding."""

    value: Any
    rounding: Any


class LimitChange(NamedTuple):
    """What is left where a limit has fallen.

    modes     by name, those that change
    record    (records,) numbers to tell
    is_made   whether the loop can go on from it; else the host is asked
    """

    q: Any
    z: Any
    modes: Mapping[str, Any]
    record: Any
    is_made: Any


@final
@dataclass(frozen=True, eq=False)
class Limits:
    """The limits of one law, in one traced function, and what is done there.

    values    (t, q, z, table) -> LimitValues
    change    (t, q, z, fired, table) -> LimitChange; `fired` is the number of a limit,
              or `count` where all is decided anew
    by_host   (t, q, z, held values by name, table, land) -> LimitChange, outside a
              trace; `land` is of a change the state where its modes put it. It raises
              where the law has no answer
    memory    the mode whose first number is the limit that has fallen, or NONE, and
              whose fourth is the length of the run
    key       what compiled programs depend on
    """

    values: Callable[[Any, Any, Any, Table], LimitValues]
    change: Callable[[Any, Any, Any, Any, Table], LimitChange]
    by_host: Callable[..., LimitChange]
    count: int
    records: int
    memory: str
    key: tuple[Any, ...]

    def fired_in(self, drive: Drive, held: Any) -> Any:
        """The number of the limit whose change is due."""
        return drive.unpacked(held)[self.memory][..., 0]

    def with_fired(self, drive: Drive, held: Any, number: Any) -> Any:
        """Held values (m,) with another number there, traced."""
        first = jnp.asarray(number, float).reshape(1)
        rest = drive.unpacked(held)[self.memory][1:]
        return drive.replaced(held, {self.memory: jnp.concatenate([first, rest])})

    def shortest(self, drive: Drive, held: Any) -> Any:
        """Below it steps are not taken again for limits that may fall unseen."""
        return SHORTEST * drive.unpacked(held)[self.memory][..., 3]

    def place(self, drive: Drive) -> int:
        """Where that number stands among the held values."""
        first = 0
        for name, size in drive.sizes.items():
            if name == self.memory:
                return first
            first += max(size, 1)
        raise KeyError(self.memory)


Look = Callable[[Any], LimitValues]  # share of a step -> limits there


class Fallen(NamedTuple):
    """Where in a step the first limit falls, NOWHERE if none does, and its number.

    is_hidden   whether another may fall and rise again between the places
    """

    s: Any
    number: Any
    is_hidden: Any


def fallen(look: Look, sharp: Any) -> Fallen:
    """The first limit that falls in a step; `sharp` is how well shares are known."""
    # Not constants: a function that is asked at such is written for each of them.
    each = [look(jnp.where(sharp > 0, s, 0.5)) for s in PLACES]
    g, r = (jnp.stack(part) for part in zip(*each, strict=True))
    # What is not a number is no limit that holds.
    g = jnp.where(jnp.isfinite(g), g, -jnp.inf)
    has_fallen = ~(g >= -r)

    looks = _Looks(g, r, has_fallen)

    def search(_: object) -> tuple[Any, Any]:
        return _first(look, looks, sharp)

    def none(_: object) -> tuple[Any, Any]:
        return jnp.asarray(NOWHERE), jnp.asarray(NONE)

    s, number = lax.cond(jnp.any(has_fallen), search, none, None)
    return Fallen(s, number, _is_hidden(looks))


def _is_hidden(looks: _Looks) -> Any:
    """Whether a limit that holds at all places may fall between two of them.

    A ball that meets another in a long step is beyond it at the next place, and where
    contacts hold everything steps do not follow what loads them. The gap of what passes
    has a kink, and a load that swings has high differences.
    """
    g, r, has_fallen = looks
    fourth = jnp.max(jnp.abs(_difference(g, 4)), axis=0)
    error = FOURTH * fourth + FIFTH * jnp.abs(_difference(g, 5))[0]
    least = jnp.min(g, axis=0) - jnp.max(jnp.abs(_difference(g, 2)), axis=0) - error
    # One begins to apply, or ends, where another law holds: it has a value of its own.
    applies = jnp.all(g != 1.0, axis=0) & ~jnp.any(has_fallen, axis=0)
    may = applies & (least < -jnp.min(r, axis=0))

    sets_out, hardly = g[0] <= r[0], -jnp.min(r, axis=0)

    def falls(found: Any, limit: tuple[Any, ...]) -> tuple[Any, None]:
        g, may, sets_out, error, hardly = limit
        low = _lowest_between(g, sets_out)
        return found | (may & (low - error < hardly)), None

    def closely(_: object) -> Any:
        each = (jnp.where(applies, g, 1.0).T, may, sets_out, error, hardly)
        return scanned(falls, jnp.zeros((), bool), each)[0]

    return lax.cond(jnp.any(may), closely, lambda _: jnp.zeros((), bool), None)


def _lowest_between(g: Array, sets_out: Any) -> Any:
    """The least of the polynomial through a limit (places,), somewhere in the step."""
    between = jnp.asarray(_LAGRANGE) @ g
    # The lowest point of the parabola through each three neighbours.
    before, at, after = between[:-2], between[1:-1], between[2:]
    bend, slope = before - 2 * at + after, after - before
    is_least = (at <= before) & (at <= after) & (bend > 0)
    dip = slope**2 / (8 * jnp.where(is_least, bend, 1.0))
    between = between.at[1:-1].add(-jnp.where(is_least, dip, 0.0))
    # What has just begun at zero sets out as it may.
    return jnp.min(jnp.where(sets_out & (PLACES[1] > BETWEEN), jnp.inf, between))


def _difference(g: Array, order: int) -> Any:
    for _ in range(order):
        g = g[1:] - g[:-1]
    return g


def _lagrange(places: np.ndarray, at: np.ndarray) -> np.ndarray:
    """(at, places): values of a polynomial between, from those at places."""
    powers = np.arange(len(places))
    return (at[:, None] ** powers) @ np.linalg.inv(places[:, None] ** powers)


_LAGRANGE = _lagrange(PLACES, BETWEEN)


class _Search(NamedTuple):
    """Limits (e,) that have fallen at `high`, where each was last above, and so far."""

    is_down: Any
    high: Any
    at_high: Any
    s: Any
    number: Any
    turns: Any


class _Looks(NamedTuple):
    """(places, e) each: limits, their rounding, and whether they have fallen."""

    value: Any
    rounding: Any
    has_fallen: Any


def _first(look: Look, looks: _Looks, sharp: Any) -> tuple[Any, Any]:
    g, rounding, has_fallen = looks
    count = g.shape[1]
    place = jnp.argmax(jnp.any(has_fallen, axis=1))
    is_here = (jnp.arange(len(PLACES)) == place)[:, None]
    is_before = (jnp.arange(len(PLACES)) < place)[:, None]
    # One that is zero by rounding is not above: it may just set out.
    above = is_before & (g > rounding)
    at = jnp.asarray(PLACES)[:, None]
    low = jnp.max(jnp.where(above, at, 0.0), axis=0)
    was_above = jnp.any(above, axis=0)
    at_low = jnp.sum(jnp.where(above & (at == low), g, 0.0), axis=0)
    down = jnp.any(has_fallen & is_here, axis=0)
    # Not finite there is as good as below.
    g = jnp.where(jnp.isfinite(g), g, -1.0)
    at_high = jnp.sum(jnp.where(is_here, g, 0.0), axis=0)
    high = jnp.sum(jnp.where(is_here, at, 0.0))
    first = _Search(
        down, high, at_high, high, jnp.asarray(NONE), jnp.zeros((), np.int64)
    )

    def turn(now: _Search) -> _Search:
        drop = at_low - now.at_high
        share = at_low / jnp.where(drop > 0, drop, 1.0)
        guess = jnp.where(was_above, low + (now.high - low) * share, 0.0)
        k = jnp.argmin(jnp.where(now.is_down, guess, jnp.inf))
        is_it = jnp.arange(count) == k

        def own(values: Array) -> Any:
            return jnp.sum(jnp.where(is_it, values, 0.0))

        def value(s: Scalar) -> Any:
            found = own(look(s).value)
            return jnp.where(jnp.isfinite(found), found, -1.0)

        ends = _Ends(own(low), now.high, own(at_low), own(now.at_high))
        s = _zero(value, ends, jnp.any(is_it & was_above), sharp)
        there = look(s)
        earlier = now.is_down & ~is_it & ~(there.value >= -there.rounding) & (s > 0)
        finite = jnp.where(jnp.isfinite(there.value), there.value, -1.0)
        return _Search(earlier, s, finite, s, k.astype(float), now.turns + 1)

    def goes_on(now: _Search) -> Any:
        return jnp.any(now.is_down) & (now.turns < count)

    last = lax.while_loop(goes_on, turn, first)
    return last.s, last.number


class _Ends(NamedTuple):
    """A bracket, and the values at its ends."""

    low: Any
    high: Any
    at_low: Any
    at_high: Any


class _Bracket(NamedTuple):
    low: Any
    high: Any
    at_low: Any
    at_high: Any
    s: Any
    span: Any
    turns: Any
    is_over: Any


def _zero(value: Any, ends: _Ends, was_above: Any, sharp: Any) -> Any:
    """Where a limit is zero between two places; the first if it never was above."""

    def nearer(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        s, _, k, _ = carry
        s = ends.low + (s - ends.low) / 2
        g = value(s)
        return s, g, k + 1, g > 0

    none = jnp.zeros((), np.int64)
    begin = (ends.high, ends.at_high, none, was_above)
    top, at_top, _, is_above = lax.while_loop(
        lambda c: ~c[3] & (c[2] < HALVINGS), nearer, begin
    )
    low = jnp.where(was_above, ends.low, top)
    at_low = jnp.where(was_above, ends.at_low, at_top)
    span = ends.high - low
    first = _Bracket(
        low, ends.high, at_low, ends.at_high, ends.high, span, none, ~is_above
    )

    def turn(b: _Bracket) -> _Bracket:
        width = b.high - b.low
        # Illinois: the end that stays is halved; where that is slow, the middle.
        share = b.at_low / (b.at_low - b.at_high)
        share = jnp.where((share > 0) & (share < 1), share, 0.5)
        share = jnp.where((b.turns % 3 == 2) & (2 * width > b.span), 0.5, share)
        # So far from both ends, that the bracket closes once one is near.
        away = jnp.minimum(sharp, width / 2)
        s = jnp.clip(b.low + share * width, b.low + away, b.high - away)
        g = value(s)
        up = g > 0
        near = (width <= 2 * sharp) | (g == 0)
        return _Bracket(
            jnp.where(up, s, b.low),
            jnp.where(up, b.high, s),
            jnp.where(up, g, b.at_low / 2),
            jnp.where(up, b.at_high / 2, g),
            s,
            jnp.where(b.turns % 3 == 2, width, b.span),
            b.turns + 1,
            near,
        )

    last = lax.while_loop(lambda b: ~b.is_over & (b.turns < MOST_TURNS), turn, first)
    return jnp.where(is_above, last.s, ends.low)
