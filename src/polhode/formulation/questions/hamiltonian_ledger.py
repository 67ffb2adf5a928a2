"""What changes Hamilton's function, entry by entry.

    dH/dt = -dL/dt (explicit) + Q . y' + l . A z'

y' and z' are velocities relative to what moves by itself when y = 0: a driver's motion,
where a formulation has it in its coordinates (Maggi). There H is not the energy

    E = T + V,      H = E - B y - 2 C,      T = y A y / 2 + B y + C

and keeps its value where L does not hold the time and nothing else acts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations
from polhode.formulation.shared.checked_argument import equations_argument
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.state import State


@final
@dataclass(frozen=True)
class HamiltonianLedger:
    """H and E, and the entries of dH/dt: W and J.

    explicit      -dL/dt at fixed coordinates and velocities of the formulation
    actions       the power of what is in no potential, on relative velocities
    constraints   the power of the rows' reactions, on relative velocities
    """

    hamiltonian: float
    energy: float
    explicit: float
    actions: float
    constraints: float

    @property
    def rate(self) -> float:
        """dH/dt, the sum of the entries."""
        return self.explicit + self.actions + self.constraints


@equations_argument
def hamiltonian_ledger(
    equations: Equations, state: State, table: Table = NOMINAL
) -> HamiltonianLedger:
    """H, E and what changes H at a state of the equations' system."""
    system, core = equations.system, equations.functions

    def entries(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        t, y = 1.0 * jnp.asarray(t), 1.0 * y

        def L(t: Scalar, q: Array) -> Any:
            z = core.speeds(t, q, y, table)
            kinetic = system.kinetic_energy(t, q, z, table)
            return kinetic - system.potential_energy(t, q, table)

        z, still = (core.speeds(t, q, v, table) for v in (y, 0.0 * y))
        carried = jnp.ones_like(t), 1.0 * system.rates(t, q, still, table)
        explicit = -jax.jvp(L, (t, q), carried)[1]
        V = system.body_twists(t, q, z - still, table)
        actions = (system.nonconservative_wrenches(t, q, z, table) * V).sum()
        A = system.constraint_rows(t, q, z, table)[0]
        l = core.accelerations(t, q, y, table)[1]
        held = l[l.shape[0] - A.shape[0] :] @ (A @ (z - still))
        return explicit, actions, held

    changes = equations.ask("ledger of H", entries, state, table)
    energy = equations.kinetic_energy(state, table)
    energy += equations.potential_energy(state, table)
    H = equations.hamiltonian(state, table)
    return HamiltonianLedger(float(H), float(energy), *map(float, changes))
