r"""Routh's path of an impact at one contact, followed inside a compiled loop.

As `collide.routh`: u is linear in the normal impulse p while slip keeps its line; a
slip that turns is followed in short steps by Runge and Kutta's mean rate. One contact
alone, so that arrays are of three numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.formulation.contact.collide import (
    SEGMENTS,
    SMALLEST,
    STILL,
    TURNING,
    TURNS,
)
from polhode.supports.restitution import Newton, Poisson

# What happened along a path, as digits of one number.
PHASES = ("", "slides", "sticks", "slides again", "compressed", "at once", "settles")
SLIDING, STICKING, AGAIN, COMPRESSED, AT_ONCE, SETTLING = range(1, len(PHASES))
BASE = 8.0
MOST_PHASES = 15  # so many digits are whole numbers of a double
# Along the same line, beside what turns it.
STRAIGHT = 1e-12
# Share by which a redundant tangent yields, and how often that is corrected.
YIELD, FURTHER = 1e-9, 3


class Law(NamedTuple):
    """Of one contact: coefficients of friction, of restitution, and which law."""

    dynamic: Any
    static: Any
    restitution: Any
    law: Any


class Path(NamedTuple):
    """Where an impact at one contact is, along its normal impulse.

    u, p, T          velocity (3,), normal impulse, tangential ones (2,)
    work             of the push, J
    is_back          compression is over: p and work were then p_c and work_c
    phases, count    see `PHASES`; last is the latest of them
    is_over, is_good at its end, and whether it has one
    """

    u: Any
    p: Any
    T: Any
    work: Any
    is_back: Any
    p_c: Any
    work_c: Any
    phases: Any
    count: Any
    last: Any
    turns: Any
    is_over: Any
    is_good: Any


def phase_words(number: float) -> tuple[str, ...]:
    """The words of a number of phases, the first digit first."""
    digits, rest = [], int(number)
    while rest:
        rest, digit = divmod(rest, int(BASE))
        digits.append(digit)
    return tuple(PHASES[digit] for digit in digits)


def routh_path(W: Array, u: Array, law: Law) -> Path:
    """The path from u (3,) to its end; W (3, 3) is the contact's own."""
    approach = -u[0]
    still = STILL * jnp.maximum(approach, jnp.max(jnp.abs(u)))
    zero, none, no = jnp.zeros(()), jnp.zeros((), np.int64), jnp.zeros((), bool)
    first = Path(
        u, zero, jnp.zeros(2), zero, no, zero, zero, zero, none, none, none, no, no
    )

    def goes_on(path: Path) -> Any:
        return ~path.is_over & (path.turns < SEGMENTS)

    def segment(path: Path) -> Path:
        return _segment(W, path, law, approach, still)

    return lax.while_loop(goes_on, segment, first)


def _segment(W: Array, path: Path, law: Law, approach: Any, still: Any) -> Path:
    """One piece of the path, to where something changes first."""
    u, T_rate, word = _tangential(W, path.u, law, still)
    path = _noted(path._replace(u=u), word, word != path.last)
    rate, T_rate, longest = _rate(W, u, law.dynamic, T_rate, word)
    v = u[1:]
    closing = -jnp.sum(rate[1:] * v)
    # A slip that turns is followed in short steps, and ends by being small.
    stops = (word == SLIDING) & (closing > 0) & jnp.isinf(longest)
    slip = jnp.where(stops, jnp.sum(v * v) / jnp.where(stops, closing, 1.0), jnp.inf)
    rises = rate[0] > 0
    deep = jnp.where(rises, -u[0] / jnp.where(rises, rate[0], 1.0), jnp.inf)
    left = _restitution_left(path, rate[0], law, approach)
    each = jnp.stack([longest, slip, jnp.where(path.is_back, left, deep)])
    dp = jnp.min(each)
    is_step, is_slip = each[0] <= dp, each[1] <= dp
    is_end = ~is_step & ~is_slip
    good = jnp.isfinite(dp)
    dp = jnp.where(good, jnp.maximum(dp, 0.0), 0.0)
    work = path.work + u[0] * dp + rate[0] * dp * dp / 2
    new = u + rate * dp
    stopped = is_slip & ~is_step
    new = jnp.concatenate([new[:1], jnp.where(stopped, 0.0, new[1:])])
    p = path.p + dp
    compressed = is_end & ~path.is_back & good
    new = jnp.concatenate([jnp.where(compressed, 0.0, new[:1]), new[1:]])
    over = (is_end & path.is_back) | (compressed & (law.restitution == 0)) | ~good
    after = path._replace(
        u=new, p=p, T=path.T + T_rate * dp, work=work,
        is_back=path.is_back | compressed,
        p_c=jnp.where(compressed, p, path.p_c),
        work_c=jnp.where(compressed, work, path.work_c),
        turns=path.turns + 1, is_over=over, is_good=over & good,
    )  # fmt: skip
    return _noted(after, COMPRESSED, compressed)


def _noted(path: Path, word: Any, flag: Any) -> Path:
    """One more phase where `flag` holds; more than fit are not told."""
    flag = flag & (path.count < MOST_PHASES)
    digit = jnp.where(flag, word, 0) * BASE ** path.count.astype(float)
    last = jnp.where(flag, word, path.last).astype(path.last.dtype)
    return path._replace(phases=path.phases + digit, count=path.count + flag, last=last)


def _tangential(W: Array, u: Array, law: Law, still: Any) -> tuple[Any, Any, Any]:
    """u, T' for each unit of p, and the word for what the contact does."""
    v = u[1:]
    speed = jnp.sqrt(jnp.sum(v * v))
    slides, is_smooth = speed > still, law.static == 0
    rest = jnp.where(slides | is_smooth, v, 0.0)
    needed = _least(W[1:, 1:], -W[1:, 0])
    size = jnp.sqrt(jnp.sum(needed * needed))
    holds = size <= law.static
    again = _slip_direction(W, law.dynamic, slides | holds | is_smooth)
    along = v / jnp.where(speed > 0, speed, 1.0)
    stuck = jnp.where(holds, needed, -law.dynamic * again)
    T_rate = jnp.where(slides, -law.dynamic * along, stuck)
    T_rate = jnp.where(is_smooth, 0.0, T_rate)
    word = jnp.where(holds | is_smooth, STICKING, AGAIN)
    word = jnp.where(slides, SLIDING, word)
    return jnp.concatenate([u[:1], rest]), T_rate, word


def _slip_direction(W: Array, mu: Scalar, is_known: Any) -> Any:
    """The direction (2,) in which a slip begins, as `collide._slip_direction`."""
    A, aim = mu * W[1:, 1:], W[1:, 0]
    trace = A[0, 0] + A[1, 1]

    def solve(a: Any, b: Array) -> Any:
        B, C, off = A[0, 0] + a, A[1, 1] + a, A[0, 1]
        inverse = 1 / (B * C - off * off)
        return jnp.stack([C * b[0] - off * b[1], B * b[1] - off * b[0]]) * inverse

    def turn(carry: tuple[Any, ...]) -> tuple[Any, ...]:
        a, _, k, _ = carry
        d = solve(a, aim)
        square = jnp.sum(d * d)
        size = jnp.sqrt(square)
        step = square * (size - 1) / jnp.sum(d * solve(a, d))
        is_last = ~(step > np.finfo(float).eps * a)
        return a + step, d / size, k + 1, is_last

    least = jnp.sqrt(jnp.sum(aim * aim)) - trace  # never beyond it
    start = jnp.maximum(SMALLEST * trace, least) + (trace == 0)
    first = (start, jnp.array([1.0, 0.0]), jnp.zeros((), np.int64), is_known)
    return lax.while_loop(lambda c: ~c[3] & (c[2] < TURNS), turn, first)[1]


def _least(A: Array, b: Array) -> Any:
    """The least x (2,) with A x = b, for A (2, 2) symmetric that may be singular."""
    trace = A[0, 0] + A[1, 1]
    more = YIELD * trace + (trace == 0)
    a, c, off = A[0, 0] + more, A[1, 1] + more, A[0, 1]
    inverse = 1 / (a * c - off * off)

    def solve(b: Array) -> Any:
        return jnp.stack([c * b[0] - off * b[1], a * b[1] - off * b[0]]) * inverse

    x = solve(b)
    for _ in range(FURTHER):
        x = x + solve(b - A @ x)
    return x


def _rate(
    W: Array, u: Array, mu: Scalar, T_rate: Array, word: Any
) -> tuple[Any, Any, Any]:
    """du/dp (3,), T', and for how far; infinite while the slip keeps its line."""
    rate = W @ jnp.concatenate([jnp.ones(1), T_rate])
    holds = (word == STICKING) & (mu > 0)
    rate = jnp.concatenate([rate[:1], jnp.where(holds, 0.0, rate[1:])])
    v = u[1:]
    size, pace = (jnp.sqrt(jnp.sum(x * x)) for x in (v, rate[1:]))
    turning = jnp.abs(rate[1] * v[1] - rate[2] * v[0])
    turns = (word == SLIDING) & (mu > 0) & (turning > STRAIGHT * size * pace)

    def straight(_: object) -> tuple[Any, Any, Any]:
        return rate, T_rate, jnp.asarray(jnp.inf)

    def bent(_: object) -> tuple[Any, Any, Any]:
        dp = TURNING * size / pace
        parts, here = [T_rate], T_rate
        # Runge and Kutta's mean over the step, that the direction is followed.
        for share in (0.5, 0.5, 1.0):
            there = v + share * dp * (W[1:] @ jnp.concatenate([jnp.ones(1), here]))
            here = -mu * there / jnp.sqrt(jnp.sum(there * there))
            parts.append(here)
        mean = (parts[0] + 2 * parts[1] + 2 * parts[2] + parts[3]) / 6
        return W @ jnp.concatenate([jnp.ones(1), mean]), mean, dp

    return lax.cond(turns, bent, straight, None)


def _restitution_left(path: Path, rate: Scalar, law: Law, approach: Any) -> Any:
    """How far restitution has still to go, if the rate keeps."""
    e, safe = law.restitution, jnp.where(rate == 0, 1.0, rate)
    poisson = (1 + e) * path.p_c - path.p
    newton = jnp.where(rate > 0, (e * approach - path.u[0]) / safe, jnp.inf)
    # In this order: 1 - e e would lose a small e.
    missing = (path.work_c - path.work) - e * e * path.work_c
    square = path.u[0] ** 2 + 2 * rate * missing
    root = (jnp.sqrt(jnp.where(square >= 0, square, 0.0)) - path.u[0]) / safe
    root = jnp.where(square >= 0, root, jnp.inf)
    moves = path.u[0] > 0
    even = jnp.where(moves, missing / jnp.where(moves, path.u[0], 1.0), jnp.inf)
    stronge = jnp.where(rate == 0, even, root)
    found = jnp.where(law.law == Newton.number, newton, stronge)
    return jnp.where(law.law == Poisson.number, poisson, found)
