"""Arrays too long for straight code: operations on them become loops of their own."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
from jax import lax

from lowering_cases.case import case, normal, uniform, whole

LONG = 260


def chain(x):
    """Several operations one after another, forwards, reversed and in steps."""
    y = jnp.sin(x) * 2.0 + x
    return y, y[::-1] - x, y[::2] / 3.0, jnp.where(y > 0, y, -x)


def in_a_loop(x):
    """A long array that a loop changes as a whole."""
    return lax.fori_loop(0, 5, lambda i, a: a * 0.5 + x * i, x)


def in_a_branch(n, x):
    return lax.cond(n > 0, lambda a: jnp.cos(a) * a, lambda a: a + 1.0, x)


def many_types(x, n):
    b = n > 3
    return b, n.astype(jnp.int8), jnp.where(b, x, n * 1.5), n << 2


CASES = [
    case("long chain", chain, normal(LONG), rtol=1e-15),
    case("long with scalars", lambda x, y: (x * y, y - x, jnp.full(LONG, y) / x),
         uniform(1, 2, LONG), normal(), rtol=1e-15),
    case("long table", lambda x: x * jnp.arange(1.0, LONG + 1.0), normal(LONG)),
    case("long broadcast", lambda x, y: x[:, None] * y + y[::-1], normal(20),
         normal(16), rtol=1e-15),
    case("long types", many_types, normal(LONG), whole(-9, 9, LONG, dtype=np.int32)),
    case("long in a loop", in_a_loop, normal(LONG), rtol=1e-14),
    case("long in a branch", in_a_branch, whole(0, 1), normal(LONG), rtol=1e-14),
    case("long reductions", lambda x: (jnp.sum(x * x), jnp.max(x), jnp.argmax(x)),
         normal(LONG), rtol=1e-13),
    case("long reads", lambda x, n: ((x + 1.0)[n], x.at[n].set(0.0)[:4]), normal(LONG),
         whole(-350, 350, 4)),
    case("long unchanged", lambda x: (x, x.reshape(20, -1)), normal(LONG)),
]  # fmt: skip
