"""A tree of many bodies walked in loops: the kinds of its joints, and their tables.

    for each body in order:   what its joint is now   <- one code for each kind of joint
                              what it takes from its parent, by the parent's number

Bodies come in the order of the tree, parents before children. The world is the body
after the last. Rows of coordinates and speeds have the length of their joint: what is
read at a body is cut to the kind of its joint, what is written for it is padded to the
longest, and the next body overwrites the padding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.joints.joint import Joint
from polhode.matter.parameter import Table
from polhode.system.rolled.alike import Numbers, differing, parted, with_numbers

if TYPE_CHECKING:
    from polhode.system.system import System
    from polhode.system.tree import Edge


class Kind(NamedTuple):
    """Joints of one kind: one of them, whether walked backwards, their numbers.

    `mark` is what else tells kinds apart for whoever asked for them.
    """

    joint: Joint
    is_reversed: bool
    mark: Any
    columns: Numbers

    def at(self, slot: Scalar) -> Joint:
        """The joint of one row of the table."""
        if not self.columns:
            return self.joint
        row = jax.tree.map(lambda column: jnp.asarray(column)[slot], self.columns)
        return with_numbers(self.joint, row)


class Places(NamedTuple):
    """Of every body (n,): itself, its parent, its kind, its row there, its q and z."""

    body: Any
    parent: Any
    kind: Any
    slot: Any
    q: Any
    z: Any


class Walk(NamedTuple):
    """The kinds of a tree and its tables of places; n bodies, longest q and z."""

    kinds: tuple[Kind, ...]
    places: Places
    coordinates: int
    speeds: int

    @property
    def bodies(self) -> int:
        """How many bodies there are; also the number of the world."""
        return len(self.places.body)

    def of_kind(self, place: Places, branch: Callable[[Kind], Any]) -> Any:
        """What `branch(kind)` gives at a place, for the kind of the joint there."""
        if len(self.kinds) == 1:
            return branch(self.kinds[0])
        return lax.switch(place.kind, [lambda k=k: branch(k) for k in self.kinds])


def walk_of(
    system: System, table: Table, mark: Callable[[Edge], Any] = lambda edge: None
) -> Walk:
    """The walk of a system; `mark(edge)` tells edges of one kind of joint apart."""
    edges = system.tree.edges
    numbers: dict[Any, list[Numbers]] = {}
    firsts: dict[Any, tuple[Joint, bool, Any]] = {}
    kind, slot = [], []
    for edge in edges:
        same, own = _own_numbers(edge.joint, table)
        key = (same, edge.is_reversed, mark(edge))
        rows = numbers.setdefault(key, [])
        firsts.setdefault(key, (edge.joint, edge.is_reversed, key[2]))
        kind.append(list(numbers).index(key))
        slot.append(len(rows))
        rows.append(own)
    kinds = tuple(Kind(*firsts[key], differing(rows)) for key, rows in numbers.items())
    n = len(edges)
    parents = [n if e.parent < 0 else e.parent for e in edges]
    starts = [e.q.start for e in edges], [e.z.start for e in edges]
    places = Places(np.arange(n), *map(np.array, (parents, kind, slot, *starts)))
    longest = (
        max(e.joint.coordinates for e in edges),
        max(e.joint.speeds for e in edges),
    )
    return Walk(kinds, places, *longest)


def _own_numbers(joint: Joint, table: Table) -> tuple[Any, Numbers]:
    """What a joint is like, and its own numbers; its seats are in tables of bodies."""
    key, numbers = parted(joint, table)
    seats = {"first", "second", "first_axes", "second_axes"}
    return key[0], {word: n for word, n in numbers.items() if word not in seats}


def own(values: Array, start: Array, count: int) -> Any:
    """The entries (count,) of a body among those of all."""
    return lax.dynamic_slice(values, (start,), (count,))


def padded(values: Array, count: int) -> Any:
    """The entries of a body, as many as the longest has, on the last axis."""
    short = count - values.shape[-1]
    if not short:
        return jnp.asarray(values)
    return jnp.concatenate([values, jnp.zeros((*values.shape[:-1], short))], axis=-1)


def entered(all_values: Array, values: Array, start: Array) -> Any:
    """The entries of all, those of a body put in their place."""
    return lax.dynamic_update_slice(all_values, values, (start,))
