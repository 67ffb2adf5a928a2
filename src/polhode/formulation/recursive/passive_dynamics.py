"""Inverse dynamics that keep the skew property, body by body (Ploen).

    tau = M(q) a_r + C(q, z) z_r,      s^T (M' - 2 C) s = 0 for all s

z_r and a_r are speeds and rates of a reference, z the true speeds. Outwards go the
velocities V of the motion and V_r of the reference, and the rate of the latter along
the motion; every body asks for M V_r' + C_B(V) V_r with a passive dyadic C_B of its
own; inwards go the wrenches. With z_r = z they are the usual inverse dynamics.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Numbers, Scalar
from polhode.formulation.recursive.links import links, twist_down, wrench_up
from polhode.formulation.shared.spatial import cross_twist
from polhode.formulation.spatial_forms.choices import (
    DEFAULT,
    CoriolisChoice,
    choice_named,
)
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.checked_argument import state_argument
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System
from polhode.system.tree import Edge, inward, outward

if TYPE_CHECKING:
    from polhode.system.state import State


@state_argument
def passive_dynamics(
    state: State,
    speeds: Numbers,
    rates: Numbers,
    *,
    choice: str | CoriolisChoice = DEFAULT,
    table: Table = NOMINAL,
) -> np.ndarray:
    """M a_r + C z_r (nz,) for reference speeds z_r and rates a_r, by recursion.

    C is the passive matrix of the named choice at the state: what a tracking law needs,
    in a time that grows with the number of bodies. Actions are not in it.

    >>> import polhode as ph
    >>> state = ph.models.double_pendulum().state(elbow=1.0, speeds={"shoulder": 2.0})
    >>> round(float(passive_dynamics(state, state.z, [0.0, 0.0])[1]), 3)
    0.942
    """
    system, found = state.system, choice_named(choice)
    reference = tuple(np.asarray(x, float) for x in (speeds, rates))
    arguments = (float(state.t), state.q, state.z, reference, dict(table))

    def function(t: Scalar, q: Array, z: Array, reference: Any, table: Table) -> Any:
        return required_efforts(
            system, StateArrays(t, q, z), *reference, table=table, choice=found
        )

    name = ("passive dynamics", found)
    return system.program(name, function, arguments)(*arguments)


def required_efforts(
    system: System,
    state: StateArrays,
    z_r: Array,
    a_r: Array,
    *,
    table: Table,
    choice: CoriolisChoice,
) -> Any:
    """M a_r + C z_r (nz,), for use inside a trace."""
    (t, q, z), tree = state, system.tree
    all_links = links(system, q, z, table)

    def own_motions(q: Array) -> list[Any]:
        each = links(system, q, z, table)
        return [each[e.child].S @ z_r[e.z] for e in tree.edges]

    along = system.rates(t, q, z, table)
    owns, bends = jax.jvp(own_motions, (1.0 * q,), (1.0 * along,))

    def move(edge: Edge, carrier: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        link, child = all_links[edge.child], edge.child
        V, V_r, A_r = (twist_down(link.steps, each) for each in carrier)
        turning = link.S @ z[edge.z]
        # The carrier's reference motion, seen from a frame that moves on it.
        bent = cross_twist(V_r, turning) + bends[child]
        return V + turning, V_r + owns[child], A_r + link.S @ a_r[edge.z] + bent

    motions = outward(tree, (jnp.zeros(6),) * 3, move)
    asked = [
        link.inertia @ A_r + choice.dyadic(link.inertia, V) @ V_r
        for link, (V, V_r, A_r) in zip(all_links, motions, strict=True)
    ]

    def gather(edge: Edge, carrier: Any, child: Any) -> Any:
        return carrier + wrench_up(all_links[edge.child].steps, child)

    carried = inward(tree, asked, gather)
    pairs = zip(all_links, carried, strict=True)
    return (
        jnp.concatenate([link.S.T @ W for link, W in pairs])
        + system.rotor_inertias(table) * a_r
    )
