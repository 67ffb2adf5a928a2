r"""Contact forces while every contact keeps its mode: one program for all modes.

    open      N = T = 0
    sticks    u_N' = 0,  u_T' = 0          N and T are reactions
    slides    u_N' = 0,  T = -mu_d N d     d along the slip; N alone is a reaction

Modes are data, six numbers a candidate in the table of parameters, so that a compiled
loop serves them all. d is the line of the slip, on the side of a reference direction
that the table gives: forces stay smooth where a slip passes zero, and the guard that
ends the mode there is located on a smooth motion.

A slip that begins has no direction yet, or one that friction turns in no time: v stands
under mu_d N/(m |v|), which steps would have to follow. Until it is SLOW, d is the
direction in which it accelerates. What that leaves out is v times the rate at which d
turns. One that ends turns as quickly, and steps would never meet zero itself: from
SLOWEST on it keeps its line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar, namespace, shared
from polhode.formulation.contact.carried import contact_wrenches, settled_forces
from polhode.formulation.contact.delassus import ContactProblem, problem_function
from polhode.formulation.contact.held_forces import (
    Held,
    Onset,
    held_forces,
    masked_solution,
    normal_and_held,
    slip_onset,
)
from polhode.formulation.equations import Core, Equations
from polhode.formulation.questions.reactions import wrenches_by_balance
from polhode.formulation.recursive.recursive import recursive
from polhode.matter.parameter import Table
from polhode.system.contacts import contact_length, refuse_supports, strikes
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System

# The entry of a table that has the modes: six numbers a candidate.
MODES, WIDTH = "modes of contacts", 6
# Held beside them by a run: when contacts struck last, and which guard has fired.
MEMORY = "memory of contacts"
OF_CONTACTS = (MODES, MEMORY)
# Of the accelerations of free contacts: what of those of held ones is rounding.
KEPT = 1e-13
# Of a natural length a second: slips up to which they begin, and from which they end.
# Beside such a one others are near it by these shares.
SLOW, SLOWEST = 1e-5, 1e-6
BELOW, ABOVE, BEYOND = 0.9, 1.1, 2.0
BEGINS, ENDS = 1.0, 2.0
# Slips below (m/s)^2 have no direction of their own.
STILL = 1e-22


class Modes(NamedTuple):
    """The mode of every candidate.

    closed     (n,) 1 where it is pressed, else 0
    sticks     (n,) 1 where a closed one does not slip
    direction  (n, 2) on which side of zero a slip is
    clearance  (n,) m: how far an open one may sink before it counts as touching
    slow       (n,) BEGINS where a slip follows its own acceleration, ENDS where it
               keeps its line to zero, else 0
    """

    closed: Any
    sticks: Any
    direction: Any
    clearance: Any
    slow: Any


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
    return Modes(rows[:, 0], rows[:, 1], rows[:, 2:4], rows[:, 4], rows[:, 5])


def without_modes(table: Table) -> dict[str, Any]:
    """What of a table a contact problem depends on: all but modes."""
    return {name: value for name, value in table.items() if name not in OF_CONTACTS}


def modes_of(column: np.ndarray) -> Modes:
    """The modes in a column (6n,) of numbers, outside a trace."""
    rows = np.asarray(column).reshape(-1, WIDTH)
    return Modes(rows[:, 0], rows[:, 1], rows[:, 2:4], rows[:, 4], rows[:, 5])


def mode_column(modes: Modes) -> Any:
    """Modes as a column (6n,) of numbers; traced or not."""
    xp = namespace(*modes)
    closed, sticks, direction, clearance, slow = modes
    both = (clearance[:, None], slow[:, None])
    parts = (closed[:, None], sticks[:, None], direction, *both)
    return xp.concatenate([xp.asarray(p, float) for p in parts], axis=1).reshape(-1)


def table_with(modes: Modes) -> dict[str, Any]:
    """Modes as an entry of a table of parameters."""
    return {MODES: mode_column(modes)}


def slow_slips(slides: Any, slipping: Any, v: Any, was: Any, leaves: Any) -> Any:
    """Which slips (n,) begin and which end, after a switch.

    v is their size, of a natural length a second; `was` is what they were, and `leaves`
    says of which a guard has told that they are that no more.
    """
    xp = namespace(slides, slipping, v)
    begins = ~slipping | ((was == BEGINS) & (v < BELOW * SLOW) & ~leaves)
    ends = (v <= ABOVE * SLOWEST) & ~(leaves & (was == ENDS))
    slow = xp.where(begins, BEGINS, xp.where(ends, ENDS, 0.0))
    return xp.where(slides, slow, 0.0)


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
    begins = sliding * (modes.slow == BEGINS) * (rows.dynamic > 0)
    guess = jnp.where(modes.slow[:, None] > 0, modes.direction, d)
    T = -(sliding * rows.dynamic)[:, None] * guess
    held = Held(modes.closed, modes.sticks, T, rows.static)
    onset = Onset(begins, guess, rows.dynamic)
    d = slip_onset(W, problem.free, problem.carried, held, onset)
    held = held._replace(T=-(sliding * rows.dynamic)[:, None] * d)
    r, u_dot, is_other = settled_forces(
        W, problem.free, problem.carried, lambda W, c: held_forces(W, c, held)
    )
    return ModeForces(r, u_dot, pivots(W, rows.dynamic, d, modes), is_other > 0)


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
                     SLOW - |slip|       of those whose slip begins
                     |slip| - SLOWEST    of sliding ones, and the other way back
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
    square = jnp.sum(rows.velocity[:, 1:] ** 2, axis=1)
    quick = jnp.sqrt(jnp.where(square > 0, square, 1.0)) * (square > 0)
    length = contact_length(system)
    slides_on = jnp.where(modes.slow == ENDS, BEYOND * SLOWEST * length - quick,
                          quick - SLOWEST * length)  # fmt: skip
    leaves = jnp.where(modes.slow == BEGINS, SLOW * length - quick, slides_on)
    leaves = jnp.where(slides, leaves, 1.0)
    # Where another share was found all hold, those at the edge of their cones too.
    holds = is_closed & ~found.is_other
    columns = [
        jnp.where(is_closed, 1.0, rows.gap + modes.clearance),
        jnp.where(holds, N, 1.0),
        jnp.where(holds & (modes.sticks > 0), rows.static * N - size, leaves),
        jnp.where(slides, along, 1.0),
        jnp.where(slides, found.pivot, 1.0),
    ]
    speed = jnp.maximum(jnp.max(jnp.abs(rows.velocity)), length)
    easiest = jnp.maximum(jnp.max(jnp.diagonal(problem.delassus)), 1e-300)
    force = jnp.maximum(jnp.max(jnp.abs(problem.free)), 1e-300) / easiest
    sizes = jnp.stack([jnp.asarray(length), force, force, speed, jnp.ones(())])
    value = jnp.stack(columns, axis=1)
    return GuardValues(value, jnp.broadcast_to(sizes * np.array(ROUNDED), value.shape))
