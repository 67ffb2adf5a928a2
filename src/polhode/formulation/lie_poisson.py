"""Hamilton's equations with momenta of the body: Lie and Poisson's form of rotations.

    z = dH/dp,      p_dot_a = -e_a(H) - g^b_ac z^c p_b + Q_a

p are the momenta along the speeds z, for a ball joint or a free body those along its
own axes; e_a is the slope along the motion of z_a alone, and g^b_ac are the structure
coefficients of these motions (see `boltzmann_hamel`). No chart, no singular place. For
a body that turns about a point, h = p is its angular momentum and

    h_dot = h x w + torque,      w = dH/dh

so that |h| stays where nothing acts, whatever H is: a Casimir function of the bracket.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.formulation.boltzmann_hamel import structure_coefficients
from polhode.formulation.equations import Equations, Terms
from polhode.formulation.hamilton import (
    bias_of_momenta,
    in_momenta,
    rows_on_momenta,
)
from polhode.formulation.shared.chart import origin
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.speeds import along
from polhode.formulation.solve.equations_of_motion import solve_definite
from polhode.matter.parameter import Table
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System


@dense_form
def lie_poisson(system: System) -> Equations:
    """Hamilton's equations in momenta along the speeds, for systems that rotate."""
    if all(joint.coordinates == joint.speeds for joint in system.joints):
        raise ModelError(
            f"Lie and Poisson's form says nothing new of {system.name!r}:"
            " all its speeds are rates of coordinates.",
            "Its motions commute, the structure coefficients are zero, and the"
            " equations are Hamilton's canonical ones.",
            "Use ph.hamilton; a ball joint or a free body has a bracket of its own.",
        )

    def kinetic(t: Scalar, q: Array, p: Array, table: Table) -> Any:
        """p M^-1 p / 2: what H has beside the potential energy."""
        return p @ solve_definite(system.mass_matrix(t, q, table), p) / 2

    def speeds(t: Scalar, q: Array, p: Array, table: Table) -> Any:
        return jax.grad(kinetic, 2)(t, q, p, table)

    def start(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return jax.grad(system.kinetic_energy, 2)(t, q, z, table)

    def slope_at(q: Array, function: Any) -> Any:
        return jax.grad(lambda x: function(system.local(q, x)))(origin(system))

    def bias(t: Scalar, q: Array, p: Array, z: Array, table: Table) -> Any:
        bracket = jnp.einsum("bac,c,b->a", structure_coefficients(system, t, q), z, p)
        return slope_at(q, lambda q: kinetic(t, q, p, table)) + bracket

    def terms(t: Scalar, q: Array, p: Array, table: Table) -> Terms:
        z = speeds(t, q, p, table)
        stored = slope_at(q, lambda q: system.potential_energy(t, q, table))
        given = along(
            system, t, q, system.nonconservative_wrenches(t, q, z, table), table
        )
        return Terms(
            jnp.eye(len(p)),
            bias_of_momenta(system, bias, StateArrays(t, q, z), p, table),
            given - stored,
            *rows_on_momenta(system, t, q, z, table),
        )

    return in_momenta("Lie-Poisson", system, (start, speeds), terms)
