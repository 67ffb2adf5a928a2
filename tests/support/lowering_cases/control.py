"""Loops and branches, nested, under lanes that go different ways."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from lowering_cases.case import case, coins, normal, one_a_system, uniform, whole

LONG = 20  # turns: loops of any length are tested rolled and unrolled
TRIPS = one_a_system([0, 1, 7, 3, 30])
THREE = one_a_system([0, 1, 2, -5, 9])  # a switch takes the nearest branch
FLAGS = one_a_system([True, False, False, True, True])


def busy(x, n=40):
    """A body of so many operations that it is branched, not selected."""
    for k in range(n):
        x = x * 1.01 + jnp.where(x > k, 0.5, 0.25) * x / (1.0 + x * x)
    return x


# -------------------------------------------------------------------------- scan


def scan_steps(x, ys):
    return lax.scan(lambda c, y: (c * 0.9 + y, (c, y * 2.0)), x, ys)


def scan_back(x, ys):
    return lax.scan(lambda c, y: (c * 0.9 + y, c), x, ys, reverse=True)


def scan_long(x):
    def turn(c, t):
        a, n, flag = c
        return (busy(a, 3) * 0.99, n + 2, ~flag), (a, n * t, flag)

    return lax.scan(turn, (x, 5, False), jnp.arange(LONG))


def scan_long_back(x, ys):
    def turn(c, y):
        c = jnp.sin(busy(c, 3) + y)
        return c, c

    return lax.scan(turn, x, ys, reverse=True)


def scan_rows(x, rows):
    """Rows of matrices scanned over, some of them never used."""

    def turn(c, row):
        return jnp.tanh(row @ c), (row[0, 0], jnp.sum(c))

    return lax.scan(turn, x, rows)


def scan_known_zeros(x):
    """Carried zeros, and stacked outputs that never change."""

    def turn(c, _):
        a = c.at[0].set(busy(c[0], 2) * 0.9)
        return a, (a, jnp.zeros(2), 4)

    return lax.scan(turn, jnp.zeros(4).at[0].set(x), None, length=LONG)


def scan_lagging(x):
    """A carry that varies only since another one does: the fixpoint takes turns."""

    def turn(c, _):
        a, b, d, e = c
        return (b, d, e, jnp.cos(e) + 0.1 * a), a + e

    return lax.scan(turn, (0.0, 0.0, 0.0, x), None, length=LONG)


def scan_swapped(x, y):
    """Carries exchanged in every turn: each must see the old one of the other."""
    turn = lambda c, _: ((c[1], busy(c[0], 3)), None)  # noqa: E731
    return lax.scan(turn, (x, y), None, length=LONG + 1)[0]


def nested_scans(x):
    def inner(c, t):
        return jnp.sin(c + t), c

    def outer(c, t):
        c, row = lax.scan(inner, c, jnp.arange(5.0) * t)
        return c, jnp.sum(row)

    return lax.scan(outer, x, jnp.arange(6.0))


def own_table(x):
    """Each turn reads a table by its number and by a number that it computes."""
    table = jnp.sin(x) * jnp.arange(1.0, 31.0)

    def turn(c, t):
        return c * 0.5 + table[t % 30] + table[(t * 7) % 30], table[29 - t % 30]

    return lax.scan(turn, 0.0, jnp.arange(LONG))


def mapped(xs):
    return lax.map(lambda x: jnp.sum(busy(x, 2)) * x, xs)


def associative(x):
    return lax.associative_scan(jnp.add, x), lax.associative_scan(jnp.maximum, x)


def scan_unused(n, x):
    """A carried value that nothing uses in the end, nor what it starts from."""
    start = x, jnp.sign(n) * 3, jnp.sin(x * 7.0)
    turn = lambda c, t: ((c[0] * 0.9 + t, c[1] * 2, c[2] * c[0]), None)  # noqa: E731
    return lax.scan(turn, start, jnp.arange(6.0))[0][0]


def narrow_counters(x):
    """Carried integers that wrap round, used as indices."""
    table = jnp.arange(1.0, 11.0) * x

    def turn(c, _):
        a, b, d = c
        read = [lax.dynamic_index_in_dim(table, n, keepdims=False) for n in c]
        return (a + jnp.int8(50), b + jnp.uint8(3), d - jnp.uint32(1)), read

    start = jnp.int8(3), jnp.uint8(250), jnp.uint32(2)
    return lax.scan(turn, start, None, length=LONG)


def wide_counters(x):
    """Steps near the ends of 64 bits."""
    start = jnp.uint64(2**64 - 3), jnp.int64(2**63 - 9), jnp.int64(-5)
    turn = lambda c, _: ((c[0] + 1, c[1] + 1, c[2] + 2), c)  # noqa: E731
    return lax.scan(turn, start, None, length=LONG), x


# ------------------------------------------------------------------------- while


def countdown(n, x):
    return lax.while_loop(lambda s: s[0] > 0, lambda s: (s[0] - 1, s[1] * 1.5 + 1.0),
                          (n, x))  # fmt: skip


def dynamic_fori(n, x):
    return lax.fori_loop(0, n, lambda i, a: 0.9 * a + jnp.sin(a) / (i + 1), x)


def nested_while(n, x):
    """Lanes with different numbers of turns, in loops of both depths."""

    def inner(i, a):
        return lax.while_loop(
            lambda s: s[0] < i, lambda s: (s[0] + 1, s[1] * 1.1), (0, a)
        )[1]

    return lax.fori_loop(0, n, lambda i, a: inner(i % 5, a) + 1.0, x)


def while_in_scan(n, x):
    def turn(c, t):
        c = lax.while_loop(lambda a: a > 1.0 + t % 3, lambda a: a * 0.7, c + n)
        return c, c

    return lax.scan(turn, x, jnp.arange(12.0))


def scan_in_while(n, x):
    """The inner loop has columns: a lane that is done keeps what it had."""

    def turn(s):
        last, rows = lax.scan(
            lambda c, t: (busy(c, 2) * 0.9, c + t), s[1], jnp.arange(9.0)
        )
        return s[0] - 1, last + 1e-3 * jnp.sum(rows)

    return lax.while_loop(lambda s: s[0] > 0, turn, (n % 8, x))


def cond_in_while(n, x):
    def turn(s):
        i, a = s
        a = lax.cond(i % 3 == 0, busy, lambda v: v - jnp.sin(v), a)
        a = lax.switch(
            i % 4, [lambda v: v, busy, lambda v: busy(v, 30) - v, jnp.cos], a
        )
        return i - 1, a * 0.9

    return lax.while_loop(lambda s: s[0] > 0, turn, (n, x))


def while_in_cond(flag, n, x):
    """A branch that a lane does not take must not run its loop for it."""
    slow = lambda v: lax.while_loop(lambda a: a < 100.0, lambda a: a * 1.5 + 1, v)  # noqa: E731
    return lax.cond(flag, slow, lambda v: busy(v) + n, x)


def endless_for_others(flag, x):
    """The loop of the branch would never end for lanes that are not in it."""

    def divide(v):
        return lax.while_loop(lambda a: a != 0.0, lambda a: jnp.trunc(a / 2), v)

    whole_number = jnp.where(flag, jnp.round(x), jnp.nan)
    return lax.cond(flag, divide, lambda v: busy(x), whole_number)


def newton_root(x):
    def more(s):
        return (jnp.abs(s[0] * s[0] - x) > 1e-13 * x) & (s[1] < 60)

    return lax.while_loop(more, lambda s: (0.5 * (s[0] + x / s[0]), s[1] + 1), (x, 0))


def never_entered(x):
    return lax.while_loop(lambda s: False, lambda s: s + 1.0, x)


def unchanged_state(n, x):
    """A carried value that no turn changes, and one that nothing reads."""
    turn = lambda s: (s[0] - 1, s[1], s[2] * 2.0, s[3] + s[1])  # noqa: E731
    return lax.while_loop(lambda s: s[0] > 0, turn, (n, x, 1.0, 0.0))[3]


def swapped_while(n, x):
    turn = lambda s: (s[0] - 1, s[2], s[1] * 1.5)  # noqa: E731
    return lax.while_loop(lambda s: s[0] > 0, turn, (n, x, -x))


def batched_while(n, x):
    return jax.vmap(countdown)(n, x)


# -------------------------------------------------------------------------- cond


def either(flag, x):
    return lax.cond(flag, lambda v: (busy(v), 1), lambda v: (busy(v * 2), 2), x)


def cheap(flag, x):
    return lax.cond(flag, lambda v: v + 1, lambda v: v - 1, x)


def switched(k, x):
    return lax.switch(k, [busy, lambda v: busy(v - 9), lambda v: v], x)


def cheap_switch(k, x):
    return lax.switch(k, [lambda v: v, lambda v: -v, lambda v: v * v], x)


def nested_cond(flag, k, x):
    def inner(v):
        return lax.switch(k, [busy, lambda v: busy(v - 1), lambda v: v], v)

    return lax.cond(flag, lambda v: busy(inner(v)), lambda v: inner(busy(v) + 1), x)


def cond_in_scan(x):
    def turn(c, t):
        c = lax.cond(c > 1.0, lambda v: busy(v) * 0.3, lambda v: v + 0.37, c)
        return c, c

    return lax.scan(turn, x, jnp.arange(15))


def scan_in_cond(flag, x):
    def loop(v):
        return lax.scan(lambda c, t: (busy(c, 2) * 0.8, c), v, None, length=LONG)

    def other(v):
        return busy(v), jnp.full(LONG, 2.0) * v

    return lax.cond(flag, loop, other, x)


def shared_flag(x, y):
    """A branch that every lane takes together, and one with constants only."""
    a = lax.cond(jnp.sum(y) > 1e9, lambda v: busy(v), lambda v: busy(v) + 1, x)
    return a, lax.cond(x > 0, lambda: 3, lambda: 4)


def guarded_read(k, x):
    """Each branch indexes memory at its own place."""
    table = jnp.cumsum(jnp.ones(20) * x)
    low, high = table[(k * 3) % 20], k % 20
    return lax.cond(k > 1, lambda: busy(table[high]), lambda: low - busy(x))


def batched_cond(flags, xs):
    return jax.vmap(either)(flags, xs)


# ------------------------------------------------------------------------- calls


@jax.custom_vjp
def clipped(x):
    return jnp.sin(x)


clipped.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (jnp.clip(g, -0.5, 0.5) * x,))


def checkpointed(x):
    f = jax.checkpoint(lambda v: jnp.sin(jnp.sin(v) * v))
    return f(x), jax.grad(lambda v: jnp.sum(f(v)))(x)


def saved_loop(x):
    """A loop whose residuals are kept: JAX makes a closed call of it."""

    def loop(y):
        return lax.scan(lambda c, _: (jnp.sin(c * jnp.cos(y)), None), y, length=4)[0]

    policy = jax.checkpoint_policies.everything_saveable
    return jax.grad(jax.checkpoint(loop, policy=policy))(x)


CASES = [
    case("closed call", saved_loop, normal(), rtol=1e-14),
    case("scan", scan_steps, normal(), normal(6), rtol=1e-15),
    case("scan backwards", scan_back, normal(), normal(6), rtol=1e-15),
    case("scan of no turns", scan_steps, normal(), normal(0)),
    case("scan of one turn", scan_steps, normal(), normal(1), rtol=1e-15),
    case("long scan", scan_long, uniform(0, 2), rtol=1e-13),
    case("long scan backwards", scan_long_back, normal(), normal(LONG), rtol=1e-12),
    case("scan over matrices", scan_rows, normal(3), 0.5 * normal(12, 3, 3),
         rtol=1e-12),
    case("scan with zeros", scan_known_zeros, uniform(0, 2), rtol=1e-13),
    case("scan with lagging carries", scan_lagging, normal(), rtol=1e-12),
    case("scan with swapped carries", scan_swapped, uniform(0, 1), uniform(0, 1),
         rtol=1e-12),
    case("nested scans", nested_scans, normal(), rtol=1e-12),
    case("tables read in turn", own_table, normal(), rtol=1e-13),
    case("scan with unused carries", scan_unused, TRIPS, normal(), rtol=1e-14),
    case("counters that wrap round", narrow_counters, normal()),
    case("counters of 64 bits", wide_counters, normal()),
    case("map", mapped, normal(12, 2), rtol=1e-13),
    case("associative scan", associative, normal(9), rtol=1e-15),
    case("while", countdown, TRIPS, normal(), rtol=1e-13),
    case("fori_loop of unknown length", dynamic_fori, TRIPS, normal(), rtol=1e-11),
    case("nested while", nested_while, TRIPS, normal(), rtol=1e-13),
    case("while in scan", while_in_scan, uniform(0, 3), normal(), rtol=1e-13),
    case("scan in while", scan_in_while, TRIPS, uniform(0, 1), rtol=1e-12),
    case("cond in while", cond_in_while, TRIPS, normal(), rtol=1e-12),
    case("while in cond", while_in_cond, FLAGS, normal(), normal(), rtol=1e-13),
    case("while that is endless for others", endless_for_others, FLAGS,
         100 * normal(), rtol=1e-13),
    case("Newton's root", newton_root, uniform(0.1, 99), rtol=1e-15),
    case("while never entered", never_entered, normal()),
    case("while with unchanged state", unchanged_state, TRIPS, normal(), rtol=1e-14),
    case("while with swapped state", swapped_while, TRIPS, normal(), rtol=1e-14),
    case("batched while", batched_while, whole(0, 9, 3), normal(3), rtol=1e-13),
    case("cond", either, FLAGS, normal(), rtol=1e-13),
    case("cheap cond", cheap, FLAGS, normal()),
    case("switch", switched, THREE, normal(), rtol=1e-13),
    case("cheap switch", cheap_switch, THREE, normal()),
    case("switch by narrow integers", cheap_switch, THREE.astype(np.int32), normal()),
    case("nested cond", nested_cond, FLAGS, THREE, normal(), rtol=1e-12),
    case("cond in scan", cond_in_scan, normal(), rtol=1e-12),
    case("scan in cond", scan_in_cond, FLAGS, normal(), rtol=1e-12),
    case("shared branches", shared_flag, normal(), normal(3), rtol=1e-13),
    case("reads inside branches", guarded_read, whole(0, 30), normal(), rtol=1e-13),
    case("batched cond", batched_cond, coins(3), normal(3), rtol=1e-13),
    case("custom_vjp", lambda x: (clipped(x), jax.grad(clipped)(x)), normal(), ulps=4),
    case("derivative of a branch", lambda f, x: jax.grad(
        lambda v: lax.cond(f, lambda w: busy(w) ** 2, lambda w: w * jnp.sin(w), v))(x),
        FLAGS, normal(), rtol=1e-13),
    case("checkpoint", checkpointed, normal(3), rtol=1e-14),
    case("jit inside", lambda x: jax.jit(lambda v: jax.jit(jnp.sin)(v) + 9)(x),
         normal(3), rtol=4e-16),
    case("vmap inside", lambda x: jax.vmap(lambda v: jnp.sum(v) * v)(x), normal(3, 2),
         rtol=1e-15),
]  # fmt: skip
