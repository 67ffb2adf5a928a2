"""Loops over the contacts that are active alone, by their numbers.

What is open is looked at once a step, when the numbers are gathered; whatever is done
often then costs as many turns as contacts touch, and rows of what they need lie side
by side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import lax

from polhode.arrays import Array, scanned


class ActiveContacts(NamedTuple):
    """numbers (n,) of the active contacts come first, `count` of them; then any."""

    numbers: Any
    count: Any

    @classmethod
    def of(cls, is_active: Array) -> ActiveContacts:
        """Those of n contacts that are marked."""
        n = is_active.shape[0]

        def one(found: Any, row: Any) -> Any:
            numbers, count = found
            i, is_active = row
            # Written in any case: the next active one takes the place of an open one.
            return (with_row(numbers, i, count), count + is_active), ()

        start = jnp.zeros(n, jnp.int64), jnp.zeros((), jnp.int64)
        given = jnp.arange(n), jnp.where(is_active, 1, 0)
        return cls(*scanned(one, start, given)[0])

    def each(self, turn: Callable[[Any, Any, Any], Any], state: Any) -> Any:
        """`turn(k, i, state)` for the k-th active contact, whose number is i."""

        def one(found: Any) -> Any:
            k, state = found
            return k + 1, turn(k, row_of(self.numbers, k), state)

        start = jnp.zeros((), jnp.int64), state
        return lax.while_loop(lambda found: found[0] < self.count, one, start)[1]

    def rows(self, columns: Any) -> Any:
        """Of columns (n, ...) the rows of active contacts, side by side."""

        def one(k: Any, i: Any, found: Any) -> Any:
            return with_row(found, row_of(columns, i), k)

        return self.each(one, jax.tree.map(jnp.zeros_like, columns))

    def alone(self, columns: Any) -> Any:
        """Of columns (n, ...) the rows of active contacts, and zeros elsewhere."""

        def one(k: Any, i: Any, found: Any) -> Any:
            return with_row(found, row_of(columns, i), i)

        return self.each(one, jax.tree.map(jnp.zeros_like, columns))

    def spread(self, rows: Any) -> Any:
        """Rows of active contacts where they belong among n, and zeros."""

        def one(k: Any, i: Any, found: Any) -> Any:
            return with_row(found, row_of(rows, k), i)

        return self.each(one, jax.tree.map(jnp.zeros_like, rows))


def row_of(columns: Any, k: Any) -> Any:
    """The k-th row of each of some columns."""

    def one(column: Array) -> Any:
        return lax.dynamic_index_in_dim(jnp.asarray(column), k, keepdims=False)

    return jax.tree.map(one, columns)


def with_row(columns: Any, row: Any, k: Any) -> Any:
    """The columns with another k-th row."""

    def one(column: Array, row: Any) -> Any:
        return lax.dynamic_update_index_in_dim(column, row, k, 0)

    return jax.tree.map(one, columns, row)
