"""What a method steps: the first-order equations of a formulation, as plain functions.

    q_dot = rates(t, q, y),      y_dot = accelerations(t, q, y),      x = [q; y]

A method may use x as a column of numbers, or move q along the joints by `local`, which
keeps every configuration on its manifold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp

from polhode.actions.weight import WeightOf
from polhode.arrays import Array, Scalar, shared
from polhode.formulation.contact.delassus import problem_function
from polhode.formulation.contact.held_forces import masked_solution, normal_and_held
from polhode.formulation.contact.mode_forces import (
    MEMORY,
    has_modes,
    modes_in,
    without_modes,
)
from polhode.formulation.recursive import rolled_constrained
from polhode.formulation.recursive.composite_inertia import mass_matrix
from polhode.formulation.recursive.rolled_acting import are_sound
from polhode.formulation.solve.equations_of_motion import (
    solve_constrained,
    solve_ordered,
)
from polhode.formulation.solve.ordering import ordered
from polhode.integrate.field.backend import stepped_part
from polhode.integrate.field.constraint_violation import (
    RowMisses,
    keeps_constraints,
    miss_share,
    natural_speeds,
)
from polhode.integrate.field.inertial_axes import AS_STORED, InertialAxes, free_bodies
from polhode.integrate.field.sparse_jacobian import (
    SparseJacobian,
    has_sparse_matrix,
    sparse_jacobian,
)
from polhode.matter.parameter import Table
from polhode.system import contacts, rows
from polhode.system.assemble import KEPT
from polhode.system.natural_sizes import (
    NaturalSizes,
    natural_sizes,
    position_sizes,
)
from polhode.system.rolled.size import is_rolled
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.constraints.constraint import Constraint
    from polhode.formulation.equations import Equations
    from polhode.system.system import System

NEWTON = 2  # after one accurate step each iteration squares what is missed
# Speeds and constraint rows up to which a projection is written wherever it is asked,
# and its unknowns are eliminated as they stand: docs/decisions/0022.
FEW = 16
# Of a large system the second is made where the first has missed more than this share.
ENOUGH = 1e-13


class Projected(NamedTuple):
    """A state put back on its manifold, and whether it keeps its constraints there."""

    x: Any
    is_kept: Any


class Field(NamedTuple):
    """The functions of one set of equations, its parameters given.

    coordinates    nq: x[:nq] is q, the rest y
    x_dot          (t, x) -> x_dot
    accelerations  (t, q, y) -> y_dot
    speeds         (t, q, y) -> z, the speeds along which `local` moves
    local          (q, delta) -> q
    projected      (t, x) -> Projected: unit quaternions, constraints kept, y within its
                   rows, and whether that could be done
    is_sound       (t, x) -> whether every force is a number
    start          (t, q, z) -> y
    table_at       (t, q, y) -> the values of parameters then and there
    system         whose energies and poses methods of its own structure ask
    is_in_speeds   whether y are the system's own speeds z
    carried        (x + k,) what the method's last step left for this one; at the start
                   the first x_dot, then zeros; None outside a run
    allowed        (rtol, atol) of the run, by which iterations may stop
    jacobian       (t, x) -> d(x_dot)/dx by its few entries; None where it is not so had
    axes           in which explicit pairs of orders step velocities of free bodies
    """

    coordinates: int
    x_dot: Callable[[Any, Any], Any]
    accelerations: Callable[[Any, Any, Any], Any]
    speeds: Callable[[Any, Any, Any], Any]
    local: Callable[[Any, Any], Any]
    projected: Callable[[Any, Any], Projected]
    is_sound: Callable[[Any, Any], Any]
    start: Callable[[Any, Any, Any], Any]
    table_at: Callable[[Any, Any, Any], Table]
    system: System
    is_in_speeds: bool = True
    carried: Any = None
    allowed: tuple[Any, Any] = (0.0, 0.0)
    jacobian: Callable[[Any, Any], SparseJacobian] | None = None
    axes: InertialAxes = AS_STORED

    def settled(self, t: Scalar, x: Array) -> Any:
        """The projected state alone."""
        return self.projected(t, x).x


def field_of(
    equations: Equations, table: Table, drive: Callable[..., Table] | None = None
) -> Field:
    """The field of some equations, for use inside a trace.

    `drive(t, q, z, table, y)` is the table with the inputs as they are there and then.
    """
    system, core = equations.system, equations.functions
    n = system.coordinates
    solve = stepped_part(equations, core.accelerations, "accelerations")
    is_in_speeds = core.start is core.speeds

    def driven(t: Scalar, q: Array, y: Array) -> Table:
        z = core.speeds(t, q, y, table)
        return drive(t, q, z, table, y) if drive else table

    # A method asks many slopes: they are traced once, and in a program written once.
    @shared
    def accelerations(t: Scalar, q: Array, y: Array) -> Any:
        y_dot = solve(t, q, y, driven(t, q, y))[0]
        if core.serves is None:
            return y_dot
        return jnp.where(core.serves(t, q, y, table), y_dot, jnp.nan)

    @jax.jit
    def x_dot(t: Scalar, x: Array) -> Any:
        q, y = x[:n], x[n:]
        rates = core.rates(t, q, y, table)
        return jnp.concatenate([rates, accelerations(t, q, y)])

    def project(t: Scalar, x: Array) -> Projected:
        # Contacts are asked as a whole, with the forces that inputs drive.
        own = driven(t, x[:n], x[n:]) if has_modes(system, table) else table
        return projected(equations, t, x, own)

    def jacobian(t: Scalar, x: Array) -> SparseJacobian:
        return sparse_jacobian(equations, t, x, driven(t, x[:n], x[n:]))

    return Field(
        coordinates=n,
        x_dot=x_dot,
        accelerations=accelerations,
        speeds=lambda t, q, y: core.speeds(t, q, y, table),
        local=system.local,
        projected=project,
        is_sound=_soundness(equations, driven, table),
        start=lambda t, q, z: core.start(t, q, z, table),
        table_at=driven,
        system=system,
        is_in_speeds=is_in_speeds,
        axes=InertialAxes(free_bodies(system) if is_in_speeds else ()),
        jacobian=jacobian if has_sparse_matrix(equations) else None,
    )


def _soundness(
    equations: Equations, driven: Callable[..., Table], table: Table
) -> Callable[[Any, Any], Any]:
    """(t, x) -> whether every force is a number."""
    system, core = equations.system, equations.functions
    n = system.coordinates
    # A weight is a number wherever the state is one.
    doubtful = [a for a in system.actions if not isinstance(a, WeightOf)]

    whole = stepped_part(equations, partial(are_sound, system), "soundness")

    def is_sound(t: Scalar, x: Array) -> Any:
        if not doubtful:
            return jnp.array(True)
        q, z = x[:n], core.speeds(t, x[:n], x[n:], table)
        if is_rolled(system):
            return whole(t, q, z, driven(t, q, x[n:]))
        # A sum shows any entry that is not finite, also one that no motion feels.
        acting = system.wrenches(t, q, z, driven(t, q, x[n:]))
        each = [w for pair in acting.values() for w in pair]
        return jnp.isfinite(sum((jnp.sum(w) for w in each), jnp.zeros(())))

    return is_sound


def settled(equations: Equations, t: Scalar, x: Array, table: Table) -> Any:
    """The projected state, of which it is known that its constraints can be kept."""
    return projected(equations, t, x, table).x


def projected(equations: Equations, t: Scalar, x: Array, table: Table) -> Projected:
    """The state nearest in mass that is on its manifold and keeps all constraints.

    Quaternions are brought to length one. Then Newton's steps along the joints,

        minimise |delta|_M  with  g + (dg/dz) delta = 0,      q <- local(q, delta)

    and one or two on the speeds, whose rows are linear or nearly so. Where no state
    near keeps the constraints, or the way is too far for so few steps, it says so.
    """
    system, core = equations.system, equations.functions
    n = system.coordinates
    q, y, is_kept = x[:n], x[n:], jnp.array(True)
    if system.coordinates != system.speeds:
        q = system.normalised(q)
    if has_modes(system, table):
        own = {name: v for name, v in table.items() if name != MEMORY}
        q, y = _contact_projection(equations)(t, q, y, own)
    elif is_rolled(system) and system.constraints and not system.supports:
        z = core.speeds(t, q, y, table)
        q, z, is_kept = _rolled_projection(equations)(t, q, z, dict(table))
        y = core.start(t, q, z, table)
    elif system.constraints:
        placed, moved = _projections(equations, table)
        for _ in range(NEWTON):
            q = placed(t, q)
        z = core.speeds(t, q, y, table)
        for _ in range(NEWTON):
            z, A = moved(t, q, z)
        is_kept = keeps_constraints(system, StateArrays(t, q, z), table, A)
        y = core.start(t, q, z, table)
    elif equations.row_names:
        y = core.start(t, q, core.speeds(t, q, y, table), table)
    y = with_states_of(x, y, equations.controller_states)
    return Projected(jnp.concatenate([q, y]), is_kept)


def _rolled_projection(equations: Equations) -> Callable[..., tuple[Any, Any, Any]]:
    """(t, q, z, table) -> q, z on the constraints, and whether they are kept."""

    system = equations.system

    def onto(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any, Any]:
        def share(now: rolled_constrained.Onto) -> Any:
            state, missed = StateArrays(t, now.q, now.z), RowMisses(now.g, now.phi)
            return miss_share(system, state, now.lengths, missed)

        found = rolled_constrained.projected(
            system,
            StateArrays(t, q, z),
            table,
            along=natural_speeds(system),
            share=share,
            enough=ENOUGH,
        )
        return found.q, found.z, found.share <= KEPT

    return stepped_part(equations, onto, "projection")


def _contact_projection(equations: Equations) -> Callable[..., tuple[Any, Any]]:
    """(t, q, z, table) -> q, z on closed contacts; in a program it is written once."""
    return equations.system.remembered(
        "projection on contacts",
        lambda: shared(lambda *given: _on_contacts(equations, *given)),
    )


def with_states_of(x: Array, y: Array, count: int) -> Any:
    """Velocities y begun anew, the states of controllers as x has them."""
    return jnp.concatenate([y[:-count], x[-count:]]) if count else y


def _on_contacts(
    equations: Equations, t: Scalar, q: Array, z: Array, table: Table
) -> tuple[Any, Any]:
    """Coordinates and speeds nearer to the constraints and to all closed contacts.

    Gaps of closed contacts and their rates, and slips of those that stick, are taken
    away by forces of these contacts (Delassus's matrix W = J Y), to which constraints
    answer. W hardly changes over so short a way, and is asked once.
    """
    system, own = equations.system, without_modes(table)
    modes = modes_in(system, table)
    if system.constraints:
        placed, moved = _projections(equations, own)
        for _ in range(NEWTON):
            q = placed(t, q)
    problem = problem_function(system)(t, q, z, own)
    W, Y, still = problem.delassus, problem.speeds, jnp.zeros_like(modes.closed)
    # Steps leave so little that one iteration squares it away.
    mask = normal_and_held(modes.closed, still)
    missed = jnp.stack([problem.rows.gap, still, still], axis=1).reshape(-1)
    q = system.local(q, -Y @ masked_solution(W, W, mask, missed))
    if system.constraints:
        for _ in range(NEWTON):
            z, _ = moved(t, q, z)
    mask = normal_and_held(modes.closed, modes.sticks)
    u = contacts.velocities(system, t, q, z, own).reshape(-1)
    return q, z - Y @ masked_solution(W, W, mask, u)


def _projections(
    equations: Equations, table: Table
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """(t, q) -> q nearer to the constraints; (t, q, z) -> z nearer, and the rows A.

    Each is traced once for a system, with its derivatives; of more than a few unknowns
    it is written once in a program too.
    """
    system = equations.system
    unknowns = system.speeds + len(system.row_names)
    traced_once = jax.jit if unknowns <= FEW else shared
    placed, moved = system.remembered(
        "projections",
        lambda: [traced_once(partial(f, equations)) for f in (_placed, _moved)],
    )
    own = dict(table)
    return lambda *at: placed(*at, own), lambda *at: moved(*at, own)


def _placed(equations: Equations, t: Scalar, q: Array, table: Table) -> Any:
    system = equations.system
    some = [c for c in system.constraints if c.is_holonomic]
    if not some:
        return q

    def missed(delta: Array) -> Any:
        return rows.positions(system, t, system.local(q, delta), table)

    still = jnp.zeros(system.speeds)
    A, natural = jax.jacfwd(missed)(still), position_sizes(system)
    g = -missed(still)
    delta = _nearest(system, t, q, A, g, natural=natural, constraints=some, table=table)
    return system.local(q, delta)


def _moved(
    equations: Equations, t: Scalar, q: Array, z: Array, table: Table
) -> tuple[Any, Any]:
    """Speeds nearer to their rows, and the rows A."""
    system = equations.system
    A, _ = system.constraint_rows(t, q, z, table)
    missed = rows.velocities(system, t, q, z, table)
    natural, every = natural_sizes(system), system.constraints
    delta = _nearest(
        system, t, q, A, -missed, natural=natural, constraints=every, table=table
    )
    return z + delta, A


def _nearest(
    system: System,
    t: Scalar,
    q: Array,
    A: Array,
    g: Array,
    *,
    natural: NaturalSizes,
    constraints: Sequence[Constraint],
    table: Table,
) -> Any:
    """The change x of least inertia with A x = g, where A has rows of constraints.

    Few unknowns are eliminated as they stand, many in the order of least fill.
    """
    still = jnp.zeros(system.speeds)
    if system.speeds + A.shape[0] <= FEW:
        M = system.mass_matrix(t, q, table)
        return solve_constrained(M, still, A, g, natural)[0]
    M, ordering = mass_matrix(system, q, table), ordered(system, constraints)
    return solve_ordered(M, still, A, g, natural, ordering=ordering)[0]
