"""Are reactions ideal? Their power in all motions allowed at a frozen time.

    sum over bodies of  F_c . v' + M_c . w'  =  0      for all z' with A z' = 0

Of a constraint that moves, the true power need not be zero: it is what a driver gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polhode.formulation.questions.balance import reactions_on_bodies
from polhode.formulation.questions.determinacy import allowed_motions
from polhode.formulation.shared.checked_argument import equations_argument
from polhode.matter.parameter import NOMINAL, Table
from polhode.system import numeric_constraints
from polhode.system.natural_sizes import natural_sizes

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State


@equations_argument
def ideal_reactions(
    equations: Equations, state: State, table: Table = NOMINAL
) -> dict[str, float]:
    """By name of each joint and constraint: the virtual power of what it exerts.

    The largest over unit virtual speeds, relative to the sizes of its factors: zero to
    rounding for everything ideal.
    """
    system, (t, q, z) = equations.system, (state.t, state.q, state.z)
    R_WB = system.poses(t, q, table).rotations
    own = system.jacobians(t, q, table).reshape(-1, 2, 3, system.speeds)
    J = (R_WB[:, None] @ own).reshape(-1, 6, system.speeds)
    A = np.asarray(system.constraint_rows(t, q, z, table)[0])
    A = np.where(numeric_constraints.moving_rows(system, state, table)[:, None], A, 0.0)
    J = J @ allowed_motions(A, natural_sizes(system).speeds)
    found = {}
    for name, rows, _ in reactions_on_bodies(equations, state, table):
        powers = np.einsum("ni,nik->k", rows, J)
        size = np.einsum("ni,nik->k", np.abs(rows), np.abs(J))
        found[name] = float(np.max(np.abs(powers), initial=0) / (np.max(size) or 1.0))
    return found
