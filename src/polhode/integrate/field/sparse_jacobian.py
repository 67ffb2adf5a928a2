"""Newton's matrix of implicit steps of a large system: few entries, factored on host.

    (s - df/dx) d = b,       s a number, or a complex one of two stages together

The entries come from the linearised equations of all bodies (`rolled_linear`), whose
unknowns beside those of d stay in the matrix: what a step costs is then linear in the
number of like parts of a chain, where df/dx itself is full. SuperLU orders, pivots and
factors; it runs on one thread, and gives the same bits for the same numbers.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from scipy.sparse import csc_matrix, diags
from scipy.sparse.linalg import splu

from polhode.arrays import Array, Scalar
from polhode.formulation.recursive.links import is_an_acceleration
from polhode.formulation.recursive.rolled_linear import (
    Block,
    Instant,
    Places,
    bodies_at,
    linear_blocks,
    owners_of,
    places_of,
)
from polhode.integrate.field.backend import stepped_part
from polhode.lowering.host_call import host_function
from polhode.matter.parameter import Table
from polhode.system.gather import driven_joints
from polhode.system.rolled.size import is_rolled
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations

# Bodies that one action may couple: of more, as of masses that all attract each other,
# its block is dense.
COUPLED = 12
# Pivots are those of the recursion unless so much smaller than others of their column:
# what is found is corrected by the next iteration of Newton's.
PIVOT, SYMMETRIC = 1e-3, {"SymmetricMode": True}
# Factors that are kept, beside those in use: a step has two, and asks each some times.
KEPT = 8


def has_sparse_matrix(equations: Equations) -> bool:
    """Whether Newton's matrix of some equations can be had from their bodies.

    Friction that reads reactions couples all bodies, fluid has an inertia that is no
    mass, states of controllers belong to no body, and an action on very many bodies
    couples them all.
    """
    system = equations.system
    return (
        is_rolled(system)
        and not system.reads_reactions
        and not any(body.carries_fluid for body in system.bodies)
        and not equations.controller_states
        and max(map(_coupled, _forces(system)), default=0) <= COUPLED
    )


def _forces(system: System) -> list[Any]:
    """All actions but those that accelerate every body alike."""
    return [a for a in system.actions if not is_an_acceleration(system, a)]


def _coupled(action: Any) -> int:
    """How many bodies or joints an action couples with each other."""
    joints = driven_joints(action)
    return len(joints) if joints else len(action.bodies)


class Pattern:
    """Where the entries of a matrix are; its factors, by its numbers.

    A factor is named by a digest of the numbers that it is of, so that a call depends
    on its arguments alone: one that has been dropped is made again.
    """

    def __init__(self, blocks: list[Block], owners: np.ndarray, at: Places):
        rows, columns = [], []
        for block in blocks:
            shape = block.entries.shape
            rows.append(np.broadcast_to(block.rows[:, :, None], shape).ravel())
            columns.append(np.broadcast_to(block.columns[:, None, :], shape).ravel())
        row, column = np.concatenate(rows), np.concatenate(columns)
        self.size, self.unknowns = at.size, at.q + at.z
        self._real = np.flatnonzero((row >= 0) & (column >= 0))
        row, column = row[self._real], column[self._real]
        # The shift s is the last of all entries, on the diagonal of what is asked for.
        diagonal = np.arange(self.unknowns)
        row, column = (np.concatenate([each, diagonal]) for each in (row, column))
        self._place = _eliminated_at(row, column, owners, at.a + at.z)
        row, column = self._place[row], self._place[column]
        self._order = np.lexsort((row, column))
        row, column = row[self._order], column[self._order]
        is_first = np.ones(len(row), dtype=bool)
        is_first[1:] = (row[1:] != row[:-1]) | (column[1:] != column[:-1])
        self._starts = np.flatnonzero(is_first)
        self._row, self._column = row[self._starts], column[self._starts]
        self._factors: OrderedDict[int, Any] = OrderedDict()
        self._lock = threading.Lock()

    def factor(self, entries: Array, shift: Array, name: Any) -> None:
        """Factors for a shift s (2,); writes the `name` by which they are found."""
        digest = blake2b(np.asarray(entries).tobytes(), digest_size=8)
        digest.update(np.asarray(shift).tobytes())
        name[...] = np.frombuffer(digest.digest(), dtype=np.int64)[0]
        self._factor(int(name), entries, shift)

    def solve(
        self, name: Any, entries: Array, shift: Array, right: Array, found: Array
    ) -> None:  # limit: a function that XLA calls: what it reads and what it writes
        """Writes d (2, unknowns) of b (2, unknowns): real and imaginary parts."""
        b = np.zeros(self.size, dtype=complex)
        here = self._place[: self.unknowns]
        b[here] = right[0] + 1j * right[1]
        factor = self._factor(int(name), entries, shift)
        found[...] = 0.0
        if factor is None or not np.all(np.isfinite(b)):
            found[...] = np.nan
        elif shift[1] == 0.0:
            found[0] = factor.solve(b.real)[here]
        else:
            d = factor.solve(b)[here]
            found[0], found[1] = d.real, d.imag

    def _factor(self, name: int, entries: Array, shift: Array) -> Any:
        with self._lock:
            if name in self._factors:
                self._factors.move_to_end(name)
                return self._factors[name]
        made = self._made(np.asarray(entries), complex(shift[0], shift[1]))
        with self._lock:
            self._factors[name] = made
            while len(self._factors) > KEPT:
                self._factors.popitem(last=False)
        return made

    def _made(self, entries: np.ndarray, shift: complex) -> Any:
        """The factors of a matrix; None of one that is singular, or not finite."""
        if not (np.all(np.isfinite(entries)) and np.isfinite(shift)):
            return None
        number = shift.real if shift.imag == 0.0 else shift
        every = np.concatenate([entries[self._real], np.full(self.unknowns, number)])
        values = np.add.reduceat(every[self._order], self._starts)
        is_entry = values != 0.0  # most entries of a block are zeros
        counts = np.bincount(self._column[is_entry], minlength=self.size)
        ends = np.concatenate([[0], np.cumsum(counts)])
        parts = values[is_entry], self._row[is_entry], ends
        matrix = csc_matrix(parts, shape=(self.size, self.size))
        try:
            return splu(matrix, "NATURAL", diag_pivot_thresh=PIVOT, options=SYMMETRIC)
        except RuntimeError:  # exactly singular
            return None


def _eliminated_at(
    row: np.ndarray, column: np.ndarray, owners: np.ndarray, joints: int
) -> np.ndarray:
    """When each unknown is eliminated (size,): bodies of least degree first.

    Of a body first its motion and its wrench, whose pivots are ones, then its joint,
    which then feels all that the body carries: the recursion of articulated bodies.
    """
    count = int(owners.max()) + 1
    pairs = np.ones(len(row)), (owners[row], owners[column])
    graph = csc_matrix(pairs, shape=(count, count))
    graph = graph + graph.T
    # Of a matrix whose diagonal leads, SuperLU's order depends on the graph alone.
    graph.data[:] = -1.0
    graph = csc_matrix(graph + diags(np.full(count, 2.0 * count)))
    order = splu(graph, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=SYMMETRIC)
    every = np.arange(len(owners))
    sequence = np.lexsort((every, every < joints, order.perm_c[owners]))
    place = np.empty(len(owners), dtype=int)
    place[sequence] = every
    return place


class SparseJacobian(NamedTuple):
    """df/dx of a large system at an instant, as the entries of a larger matrix."""

    pattern: Pattern
    entries: Any

    def solver(self, s: Scalar) -> Callable[[Any], Any]:
        """b -> (s - df/dx)^-1 b"""
        solve = self._shifted(jnp.stack([s, jnp.zeros_like(s)]))
        return lambda b: solve(jnp.stack([b, jnp.zeros_like(b)]))[0]

    def pair_solver(self, a: Any, b: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
        """(u, v) -> (x, y) with (a + i b - df/dx)(x + i y) = u + i v."""
        solve = self._shifted(jnp.stack([a, b]))

        def pair(u: Array, v: Array) -> tuple[Any, Any]:
            x, y = solve(jnp.stack([u, v]))
            return x, y

        return pair

    def _shifted(self, shift: Any) -> Callable[[Any], Any]:
        """Right sides to solutions (2, unknowns); the derivative is that by those."""
        entries, s = lax.stop_gradient(self.entries), lax.stop_gradient(shift)
        name, both = _kind(dtype=np.int64), _kind(2, self.pattern.unknowns)
        of = _kind(len(entries)), _kind(2)
        (found,) = host_function(self.pattern.factor, of, [name])(entries, s)
        call = host_function(self.pattern.solve, [name, *of, both], [both])

        @jax.custom_jvp
        def solve(found: Array, entries: Array, s: Scalar, right: Array) -> Any:
            return call(found, entries, s, right)[0]

        @solve.defjvp
        def _(primals: Any, tangents: Any) -> tuple[Any, Any]:
            return solve(*primals), solve(*primals[:-1], tangents[-1])

        return lambda right: solve(found, entries, s, right)


def _kind(*shape: int, dtype: Any = float) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, np.dtype(dtype))


def sparse_jacobian(
    equations: Equations, t: Scalar, x: Array, table: Table
) -> SparseJacobian:
    """df/dx at a state, inputs held as they are in `table`."""
    system, core = equations.system, equations.functions
    n, at = system.coordinates, places_of(system)
    q, z = x[:n], x[n:]

    def bodies(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        solution = core.accelerations(t, q, z, table)
        return solution, bodies_at(system, StateArrays(t, q, z), solution, table)

    walked = stepped_part(equations, bodies, "bodies in motion")
    (z_dot, intensities), (motion, wrenches) = walked(t, q, z, dict(table))
    now = Instant(t, q, z, z_dot, intensities, motion, wrenches)
    blocks = linear_blocks(system, now, table)
    entries = jnp.concatenate([block.entries.reshape(-1) for block in blocks])
    pattern = Pattern(blocks, owners_of(system), at)
    return SparseJacobian(pattern, entries)
