"""Where everything of a large equation of motion is: tables, found on the host.

    K = [M + A^T w A    A^T]        unknowns: accelerations, then intensities
        [A               -e]

An entry of M belongs to a pair of joints, one of which carries the other; one of A to a
constraint, a body that it holds, and a joint that carries the body. Tables hold lists
of such pairs, sorted by shape: one code serves each shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.formulation.solve.fronts import Fronts, fronts_of
from polhode.formulation.solve.ordering import (
    elimination_order,
    from_all_ends,
    pattern_of,
)
from polhode.formulation.solve.sparse import below_pivots

if TYPE_CHECKING:
    from polhode.system.system import System


class MassPairs(NamedTuple):
    """Pairs (p,) of joints, `carrier` of k speeds and `carried` of l, their entries.

    places (p, k, l) in the list of numbers of K
    """

    carrier: np.ndarray
    carried: np.ndarray
    places: np.ndarray


class OwnPairs(NamedTuple):
    """Joints (p,) of k speeds with themselves: places (p, k, k), their speeds (p,)."""

    joint: np.ndarray
    places: np.ndarray
    speeds: np.ndarray


class RowPairs(NamedTuple):
    """Bodies held by constraints of r rows, and joints of k speeds that carry them.

    slopes  (p,)  where G of the body begins: (r, 6)
    body    (p,)
    joint   (p,)
    starts  (p,)  where their entries (k, r) begin in the list of A
    """

    height: int
    width: int
    slopes: np.ndarray
    body: np.ndarray
    joint: np.ndarray
    starts: np.ndarray


class JointPairs(NamedTuple):
    """Joints that constraints read: where (k, r) entries are in G, and in A."""

    size: int
    slopes: np.ndarray
    starts: np.ndarray


class Blocks(NamedTuple):
    """Constraints (c,) of r rows that feel s speeds; entries (s, r) of A lie together.

    starts    (c,)        where they begin in the list of A
    speeds    (c, s)      numbers of the speeds
    rows      (c, r)      numbers of the rows
    slots     (c, s)      of the speeds among all unknowns
    row_slots (c, r)
    places    (c, s r)    of A in the list of numbers of K
    squares   (c, pairs)  of pairs of speeds (i, j), j >= i, there
    diagonal  (c, s)      of the speeds with themselves
    """

    starts: np.ndarray
    speeds: np.ndarray
    rows: np.ndarray
    slots: np.ndarray
    row_slots: np.ndarray
    places: np.ndarray
    squares: np.ndarray
    diagonal: np.ndarray


class RowTables(NamedTuple):
    """All tables of a system and its constraints, or some of them.

    entries        how many numbers A has
    speed_slots    (nz,)
    row_slots      (m,)
    row_diagonals  (m,)   places of -e
    """

    fronts: Fronts
    own: tuple[OwnPairs, ...]
    mass: tuple[MassPairs, ...]
    rows: tuple[RowPairs, ...]
    joints: tuple[JointPairs, ...]
    blocks: tuple[Blocks, ...]
    entries: int
    speed_slots: np.ndarray
    row_slots: np.ndarray
    row_diagonals: np.ndarray


def row_tables(system: System, constraints: Sequence[Any] | None = None) -> RowTables:
    """The tables for all constraints of a system, or for some, made once."""
    chosen = tuple(system.constraints if constraints is None else constraints)
    key = ("row tables", tuple(c.name for c in chosen))
    return system.remembered(key, lambda: _made(system, chosen))


def fronts_for(system: System, constraints: Sequence[Any]) -> Fronts:
    """The elimination of K, with its fronts."""
    M, A = pattern_of(system, constraints)
    coupled = M | (A.T.astype(np.float32) @ A.astype(np.float32) > 0)
    order, _, K = elimination_order(from_all_ends(coupled), coupled, A)
    return fronts_of(below_pivots(K), order)


def _made(system: System, chosen: tuple[Any, ...]) -> RowTables:
    fronts = fronts_for(system, chosen)
    k = system.speeds
    m = sum(len(c.rows) for c in chosen)
    carriers = _carriers(system)
    own, mass = _mass_pairs(system, fronts, carriers)
    rows, joints, blocks, entries = _row_parts(system, chosen, fronts, carriers)
    return RowTables(
        fronts,
        own,
        mass,
        rows,
        joints,
        blocks,
        entries,
        fronts.slots[:k],
        fronts.slots[k : k + m],
        np.array([fronts.place(k + r, k + r) for r in range(m)], dtype=int),
    )


def _carriers(system: System) -> list[list[int]]:
    """For each body, the joints that carry it, from its own to the world."""
    found: list[list[int]] = []
    for edge in system.tree.edges:
        found.append([edge.child, *(found[edge.parent] if edge.parent >= 0 else [])])
    return found


def _speeds(system: System, joint: int) -> range:
    z = system.tree.edges[joint].z
    return range(z.start, z.stop)


def _mass_pairs(
    system: System, fronts: Fronts, carriers: list[list[int]]
) -> tuple[tuple[OwnPairs, ...], tuple[MassPairs, ...]]:
    own: dict[int, list[Any]] = {}
    pairs: dict[tuple[int, int], list[Any]] = {}
    for i, above in enumerate(carriers):
        z_i = _speeds(system, i)
        if not z_i:
            continue
        square = [[fronts.place(a, b) for b in z_i] for a in z_i]
        own.setdefault(len(z_i), []).append((i, square, z_i.start))
        for j in above[1:]:
            z_j = _speeds(system, j)
            if z_j:
                places = [[fronts.place(a, b) for b in z_i] for a in z_j]
                pairs.setdefault((len(z_j), len(z_i)), []).append((j, i, places))
    return (
        tuple(OwnPairs(*_columns(found)) for found in own.values()),
        tuple(MassPairs(*_columns(found)) for found in pairs.values()),
    )


def _columns(rows: Iterable[Any]) -> list[np.ndarray]:
    return [np.array(column, dtype=int) for column in zip(*rows, strict=True)]


def _row_parts(
    system: System,
    chosen: tuple[Any, ...],
    fronts: Fronts,
    carriers: list[list[int]],
) -> tuple[Any, Any, Any, int]:
    """Pairs of rows and joints, blocks of constraints, and how long A is."""
    n, k = len(system.bodies), system.speeds
    rows: dict[tuple[int, int], list[Any]] = {}
    joints: dict[int, list[Any]] = {}
    blocks: dict[tuple[int, int], list[Any]] = {}
    row, slope, entry = 0, 0, 0
    for constraint in chosen:
        height = len(constraint.rows)
        held = [b % (n + 1) for b in system.places_of(constraint.bodies)]
        read = [system.edge(joint.name).child for joint in constraint.joints]
        read_joints = {j for b in held if b < n for j in carriers[b]} | set(read)
        speeds = sorted(z for j in read_joints for z in _speeds(system, j))
        column = {z: c for c, z in enumerate(speeds)}
        for b in held:
            for j in carriers[b] if b < n else ():
                own = _speeds(system, j)
                if own:
                    start = entry + height * column[own.start]
                    shape = height, len(own)
                    rows.setdefault(shape, []).append((slope, b, j, start))
            slope += 6 * height
        for j in read:
            own = _speeds(system, j)
            if own:
                size, start = height * len(own), entry + height * column[own.start]
                joints.setdefault(size, []).append((slope, start))
                slope += size
        numbers = range(row, row + height)
        place = fronts.place
        blocks.setdefault((height, len(speeds)), []).append(
            (
                entry,
                speeds,
                list(numbers),
                [fronts.slots[z] for z in speeds],
                [fronts.slots[k + r] for r in numbers],
                [place(z, k + r) for z in speeds for r in numbers],
                [place(a, b) for c, a in enumerate(speeds) for b in speeds[c:]],
                [place(z, z) for z in speeds],
            )
        )
        row, entry = row + height, entry + height * len(speeds)
    return (
        tuple(RowPairs(*shape, *_columns(found)) for shape, found in rows.items()),
        tuple(JointPairs(size, *_columns(found)) for size, found in joints.items()),
        tuple(_blocks(found) for found in blocks.values()),
        entry,
    )


def _blocks(found: list[Any]) -> Blocks:
    return Blocks(*_columns(found))
