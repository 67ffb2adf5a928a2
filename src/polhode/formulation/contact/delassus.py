r"""The contact problem: how contact forces change the velocities of contacts.

    M z' = f - b + A^T l + J^T r,      A z' = g          joints and constraints answer
    u' = J z' + bias = W r + c         W = J Y,    Y = (M, A)^-1 J^T

r (3n,) are N, T1, T2 of each candidate in its own axes, on the body that rests. W is
Delassus's matrix: 3n x 3n, symmetric, of rank nz at most. An impulse changes velocities
by the same matrix: u+ = u- + W P, z+ = z- + Y P.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp

from polhode.arrays import Array, Scalar, shared
from polhode.double import doubled
from polhode.formulation.contact.carried import Carried, carried_pads
from polhode.formulation.recursive.recursive import recursive
from polhode.formulation.solve.equations_of_motion import (
    VANISHING,
    factored,
    mean_inertia,
    row_squares,
    solve_rows,
)
from polhode.matter.parameter import NOMINAL, Table, at
from polhode.system.contacts import ContactRows, contact_rows, pads
from polhode.system.natural_sizes import NaturalSizes, natural_sizes
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System


class ContactProblem(NamedTuple):
    """What contact forces do at (t, q, z); n candidates.

    delassus      W (3n, 3n)
    free          c (3n,): the accelerations of contacts on which nothing acts
    speeds        Y (nz, 3n): z' for each unit of a contact force
    acceleration  z' (nz,) without contact forces
    reactions     (m, 3n): intensities of constraints for each unit of a contact force
    intensities   (m,) of constraints without contact forces
    rows          the geometry, see `system.contacts`
    carried       pushes of pads that follow from reactions, see `carried`
    """

    delassus: Any
    free: Any
    speeds: Any
    acceleration: Any
    reactions: Any
    intensities: Any
    rows: ContactRows
    carried: Carried


def contact_problem(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> ContactProblem:
    """The contact problem of a system with supports; NumPy arrays outside a trace."""
    key = "contact problem"
    if key not in system.compiled:
        system.compiled[key] = doubled(
            lambda *given: contact_problem_of(system, *given)
        )
    return system.compiled[key](t, q, z, dict(table))


def problem_function(system: System) -> Any:
    """(t, q, z, table) -> ContactProblem, traced; in a program it is written once."""
    key = "contact problem, written once"
    if key not in system.compiled:
        system.compiled[key] = shared(lambda *given: contact_problem_of(system, *given))
    return system.compiled[key]


def contact_problem_of(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> ContactProblem:
    """The same, traced."""
    bare = system.without_supports
    table = system.table(table)
    M, b, f, A, g = recursive(bare).functions.terms(t, q, z, table)
    rows = contact_rows(system, t, q, z, table)
    J = rows.jacobian.reshape(-1, system.speeds)
    columns = jnp.concatenate([(f - b)[:, None], J.T], axis=1)
    right = jnp.concatenate([g[:, None], jnp.zeros((len(g), J.shape[0]))], axis=1)
    moved, held = constrained_response(M, columns, A, right, natural_sizes(bare))
    Y = moved[:, 1:]
    c = J @ moved[:, 0] + rows.bias.reshape(-1)
    W, c = _with_loads(system, J @ Y, c, table)
    given = {"moved": moved, "held": held, "table": table}
    carried = carried_pads(system, StateArrays(t, q, z), rows, **given)
    return ContactProblem(W, c, Y, moved[:, 0], held[:, 1:], held[:, 0], rows, carried)


def _with_loads(system: System, W: Any, c: Any, table: Table) -> tuple[Any, Any]:
    """Pads are pressed by their loads: W_N N - W_N load = 0.

    Along their normals nothing moves; W_N is that of their slip. Loads that follow from
    contact forces themselves come later, see `carried`.
    """
    for pad in pads(system):
        k = 3 * pad.candidate
        size = W[k + 1, k + 1]
        size = jnp.where(size > 0, size, 1.0)
        W = W.at[k, k].set(size)
        load = 0.0 if pad.load is None else at(pad.load, table)
        c = c.at[k].set(-size * load)
    return W, c


def constrained_response(
    M: Array, F: Array, A: Array, G: Array, natural: NaturalSizes
) -> tuple[Any, Any]:
    """As `solve_constrained` for several columns: a (nz, k), l (m, k)."""
    if A.shape[0] == 0:
        return factored(M)(F), jnp.zeros((0, F.shape[1]))
    mass = mean_inertia(M, natural)
    weight = mass / (jnp.sum(row_squares(A, natural)) + VANISHING) / natural.rows**2
    solve = factored(M + A.T @ (weight[:, None] * A))
    free = solve(F + A.T @ (weight[:, None] * G))
    yielding = solve(A.T)
    least = VANISHING / mass
    l = solve_rows(A @ yielding, G - A @ free, natural.rows, least)
    return free + yielding @ l, l
