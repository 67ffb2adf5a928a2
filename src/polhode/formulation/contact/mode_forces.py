r"""Contact forces while every contact keeps its mode: one program for all modes.

    open      N = T = 0
    sticks    u_N' = 0,  u_T' = 0          N and T are reactions
    slides    u_N' = 0,  T = -mu_d N d     d along the slip; N alone is a reaction

Modes are data, four numbers a candidate in the table of parameters, so that a compiled
loop serves them all. d is the line of the slip, on the side of a reference direction
that the table gives: forces stay smooth where a slip passes zero, and the guard that
ends the mode there is located on a smooth motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.formulation.contact.delassus import ContactProblem, contact_problem_of
from polhode.formulation.equations import Core, Equations
from polhode.formulation.recursive.recursive import recursive
from polhode.matter.parameter import Table
from polhode.system.contacts import contact_length, names, refuse_supports

if TYPE_CHECKING:
    from polhode.system.system import System

WORDS = ("closed", "sticks", "along", "across", "clearance")
# Share of the mean of W's diagonal by which contacts yield, so that redundant ones
# share the load; iterations remove what it does to the motion.
YIELD = 1e-9
# Of the greatest: what a sticking contact counts that can hold less, see `decide`.
WEAKEST = 1e-3
ITERATIONS = 4
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


def mode_names(system: System) -> list[str]:
    """The names of the numbers that say the modes, in a table of parameters."""
    return [f"{word} of {name}" for name in names(system) for word in WORDS]


def has_modes(system: System, table: Table) -> bool:
    """Whether a table holds modes: a method that steps through contacts has none."""
    return bool(system.supports) and mode_names(system)[0] in table


def modes_in(system: System, table: Table) -> Modes:
    """The modes that a table holds; traced or not.

    Refused where a question about a motion or its equations knows of no modes.
    """
    if not all(name in table for name in mode_names(system)):
        refuse_supports(system, "This question")
    columns = [
        jnp.stack([1.0 * jnp.asarray(table[f"{w} of {n}"]) for n in names(system)])
        for w in WORDS
    ]
    direction = jnp.stack(columns[2:4], axis=1)
    return Modes(columns[0], columns[1], direction, columns[4])


def table_with(system: System, modes: Modes) -> dict[str, float]:
    """Modes as numbers of a table."""
    each = np.column_stack([np.asarray(part) for part in modes]).reshape(-1)
    return dict(zip(mode_names(system), map(float, each), strict=True))


class ModeForces(NamedTuple):
    """Contact forces r (n, 3) in contact axes, u' (n, 3), and the pivots (n,)."""

    force: Any
    acceleration: Any
    pivot: Any


def mode_forces(problem: ContactProblem, modes: Modes) -> ModeForces:
    """The forces of contacts that keep their modes.

    Unknowns are (N, T1, T2) where a contact sticks and N alone where it slides. The
    rest are kept at zero by rows of their own, so that the shape never changes.
    """
    W, rows = problem.delassus, problem.rows
    n = len(rows.gap)
    d = slip_direction(rows.velocity[:, 1:], modes.direction)
    sliding = modes.closed * (1 - modes.sticks)
    # T of a sliding contact follows its N: its columns of W are added to that of N.
    T = -(sliding * rows.dynamic)[:, None] * d
    each = W.reshape(3 * n, n, 3)
    pushed = each[:, :, 0] + each[:, :, 1] * T[:, 0] + each[:, :, 2] * T[:, 1]
    coupled = jnp.concatenate([pushed[:, :, None], each[:, :, 1:]], axis=2)
    held = modes.closed * modes.sticks
    mask = jnp.stack([modes.closed, held, held], axis=1).reshape(-1)
    S = mask[:, None] * coupled.reshape(3 * n, 3 * n) * mask
    size = jnp.sum(mask * jnp.diagonal(W)) / jnp.maximum(jnp.sum(mask), 1.0)
    right = -mask * problem.free

    def solved(share: Any) -> Any:
        """Unknowns (n, 3), of which redundant ones are as large as their shares."""
        given = YIELD * size / share
        matrix = S + jnp.diag((1 - mask) * (size + (size == 0)) + mask * given)
        solve = unsymmetric_solver(matrix)
        x = solve(right)
        for _ in range(ITERATIONS):
            x = x + solve(right - S @ x)
        return (mask * x).reshape(n, 3)

    x = solved(jnp.ones(3 * n))
    if n > 1:
        x = solved(_capacities(held * rows.static * x[:, 0], held))
    r = x.at[:, 1:].add(T * x[:, :1])
    u_dot = (W @ r.reshape(-1) + problem.free).reshape(n, 3)
    pivot = pivots(W, rows.dynamic, d, modes)
    return ModeForces(r, u_dot, pivot)


def _capacities(holds: Any, held: Any) -> Any:
    """Shares (3n,) of redundant unknowns: of friction, what each contact can hold."""
    most = jnp.max(holds)
    share = jnp.maximum(holds / jnp.where(most > 0, most, 1.0), WEAKEST)
    share = jnp.where(held > 0, share, 1.0)
    return jnp.stack([jnp.ones_like(share), share, share], axis=1).reshape(-1)


def pivots(W: Any, mu: Any, d: Any, modes: Modes) -> Any:
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


def unsymmetric_solver(matrix: Any) -> Any:
    """b -> x with matrix x = b; pivots are on the diagonal.

    Loops over rows: of two dozen rows straight code would take a minute to compile.
    """
    k = matrix.shape[0]
    below, above = jnp.asarray(np.tri(k, k=-1)), jnp.asarray(np.tri(k, k=-1).T)

    def eliminate(j: Any, lu: Any) -> Any:
        factors = below[:, j] * lu[:, j] / lu[j, j]
        rest = lu - factors[:, None] * (above[j] * lu[j])[None, :]
        return rest.at[:, j].set(jnp.where(below[:, j] > 0, factors, rest[:, j]))

    lu = lax.fori_loop(0, k, eliminate, matrix)

    def solve(b: Any) -> Any:
        def forward(j: Any, y: Any) -> Any:
            return y - below[:, j] * lu[:, j] * y[j]

        def backward(i: Any, x: Any) -> Any:
            j = k - 1 - i
            x_j = x[j] / lu[j, j]
            return (x - above[:, j] * lu[:, j] * x_j).at[j].set(x_j)

        y = lax.fori_loop(0, k, forward, b)
        return lax.fori_loop(0, k, backward, y)

    return solve


def contact_equations(system: System) -> Equations:
    """The equations of a system with supports, modes in the table of parameters."""
    if "contact equations" not in system.compiled:
        system.compiled["contact equations"] = _contact_equations(system)
    return system.compiled["contact equations"]


def _contact_equations(system: System) -> Equations:
    base = recursive(system.without_supports).functions
    contact_length(system)  # measured now: inside a trace is too late

    def accelerations(t: Any, q: Any, z: Any, table: Table) -> tuple[Any, Any]:
        problem = contact_problem_of(system, t, q, z, table)
        r = mode_forces(problem, modes_in(system, table)).force.reshape(-1)
        z_dot = problem.acceleration + problem.speeds @ r
        return z_dot, problem.intensities + problem.reactions @ r

    core = Core(
        start=base.start,
        speeds=base.start,
        rates=base.rates,
        terms=base.terms,
        accelerations=accelerations,
        bodies=base.bodies,
        along=base.along,
        joint_wrenches=base.joint_wrenches,
    )
    return Equations(
        "contacts",
        system,
        system.speed_names,
        system.row_names,
        core,
        knows_contacts=True,
    )


GUARDS = ("touches", "opens", "breaks away", "stops", "jams")


def guards(system: System, t: Any, q: Any, z: Any, table: Table) -> Any:
    """(n, 5): what falls through zero where a candidate leaves its mode; traced.

        touches      g + clearance       of open ones
        opens        N                   of closed ones
        breaks away  mu_s N - |T|        of sticking ones
        stops        slip . reference    of sliding ones, with friction
        jams         pivot               of sliding ones, see `pivots`

    1 where a guard does not apply.
    """
    problem = contact_problem_of(system, t, q, z, table)
    modes = modes_in(system, table)
    rows, found = problem.rows, mode_forces(problem, modes)
    N, T = found.force[:, 0], found.force[:, 1:]
    square = jnp.sum(T * T, axis=1)
    size = jnp.sqrt(jnp.where(square > 0, square, 1.0)) * (square > 0)
    is_closed = modes.closed > 0
    slides = is_closed & (modes.sticks == 0) & (rows.dynamic > 0)
    along = jnp.sum(rows.velocity[:, 1:] * modes.direction, axis=1)
    columns = [
        jnp.where(is_closed, 1.0, rows.gap + modes.clearance),
        jnp.where(is_closed, N, 1.0),
        jnp.where(is_closed & (modes.sticks > 0), rows.static * N - size, 1.0),
        jnp.where(slides, along, 1.0),
        jnp.where(slides, found.pivot, 1.0),
    ]
    return jnp.stack(columns, axis=1)
