"""JAX's random bits: the same words, so the same numbers."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random
from jax.extend.random import threefry_2x32, threefry_prng_impl

from lowering_cases.case import case, each, one_a_system, whole

SEEDS = one_a_system([0, 1, -1, 2**31, 2**62 + 12345])
WORDS = whole(0, 2**32 - 1, 2, dtype=np.uint32)
FLAG = one_a_system([True, False, True, False, True])


def walk(key):
    """A chain of keys carried by a loop."""

    def step(key, _):
        key, sub = random.split(key)
        return key, random.uniform(sub, dtype="float64")

    key, steps = lax.scan(step, key, None, length=12)
    return random.key_data(key), steps


def stack_of_keys(seed):
    """Keys as the rows that a scan goes over."""
    keys = random.split(random.key(seed), 12)
    _, out = lax.scan(lambda c, k: (c + 1, random.bits(k)), 0, keys)
    return out


def chosen(seed, flag):
    a, b = random.split(random.key(seed))
    key = lax.cond(flag, lambda: a, lambda: b)
    return random.key_data(key), random.key_data(jnp.where(flag, a, b))


def until_large(seed):
    def more(state):
        return random.uniform(state[0], dtype="float64") < 0.8

    def turn(state):
        return random.split(state[0], 1)[0], state[1] + 1

    return lax.while_loop(more, turn, (random.key(seed), 0))[1]


def words_of(key):
    """The generator itself, below the arrays of keys."""
    return threefry_prng_impl.random_bits(key, 32, (2, 3)), threefry_2x32(key, key)


CASES = [
    case("generator", words_of, WORDS),
    case("seed", lambda n: random.key_data(random.key(n)), SEEDS),
    case("seed of 32 bits", lambda n: random.key_data(random.key(n)),
         each([0, 7, -1], np.int32)[:, 0]),
    case("split keys", lambda n: random.key_data(random.split(random.key(n), 3)),
         SEEDS),
    case("fold_in", lambda n, m: random.key_data(random.fold_in(random.key(n), m)),
         SEEDS, each([3, 9], np.int32)[:, 0]),
    case("fold_in of many", lambda n, m: random.key_data(
        jax.vmap(random.fold_in)(random.split(random.key(n), 2), m)), SEEDS,
        whole(0, 99, 2, dtype=np.uint32)),
    case("wrapped words", lambda w: random.bits(random.wrap_key_data(w), (3,)), WORDS),
    case("old keys", lambda w: (random.bits(w, (3,)), random.split(w)), WORDS),
    *(case(f"bits of {bits}", lambda n, t=f"uint{bits}": random.bits(
        random.key(n), (3,), t), SEEDS) for bits in (8, 16, 32, 64)),
    case("bits of many keys", lambda n: jax.vmap(random.bits)(
        random.split(random.key(n), 3)), SEEDS),
    case("no bits", lambda n: random.bits(random.key(n), (0,)), SEEDS),
    case("uniform", lambda n: random.uniform(random.key(n), (4,), "float64"), SEEDS),
    case("uniform within bounds", lambda n: random.uniform(
        random.key(n), (4,), "float64", -2.0, 5.0), SEEDS, ulps=4),
    case("normal", lambda n: random.normal(random.key(n), (4,), "float64"), SEEDS,
         ulps=16),
    case("integers", lambda n: (random.randint(random.key(n), (4,), -5, 17, "int64"),
                                random.randint(random.key(n), (4,), 0, 9, "int32")),
         SEEDS),
    case("coins and choice", lambda n: (
        random.bernoulli(random.key(n), 0.3, (5,)),
        random.permutation(random.key(n), 5)), SEEDS),
    case("keys carried", lambda n: walk(random.key(n)), SEEDS),
    case("keys scanned over", stack_of_keys, SEEDS),
    case("keys chosen", chosen, SEEDS, FLAG),
    case("keys in a while loop", until_large, SEEDS),
    case("keys indexed and joined", lambda n, i: random.key_data(jnp.concatenate(
        [random.split(random.key(n), 3)[1:], random.split(random.key(i), 2)])[::-1]),
        SEEDS, SEEDS),
    case("key picked by an index", lambda n, i: random.key_data(
        random.split(random.key(n), 3)[i]), SEEDS, whole(-3, 2)),
]  # fmt: skip
