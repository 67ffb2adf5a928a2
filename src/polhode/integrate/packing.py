"""Many small arrays as two columns, doubles and counts: what one run is called with.

A program spends most of a short call on finding its arrays. A run alone goes to its
program, and comes back, as one column of each kind.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

Columns = tuple[Any, Any]


class Form(NamedTuple):
    """How a tree lies in the columns: of each leaf which, where, and its shape."""

    places: tuple[tuple[int, slice, tuple[int, ...]], ...]
    tree: Any

    def unpacked(self, columns: Columns) -> Any:
        """The tree of some columns, of arrays or inside a trace."""
        leaves = [columns[k][at].reshape(shape) for k, at, shape in self.places]
        return jax.tree_util.tree_unflatten(self.tree, leaves)

    def lifted(self) -> Form:
        """The same with an axis of one run before all others."""
        places = [(k, at, (1, *shape)) for k, at, shape in self.places]
        return Form(tuple(places), self.tree)


def form_of(tree: Any) -> Form:
    """How a tree of arrays lies in columns."""
    leaves, structure = jax.tree_util.tree_flatten(tree)
    places, ends = [], [0, 0]
    for leaf in leaves:
        k, size = _column(leaf), int(np.prod(leaf.shape))
        places.append((k, slice(ends[k], ends[k] + size), tuple(leaf.shape)))
        ends[k] += size
    return Form(tuple(places), structure)


def packed(tree: Any) -> Columns:
    """The doubles and the counts of a tree of arrays."""
    return _joined(jax.tree_util.tree_leaves(tree), np.concatenate)


def packed_in_trace(tree: Any) -> Columns:
    """The same of a tree inside a trace."""
    return _joined(jax.tree_util.tree_leaves(tree), jnp.concatenate)


def _joined(leaves: list[Any], concatenate: Any) -> Columns:
    parts: Columns = ([], [])
    for leaf in leaves:
        parts[_column(leaf)].append(leaf.reshape(-1))
    return concatenate(parts[0]), concatenate(parts[1])


def _column(leaf: Any) -> int:
    return 0 if leaf.dtype.kind == "f" else 1
