"""In which order the unknowns of an equation of motion are eliminated, for little fill.

    K = [M + w A^T A    A^T]        unknowns: accelerations, then intensities
        [A             -e 1]

Which entries can differ from zero follows from the tree and the constraints when the
system is built: two speeds are coupled where one moves what the other carries, or where
one constraint feels both. Every row comes after all speeds that it feels; then each
pivot is as large as the row is independent of those before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polhode.formulation.solve.sparse import Below, below_pivots, products

if TYPE_CHECKING:
    from polhode.constraints.constraint import Constraint
    from polhode.system.system import System


# Up to this many unknowns K is eliminated by straight code, whatever its zeros.
FEW = 40
# Above, by straight code for its entries alone if it takes at most so many products
# (as 40 unknowns without zeros do), else by a loop along a band.
PRODUCTS = 12_000


class Pattern(NamedTuple):
    """What may differ from zero: M (k, k), and A (m, k)."""

    mass: np.ndarray
    rows: np.ndarray


class Ordering(NamedTuple):
    """The unknowns in their order of elimination.

    order  (k + m,) numbers of unknowns: speeds, then k + the number of a row
    width  how far from the diagonal K has entries in this order
    blocks by constraint: the rows (first, one past the last), and the speeds they feel
    below  for each pivot the later unknowns that its column of the factor holds; None
           where it is not worth knowing
    """

    order: np.ndarray
    width: int
    blocks: tuple[tuple[slice, np.ndarray], ...]
    below: Below | None = None


def pattern_of(
    system: System, constraints: Sequence[Constraint] | None = None
) -> Pattern:
    """The entries that the tree and constraints of a system, all or some, allow."""
    feels = np.zeros((len(system.bodies) + 1, system.speeds), dtype=bool)
    for edge in system.tree.edges:  # a body after the one that carries it
        feels[edge.child] = feels[edge.parent] if edge.parent >= 0 else False
        feels[edge.child, edge.z] = True
    touched = []
    for constraint in system.constraints if constraints is None else constraints:
        own = np.zeros(system.speeds, dtype=bool)
        for body in system.places_of(constraint.bodies):
            own |= feels[body]  # the world, the last, feels nothing
        for joint in constraint.joints:
            own[system.edge(joint.name).z] = True
        touched += [own] * len(constraint.rows)
    rows = np.array(touched).reshape(-1, system.speeds)
    counts = feels.astype(int)
    return Pattern(counts.T @ counts > 0, rows)


def ordered(
    system: System, constraints: Sequence[Constraint] | None = None
) -> Ordering:
    """The order for a system: by least degree, or in bands where that takes too long.

    Few unknowns take the first road whatever it costs. The rows are those of all
    constraints, or of the given ones.
    """
    constraints = system.constraints if constraints is None else constraints
    M, A = pattern_of(system, constraints)
    k, m = len(M), len(A)
    coupled = M | (A.T.astype(int) @ A.astype(int) > 0)
    blocks = _blocks(constraints, A)
    sequence = by_degree(coupled, PRODUCTS)  # of few unknowns never None
    if sequence is not None:
        order, width, K = elimination_order(sequence, coupled, A)
        below = below_pivots(K)
        if k + m <= FEW:
            return Ordering(order, width, blocks)
        if products(below) <= PRODUCTS:
            return Ordering(order, width, blocks, below)
    return Ordering(*elimination_order(in_bands(coupled), coupled, A)[:2], blocks)


def elimination_order(
    sequence: np.ndarray, coupled: np.ndarray, A: np.ndarray
) -> tuple[np.ndarray, int, np.ndarray]:
    """Speeds in a sequence, each row after the last that it feels.

    The order of all unknowns, and the width and the entries of K in it.
    """
    m, k = A.shape
    place = np.empty(k, dtype=int)
    place[sequence] = np.arange(k)
    last = [int(place[row].max()) if row.any() else k - 1 for row in A]
    keys = [(float(place[i]), i) for i in range(k)]
    keys += [(last[r] + 0.5, k + r) for r in range(m)]
    order = np.array([unknown for _, unknown in sorted(keys)])
    K = np.block([[coupled, A.T], [A, np.eye(m, dtype=bool)]])[np.ix_(order, order)]
    i, j = np.nonzero(K)
    return order, int(np.max(np.abs(i - j))), K


def in_bands(coupled: np.ndarray) -> np.ndarray:
    """Reverse Cuthill and McKee: neighbours near each other."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    graph = csr_array(coupled.astype(np.int8))
    return np.asarray(reverse_cuthill_mckee(graph, symmetric_mode=True))


def by_degree(coupled: np.ndarray, most: float = np.inf) -> np.ndarray | None:
    """Least degree: always the unknown that is coupled with fewest others.

    None where the elimination takes more than `most` products.
    """
    near = {i: set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(coupled)}
    found, taken = [], 0
    while near and taken <= most:
        # Of equals the last: the leaves of a tree come before what carries them.
        i = min(near, key=lambda i: (len(near[i]), -i))
        found.append(i)
        others = near.pop(i)
        taken += len(others) * (len(others) + 1) // 2
        for j in others:
            near[j] |= others - {j}
            near[j].discard(i)
    return None if near else np.array(found, dtype=int)


def from_all_ends(coupled: np.ndarray) -> np.ndarray:
    """Least degree, and of equals the one that waits for the shortest elimination.

    A row of parts is eliminated from both its ends at once: two sums that do not wait
    for each other take little longer than one.
    """
    near = {i: set(np.flatnonzero(row).tolist()) - {i} for i, row in enumerate(coupled)}
    heights = dict.fromkeys(near, 0)
    queue = [(len(others), 0, -i) for i, others in near.items()]
    heapify(queue)
    found = []
    while near:
        degree, height, negative = heappop(queue)
        i = -negative
        if i not in near or (degree, height) != (len(near[i]), heights[i]):
            continue  # it has changed since, and comes again
        found.append(i)
        others = near.pop(i)
        for j in others:
            near[j] |= others - {j}
            near[j].discard(i)
            heights[j] = max(heights[j], heights[i] + 1)
            heappush(queue, (len(near[j]), heights[j], -j))
    return np.array(found, dtype=int)


def _blocks(
    constraints: Sequence[Constraint], A: np.ndarray
) -> tuple[tuple[slice, np.ndarray], ...]:
    found, start = [], 0
    for constraint in constraints:
        stop = start + len(constraint.rows)
        found.append((slice(start, stop), np.flatnonzero(A[start])))
        start = stop
    return tuple(found)
