"""How speeds answer to impulses over a step: inertia, joints and loops together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from polhode.arrays import Array, Scalar
from polhode.formulation.solve.contact_problem import eliminated_in_order
from polhode.formulation.solve.equations_of_motion import solve_rows
from polhode.integrate.field.vector_field import Field
from polhode.matter.parameter import Table
from polhode.system.natural_sizes import natural_sizes


class Answer(NamedTuple):
    """M' dz = p + A^T l with A dz = 0: joints and loops answer with impulses.

    drift     z_f - z (nz,)
    bend      z+ -> what the drift lacks (nz,): M' takes forces at the mean speed to
              first order, and after an impact that is not enough
    to        p (nz,) or columns (nz, k) -> dz
    inertia   M'; None where loops answer, for then it is not M' alone that resists
    """

    drift: Any
    bend: Callable[[Any], Any]
    to: Callable[[Any], Any]
    inertia: Any


def answer_of(
    field: Field, t: Scalar, q: Array, z: Array, *, h: Scalar, table: Table
) -> Answer:
    """That of a step of h with its middle at (t, q), traced."""

    def a(z: Array) -> Any:
        return field.accelerations(t, q, z)

    M, slope = field.system.mass_matrix(t, q, table), jax.jacfwd(a)(z)
    inertia = M - h / 2 * (M @ slope)
    solve, first = eliminated_in_order(inertia), a(z)
    drift = solve(h * (M @ first))

    def bend(after: Any) -> Any:
        way = (after - z) / 2
        return solve(h * (M @ (a(z + way) - first - slope @ way)))

    if not field.system.constraints:
        return Answer(drift, bend, solve, inertia)
    A, _ = field.system.constraint_rows(t, q, z, table)
    yielding, sizes = solve(A.T), natural_sizes(field.system).rows
    S = A @ yielding

    def held(p: Array) -> Any:
        dz = solve(p)
        if dz.ndim == 1:
            return dz - yielding @ solve_rows(S, A @ dz, sizes)
        return jax.numpy.stack([held(p[:, k]) for k in range(p.shape[1])], axis=1)

    return Answer(drift, bend, held, None)
