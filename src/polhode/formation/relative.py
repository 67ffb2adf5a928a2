"""The relative equations of a formation: motions seen from the craft that carries.

    V_i = X_i V_carrier + V_rel,i,      V = J nu,      nu = [V_leader; V_rel,1; ...]

    M_nu nu' + C_nu nu = F_nu
    M_nu = J^T M J,     C_nu = J^T (M J' + C J),     F_nu = J^T F

M, C and F are of all bodies, stacked, in any of the spatial forms: about mass centres
or other points, with rates before any observer. X_i turns a velocity of the carrier to
the axes of the body's observer and transfers it to the body's point.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Core, Equations, Terms, solved
from polhode.formulation.questions.reactions import by_balance
from polhode.formulation.shared.spatial import turned
from polhode.formulation.shared.speeds import along, drift
from polhode.formulation.spatial_forms.observer import Seen
from polhode.formulation.spatial_forms.spatial_form import About, spatial_form
from polhode.geometry.transport import shift_twist
from polhode.joints.free import Free
from polhode.matter.parameter import Table
from polhode.system.checked_argument import system_argument
from polhode.system.natural_sizes import natural_sizes
from polhode.system.system import System
from polhode.system.tree import Edge


@system_argument
def relative_equations(
    system: System,
    *,
    about: About | Any = "mass centre",
    rates: Seen | Any = "body",
) -> Equations:
    """The equations of a formation in velocities seen from its leader.

    `system` is a tree: see `formation_tree`. Of the leader nu has [w; v of its point],
    seen from the world along its own axes; of a follower of six freedoms the same, seen
    from its carrier along the carrier's axes; of one of three, v. Other joints, those
    inside a craft, keep their own speeds. `about` and `rates` choose the spatial form
    of the bodies, from which M, C and F are.

    >>> import polhode as ph
    >>> craft = [ph.Body(n, ph.solids.sphere(mass=1, radius=0.1)) for n in "ab"]
    >>> relative_equations(ph.formations.formation_tree(craft, "a"))
    Equations(relative to 'a' of 'formation': 12 velocities, 0 rows)
    """
    form = spatial_form(system, about=about, rates=rates).functions
    leader, names = system.bodies[0].name, velocity_names(system)
    core = _core(system, form)
    return Equations(f"relative to {leader!r}", system, names, system.row_names, core)


def _core(system: System, form: Core) -> Core:
    """Everything in nu, from the stacked equations of a spatial form."""

    def speeds(t: Scalar, q: Array, nu: Array, table: Table) -> Any:
        return _turned_about(system, form, q, nu, table, back=True)

    def start(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return _turned_about(system, form, q, z, table, back=False)

    def rates(t: Scalar, q: Array, nu: Array, table: Table) -> Any:
        return system.rates(t, q, speeds(t, q, nu, table), table)

    def bodies(t: Scalar, q: Array, nu: Array, nu_dot: Any, table: Table) -> Any:
        now, changing = (q, 1.0 * nu), (rates(t, q, nu, table), nu_dot)
        z, z_dot = jax.jvp(lambda q, nu: speeds(t, q, nu, table), now, changing)
        return system.jacobians(t, q, table) @ z_dot + drift(system, t, q, z, table)

    def forces(t: Scalar, q: Array, nu: Array, W: Array, table: Table) -> Any:
        E = jax.jacfwd(lambda nu: speeds(t, q, nu, table))(nu)
        return E.T @ along(system, t, q, W, table)

    terms = _reduced_terms(system, form, speeds)
    # nu are twists like the speeds of the free bodies themselves: of the same sizes.
    natural = natural_sizes(system)
    return Core(
        start=start,
        speeds=speeds,
        rates=rates,
        terms=terms,
        accelerations=solved(terms, natural),
        bodies=bodies,
        along=forces,
        joint_wrenches=by_balance(system, speeds, bodies),
        arms=form.arms,
    )


def _reduced_terms(
    system: System, form: Core, speeds: Callable[..., Any]
) -> Callable[..., Terms]:
    """(t, q, nu, table) -> J^T M J, J^T (M J' nu + C V), J^T F, and the rows."""

    def terms(t: Scalar, q: Array, nu: Array, table: Table) -> Terms:
        def V(t: Scalar, q: Array, nu: Array) -> Any:
            return form.start(t, q, speeds(t, q, nu, table), table)

        t, z = 1.0 * jnp.asarray(t), speeds(t, q, nu, table)
        J = jax.jacfwd(V, 2)(t, q, nu)
        rest = jnp.ones_like(t), system.rates(t, q, z, table), jnp.zeros_like(nu)
        stacked, J_dot_nu = jax.jvp(V, (t, q, 1.0 * nu), rest)
        M, b, f, A, g = form.terms(t, q, stacked, table)
        # The rows of joints come first: in these velocities they hold by themselves.
        first = A.shape[0] - len(system.row_names)
        A, g = A[first:], g[first:]
        bias = J.T @ (b + M @ J_dot_nu)
        return Terms(J.T @ M @ J, bias, J.T @ f, A @ J, g - A @ J_dot_nu)

    return terms


def velocity_names(system: System) -> tuple[str, ...]:
    """'a.wx' of the leader, 'b from a.wx' of a follower; other joints keep theirs."""
    found: list[str] = []
    for edge in system.tree.edges:
        name = system.bodies[edge.child].name
        if edge.parent >= 0:
            name += f" from {system.bodies[edge.parent].name}"
        joint = edge.joint
        hangs = joint.speeds in (3, 6) and joint.name == system.bodies[edge.child].name
        own = [name + suffix for suffix in joint.speed_suffixes]
        found += own if hangs else joint.speed_names
    return tuple(found)


def _turned_about(
    system: System, form: Core, q: Any, x: Any, table: Table, *, back: bool
) -> Any:
    """The speeds z from nu (back), or nu from the speeds."""
    assert form.arms is not None
    known, arms, parts = system.table(table), form.arms(table), [jnp.zeros(0)]
    for edge in system.tree.edges:
        own = x[edge.z]
        if isinstance(edge.joint, Free) and not edge.is_reversed:
            own = _free(edge, q[edge.q], own, back, arm=arms[edge.child], table=known)
        parts.append(own)
    return jnp.concatenate(parts)


def _free(edge: Edge, q: Array, own: Any, back: bool, *, arm: Any, table: Table) -> Any:
    """The speeds of a free joint from its part of nu, or the other way.

    z is the twist of M in F about Mo along M; nu is about the body's point, along F, or
    along M for what hangs on nothing.
    """
    R_CM, p_CoMo_C = edge.joint.second_frame(table)
    r = R_CM.T @ (arm - p_CoMo_C)
    R_FM = edge.joint.pose(q, table)[0] if edge.parent >= 0 else jnp.eye(3)
    if back:
        return shift_twist(turned(R_FM.T, own), -r)
    return turned(R_FM, shift_twist(own, r))
