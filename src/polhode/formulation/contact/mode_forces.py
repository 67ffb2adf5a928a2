r"""Contact forces while every contact keeps its mode: one program for all modes.

    open      N = T = 0
    sticks    u_N' = 0,  u_T' = 0          N and T are reactions
    slides    u_N' = 0,  T = -mu_d N d     d along the slip; N alone is a reaction

Modes are data, five numbers a candidate in the table of parameters, so that a compiled
loop serves them all. d is the line of the slip, on the side of a reference direction
that the table gives: forces stay smooth where a slip passes zero, and the guard that
ends the mode there is located on a smooth motion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar, namespace, scanned, shared
from polhode.formulation.contact.carried import contact_wrenches, settled_forces
from polhode.formulation.contact.delassus import ContactProblem, problem_function
from polhode.formulation.contact.share import Sharing, share_within
from polhode.formulation.equations import Core, Equations
from polhode.formulation.questions.reactions import wrenches_by_balance
from polhode.formulation.recursive.recursive import recursive
from polhode.matter.parameter import Table
from polhode.system.contacts import contact_length, refuse_supports, strikes
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System

# The entry of a table that has the modes: five numbers a candidate.
MODES, WIDTH = "modes of contacts", 5
# Held beside them by a run: when contacts struck last, and which guard has fired.
MEMORY = "memory of contacts"
OF_CONTACTS = (MODES, MEMORY)
# Share of the mean of W's diagonal by which contacts yield, so that redundant ones
# share the load; iterations remove what it does to the motion. What they share is known
# to rounding over YIELD: a block on a slope at its very limit must stay.
YIELD = 1e-5
# Of the right side: what more iterations, that yield by FIRMER of it, have to remove.
MISSED, FIRMER = 1e-12, 1e-4
# Of the accelerations of free contacts: what of those of held ones is rounding.
KEPT = 1e-13
# Of the greatest: what a sticking contact counts that can hold less, see `decide`.
WEAKEST = 1e-3
ITERATIONS = 4
# Rows up to which an elimination may be straight code.
STRAIGHT = 14
# Slips below (m/s)^2 have no direction of their own.
STILL = 1e-22


class Modes(NamedTuple):
    """The mode of every candidate.

    closed     (n,) 1 where it is pressed, else 0
    sticks     (n,) 1 where a closed one does not slip
    direction  (n, 2) on which side of zero a slip is
    clearance  (n,) m: how far an open one may sink before it counts as touching
    """

    closed: Any
    sticks: Any
    direction: Any
    clearance: Any


def has_modes(system: System, table: Table) -> bool:
    """Whether a table holds modes: a method that steps through contacts has none."""
    return bool(system.supports) and MODES in table


def modes_in(system: System, table: Table) -> Modes:
    """The modes that a table holds; traced or not.

    Refused where a question about a motion or its equations knows of no modes.
    """
    if MODES not in table:
        refuse_supports(system, "This question")
    rows = 1.0 * jnp.asarray(table[MODES]).reshape(-1, WIDTH)
    return Modes(rows[:, 0], rows[:, 1], rows[:, 2:4], rows[:, 4])


def without_modes(table: Table) -> dict[str, Any]:
    """What of a table a contact problem depends on: all but modes."""
    return {name: value for name, value in table.items() if name not in OF_CONTACTS}


def modes_of(column: np.ndarray) -> Modes:
    """The modes in a column (5n,) of numbers, outside a trace."""
    rows = np.asarray(column).reshape(-1, WIDTH)
    return Modes(rows[:, 0], rows[:, 1], rows[:, 2:4], rows[:, 4])


def mode_column(modes: Modes) -> Any:
    """Modes as a column (5n,) of numbers; traced or not."""
    xp = namespace(*modes)
    closed, sticks, direction, clearance = modes
    parts = (closed[:, None], sticks[:, None], direction, clearance[:, None])
    return xp.concatenate([xp.asarray(p, float) for p in parts], axis=1).reshape(-1)


def table_with(modes: Modes) -> dict[str, Any]:
    """Modes as an entry of a table of parameters."""
    return {MODES: mode_column(modes)}


class ModeForces(NamedTuple):
    """Contact forces r (n, 3) in contact axes, u' (n, 3), and the pivots (n,).

    is_other    whether contacts that stick share what they bear otherwise than by least
                norm, so that all of them hold; some are then at the edge of their cones
    """

    force: Any
    acceleration: Any
    pivot: Any
    is_other: Any


def mode_forces(problem: ContactProblem, modes: Modes) -> ModeForces:
    """The forces of contacts that keep their modes."""
    W, rows = problem.delassus, problem.rows
    d = slip_direction(rows.velocity[:, 1:], modes.direction)
    sliding = modes.closed * (1 - modes.sticks)
    T = -(sliding * rows.dynamic)[:, None] * d
    held = Held(modes.closed, modes.sticks, T, rows.static)
    r, u_dot, is_other = settled_forces(
        W, problem.free, problem.carried, lambda W, c: held_forces(W, c, held)
    )
    return ModeForces(r, u_dot, pivots(W, rows.dynamic, d, modes), is_other)


class Held(NamedTuple):
    """Contacts (n,) in given modes: T (n, 2) is the friction for each unit of N."""

    closed: Any
    sticks: Any
    T: Any
    static: Any


@shared
def held_forces(W: Array, c: Scalar, held: Held) -> tuple[Any, Any, Any]:
    """Forces r (n, 3) and accelerations W r + c (n, 3) of contacts in given modes.

    Unknowns are (N, T1, T2) where a contact sticks and N alone where it slides, with
    T (n, 2) for each unit of it. The rest are kept at zero by rows of their own, so
    that the shape never changes. Where several sticking contacts share what only their
    sum decides, each takes of it as it can hold, mu_s N (`static` (n,) is mu_s); where
    that leaves a cone, another share is looked for (`share_within`), which is told.
    """
    closed, sticks, T, static = held
    n = len(closed)
    # T of a sliding contact follows its N: its columns of W are added to that of N.
    each = W.reshape(3 * n, n, 3)
    pushed = each[:, :, 0] + each[:, :, 1] * T[:, 0] + each[:, :, 2] * T[:, 1]
    coupled = jnp.concatenate([pushed[:, :, None], each[:, :, 1:]], axis=2)
    mask, matrix = normal_and_held(closed, sticks), coupled.reshape(3 * n, 3 * n)
    x = masked_solution(matrix, W, mask, -c)
    if n > 1:
        # Redundant friction is known only by what each contact can hold.
        share = _capacities(closed * sticks * static * x[::3], closed * sticks)
        x = lax.cond(
            jnp.sum(closed * sticks) > 1,
            lambda: masked_solution(matrix, W, mask, -c, share=share),
            lambda: x,
        )
    x, is_other = x.reshape(n, 3), jnp.zeros((), bool)
    if n > 1:
        own = Sharing(matrix, c, sticks * static, closed, mask)
        x, is_other = share_within(own, x, refined_solution)
    r = x.at[:, 1:].add(T * x[:, :1])
    return r, (W @ r.reshape(-1) + c).reshape(n, 3), is_other


def normal_and_held(closed: Any, sticks: Any) -> Any:
    """Which of 3n rows are kept: normals of closed contacts, all of sticking ones."""
    held = closed * sticks
    return jnp.stack([closed, held, held], axis=1).reshape(-1)


def masked_solution(
    matrix: Array, W: Array, mask: Any, b: Any, *, share: Any = 1.0
) -> Any:
    """x with the rows and columns of a matrix that a mask keeps; others are zero.

    Proximal: what is redundant yields by a share of the mean of W's diagonal, and
    unknowns with a greater `share` (k,) take more of it.
    """
    S = mask[:, None] * matrix * mask
    size = jnp.sum(mask * jnp.diagonal(W)) / jnp.maximum(jnp.sum(mask), 1.0)
    own = (1 - mask) * (size + (size == 0))
    yielding = mask * YIELD * size / share
    x = refined_solution(S, own + yielding, mask * b)
    missed = mask * (b - S @ x)
    return mask * lax.cond(
        jnp.max(jnp.abs(missed)) > MISSED * jnp.max(jnp.abs(mask * b)),
        lambda: x + refined_solution(S, own + FIRMER * yielding, missed),
        lambda: x,
    )


@shared
def refined_solution(S: Array, yielding: Any, b: Array) -> Any:
    """x with S x = b, from solutions with (S + diag(yielding)) in the place of S.

    All contact problems of a program are solved by this one function.
    """
    solve = unsymmetric_solver(S + jnp.diag(yielding))
    x = solve(b)

    def again(_: Any, x: Array) -> Any:
        return x + solve(b - S @ x)

    return lax.fori_loop(0, ITERATIONS, again, x)


def _capacities(holds: Any, held: Any) -> Any:
    """Shares (3n,) of redundant unknowns: of friction, what each contact can hold."""
    most = jnp.max(holds)
    share = jnp.maximum(holds / jnp.where(most > 0, most, 1.0), WEAKEST)
    share = jnp.where(held > 0, share, 1.0)
    return jnp.stack([jnp.ones_like(share), share, share], axis=1).reshape(-1)


def pivots(W: Array, mu: Any, d: Array, modes: Modes) -> Any:
    """How a push of a sliding contact lifts itself (n,), of what it does without
    friction; 1 of others. Where it vanishes there is no motion, or several (Painleve).
    """
    n = len(mu)
    blocks = W.reshape(n, 3, n, 3)[np.arange(n), :, np.arange(n), :]
    own = blocks[:, 0, 0]
    coupled = own - mu * jnp.sum(blocks[:, 0, 1:] * d, axis=1)
    share = coupled / jnp.where(own > 0, own, 1.0)
    return jnp.where((modes.closed * (1 - modes.sticks) > 0) & (own > 0), share, 1.0)


def slip_direction(slip: Any, reference: Any) -> Any:
    """The line (n, 2) of each slip, on the side of its reference."""
    square = jnp.sum(slip * slip, axis=1)
    is_still = square < STILL
    unit = slip / jnp.sqrt(jnp.where(is_still, 1.0, square))[:, None]
    side = jnp.where(jnp.sum(unit * reference, axis=1) < 0, -1.0, 1.0)
    return jnp.where(is_still[:, None], reference, side[:, None] * unit)


def unsymmetric_solver(matrix: Array) -> Any:
    """b -> x with matrix x = b; pivots are on the diagonal.

    Loops over rows: of two dozen rows straight code would take a minute to compile.
    """
    k = matrix.shape[0]
    below, above = jnp.asarray(np.tri(k, k=-1)), jnp.asarray(np.tri(k, k=-1).T)

    def eliminate(j: Any, lu: Any) -> Any:
        inverse, pivot = 1.0 / lu[j, j], above[j] * lu[j]
        is_column = jnp.arange(k) == j

        def reduce(i: Any, lu: Any) -> Any:
            factor = below[i, j] * lu[i, j] * inverse
            rest = lu[i] - factor * pivot
            return lu.at[i].set(jnp.where(is_column & (i > j), factor, rest))

        return _for_rows(k, reduce, lu)

    lu = _for_rows(k, eliminate, matrix)

    def solve(b: Array) -> Any:
        def forward(j: Any, y: Array) -> Any:
            return y - below[:, j] * lu[:, j] * y[j]

        def backward(i: Any, x: Array) -> Any:
            j = k - 1 - i
            x_j = x[j] / lu[j, j]
            return (x - above[:, j] * lu[:, j] * x_j).at[j].set(x_j)

        return _for_rows(k, backward, _for_rows(k, forward, b))

    return solve


def _for_rows(k: int, turn: Callable[[Any, Any], Any], start: Any) -> Any:
    """`turn(i, state)` for all rows; of many rows a loop in programs too."""
    if k <= STRAIGHT:
        return lax.fori_loop(0, k, turn, start)
    return scanned(lambda state, i: (turn(i, state), None), start, jnp.arange(k))[0]


def contact_equations(system: System) -> Equations:
    """The equations of a system with supports, modes in the table of parameters."""
    return system.remembered("contact equations", lambda: _contact_equations(system))


def knows_modes(equations: Equations) -> bool:
    """Whether equations are those of a system whose contacts have modes."""
    own = equations.system.compiled.get("contact equations")
    return own is not None and equations.name == own.name


def _contact_equations(system: System) -> Equations:
    base = recursive(system.without_supports).functions
    contact_length(system)  # measured now: inside a trace is too late

    # Asked by stages, at cuts and after changes: in a program it is written once.
    @shared
    def accelerations(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
        problem = problem_function(system)(t, q, z, without_modes(table))
        modes = modes_in(system, table)
        r = mode_forces(problem, modes).force.reshape(-1)
        z_dot = problem.acceleration + problem.speeds @ r
        z_dot = _without_rounding(problem, modes, z_dot, strikes(system))
        return z_dot, problem.intensities + problem.reactions @ r

    def joint_wrenches(
        t: Scalar, q: Array, z: Array, solution: Any, table: Table
    ) -> Any:
        """Of the bodies beyond each joint, contact forces on them too."""
        table = {name: v for name, v in table.items() if name != MEMORY}
        problem = problem_function(system)(t, q, z, without_modes(table))
        r = mode_forces(problem, modes_in(system, table)).force.reshape(-1)
        state = StateArrays(t, q, z)
        own = system.table(without_modes(table))
        by = contact_wrenches(system, state, problem.rows, r, own)
        V_dot = base.bodies(t, q, z, solution[0], own)
        bare = system.without_supports
        given = (bare, state, V_dot, solution[1], own)
        return wrenches_by_balance(*given, contacts=by)

    core = Core(
        start=base.start,
        speeds=base.start,
        rates=base.rates,
        terms=base.terms,
        accelerations=lambda t, q, z, table: accelerations(
            t, q, z, {name: v for name, v in table.items() if name != MEMORY}
        ),
        bodies=base.bodies,
        along=base.along,
        joint_wrenches=joint_wrenches,
    )
    return Equations(
        "contacts",
        system,
        system.speed_names,
        system.row_names,
        core,
        knows_contacts=True,
    )


def _without_rounding(
    problem: ContactProblem, modes: Modes, z_dot: Array, presses: np.ndarray
) -> Any:
    """z' (nz,) in which contacts keep their modes to rounding, J z' + bias = 0.

    Forces at a long arm on a body of little inertia are known to rounding times the
    ratio of what they move at most and at least; what that leaves of u' is seen in z',
    and is removed there. `presses` (n,) is 0 of pads, whose first rows are no gaps.
    """
    J = problem.rows.jacobian.reshape(-1, z_dot.shape[0])
    rows = normal_and_held(modes.closed, modes.sticks).reshape(-1, 3)
    mask = rows.at[:, 0].multiply(presses).reshape(-1)
    left = mask * (J @ z_dot + problem.rows.bias.reshape(-1))
    W = problem.delassus

    def removed() -> Any:
        return z_dot - problem.speeds @ masked_solution(W, W, mask, left)

    size = jnp.max(jnp.abs(mask * problem.free))
    return lax.cond(jnp.max(jnp.abs(left)) > KEPT * size, removed, lambda: z_dot)


GUARDS = ("touches", "opens", "breaks away", "stops", "jams")
# Of lengths, forces, forces, speeds and shares: what is rounding.
ROUNDED = (1e-12, 1e-10, 1e-9, 1e-12, 1e-9)


class GuardValues(NamedTuple):
    """(n, 5) each: what falls through zero, and what of it is rounding."""

    value: Any
    rounding: Any


def guards(system: System, t: Scalar, q: Array, z: Array, table: Table) -> GuardValues:
    """What falls through zero where a candidate leaves its mode; traced.

        touches      g + clearance       of open ones
        opens        N                   of closed ones
        breaks away  mu_s N - |T|        of sticking ones
        stops        slip . reference    of sliding ones, with friction
        jams         pivot               of sliding ones, see `pivots`

    1 where a guard does not apply.
    """
    problem = problem_function(system)(t, q, z, without_modes(table))
    modes = modes_in(system, table)
    rows, found = problem.rows, mode_forces(problem, modes)
    N, T = found.force[:, 0], found.force[:, 1:]
    square = jnp.sum(T * T, axis=1)
    size = jnp.sqrt(jnp.where(square > 0, square, 1.0)) * (square > 0)
    is_closed = modes.closed > 0
    slides = is_closed & (modes.sticks == 0) & (rows.dynamic > 0)
    along = jnp.sum(rows.velocity[:, 1:] * modes.direction, axis=1)
    # Where another share was found all hold, those at the edge of their cones too.
    holds = is_closed & ~found.is_other
    columns = [
        jnp.where(is_closed, 1.0, rows.gap + modes.clearance),
        jnp.where(holds, N, 1.0),
        jnp.where(holds & (modes.sticks > 0), rows.static * N - size, 1.0),
        jnp.where(slides, along, 1.0),
        jnp.where(slides, found.pivot, 1.0),
    ]
    length = contact_length(system)
    speed = jnp.maximum(jnp.max(jnp.abs(rows.velocity)), length)
    easiest = jnp.maximum(jnp.max(jnp.diagonal(problem.delassus)), 1e-300)
    force = jnp.maximum(jnp.max(jnp.abs(problem.free)), 1e-300) / easiest
    sizes = jnp.stack([jnp.asarray(length), force, force, speed, jnp.ones(())])
    value = jnp.stack(columns, axis=1)
    return GuardValues(value, jnp.broadcast_to(sizes * np.array(ROUNDED), value.shape))
