"""JAX's counter-based random bits (threefry), word by word."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Element
from polhode.lowering.ir.program import (
    Lowering,
    Unlowerable,
    Value,
    lift,
    pack_keys,
    unpack_keys,
)
from polhode.lowering.trace.trace import Equation

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
PARITY = 0x1BD11BDA


def threefry(low: Lowering, equation: Equation, *words: Value) -> list[Value]:
    """Twenty rounds of add, rotate, exclusive-or on two words under a two-word key."""
    arrays = np.broadcast_arrays(*map(lift, words))
    first, second = (np.empty(arrays[0].shape, object) for _ in range(2))
    for place in np.ndindex(arrays[0].shape):
        pair = _rounds(low, *(a[place] for a in arrays))
        first[place], second[place] = pair
    return [first, second]


def _rounds(low: Lowering, k0: Element, k1: Element, x0: Element, x1: Element) -> Any:
    build = low.build

    def add(a: Element, b: Element) -> Element:
        return build.add(a, b, "uint32")

    def apply(op: str, a: Element, b: Element) -> Element:
        return build.apply(op, "uint32", a, b)

    key = [k0, k1, apply("xor", apply("xor", k0, k1), PARITY)]
    x0, x1 = add(x0, key[0]), add(x1, key[1])
    for group in range(5):
        for r in ROTATIONS[group % 2]:
            x0 = add(x0, x1)
            left = apply("shift_left", x1, r)
            right = apply("shift_right_logical", x1, 32 - r)
            x1 = apply("xor", x0, apply("or", left, right))
        x0 = add(x0, key[(group + 1) % 3])
        x1 = add(add(x1, key[(group + 2) % 3]), group + 1)
    return x0, x1


def _through_jax(
    low: Lowering, equation: Equation, method: str, keys: Value, *more: Any
) -> Any:
    """The public implementation of JAX, traced on key words and lowered here."""
    import jax
    from jax.extend import random

    from polhode.lowering.trace.trace import closed_jaxpr

    flat = unpack_keys(keys).reshape(-1, 2)
    shape = jax.ShapeDtypeStruct((2,), np.uint32)
    implementation = getattr(random.threefry_prng_impl, method)
    jaxpr, _ = closed_jaxpr(lambda key: implementation(key, *more), shape)
    outs = [low.interpret(jaxpr.jaxpr, jaxpr.consts, row)[0] for row in flat]
    lifted = [lift(out) for out in outs]
    return np.stack(lifted).reshape((*keys.shape, *lifted[0].shape))


def wrap(low: Lowering, equation: Equation, words: Value) -> Value:
    _only_threefry(equation.params.get("impl"))
    return pack_keys(words)


def unwrap(low: Lowering, equation: Equation, keys: Value) -> Value:
    return unpack_keys(keys)


def random_bits(low: Lowering, equation: Equation, keys: Value) -> Value:
    p = equation.params
    return _through_jax(low, equation, "random_bits", keys, p["bit_width"], p["shape"])


def split(low: Lowering, equation: Equation, keys: Value) -> Value:
    return pack_keys(
        _through_jax(low, equation, "split", keys, equation.params["shape"])
    )


def fold_in(low: Lowering, equation: Equation, keys: Value, data: Value) -> Value:
    import jax
    from jax.extend import random

    from polhode.lowering.trace.trace import closed_jaxpr

    shapes = (
        jax.ShapeDtypeStruct((2,), np.uint32),
        jax.ShapeDtypeStruct((), np.uint32),
    )
    jaxpr, _ = closed_jaxpr(random.threefry_prng_impl.fold_in, *shapes)
    words, numbers = np.broadcast_arrays(unpack_keys(keys), lift(data)[..., None])
    out = np.empty(words.shape, object)
    for place in np.ndindex(words.shape[:-1]):
        number = np.array(numbers[place][0], dtype=object)
        out[place] = low.interpret(jaxpr.jaxpr, jaxpr.consts, words[place], number)[0]
    return pack_keys(out)


def seed(low: Lowering, equation: Equation, seeds: Value) -> Value:
    import jax
    from jax.extend import random

    from polhode.lowering.trace.trace import closed_jaxpr

    _only_threefry(equation.params.get("impl"))
    aval = equation.invars[0].aval
    jaxpr, _ = closed_jaxpr(
        random.threefry_prng_impl.seed, jax.ShapeDtypeStruct((), aval.dtype)
    )
    out = np.empty((*seeds.shape, 2), object)
    for place in np.ndindex(seeds.shape):
        number = np.array(lift(seeds)[place], dtype=object)
        out[place] = low.interpret(jaxpr.jaxpr, jaxpr.consts, number)[0]
    return pack_keys(out)


def counts(low: Lowering, equation: Equation) -> list[Value]:
    """0, 1, 2, ... in the order of memory, as high and low words."""
    shape = equation.params["shape"]
    numbers = np.arange(int(np.prod(shape, dtype=int)), dtype=np.uint64)
    words = (numbers >> np.uint64(32), numbers & np.uint64(2**32 - 1))
    return [word.astype(np.uint32).reshape(shape) for word in words]


def _only_threefry(implementation: Any) -> None:
    if "fry" not in str(getattr(implementation, "tag", implementation)):
        raise Unlowerable("", "only threefry keys are lowered")


RULES = {
    "threefry2x32": threefry,
    "iota_2x32_shape": counts,
    "random_wrap": wrap,
    "random_unwrap": unwrap,
    "random_bits": random_bits,
    "random_split": split,
    "random_fold_in": fold_in,
    "random_seed": seed,
}
