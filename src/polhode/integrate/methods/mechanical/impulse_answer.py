r"""How speeds answer to impulses over a step: inertia, joints and loops together.

    M' = M + h/2 dc/dz,  c = bias - force        what speeds answer with over a step
    S  = M + h/2 (D + D^T)/2,  D = -dF/dz         what contacts meet

M' has parts that only turn a momentum: speeds are along axes of bodies, which turn.
Over half a step the axes turn by what the impulses give too, and of a body's linear
momentum both cancel, seen from the ground. So contacts meet S: W = J S^-1 J^T is
symmetric and never negative, whatever turns. J of the step's end and M' would make it
neither, and where contacts are more than enough there may then be no impulses at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.recursive.inverse_dynamics import inverse_dynamics
from polhode.formulation.recursive.links import given
from polhode.formulation.solve.equations_of_motion import solve_rows
from polhode.formulation.solve.row_elimination import eliminated_in_order
from polhode.integrate.field.vector_field import Field
from polhode.matter.parameter import Table
from polhode.system.natural_sizes import natural_sizes
from polhode.system.state_arrays import StateArrays


class Answer(NamedTuple):
    """M' dz = p + A^T l with A dz = 0: joints and loops answer with impulses.

    drift     z_f - z (nz,)
    bend      z+ -> what the drift lacks (nz,): M' takes forces at the mean speed to
              first order, and after an impact that is not enough
    to        p (nz,) or columns (nz, k) -> dz
    met       the same by S in place of M': what contacts meet
    inertia   S; None where loops answer, for then it is not S alone that resists
    """

    drift: Any
    bend: Callable[[Any], Any]
    to: Callable[[Any], Any]
    met: Callable[[Any], Any]
    inertia: Any


def answer_of(
    field: Field, t: Scalar, q: Array, z: Array, *, h: Scalar, table: Table
) -> Answer:
    """That of a step of h with its middle at (t, q), traced."""

    def a(z: Array) -> Any:
        return field.accelerations(t, q, z)

    M, slope = field.system.mass_matrix(t, q, table), jax.jacfwd(a)(z)
    S = M + h / 2 * symmetric(jax.jacfwd(loads(field, t, q, table))(z))
    solve, first = eliminated_in_order(M - h / 2 * (M @ slope)), a(z)
    met = eliminated_in_order(S)
    drift = solve(h * (M @ first))

    def bend(after: Any) -> Any:
        way = (after - z) / 2
        return solve(h * (M @ (a(z + way) - first - slope @ way)))

    if not field.system.constraints:
        return Answer(drift, bend, solve, met, S)
    A, _ = field.system.constraint_rows(t, q, z, table)
    sizes = natural_sizes(field.system).rows

    def held(free: Callable[[Any], Any]) -> Callable[[Any], Any]:
        yielding = free(A.T)
        stiffness = A @ yielding

        def answer(p: Array) -> Any:
            dz = free(p)
            if dz.ndim == 1:
                return dz - yielding @ solve_rows(stiffness, A @ dz, sizes)
            return jnp.stack([answer(p[:, k]) for k in range(p.shape[1])], axis=1)

        return answer

    return Answer(drift, bend, held(solve), held(met), None)


def loads(field: Field, t: Scalar, q: Array, table: Table) -> Callable[[Any], Any]:
    """z -> what the actions lack along the speeds, -F (nz,), inertia left out."""
    none = jnp.zeros(field.system.speeds)
    still = StateArrays(t, q, none)

    def lacks(z: Array) -> Any:
        acting = given(field.system, t, q, z, field.table_at(t, q, z))
        return inverse_dynamics(field.system, still, none, table, acting)

    return lacks


def symmetric(D: Array) -> Any:
    """(D + D^T)/2"""
    return (D + D.T) / 2
