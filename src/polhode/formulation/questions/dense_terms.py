"""The matrices of a large system: dense, and filled column by column when asked for.

    M e_j,  A e_j       for each unit velocity e_j, as a batch of one small program

What is made does not grow with the matrices; what they take does, so that systems of
very many velocities are told so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Terms
from polhode.geometry.admission import is_traced
from polhode.matter.parameter import Table
from polhode.system.rolled.size import refuse_dense

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State


def dense_terms(equations: Equations, state: State, table: Table) -> Terms:
    """`Terms` at a state; inside a trace they are traced along."""
    core = equations.functions
    if is_traced(state.t, state.q, state.z, *table.values()):
        return equations.ask("terms", core.terms, state, table)
    refuse_dense(equations.system, "the mass matrix")

    def vectors(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        found = core.terms(t, q, y, table)
        return found.bias, found.force, found.right

    bias, force, right = equations.ask("vectors of terms", vectors, state, table)
    assert core.columns is not None
    y = equations.velocities(state, table)
    at = state.t, state.q, y
    units = np.eye(len(y))
    program = equations.program(
        "columns of terms",
        core.columns,
        (*at, units[0], dict(table)),
        batched=["unit"],
        lanes=1,
    )
    M, A = program(*at, units, dict(table))
    return Terms(M, bias, force, A.T, right)
