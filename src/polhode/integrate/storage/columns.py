"""Cursors and plans as plain columns of numbers, and back, bit for bit.

A tree of arrays becomes one column of doubles and one of counts, with a layout in words
that says which entry is which. To read it back one needs a tree of the same layout:
nothing in a file says of what kind an object is to be made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np

from polhode.errors import FileError

Layout = list[list[Any]]


class Columns(NamedTuple):
    """The numbers (m,) and counts (k,) of a tree, doubles and integers."""

    numbers: np.ndarray
    counts: np.ndarray


def layout_of(tree: Any) -> Layout:
    """Of each leaf: its name, whether it is of numbers or counts, its shape."""
    found, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [
        [jax.tree_util.keystr(path), _kind(leaf), list(np.shape(leaf))]
        for path, leaf in found
    ]


def columns_of(tree: Any) -> Columns:
    """A tree of arrays as columns."""
    leaves = jax.tree_util.tree_leaves(tree)
    parts: dict[str, list[np.ndarray]] = {"numbers": [], "counts": []}
    for leaf in leaves:
        parts[_kind(leaf)].append(np.asarray(leaf).reshape(-1))
    numbers = np.concatenate([np.zeros(0), *parts["numbers"]])
    counts = [part.astype(np.int64) for part in parts["counts"]]
    return Columns(numbers, np.concatenate([np.zeros(0, np.int64), *counts]))


def tree_from(example: Any, layout: Layout, columns: Columns) -> Any:
    """The tree that has these columns; the example has its layout."""
    own = layout_of(example)
    if own != layout:
        other = [entry[0] for entry in layout if entry not in own]
        other += [entry[0] for entry in own if entry not in layout]
        raise FileError(
            "the cursor in the file is not one of this version's.",
            f"They differ in {', '.join(dict.fromkeys(other)) or 'their order'}.",
            "Go on with the version that wrote the file; its rows can be read.",
        )
    leaves, tree = jax.tree_util.tree_flatten(example)
    at, found = {"numbers": 0, "counts": 0}, []
    for leaf in leaves:
        kind, size = _kind(leaf), np.size(leaf)
        column = getattr(columns, kind)[at[kind] : at[kind] + size]
        at[kind] += size
        found.append(column.astype(np.asarray(leaf).dtype).reshape(np.shape(leaf)))
    return jax.tree_util.tree_unflatten(tree, found)


def _kind(leaf: Any) -> str:
    return "numbers" if np.asarray(leaf).dtype.kind == "f" else "counts"
