"""Normal numbers by their place alone: a counter-based generator, to be traced.

    words = Philox4x32-10(key, counter)      Salmon et al., SC'11
    normal = sqrt(-2 ln u) (cos 2 pi v, sin 2 pi v)     Box and Muller

Draw k of a run is a function of key, run and k: no state is carried from one to the
next, so that any lane, thread or kernel finds it by itself. All is exact in 64-bit
integers up to the two uniform numbers, whose products are rounded one by one: the bits
are those of the host in any program.
"""

from __future__ import annotations

from functools import cache
from typing import Any
from zlib import crc32

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Scalar
from polhode.lowering.compile import Program, compile

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
WEYL = (0x9E3779B9, 0xBB67AE85)  # by which the key changes from round to round
ROUNDS = 10
WORD = 2**32 - 1
DRAWS = 2**48  # of one stream: the counter holds so many, and 2^16 blocks of each

Words = tuple[Any, ...]


def philox(key: Words, counter: Words) -> Words:
    """Four words of 32 bits, as integers of 64, for a key of two and a counter of four.

    They may be arrays, or Python's own integers.
    """
    (k0, k1), (c0, c1, c2, c3) = key, counter
    for _ in range(ROUNDS):
        low, high = _product(MULTIPLIERS[0], c0)
        other, top = _product(MULTIPLIERS[1], c2)
        c0, c1, c2, c3 = top ^ c1 ^ k0, other, high ^ c3 ^ k1, low
        k0, k1 = (k0 + WEYL[0]) & WORD, (k1 + WEYL[1]) & WORD
    return c0, c1, c2, c3


def _product(factor: int, word: Any) -> tuple[Any, Any]:
    """The low and the high word of a product of 64 bits."""
    if isinstance(word, int):
        whole = factor * word
        return whole & WORD, whole >> 32
    whole = jnp.int64(factor) * word  # wraps round: its bits are those without a sign
    return whole & WORD, lax.shift_right_logical(whole, jnp.int64(32))


def stream_key(seed: int, name: str) -> tuple[int, int]:
    """The key of one disturbance: of its seed and of the name of its input."""
    words = (seed & WORD, seed >> 32)
    mixed = philox(words, (crc32(name.encode()), 0, 0, 1))
    return mixed[0], mixed[1]


def normals(key: Words, run: Any, k: Any, size: int) -> Any:
    """Draw k of a run (size,): independent, of mean zero and deviation one."""
    found: list[Any] = []
    for block in range(-(-size // 2)):
        low, high = k & WORD, lax.shift_right_logical(k, jnp.int64(32))
        top = lax.shift_right_logical(run, jnp.int64(32))
        counter = (low, high | (block << 16), run & WORD, top)
        a, b, c, d = philox(key, counter)
        radius = jnp.sqrt(-2.0 * jnp.log(_uniform(a, b)))
        angle = (2 * np.pi) * _uniform(c, d)
        found += [radius * jnp.cos(angle), radius * jnp.sin(angle)]
    # A product that is fused with what follows would have other last bits there.
    return lax.optimization_barrier(jnp.stack(found[:size]))


def _uniform(high: Any, low: Any) -> Any:
    """A number of 53 bits between zero and one, and never zero."""
    bits = ((high >> 5) << 26) | (low >> 6)
    return (bits.astype(float) + 0.5) * 2.0**-53


@cache
def normals_program(size: int) -> Program:
    """(key, run, k) -> normals, for the host."""

    def drawn(key: Any, run: Any, k: Scalar) -> Any:
        return normals((key[0], key[1]), run, k, size)

    return compile(drawn, np.zeros(2, np.int64), np.int64(0), np.int64(0))
