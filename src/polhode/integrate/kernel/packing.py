"""Many small arrays as two columns, doubles and counts: what one run is called with.

A program spends most of a short call on finding its arrays. A run alone goes to its
program, and comes back, as one column of each kind.
"""

from __future__ import annotations

from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.lowering.compile import compile

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


@final
class PackedProgram:
    """A function of a tree and a table, compiled for one run: few arrays go and come.

    The trees that it takes and gives have an axis of one run before all others.
    """

    form: Form  # of what it gives

    def __init__(self, function: Any, example: Any, table: dict[str, Any]):
        one = jax.tree_util.tree_map(lambda leaf: leaf[0, ...], example)
        given = form_of(one)

        def alone(columns: Columns, table: Any) -> Columns:
            found = function(given.unpacked(columns), table)
            self.form = form_of(found).lifted()
            return packed_in_trace(found)

        self.program = compile(alone, packed(one), table)

    def __call__(self, tree: Any, table: dict[str, Any]) -> Any:
        """What the function gives; `table` has the one value of each parameter."""
        return self.form.unpacked(self.program(packed(tree), table))


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
    doubles, counts = _sorted(tree)
    return (
        np.concatenate(doubles, axis=None) if doubles else np.zeros(0),
        np.concatenate(counts, axis=None) if counts else np.zeros(0, np.int64),
    )


def packed_in_trace(tree: Any) -> Columns:
    """The same of a tree inside a trace."""
    doubles, counts = ([leaf.reshape(-1) for leaf in part] for part in _sorted(tree))
    return (
        jnp.concatenate(doubles) if doubles else jnp.zeros(0),
        jnp.concatenate(counts) if counts else jnp.zeros(0, np.int64),
    )


def _sorted(tree: Any) -> tuple[list[Any], list[Any]]:
    parts: tuple[list[Any], list[Any]] = ([], [])
    for leaf in jax.tree_util.tree_leaves(tree):
        parts[_column(leaf)].append(leaf)
    return parts


def _column(leaf: Any) -> int:
    return 0 if leaf.dtype.kind == "f" else 1
