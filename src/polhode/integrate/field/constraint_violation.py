"""Whether a state keeps its constraints, evaluated inside a compiled loop.

    |g_k| <= (KEPT + rounding) s_k,        |phi_k| <= KEPT s_k w

g are the equations of position and phi those of velocity; s_k is how strongly row k
feels a radian, or the natural length, of motion, and w the quickest speed in rad/s.
They are the limits by which states are admitted (see `system.assemble`), so that a run
ends where another can begin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, scanned
from polhode.formulation.recursive import rolled_constrained
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import Table
from polhode.system import numeric_constraints, rows
from polhode.system.assemble import KEPT, ROUNDING
from polhode.system.check import rest_coordinates
from polhode.system.lengths import entries, speed_lengths
from polhode.system.rolled.size import is_rolled
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System


class RowScales(NamedTuple):
    """Natural sizes of rows (rows,), which of them are of position, and a length."""

    sizes: np.ndarray
    is_position: np.ndarray
    length: float


def row_scales(system: System) -> RowScales:
    """The scales of the rows at rest, computed once.

    A row that the system's motions do not move, such as a second hinge in line with
    another, has no size in A: it is measured by what its own bodies would do to it.
    """
    if "row scales" not in system.compiled:
        each = [c.is_holonomic for c in system.constraints for _ in c.rows]
        placed = np.array(each, dtype=bool)
        if is_traced(*system.parameters.values()):
            # A system made inside a trace has no numbers to be measured by.
            return RowScales(np.ones(len(each)), placed, 1.0)
        # It is asked while a loop is traced, and is a constant of it.
        with jax.ensure_compile_time_eval():
            now = numeric_constraints.scene(system, 0.0, rest_coordinates(system))
            found = numeric_constraints.velocities(system, now, np.zeros(system.speeds))
        system.compiled["row scales"] = RowScales(found.scales, placed, now.length)
    return system.compiled["row scales"]


def natural_speeds(system: System) -> np.ndarray:
    """The sizes (nz,) of speeds by which the rows of a system are measured."""
    return speed_lengths(system, row_scales(system).length)


def keeps_constraints(
    system: System, state: StateArrays, table: Table, A: Array | None = None
) -> Any:
    """Whether a state (t, q, z) keeps all rows; traced.

    `A` (rows, nz) is d phi/dz there, where it is known.
    """
    t, q, z = state
    if is_rolled(system):
        along = natural_speeds(system)
        now = rolled_constrained.kept_rows(system, state, table, along)
        missed = RowMisses(now.g, now.phi)
        return miss_share(system, state, now.lengths, missed) <= KEPT
    if A is None:
        A, _ = system.constraint_rows(t, q, z, table)
    here = jnp.sqrt(jnp.sum((A * natural_speeds(system)) ** 2, axis=1))
    phi = rows.velocities(system, t, q, z, table)
    g = None
    if np.any(row_scales(system).is_position):
        g = rows.positions(system, t, q, table)
    return are_kept(system, state, here, RowMisses(g, phi))


class RowMisses(NamedTuple):
    """What rows miss: g of positions, None where there are none, and phi (rows,)."""

    g: Any
    phi: Any


def are_kept(system: System, state: StateArrays, here: Array, missed: RowMisses) -> Any:
    """Whether rows of lengths `here` (rows,) miss at most `KEPT` of their sizes.

    Lengths are those of d phi/dz, speeds measured by `natural_speeds`.
    """
    (_, q, z), own = state, row_scales(system)
    # As they are here, for lengths may differ from run to run; at least as at rest.
    sizes = jnp.maximum(here, own.sizes)
    along = natural_speeds(system)
    quickest = jnp.max(jnp.abs(z) / along, initial=1.0 / max(1.0, own.length))
    kept = jnp.all(jnp.abs(missed.phi) <= KEPT * quickest * sizes)
    if missed.g is None:
        return kept
    far = jnp.max(jnp.abs(q[entries(system, "units", "m")]), initial=0.0)
    limit = (KEPT + ROUNDING / own.length * far) * sizes[own.is_position]
    return kept & jnp.all(jnp.abs(missed.g) <= limit)


# Entries of a list that are compared at once: each comparison waits for the one before.
ABREAST = 8


def miss_share(
    system: System, state: StateArrays, here: Array, missed: RowMisses
) -> Any:
    """The largest miss of a large system, in loops, of places and of speeds.

    It is of what `are_kept` allows, but for its factor `KEPT`.
    """
    (_, q, z), own = state, row_scales(system)
    slow = jnp.full((), 1.0 / max(1.0, own.length))
    quickest = jnp.maximum(_largest(z, 1.0 / natural_speeds(system)), slow)
    every = np.arange(len(own.sizes))
    speeds = _largest_share(missed.phi, here, every, own.sizes) / quickest
    numbers = np.flatnonzero(own.is_position)
    if not len(numbers):
        return speeds
    lengths = np.where(entries(system, "units", "m"), 1.0, 0.0)
    far = _largest(q, lengths) if lengths.any() else 0.0
    places = _largest_share(missed.g, here, numbers, own.sizes[numbers])
    places = places / (1.0 + ROUNDING / (KEPT * own.length) * far)
    return jnp.maximum(places, speeds)


def _largest(values: Array, sizes: np.ndarray) -> Any:
    return _most(lambda k: jnp.abs(_at(values, k)) * _at(sizes, k), len(sizes))


def _largest_share(
    values: Array, here: Array, numbers: np.ndarray, own: np.ndarray
) -> Any:
    def share(k: Array) -> Any:
        size = jnp.maximum(_at(here, _at(numbers, k)), _at(own, k))
        return jnp.abs(_at(values, k)) / size

    return _most(share, len(numbers))


def _most(share: Callable[[Array], Any], count: int) -> Any:
    """The largest of so many shares, none of which is negative."""
    # The last is asked again in the places that the last row of numbers has left.
    rows = -(-count // ABREAST)
    numbers = np.minimum(np.arange(rows * ABREAST), count - 1).reshape(rows, ABREAST)

    def step(most: Array, row: Any) -> tuple[Any, None]:
        return jnp.maximum(most, share(row)), None

    return jnp.max(scanned(step, jnp.zeros(ABREAST), numbers)[0])


def _at(values: Array, places: Array) -> Any:
    return jnp.asarray(values).at[places].get(mode="promise_in_bounds")
