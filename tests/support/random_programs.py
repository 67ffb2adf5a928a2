"""Random small programs: lists of instructions, run by `jax.numpy` on a pool of values.

Operands are numbers of places in the pool, taken modulo its size, so that any list is a
program. Values stay of the order of one, and branches are taken on numbers that do not
depend on rounding but by bad luck.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import jax
import jax.numpy as jnp
from hypothesis import strategies as st
from jax import lax

PLACES = st.integers(0, 50)
THRESHOLDS = st.sampled_from([-0.731, -0.213, 0.057, 0.319, 0.687])
UNARY = {
    "sin": jnp.sin,
    "tanh": jnp.tanh,
    "neg": jnp.negative,
    "gauss": lambda x: jnp.exp(-x * x),
    "log": lambda x: jnp.log1p(x * x) * 0.5,
    "root": lambda x: jnp.sqrt(1 + x * x) - 1,
    "reverse": lambda x: x[..., ::-1] if jnp.ndim(x) else x,
    "cumsum": lambda x: jnp.cumsum(x, -1) * 0.3 if jnp.ndim(x) else x,
    "sort": lambda x: jnp.sort(x) if jnp.ndim(x) else x,
    "mean": jnp.mean,
    "largest": jnp.max,
    "outer": lambda x: jnp.outer(x, x)[:2, :3] * 0.5 if jnp.size(x) >= 3 else x,
}
BINARY = {
    "mean of two": lambda a, b: (a + b) * 0.5,
    "difference": lambda a, b: (a - b) * 0.5,
    "product": lambda a, b: a * b * 0.5,
    "quotient": lambda a, b: a / (1.5 + b * b),
    "max": jnp.maximum,
    "min": jnp.minimum,
    "angle": lambda a, b: jnp.arctan2(a, 1.5 + b) * 0.5,
    "stack": lambda a, b: jnp.stack([jnp.mean(a), jnp.mean(b), jnp.mean(a) * 0.5]),
    "dot": lambda a, b: jnp.sum(a * b) * 0.1,
}
INTEGER = {
    "sum": lambda a, b: (a + b) % 101,
    "product": lambda a, b: (a * b) % 97,
    "quotient": lambda a, b: a // (1 + jnp.abs(b)),
    "remainder": lambda a, b: lax.rem(a, b),
    "xor": lambda a, b: (a ^ b) & 127,
    "shift": lambda a, b: a >> (b & 7),
}


@dataclass
class Pool:
    """Floats of any shape, integers and booleans without one."""

    floats: list[Any]
    integers: list[Any]
    flags: list[Any] = field(default_factory=lambda: [True, False])

    def float(self, place: int) -> Any:
        return self.floats[place % len(self.floats)]

    def scalar(self, place: int) -> Any:
        return jnp.mean(self.float(place))

    def integer(self, place: int) -> Any:
        return self.integers[place % len(self.integers)]

    def flag(self, place: int) -> Any:
        return self.flags[place % len(self.flags)]

    def copy(self) -> Pool:
        return replace(
            self,
            floats=list(self.floats),
            integers=list(self.integers),
            flags=list(self.flags),
        )


# ------------------------------------------------------------------- instructions


def apply(pool: Pool, name: str, a: int) -> None:
    pool.floats.append(UNARY[name](pool.float(a)))


def combine(pool: Pool, name: str, a: int, b: int) -> None:
    """Where the shapes do not fit, the second is its mean."""
    first, second = pool.float(a), pool.float(b)
    if jnp.shape(first) != jnp.shape(second):
        second = jnp.mean(second)
    pool.floats.append(BINARY[name](first, second))


def count(pool: Pool, name: str, a: int, b: int) -> None:
    pool.integers.append(INTEGER[name](pool.integer(a), pool.integer(b)))


def convert(pool: Pool, a: int, b: int) -> None:
    pool.integers.append((pool.scalar(a) * 7.123).astype(int))
    pool.floats.append(jnp.sin(pool.integer(b) * 1.0))


def compare(pool: Pool, a: int, b: int, threshold: float) -> None:
    pool.flags.append(pool.scalar(a) > threshold)
    pool.flags.append(pool.integer(b) % 3 == 1)


def select(pool: Pool, which: int, a: int, b: int) -> None:
    value = pool.float(a)
    pool.floats.append(jnp.where(pool.flag(which), value, pool.scalar(b)))
    pool.floats.append(jnp.where(value > 0.123, value, 0.0))


def filled(value: Any) -> Any:
    """A row of at least one element: JAX lets nobody index an empty one."""
    value = jnp.atleast_1d(value)
    return value if value.size else jnp.zeros((1, *value.shape[1:]))


def read(pool: Pool, a: int, n: int) -> None:
    value = filled(pool.float(a))
    pool.floats.append(value.at[pool.integer(n)].get(mode="clip"))


def write(pool: Pool, a: int, n: int, b: int) -> None:
    value = filled(pool.float(a))
    pool.floats.append(value.at[pool.integer(n)].set(pool.scalar(b)))


def result(pool: Pool) -> tuple[Any, Any]:
    """What a block gives: the mean of its latest floats, its latest integer."""
    latest = sum(jnp.mean(x) for x in pool.floats[-3:]) / 3
    return jnp.tanh(latest), jnp.asarray(pool.integers[-1], int) % 1009


def within(pool: Pool, block: list, number: Any, index: Any) -> tuple[Any, Any]:
    """A block on a copy of the pool with two values more."""
    inner = pool.copy()
    inner.floats.append(number)
    inner.integers.append(index)
    run(inner, block)
    return result(inner)


def keep(pool: Pool, outs: tuple[Any, Any]) -> None:
    pool.floats.append(outs[0])
    pool.integers.append(outs[1])


def branch(pool: Pool, which: int, yes: list, no: list) -> None:
    x, n = pool.scalar(which), pool.integer(which)
    ways = [lambda x, n, b=b: within(pool, b, x, n) for b in (yes, no)]
    keep(pool, lax.cond(pool.flag(which), *ways, x, n))


def switch(pool: Pool, a: int, blocks: list[list]) -> None:
    ways = [lambda x, n, b=b: within(pool, b, x, n) for b in blocks]
    keep(pool, lax.switch(pool.integer(a) % 4, ways, pool.scalar(a), pool.integer(a)))


def scan(pool: Pool, a: int, block: list, length: int, reverse: bool) -> None:
    def turn(carry: Any, x: Any) -> Any:
        number, index = within(pool, block, carry[0], carry[1] + x)
        return (number, index), (number, index % 5)

    start = pool.scalar(a) * 1.0, jnp.asarray(pool.integer(a), int)
    end, rows = lax.scan(turn, start, jnp.arange(length), reverse=reverse)
    keep(pool, end)
    pool.floats.append(rows[0])
    pool.integers.append(jnp.sum(rows[1]))


def repeat(pool: Pool, a: int, block: list) -> None:
    """While a count that depends on the data lasts."""

    def turn(state: Any) -> Any:
        return state[0] - 1, *within(pool, block, *state[1:])

    count = jnp.asarray(pool.integer(a), int)
    start = count % 6, pool.scalar(a) * 1.0, count
    keep(pool, lax.while_loop(lambda s: s[0] > 0, turn, start)[1:])


def mapped(pool: Pool, a: int, block: list) -> None:
    def row(x: Any) -> Any:
        return within(pool, block, x, pool.integer(a))

    numbers, indices = jax.vmap(row)(filled(pool.float(a)).reshape(-1)[:3])
    pool.floats.append(numbers)
    pool.integers.append(jnp.max(indices))


def differentiated(pool: Pool, a: int, block: list) -> None:
    """The block's number and its rate."""

    def number(x: Any) -> Any:
        return within(pool, block, x, pool.integer(a))[0]

    value, rate = jax.jvp(number, (pool.scalar(a) * 1.0,), (jnp.ones(()),))
    pool.floats += [value, jnp.tanh(rate)]


def run(pool: Pool, block: list) -> None:
    for instruction, *operands in block:
        instruction(pool, *operands)


# --------------------------------------------------------------------- strategies


def flat_instructions() -> st.SearchStrategy:
    return st.one_of(
        st.tuples(st.just(apply), st.sampled_from(sorted(UNARY)), PLACES),
        st.tuples(st.just(combine), st.sampled_from(sorted(BINARY)), PLACES, PLACES),
        st.tuples(st.just(count), st.sampled_from(sorted(INTEGER)), PLACES, PLACES),
        st.tuples(st.just(convert), PLACES, PLACES),
        st.tuples(st.just(compare), PLACES, PLACES, THRESHOLDS),
        st.tuples(st.just(select), PLACES, PLACES, PLACES),
        st.tuples(st.just(read), PLACES, PLACES),
        st.tuples(st.just(write), PLACES, PLACES, PLACES),
    )


def blocks(depth: int, most: int = 5) -> st.SearchStrategy:
    """Lists of instructions, with control flow nested at most so deep."""
    if depth == 0:
        return st.lists(flat_instructions(), min_size=1, max_size=most)
    inner = blocks(depth - 1, 3)
    three = st.lists(inner, min_size=2, max_size=3)
    lengths = st.integers(0, 7)
    nested = st.one_of(
        st.tuples(st.just(branch), PLACES, inner, inner),
        st.tuples(st.just(switch), PLACES, three),
        st.tuples(st.just(scan), PLACES, inner, lengths, st.booleans()),
        st.tuples(st.just(repeat), PLACES, inner),
        st.tuples(st.just(mapped), PLACES, inner),
        st.tuples(st.just(differentiated), PLACES, inner),
    )
    mixed = st.one_of(flat_instructions(), nested)
    return st.lists(mixed, min_size=2, max_size=most)


def as_function(block: list) -> Any:
    """The program of three arguments: a number, a vector and an integer."""

    def program(x: Any, v: Any, n: Any) -> tuple[Any, Any, Any]:
        pool = Pool([x, v, jnp.outer(v[:2], v)], [n, n + 1])
        run(pool, block)
        floats = jnp.concatenate([jnp.ravel(f) for f in pool.floats])
        integers = jnp.stack([jnp.asarray(i, int) for i in pool.integers])
        return floats, integers, jnp.stack([jnp.asarray(f) for f in pool.flags])

    return program
