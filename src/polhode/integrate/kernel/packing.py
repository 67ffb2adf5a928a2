"""Many small arrays as two columns, doubles and counts: for calls and for files.

A program spends most of a short call on finding its arrays. A run alone goes to its
program, and comes back, as one column of each kind. A file holds the state of a run
the same way, bit for bit, with a layout in words that says which entry is which. To
read it back one needs a tree of the same layout: nothing in a file says of what kind an
object is to be made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.errors import FileError
from polhode.fingerprint import REMEMBERED
from polhode.lowering.compile import compile
from polhode.lowering.trace.description import Untold, tree_facts, tree_of_facts
from polhode.matter.parameter import Table

Packed = tuple[Any, Any]  # doubles and counts, also inside a trace
Layout = list[list[Any]]


class Columns(NamedTuple):
    """The numbers (m,) and counts (k,) of a tree in a file, doubles and integers."""

    numbers: np.ndarray
    counts: np.ndarray


class Form(NamedTuple):
    """How a tree lies in the columns: of each leaf which, where, and its shape."""

    places: tuple[tuple[int, slice, tuple[int, ...]], ...]
    tree: Any

    def unpacked(self, columns: Packed) -> Any:
        """The tree of some columns, of arrays or inside a trace."""
        leaves = [columns[k][at].reshape(shape) for k, at, shape in self.places]
        return jax.tree_util.tree_unflatten(self.tree, leaves)

    def facts(self) -> Any:
        """As JSON holds it; None where its tree cannot be written as JSON."""
        try:
            tree = tree_facts(self.tree)
        except Untold:
            return None
        places = [[k, at.start, at.stop, list(s)] for k, at, s in self.places]
        return [places, tree]

    def lifted(self) -> Form:
        """The same with an axis of one run before all others."""
        places = [(k, at, (1, *shape)) for k, at, shape in self.places]
        return Form(tuple(places), self.tree)


@final
@dataclass
class PackedFunction:
    """columns, table -> columns: a function of a tree, to be traced.

    `form` is how what it gives lies in columns; a trace finds it out.
    """

    function: Any
    given: Form
    form: Form | None = field(default=None, metadata=REMEMBERED)
    __name__ = "alone"

    def __call__(self, columns: Packed, table: Table) -> Packed:
        found = self.function(self.given.unpacked(columns), table)
        self.form = form_of(found)
        return packed_in_trace(found)

    def trace_facts(self) -> Any:
        """The form, to be kept with the program."""
        assert self.form is not None
        return self.form.facts()

    def restore(self, facts: Any) -> None:
        """The form without a trace."""
        self.form = form_of_facts(facts)


@final
class PackedProgram:
    """A function of a tree and a table, compiled for one run: few arrays go and come.

    The trees that it takes and gives have an axis of one run before all others.
    """

    def __init__(
        self, function: Any, example: Any, table: dict[str, Any], backend: str = "auto"
    ):
        one = jax.tree_util.tree_map(lambda leaf: leaf[0, ...], example)
        alone = PackedFunction(function, form_of(one))
        self.program = compile(alone, packed(one), table, backend=backend)
        assert alone.form is not None
        self.form = alone.form.lifted()  # of what it gives
        self._names = sorted(table)  # as the leaves of a table are ordered
        # Calls that no thread is in: a list's pop and append are whole in any thread.
        self._idle: list[Any] = []

    def __call__(self, tree: Any, table: dict[str, Any]) -> Any:
        """What the function gives; `table` has the one value of each parameter."""
        return self.form.unpacked(self.run(packed(tree), table))

    def run(self, columns: Packed, table: dict[str, Any]) -> Packed:
        """The columns of what the function gives, of those of what it takes.

        Between arrays that are kept: finding new ones takes longer than a short run.
        """
        call = self._idle.pop() if self._idle else self.program.direct()
        doubles, counts, *values = call.inputs
        doubles[...], counts[...] = columns
        for value, name in zip(values, self._names, strict=True):
            value[...] = table[name]
        call.run()
        found = call.outputs[0].copy(), call.outputs[1].copy()
        self._idle.append(call)
        return found


def form_of_facts(facts: Any) -> Form:
    """The form whose facts `Form.facts` gave."""
    places, tree = facts
    each = tuple((k, slice(a, b), tuple(shape)) for k, a, b, shape in places)
    return Form(each, tree_of_facts(tree))


def form_of(tree: Any) -> Form:
    """How a tree of arrays lies in columns."""
    leaves, structure = jax.tree_util.tree_flatten(tree)
    places, ends = [], [0, 0]
    for leaf in leaves:
        k, size = _column(leaf), int(np.prod(leaf.shape))
        places.append((k, slice(ends[k], ends[k] + size), tuple(leaf.shape)))
        ends[k] += size
    return Form(tuple(places), structure)


def packed(tree: Any) -> Packed:
    """The doubles and the counts of a tree of arrays."""
    doubles, counts = _sorted(tree)
    return (
        np.concatenate(doubles, axis=None) if doubles else np.zeros(0),
        np.concatenate(counts, axis=None) if counts else np.zeros(0, np.int64),
    )


def packed_in_trace(tree: Any) -> Packed:
    """The same of a tree inside a trace."""
    doubles, counts = ([leaf.reshape(-1) for leaf in part] for part in _sorted(tree))
    return (
        jnp.concatenate(doubles) if doubles else jnp.zeros(0),
        jnp.concatenate(counts) if counts else jnp.zeros(0, np.int64),
    )


def columns_of(tree: Any) -> Columns:
    """A tree of arrays and numbers as the columns of a file."""
    numbers, counts = packed(jax.tree_util.tree_map(np.asarray, tree))
    return Columns(numbers, counts.astype(np.int64))


def layout_of(tree: Any) -> Layout:
    """Of each leaf: its name, whether it is of numbers or counts, its shape."""
    found, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [
        [
            jax.tree_util.keystr(path),
            Columns._fields[_column(np.asarray(leaf))],
            list(np.shape(leaf)),
        ]
        for path, leaf in found
    ]


def tree_from(example: Any, layout: Layout, columns: Columns) -> Any:
    """The tree that has these columns; the example has its layout."""
    own = layout_of(example)
    if own != layout:
        other = [entry[0] for entry in layout if entry not in own]
        other += [entry[0] for entry in own if entry not in layout]
        raise FileError(
            "the state of the run in the file is not one of this version's.",
            f"They differ in {', '.join(dict.fromkeys(other)) or 'their order'}.",
            "Go on with the version that wrote the file; its rows can be read.",
        )
    arrays = jax.tree_util.tree_map(np.asarray, example)
    found = form_of(arrays).unpacked(columns)
    return jax.tree_util.tree_map(
        lambda leaf, like: leaf.astype(like.dtype), found, arrays
    )


def _sorted(tree: Any) -> tuple[list[Any], list[Any]]:
    parts: tuple[list[Any], list[Any]] = ([], [])
    for leaf in jax.tree_util.tree_leaves(tree):
        parts[_column(leaf)].append(leaf)
    return parts


def _column(leaf: Any) -> int:
    return 0 if leaf.dtype.kind == "f" else 1
