"""Integers of every width: arithmetic that wraps, division, bits and shifts."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from lowering_cases.arithmetic import INTEGERS
from lowering_cases.case import Case, case, each, pairs, whole


def edges(kind) -> list[int]:
    least, most = np.iinfo(kind).min, np.iinfo(kind).max
    some = {0, 1, 2, 3, 7, 100, least, least + 1, most, most - 1}
    return sorted(some | ({-1, -2, -7, -100} if least < 0 else set()))


def over_types(name, function, kinds=INTEGERS) -> Case:
    """One function of all pairs of edge values of every type."""
    longest = max(len(edges(kind)) for kind in kinds) ** 2
    arguments = [
        np.resize(argument, longest)  # the shorter ones begin again
        for kind in kinds
        for argument in pairs(edges(kind), kind)
    ]

    def every(*flat):
        twos = zip(flat[::2], flat[1::2], strict=True)
        return {str(a.dtype): function(a, b) for a, b in twos}

    return case(name, every, *arguments)


def shifts(a, b):
    out = [lax.shift_left(a, b), lax.shift_right_logical(a, b)]
    return [*out, lax.shift_right_arithmetic(a, b)]


def known_shifts(a, b):
    width = a.dtype.itemsize * 8
    amounts = [jnp.asarray(n, a.dtype) for n in (0, 1, 5, width - 1, width)]
    return [shifts(a, n) for n in amounts] + shifts(jnp.asarray(3, a.dtype), b)


def by_constants(a, b):
    """Division and remainder by constants, which LLVM turns into products."""
    some = [1, 2, 3, 7, 64] + ([-1, -3] if a.dtype.kind == "i" else [])
    constants = [jnp.full(a.shape, n, a.dtype) for n in some]
    return [(lax.div(a, c), lax.rem(a, c), a // c, a % c) for c in constants]


def of_constants(a, b):
    three = jnp.full(a.shape, 3, a.dtype)
    zero = jnp.zeros_like(a)
    quotients = lax.div(three, b), lax.rem(three, b), lax.div(zero, b), lax.rem(zero, b)
    return *quotients, lax.div(a, zero), lax.rem(a, zero)


SIGNED = INTEGERS[:4]
CASES = [
    over_types("sum, difference, product", lambda a, b: (a + b, a - b, a * b)),
    over_types("negation and complement", lambda a, b: (-a, ~b)),
    over_types("integer abs and sign", lambda a, b: (jnp.abs(a), jnp.sign(b))),
    over_types("integer div and rem", lambda a, b: (lax.div(a, b), lax.rem(a, b))),
    over_types("floor division and modulus", lambda a, b: (a // b, a % b)),
    over_types("division by constants of integers", by_constants),
    over_types("division of constants", of_constants),
    over_types("integer max and min", lambda a, b: (lax.max(a, b), lax.min(a, b))),
    over_types("integer comparisons", lambda a, b: (
        a == b, a != b, a < b, a <= b, a > b, a >= b)),
    over_types("total order of integers", lambda a, b: (
        lax.lt_to_p.bind(a, b), lax.le_to_p.bind(a, b), lax.eq_to_p.bind(a, b))),
    over_types("and, or, xor", lambda a, b: (a & b, a | b, a ^ b)),
    over_types("counted bits", lambda a, b: (lax.population_count(a), lax.clz(b))),
    over_types("shifts", shifts),
    over_types("shifts by constants", known_shifts),
    over_types("integer powers", lambda a, b: [
        lax.integer_pow(a, n) for n in range(5)]),
    over_types("integer clamp", lambda a, b: lax.clamp(
        jnp.asarray(2, a.dtype), a, jnp.asarray(100, a.dtype))),
    over_types("selection of integers", lambda a, b: jnp.where(a < b, a, b - a)),
    over_types("zero terms", lambda a, b: (a * 0 + b, 0 - a, a - a, a + 0, 1 * a)),
    over_types("integer sums", lambda a, b: (
        jnp.sum(jnp.stack([a, b, a]), dtype=a.dtype),
        jnp.prod(jnp.stack([a, b, a]), dtype=b.dtype))),
    case("greatest common divisor", jnp.gcd, whole(1, 99, 2), whole(1, 99, 2)),
    case("hexadecimal digits", lambda n: (n[:, None] >> (4 * jnp.arange(8))) & 15,
         each([0, 1, 0x7FFFFFFF, 0x12345678])),
]  # fmt: skip
