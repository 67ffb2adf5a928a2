r"""A switch of contacts inside a compiled loop: what they do after a guard has fired.

    impact (if something approaches)  ->  complementarity of accelerations  ->  modes

The fired switch is forced first: at its instant the laws also allow the mode that has
just ended. The same rules as on the host (`switch`), which is
asked where `is_made` does not hold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array
from polhode.formulation.contact.carried import Carried
from polhode.formulation.contact.collide_traced import (
    ImpactOrder,
    TracedLaws,
    TracedStruck,
    collide_traced,
)
from polhode.formulation.contact.decide import OPEN, SLIDES, STICKS
from polhode.formulation.contact.decide_traced import (
    FREE,
    Decided,
    TracedInstant,
    decided_traced,
    unit,
    with_breaking,
)
from polhode.formulation.contact.delassus import ContactProblem, problem_function
from polhode.formulation.contact.instant import STILL, TOUCHES
from polhode.formulation.contact.mode_forces import (
    GUARDS,
    Modes,
    slow_slips,
    without_modes,
)
from polhode.matter.parameter import Table
from polhode.system.contacts import contact_length, laws, strikes
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System

# Of the natural length: a contact that bears nothing and does not part may sink so far
# by rounding before it is asked again.
CLEARANCE = 1e-10
# Of the natural length: a contact that opens so far inside, by the errors of steps, is
# not to be struck there.
SUNK = 1e-13
# Of the natural length: gaps of contacts that settle together with one that chatters.
SETTLED = 1e-7
# A slip that ends is this share of the speed at most; else it has only turned.
STOPPED = 1e-6
# After an impact, of the speed before it: parting, also of one that settles; slipping.
PARTS, PARTS_SETTLED, SLIPS = 1e-9, 1e-6, 1e-10
# Of the free accelerations: an open contact that does not part.
IDLE = 1e-7

TOUCH, OPENING, BREAKING, STOPPING, JAMMING = range(len(GUARDS))


class FiredGuard(NamedTuple):
    """Which guard fired: its candidate (n,) and its kind; none where a run begins.

    settles   whether what touches chatters, and comes to rest
    """

    contact: Any
    kind: Any
    is_begun: Any
    settles: Any


class TracedSwitch(NamedTuple):
    """The speeds and modes from which a run goes on, and the impact there.

    before     (n, 3) velocities before it
    still      (n,) closed contacts without a slip, also those that begin to
    is_struck  whether there was an impact
    """

    z: Any
    modes: Modes
    status: Any
    struck: TracedStruck
    before: Any
    still: Any
    is_struck: Any
    is_made: Any


class _Seen(NamedTuple):
    """What contacts (n,) do at the switch; `guess` of statuses, and those forced."""

    touching: Any
    slipping: Any
    guess: Any
    free: Any
    velocity: Any
    carried: Carried


def switched_traced(
    system: System, state: StateArrays, modes: Modes, fired: FiredGuard,
    table: Table, *, order: str,
) -> TracedSwitch:  # fmt: skip
    """What happens at (t, q, z) in some modes, where a guard has fired."""
    t, q, z = state
    ask, table = problem_function(system), without_modes(table)
    problem: ContactProblem = ask(t, q, z, table)
    rows = problem.rows
    speed = jnp.maximum(jnp.max(jnp.abs(rows.velocity)), contact_length(system))
    seen, approaching = _contact_flags(system, problem, modes, fired, speed)
    is_struck = jnp.any(approaching)
    nothing = _unstruck(rows.velocity)

    def impact(_: object) -> tuple[Any, ...]:
        hit = seen.touching | approaching
        struck = struck_by(system, problem, hit, fired.settles, order=order)
        after = z + problem.speeds @ struck.impulse.reshape(-1)
        later: ContactProblem = ask(t, q, after, table)
        return after, struck, _after(struck, hit, later, fired, speed)

    def none(_: object) -> tuple[Any, ...]:
        return z, nothing, seen

    after, struck, seen = lax.cond(is_struck, impact, none, None)
    struck, seen = TracedStruck(*struck), _Seen(*seen)
    carried = Carried(*seen.carried)
    forced = jnp.where(fired.kind == OPENING, 1.0 * OPEN, 1.0 * SLIDES)
    is_forced = (fired.kind == OPENING) | (fired.kind == BREAKING)
    # Of one that slides it is told only that it is slow, or slow no more.
    is_forced = is_forced & ((fired.kind == OPENING) | (modes.sticks > 0))
    forced = jnp.where(fired.contact & is_forced, forced, FREE)
    slides = (modes.closed > 0) & (modes.sticks == 0) & ~fired.is_begun
    begun = jnp.where(slides[:, None], modes.direction, 0.0)
    slip = jnp.where(seen.slipping[:, None], unit(seen.velocity[:, 1:], 0.0), begun)
    W, mu = problem.delassus, (rows.dynamic, rows.static)
    at = TracedInstant(
        W, seen.free, *mu, seen.touching, seen.slipping, slip, forced, carried
    )
    breaks = fired.contact & is_forced & (fired.kind == BREAKING) & ~seen.slipping
    at = with_breaking(at, breaks)
    found = decided_traced(at, seen.guess)
    is_made = found.is_found & struck.is_good & (fired.kind != JAMMING)
    new = _modes(system, at, found, rows.gap)
    leaves = fired.contact & (fired.kind == BREAKING) & (modes.sticks == 0)
    v = jnp.sqrt(jnp.sum(seen.velocity[:, 1:] ** 2, axis=1)) / contact_length(system)
    was = jnp.where(fired.is_begun, 0.0, modes.slow * modes.closed)
    slides = (found.status == SLIDES) & (at.dynamic > 0)
    new = new._replace(slow=slow_slips(slides, at.slipping, v, was, leaves))
    return TracedSwitch(
        after, new, found.status, struck, rows.velocity,
        new.closed * ~at.slipping, is_struck, is_made,
    )  # fmt: skip


def _contact_flags(
    system: System, problem: ContactProblem, modes: Modes, fired: FiredGuard, speed: Any
) -> tuple[_Seen, Any]:
    """Which contacts touch and slip where a guard fires, and which approach."""
    rows, length = problem.rows, contact_length(system)
    u = rows.velocity
    rate, slips = u[:, 0], jnp.sqrt(jnp.sum(u[:, 1:] ** 2, axis=1))
    near = jnp.where(fired.settles, SETTLED, TOUCHES) * length
    is_near = rows.gap <= near
    closed = (modes.closed > 0) & ~fired.is_begun
    sticks = closed & (modes.sticks > 0)
    is_touch = fired.contact & (fired.kind == TOUCH)
    # A point that is found on its way out, by rounding, stays open.
    ends = rate <= STILL * speed
    touching = (is_near & ends) | closed | (is_touch & (ends | fired.settles))
    # What chatters settles with all that chatter beside it, whichever way they go.
    stills = is_near & (rate <= STOPPED * speed)
    touching = touching | (stills & fired.settles & (fired.kind == TOUCH))
    # A closed contact does not approach: what its rate shows is rounding.
    approaching = (is_near & (rate < -STILL * speed)) | (is_touch & (rate < 0))
    approaching = approaching & ~closed
    # Of a slip that has hardly begun there is no direction but rounding's.
    smooth = closed & (rows.static == 0)
    slipping = ~sticks & ((slips > STILL * speed) | smooth)
    breaks = fired.contact & (fired.kind == BREAKING) & sticks
    slipping = slipping & ~breaks
    # Points of one body stop together, those beside the fired one by rounding.
    stops = fired.kind == STOPPING
    slipping = slipping & (~stops | (slips > STOPPED * speed))
    guess = jnp.where(closed, jnp.where(sticks, STICKS, SLIDES), OPEN)
    guess = jnp.where(stops & closed & ~slipping, STICKS, guess)
    guess = jnp.where(is_touch, STICKS, guess)
    guess = jnp.where(fired.is_begun & touching, STICKS, guess)
    guess = 1.0 * guess
    seen = _Seen(touching, slipping, guess, problem.free, u, problem.carried)
    return seen, approaching


def struck_by(
    system: System, problem: ContactProblem, hit: Any, settles: Any, *, order: str
) -> TracedStruck:
    """The impact of contacts (n,) that are hit; what settles does not rebound."""
    W, rows = problem.delassus, problem.rows
    e = jnp.where(settles, 0.0, rows.restitution)
    rubs = strikes(system)
    mu = (rubs * rows.dynamic, rubs * rows.static)
    own = TracedLaws(*mu, e, jnp.asarray(laws(system)))
    return collide_traced(W, rows.velocity, own, hit, ImpactOrder(order, settles))


def _after(
    struck: TracedStruck, hit: Any, later: ContactProblem, fired: FiredGuard, speed: Any
) -> _Seen:
    """What an impact has stopped or pressed stays; the rest parts."""
    u = struck.velocity
    parts = u[:, 0] > jnp.where(fired.settles, PARTS_SETTLED, PARTS) * speed
    touching = hit & ~parts
    stops = jnp.max(jnp.abs(u[:, 1:]), axis=1) <= SLIPS * speed
    guess = jnp.where(touching, jnp.where(stops, STICKS, SLIDES), OPEN)
    return _Seen(
        touching, touching & ~stops, 1.0 * guess, later.free, later.rows.velocity,
        later.carried,
    )  # fmt: skip


def _unstruck(u: Array) -> TracedStruck:
    none = jnp.zeros(len(u))
    return TracedStruck(
        u, jnp.zeros_like(u), none, none, jnp.zeros(()), jnp.array(True)
    )


def _modes(system: System, at: TracedInstant, found: Decided, gap: Any) -> Modes:
    closed, sticks = 1.0 * (found.status != OPEN), 1.0 * (found.status == STICKS)
    # Open contacts that touch and do not part bear nothing, and are not to be struck.
    idle = at.touching & (found.status == OPEN)
    rate = jnp.max(jnp.abs(at.free))
    idle = idle & (jnp.abs(found.acceleration[:, 0]) <= IDLE * rate)
    clearance = jnp.where(idle, CLEARANCE * contact_length(system), 0.0)
    sunk = (found.status == OPEN) & (gap < -SUNK * contact_length(system))
    clearance = jnp.maximum(clearance, jnp.where(sunk, -gap, 0.0))
    direction = jnp.where(
        jnp.sum(found.direction**2, axis=1, keepdims=True) > 0,
        found.direction,
        np.array([1.0, 0.0]),
    )
    return Modes(closed, sticks, direction, clearance, jnp.zeros_like(closed))
