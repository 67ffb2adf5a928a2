"""Symmetric matrices with few entries, factored in loops over tables of fronts.

    K = L diag(d) L^T

A front is a few unknowns that are eliminated together, its pivots, and the later ones
that they are coupled with. Its columns of K lie together in a list of numbers; what its
elimination changes in the columns of later fronts is found by tables. Fronts of one
size share one code, and are eliminated one after another where nothing else must come
before: the number of like parts is in the tables, not in the code.

    columns of a front:   d1          numbers of unknowns ("slots") are those of this
                          .  d2       order: pivots of a front follow each other
                          .  .  d3
                          b  b  b     <- coupled later unknowns
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, scanned
from polhode.formulation.solve.sparse import Below
from polhode.system.rolled.walk import entered, own

# Pivots of one front at most: longer ones are longer code, and gain little.
WIDEST = 6


class Run(NamedTuple):
    """Fronts (f,) of one size that follow each other.

    pivots   how many each has
    starts   (f,)     where its columns begin in the list of numbers
    slots    (f,)     its first pivot
    below    (f, b)   slots of the later unknowns
    targets  (f, pairs)  numbers that it changes: of pairs (i, j) of `below`, i >= j
    """

    pivots: int
    starts: np.ndarray
    slots: np.ndarray
    below: np.ndarray
    targets: np.ndarray


class Fronts(NamedTuple):
    """A matrix of `unknowns` in a list of `numbers`; slots (unknowns,) by unknown."""

    runs: tuple[Run, ...]
    slots: np.ndarray
    numbers: int
    columns: dict[int, tuple[int, dict[int, int]]]

    def place(self, i: int, j: int) -> int:
        """Where the entry of two unknowns is."""
        a, b = int(self.slots[i]), int(self.slots[j])
        start, offsets = self.columns[min(a, b)]
        return start + offsets[max(a, b)]


def fronts_of(below: Below, order: np.ndarray) -> Fronts:
    """The fronts of a matrix whose factor has entries `below` each pivot.

    `order` (n,) are the unknowns in an order of elimination, `below` their places in
    it. Fronts keep that order where one needs another, and else go by their sizes.
    """
    parts = _parts(below)
    sequence = _sequence(parts, below)
    slot_of = np.empty(len(below), dtype=int)
    slot_of[[j for part in sequence for j in part]] = np.arange(len(below))
    columns: dict[int, tuple[int, dict[int, int]]] = {}
    found, size = [], 0
    for part in sequence:
        pivots = [int(slot_of[j]) for j in part]
        later = sorted(int(slot_of[i]) for i in below[part[-1]])
        found.append((size, pivots, later))
        for a, slot in enumerate(pivots):
            rows = [*pivots[a:], *later]
            columns[slot] = size, {row: k for k, row in enumerate(rows)}
            size += len(rows)
    slots = np.empty(len(below), dtype=int)
    slots[order] = slot_of
    return Fronts(_runs(found, columns), slots, size, columns)


def _parts(below: Below) -> list[tuple[int, ...]]:
    """Pivots that follow each other and are coupled with the same later unknowns."""
    parts: list[list[int]] = []
    for j, own_below in enumerate(below):
        last = parts[-1] if parts else []
        is_same = bool(last) and set(below[last[-1]]) == {j, *own_below}
        if is_same and len(last) < WIDEST:
            last.append(j)
        else:
            parts.append([j])
    return [tuple(part) for part in parts]


def _sequence(parts: list[tuple[int, ...]], below: Below) -> list[tuple[int, ...]]:
    """The parts in an order of elimination with few changes of size."""
    owner = {j: k for k, part in enumerate(parts) for j in part}
    waits = [0] * len(parts)
    parents = []
    for part in parts:
        later = below[part[-1]]
        parents.append(owner[min(later)] if later else -1)
    for parent in parents:
        if parent >= 0:
            waits[parent] += 1
    ready: dict[tuple[int, int], list[int]] = {}

    def enters(k: int) -> None:
        size = len(parts[k]), len(below[parts[k][-1]])
        ready.setdefault(size, []).append(k)

    for k, count in enumerate(waits):
        if not count:
            enters(k)
    found = []
    while ready:
        # Of sizes that wait, that of the most fronts; it goes on while it can.
        size = max(ready, key=lambda size: (len(ready[size]), size))
        while ready.get(size):
            k = ready[size].pop(0)
            found.append(parts[k])
            if parents[k] >= 0:
                waits[parents[k]] -= 1
                if not waits[parents[k]]:
                    enters(parents[k])
        ready.pop(size, None)
    return found


def _runs(
    found: list[tuple[int, list[int], list[int]]],
    columns: dict[int, tuple[int, dict[int, int]]],
) -> tuple[Run, ...]:
    groups: list[list[tuple[int, list[int], list[int]]]] = []
    size = (-1, -1)
    for front in found:
        if (len(front[1]), len(front[2])) != size:
            size = len(front[1]), len(front[2])
            groups.append([])
        groups[-1].append(front)
    runs = []
    for group in groups:
        targets = []
        for _, _, later in group:
            targets.append(
                [
                    columns[j][0] + columns[j][1][i]
                    for b, j in enumerate(later)
                    for i in later[b:]
                ]
            )
        count, wide = len(group), len(group[0][2])
        pairs = wide * (wide + 1) // 2
        runs.append(
            Run(
                len(group[0][1]),
                np.array([start for start, _, _ in group]),
                np.array([pivots[0] for _, pivots, _ in group]),
                np.array([later for _, _, later in group], int).reshape(count, wide),
                np.array(targets, dtype=int).reshape(count, pairs),
            )
        )
    return tuple(runs)


def factored(fronts: Fronts, numbers: Array) -> Any:
    """The list with what `solved` multiplies by in the place of K.

    Of a front L = [L1; L2], pivots above later unknowns; kept are 1/d, 1/L1 and L2/L1.
    With L itself each pivot would wait for the one before, and so would the fronts.
    """
    for run in fronts.runs:

        def step(numbers: jnp.ndarray, row: Any, run: Run = run) -> tuple[Any, None]:
            start, targets = row
            wide = run.below.shape[1]
            columns = _cut(own(numbers, start, _size(run)), run.pivots, wide)
            done, change = _eliminated(columns, wide)
            numbers = entered(numbers, done, start)
            if not wide:
                return numbers, None
            return numbers.at[targets].add(-change, mode="promise_in_bounds"), None

        numbers, _ = scanned(step, numbers, (run.starts, run.targets))
    return numbers


def solved(fronts: Fronts, numbers: Array, b: Array) -> Any:
    """x (unknowns,) with K x = b, by slots; `numbers` are those of `factored`."""
    for run in fronts.runs:

        def down(b: jnp.ndarray, row: Any, run: Run = run) -> tuple[Any, None]:
            start, slot, below = row
            p, wide = run.pivots, run.below.shape[1]
            columns = _cut(own(numbers, start, _size(run)), p, wide)
            given, y, rest = own(b, slot, p), own(b, slot, p), jnp.zeros(wide)
            for a, column in enumerate(columns):
                y = y.at[a + 1 :].add(column[1 : p - a] * given[a])
                rest = rest - column[p - a :] * given[a]
            b = entered(b, y, slot)
            if not wide:
                return b, None
            return b.at[below].add(rest, mode="promise_in_bounds"), None

        b, _ = scanned(down, b, (run.starts, run.slots, run.below))
    for run in reversed(fronts.runs):

        def up(x: jnp.ndarray, row: Any, run: Run = run) -> tuple[Any, None]:
            start, slot, below = row
            p, wide = run.pivots, run.below.shape[1]
            columns = _cut(own(numbers, start, _size(run)), p, wide)
            later = x.at[below].get(mode="promise_in_bounds") if wide else x[:0]
            y = own(x, slot, p) * jnp.stack([column[0] for column in columns])
            found = [
                y[a] + column[1 : p - a] @ y[a + 1 :] - column[p - a :] @ later
                for a, column in enumerate(columns)
            ]
            return entered(x, jnp.stack(found), slot), None

        tables = run.starts, run.slots, run.below
        b, _ = scanned(up, b, tables, reverse=True)
    return b


def product(fronts: Fronts, numbers: Array, x: Array) -> Any:
    """K x by slots, of numbers that are not factored yet: one short loop over them."""
    later, earlier = _slots_of_numbers(fronts)
    beside = np.where(later == earlier, 0.0, 1.0)

    def step(y: jnp.ndarray, row: Any) -> tuple[Any, None]:
        number, i, j, mirrored = row
        y = y.at[i].add(number * x[j])
        return y.at[j].add(mirrored * number * x[i]), None

    return scanned(step, jnp.zeros_like(x), (numbers, later, earlier, beside))[0]


def _slots_of_numbers(fronts: Fronts) -> tuple[np.ndarray, np.ndarray]:
    """Which two slots each number couples, the later one first."""
    later, earlier = (np.empty(fronts.numbers, int) for _ in range(2))
    for slot, (start, offsets) in fronts.columns.items():
        for row, offset in offsets.items():
            later[start + offset], earlier[start + offset] = row, slot
    return later, earlier


def _size(run: Run) -> int:
    p, wide = run.pivots, run.below.shape[1]
    return p * (p + 1) // 2 + p * wide


def _cut(block: Array, pivots: int, wide: int) -> list[Any]:
    """The columns of a front, each from its diagonal down."""
    lengths = [pivots - a + wide for a in range(pivots)]
    ends = np.cumsum([0, *lengths])
    return [block[i:j] for i, j in pairwise(ends)]


def _eliminated(columns: Sequence[Any], wide: int) -> tuple[Any, Any]:
    """What `solved` multiplies by, and what is taken from pairs of later unknowns."""
    i, j = np.triu_indices(wide)  # pairs (later[i], later[j]), j >= i, by rows
    p, rest = len(columns), list(columns)
    inverses, lower = [], []
    change = jnp.zeros(len(i))
    for a in range(p):
        own_column = rest[a]
        inverses.append(1.0 / own_column[0])
        lower.append(own_column[1:] * inverses[a])
        for c in range(a + 1, p):
            k = c - a - 1
            rest[c] = rest[c] - lower[a][k] * own_column[k + 1 :]
        under, over = lower[a][p - a - 1 :], own_column[p - a :]
        change = change + under[i] * over[j]
    done = []
    for a in range(p):
        column, head = lower[a], [inverses[a]]
        for k in range(a + 1, p):
            head.append(-column[0])
            column = column[1:] - lower[k] * column[0]
        done.append(jnp.concatenate([jnp.stack(head), column]))
    return jnp.concatenate(done), change
