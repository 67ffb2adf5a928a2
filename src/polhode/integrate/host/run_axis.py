"""Trees of arrays whose first axis is runs: some of the runs, and others in place."""

from __future__ import annotations

from typing import Any

import numpy as np


def picked(tree: Any, pick: Any) -> Any:
    """The runs at some places, or one of them; of tuples, of dicts and of arrays."""
    if isinstance(tree, dict):
        return {name: leaf[pick] for name, leaf in tree.items()}
    if not isinstance(tree, tuple):
        return tree[pick]
    return type(tree)(*(picked(leaf, pick) for leaf in tree))


def replaced(old: Any, pick: np.ndarray, new: Any) -> Any:
    """A copy with other runs at some places; the new ones alone where they are all."""
    if isinstance(old, np.ndarray):
        if len(pick) == len(old):
            return new
        whole = np.array(old)
        whole[pick] = new
        return whole
    pairs = zip(old, new, strict=True)
    return type(old)(*(replaced(a, pick, b) for a, b in pairs))


def stacked(trees: list[Any]) -> Any:
    """Runs one by one as one tree of all."""
    if not isinstance(trees[0], tuple):
        # A view of one: stacking each of twenty leaves would take 0.2 ms.
        return np.asarray(trees[0])[None] if len(trees) == 1 else np.stack(trees)
    return type(trees[0])(*map(stacked, map(list, zip(*trees, strict=True))))


def each(tree: Any) -> list[Any]:
    """Every run by itself."""
    return [picked(tree, k) for k in range(len(tree[1]))]
