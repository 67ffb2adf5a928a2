"""One turn of a compiled loop with events: an attempted step, or changes at an event.

    RUNNING     a step is attempted, and its guards looked at. Where one passes zero
                plainly it is noted; where it stops the run the step is cut there, and
                the run is SWITCHING.
    SWITCHING   the changes that are due are made, and a new segment begins: RUNNING, or
                an end. Which guards have fired stands in their sides: +-FIRED, by the
                way in which they went, +-GRAZED for one that touched zero.
    NEEDS_HOST  the last step, or the change, is not plain: the host looks (`handle`)

A step that is cut leaves one row and its changes another, each of a turn of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar, shared
from polhode.integrate.events.cut_step import along, cut
from polhode.integrate.events.event_change import change_turn, sample_turn_with_guards
from polhode.integrate.events.event_run import (
    FIRED,
    GuardArrays,
    Turn,
    TurnContext,
)
from polhode.integrate.events.functions import Ends, values_of
from polhode.integrate.events.limits import (
    NONE,
    SHARP,
    SHORTER,
    Fallen,
    Limits,
    LimitValues,
    fallen,
)
from polhode.integrate.events.locate import PARTS
from polhode.integrate.events.locate_traced import (
    NOWHERE,
    Looks,
    Zeros,
    is_quiet,
    zeros,
)
from polhode.integrate.events.occurrence_buffer import (
    ROWS,
    Happening,
    OccurrenceBuffer,
    add_row,
    empty_buffer,
)
from polhode.integrate.events.switch import Switch, guards_of
from polhode.integrate.events.times import INSTANT
from polhode.integrate.field.vector_field import Field, field_of
from polhode.integrate.kernel import step_size
from polhode.integrate.kernel.arrival import chosen
from polhode.integrate.kernel.attempt import advance_of
from polhode.integrate.kernel.sample_instant import is_due, leg_ended
from polhode.integrate.kernel.status import (
    DONE,
    NEEDS_HOST,
    RUNNING,
    SWITCHING,
)
from polhode.integrate.kernel.stepper_state import (
    Rows,
    RunBounds,
    StepperState,
    row_of_attempt,
)
from polhode.integrate.methods.projection import settling
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System

Stepping = Callable[[StepperState, OccurrenceBuffer, RunBounds, Any, Any], Turn]


class Watched(NamedTuple):
    """The switches and limits of runs, and their inputs.

    has_modes   whether some of the held values are modes
    limits      of a law whose modes they are, if there is one
    """

    switches: tuple[Switch, ...]
    drive: Drive
    has_modes: bool = False
    limits: Limits | None = None

    @property
    def is_needed(self) -> bool:
        """Whether there is anything to watch for."""
        return bool(self.switches) or self.limits is not None

    @property
    def guards(self) -> int:
        """How many guards there are; limits are one more, as one at a time falls."""
        return len(guards_of(self.switches)) + (self.limits is not None)

    @property
    def key(self) -> tuple[Any, ...]:
        """What compiled programs depend on."""
        acts = tuple(switch.acts for switch in self.switches)
        own = () if self.limits is None else self.limits.key
        return (*acts, self.drive.key, self.has_modes, *own)

    @property
    def records(self) -> int:
        """Numbers that are recorded of an occurrence beside its states."""
        own = [] if self.limits is None else [self.limits.records]
        return max([switch.records for switch in self.switches] + own)

    def buffer(self, system: System, rows: int = ROWS) -> OccurrenceBuffer:
        """An empty buffer, inside a trace."""
        records = self.records
        held = self.drive.width if self.has_modes else 0
        state = system.coordinates + system.speeds
        return empty_buffer(self.guards, state, held + records, rows)


def stepping(equations: Equations, method: Method, watched: Watched) -> Stepping:
    """(stepper state, buffer, bounds, table, step) -> Turn, of a run that goes on.

    `step` is that of a method of fixed step (s).
    """
    switches, drive, has_modes, limits = watched
    advance = advance_of(method)
    guards = GuardArrays(switches)
    value = values_of(equations, switches, drive)

    def turn(
        stepper_state: StepperState,
        buffer: OccurrenceBuffer,
        bounds: RunBounds,
        table: Table,
        step: Any,
    ) -> Turn:
        # Held values, modes among them, are those of this turn.
        def field(held: Any) -> Field:
            return field_of(equations, {**table, **drive.unpacked(held)}, drive.driven)

        given = (bounds, table, step, drive, has_modes, limits)
        run = TurnContext(equations, method, guards, field, value, *given)

        def attempt(given: tuple[StepperState, OccurrenceBuffer]) -> Turn:
            before, buffer = given
            own = settling(field(before.held), method)
            after, row = advance(own, method, bounds, before)
            turn = _test_guards(run, before, after, row, buffer)
            if not drive.samplers:
                return turn
            return turn._replace(stepper_state=leg_ended(turn.stepper_state, bounds))

        def change(given: tuple[StepperState, OccurrenceBuffer]) -> Turn:
            return change_turn(run, *given)

        def sample(given: tuple[StepperState, OccurrenceBuffer]) -> Turn:
            return sample_turn_with_guards(run, *given)

        def go_on(given: tuple[StepperState, OccurrenceBuffer]) -> Turn:
            if not drive.samplers:
                return attempt(given)
            return Turn(*lax.cond(is_due(given[0], bounds), sample, attempt, given))

        is_changed = stepper_state.status == SWITCHING
        return Turn(*lax.cond(is_changed, change, go_on, (stepper_state, buffer)))

    return turn


# ------------------------------------------------------------------ after a step


def _test_guards(
    run: TurnContext,
    before: StepperState,
    after: StepperState,
    row: Rows,
    buffer: OccurrenceBuffer,
) -> Turn:
    """A step after its guards were looked at, or one to be taken again."""
    ends = Ends(
        before.t, row.t - before.t, (before.x, before.x_dot), (row.x, row.x_dot),
        row.dense,
    )  # fmt: skip
    is_reached = (after.status == RUNNING) | (after.status == DONE)
    seen = row.accepted & is_reached
    fall = _first_limit(run, ends, before, seen)
    turn = Turn(after, row, buffer)
    if run.limits is None:
        return _watched(run, ends, before, turn, fall=fall, seen=seen)
    again = fall.is_hidden & seen
    again = again & (jnp.abs(ends.h) > run.limits.shortest(run.drive, before.held))

    def shorten(turn: Turn) -> Turn:
        shorter = before._replace(h=SHORTER * ends.h, rejected=before.rejected + 1)
        row = turn.row._replace(accepted=jnp.zeros_like(turn.row.accepted))
        return Turn(shorter, row, turn.buffer)

    def go_on(turn: Turn) -> Turn:
        return _watched(run, ends, before, turn, fall=fall, seen=seen)

    return Turn(*lax.cond(again, shorten, go_on, turn))


def _watched(
    run: TurnContext,
    ends: Ends,
    before: StepperState,
    turn: Turn,
    *,
    fall: Fallen,
    seen: Any,
) -> Turn:
    """A step in which the limits that fall and the guards that pass zero are found."""
    after, row, buffer = turn
    if not run.guards.count:
        return _cut_at_limit(run, ends, before, turn, fall)
    look = _look(run, ends, before.held)
    each = [look(jnp.asarray(s)) for s in np.linspace(0.0, 1.0, PARTS + 1)]
    g, d = (jnp.stack(part) for part in zip(*each, strict=True))
    doubts = []
    for at in (before, Rows(*row)):
        instant = INSTANT * jnp.maximum(jnp.abs(at.t), jnp.abs(ends.h))
        place = (at.t, at.x, at.x_dot)
        doubts.append(run.weigh(place, instant, before.held)[2])
    doubt = jnp.maximum(*doubts)
    band = doubt * (before.accepted + 1)
    looks = Looks(g, d, doubt, doubts[1], band, before.sides)
    clear = (2 * jnp.sign(g[-1])).astype(before.sides.dtype)
    quiet = is_quiet(looks) & ~(2 * jnp.abs(ends.h) > PARTS * run.guards.spacing)
    quiet = quiet & ~(fall.s < NOWHERE)
    passed = after._replace(sides=jnp.where(seen, clear, before.sides))

    def closely(given: Turn) -> Turn:
        step = _Step(run, ends, look, before, fall)
        return _examine_step(step, given, looks)

    turn = Turn(passed, row, buffer)
    return Turn(*lax.cond(seen & ~quiet, closely, lambda turn: turn, turn))


def _first_limit(
    run: TurnContext, ends: Ends, before: StepperState, seen: Any
) -> Fallen:
    """The first limit that falls in a step that was accepted."""
    none = jnp.zeros((), bool)
    nothing = Fallen(jnp.asarray(NOWHERE), jnp.asarray(NONE), none)
    limits = run.limits
    if limits is None:
        return nothing
    system, n = run.equations.system, run.equations.system.coordinates

    @shared
    def look(s: Scalar) -> LimitValues:
        t, x = ends.t + s * ends.h, along(ends, s)
        q = system.normalised(x[:n]) if system.coordinates != system.speeds else x[:n]
        whole = run.drive.table(t, q, x[n:], run.table, before.held)
        return limits.values(t, q, x[n:], whole)

    later = jnp.maximum(jnp.abs(ends.t), jnp.abs(ends.t + ends.h))
    sharp = SHARP * jnp.maximum(later / jnp.where(seen, jnp.abs(ends.h), 1.0), 1.0)

    def search(_: object) -> Fallen:
        return fallen(look, sharp)

    found = Fallen(*lax.cond(seen, search, lambda _: nothing, None))
    # A time that does not advance is the start of the step.
    same = ends.t + found.s * ends.h == ends.t
    return found._replace(s=jnp.where(same, 0.0, found.s))


def _cut_at_limit(
    run: TurnContext, ends: Ends, before: StepperState, turn: Turn, fall: Fallen
) -> Turn:
    """A step cut where a limit falls; there are no guards."""
    step = _Step(run, ends, None, before, fall)
    t = jnp.where(fall.s == 1, turn.row.t, ends.t + fall.s * ends.h)
    none = jnp.zeros(0, bool)
    stop = _Stop(t, fall.s, jnp.array(True), none, fall.number)

    def halt(_: object) -> tuple[StepperState, Rows]:
        return _cut(step, before.sides, stop)

    def on(_: object) -> tuple[StepperState, Rows]:
        return turn.stepper_state, turn.row

    kept = lax.cond(fall.s < NOWHERE, halt, on, None)
    return Turn(StepperState(*kept[0]), Rows(*kept[1]), turn.buffer)


def _look(run: TurnContext, ends: Ends, held: Any) -> Callable[[Any], tuple[Any, Any]]:
    """s -> g and dg/ds at a share of a step; written once in a program."""

    def at(s: Scalar) -> Any:
        return run.value(ends.t + s * ends.h, along(ends, s), run.table, held)

    return shared(lambda s: jax.jvp(at, (s,), (jnp.ones_like(s),)))


class _Step(NamedTuple):
    """A step that is looked at closely."""

    run: TurnContext
    ends: Ends
    look: Any
    before: StepperState
    fall: Fallen


class _Stop(NamedTuple):
    """The first guards that stop the run: when, where in the step, which (e,).

    limit   the number of the limit that has fallen there, or NONE
    """

    t: Any
    s: Any
    is_met: Any
    fired: Any
    limit: Any


def _examine_step(step: _Step, turn: Turn, looks: Looks) -> Turn:
    """A step that may hold an event: noted, cut, or left to the host."""
    run, ends, before = step.run, step.ends, step.before
    after, row, buffer = turn
    guards, stop_time = run.guards, run.bounds.stop
    found = zeros(step.look, looks)
    ways = -jnp.sign(before.sides)
    counts = (guards.direction == 0) | (guards.direction == ways)
    is_met = (found.s < NOWHERE) & counts
    times = jnp.where(found.s == 1, row.t, ends.t + found.s * ends.h)
    stop = _first_stop(step, is_met, found.s, times)
    # A limit that falls at the very start leaves guards no time to pass.
    at_once = step.fall.s == 0
    is_plain = found.is_plain & ~jnp.any(stop.fired & guards.untraced)
    is_plain = is_plain & ~(2 * jnp.abs(ends.h) > PARTS * guards.spacing)
    # Where time hardly advances, or a zero may lie at the very start or end.
    short = INSTANT * jnp.maximum(jnp.abs(row.t), jnp.abs(ends.h))
    is_plain = is_plain & (jnp.abs(ends.h) > short) & jnp.all(found.s > 0)
    is_end = (after.status == DONE) & (after.t_end == stop_time)
    near = jnp.abs(looks.g[-1]) <= looks.at_end
    is_plain = is_plain & ~(is_end & jnp.any(near & (jnp.abs(found.sides) == 2)))
    # Samples that are due at the same instant are the host's.
    left = jnp.abs(after.t_end - stop.t)
    is_due = (
        stop.is_met & (after.t_end != stop_time) & (left <= INSTANT * jnp.abs(stop.t))
    )
    is_plain = (is_plain & ~is_due) | at_once
    earlier = is_met & ~stop.fired & (~stop.is_met | (found.s < stop.s)) & is_plain
    buffer = _note_zeros(step, buffer, jnp.where(earlier, found.s, NOWHERE), ways)
    watched = after._replace(
        sides=jnp.where(is_plain, found.sides, before.sides),
        status=jnp.where(is_plain, after.status, NEEDS_HOST),
    )

    def halt(_: object) -> tuple[StepperState, Rows]:
        return _cut(step, _sides_at(step, looks, found, stop), stop)

    # The host knows of no limits: a step that ends before them is made for it.
    has_limit = (step.fall.s < NOWHERE) & ~is_plain
    shorter = before._replace(h=step.fall.s * ends.h / 2, rejected=before.rejected + 1)
    watched = chosen(has_limit, shorter, watched)
    row = row._replace(accepted=row.accepted & ~has_limit)
    kept = lax.cond(stop.is_met & is_plain, halt, lambda _: (watched, row), None)
    return Turn(StepperState(*kept[0]), Rows(*kept[1]), buffer)


def _first_stop(step: _Step, is_met: Any, s: Scalar, times: Array) -> _Stop:
    guards, h, fall = step.run.guards, step.ends.h, step.fall
    stops = jnp.where(is_met & guards.stops, s, NOWHERE)
    k = jnp.argmin(stops)
    is_limit = (fall.s < NOWHERE) & (fall.s <= stops[k])
    there = jnp.where(fall.s == 1, step.ends.t + h, step.ends.t + fall.s * h)
    t = jnp.where(is_limit, there, times[k])
    close = INSTANT * jnp.maximum(jnp.abs(t), jnp.abs(h))
    has = (stops[k] < NOWHERE) | is_limit
    # What is met at one instant is met together.
    fired = has & is_met & (jnp.abs(times - t) <= close) & ~(is_limit & (fall.s == 0))
    first = jnp.where(is_limit, fall.s, stops[k])
    return _Stop(t, first, has, fired, jnp.where(is_limit, fall.number, NONE))


def _note_zeros(step: _Step, buffer: OccurrenceBuffer, s: Scalar, ways: Any) -> Any:
    """Guards that are only watched, in the order of their times."""
    run, ends, held = step.run, step.ends, step.before.held

    def note(carry: tuple[Any, OccurrenceBuffer]) -> tuple[Any, OccurrenceBuffer]:
        s, buffer = carry
        k = jnp.argmin(s)
        t = jnp.where(s[k] == 1, ends.t + ends.h, ends.t + s[k] * ends.h)
        x = run.field(held).settled(t, along(ends, s[k]))
        state = run.column(held, t, x)
        what = Happening(t, k, ways[k], 0, 0, state, state, run.modes(held))
        is_this = jnp.arange(run.guards.count) == k
        return jnp.where(is_this, NOWHERE, s), OccurrenceBuffer(*add_row(buffer, what))

    return lax.while_loop(lambda c: jnp.any(c[0] < NOWHERE), note, (s, buffer))[1]


def _sides_at(step: _Step, looks: Looks, found: Zeros, stop: _Stop) -> Any:
    """Sides of all guards where a step is cut."""
    run, ends, before = step.run, step.ends, step.before
    x, x_dot, _ = cut(ends, stop.s)
    g, _, doubt = run.weigh(
        (stop.t, x, x_dot),
        INSTANT * jnp.maximum(jnp.abs(stop.t), jnp.abs(stop.s * ends.h)),
        before.held,
    )
    ways = -jnp.sign(before.sides)
    places = np.linspace(0.0, 1.0, PARTS + 1)[:, None]
    was_clear = (looks.g * -ways > looks.doubt) & (places <= stop.s) & (places > 0)
    same = jnp.where(jnp.any(was_clear, axis=0), -2 * ways, before.sides)
    near = jnp.where(found.s <= stop.s, ways, same)
    sides = jnp.where(jnp.abs(g) > doubt, 2 * jnp.sign(g).astype(near.dtype), near)
    sides = jnp.where(stop.fired, FIRED * ways, sides)
    return jnp.where(stop.s > 0, sides, before.sides)


def _cut(step: _Step, sides: Any, stop: _Stop) -> tuple[StepperState, Rows]:
    """The step up to the guards that stop the run, and the stepper state there."""
    run, ends, before = step.run, step.ends, step.before
    x, x_dot, dense = cut(ends, stop.s)
    x = run.field(before.held).settled(stop.t, x)
    # A segment may end just after it began; a step must still advance the time.
    h = jnp.sign(ends.h) * jnp.maximum(jnp.abs(ends.h), 1e3 * run.bounds.least)
    held = before.held
    if run.limits is not None:
        held = run.limits.with_fired(run.drive, held, stop.limit)
    due = before._replace(
        held=held,
        sides=sides.astype(before.sides.dtype),
        status=jnp.full_like(before.status, SWITCHING),
    )
    after = due._replace(
        t=stop.t,
        x=x,
        x_dot=x_dot,
        h=h,
        accepted=before.accepted + 1,
        memory=jnp.full_like(before.memory, step_size.FIRST_MEMORY),
        tried=jnp.zeros_like(before.tried),
    )
    row = row_of_attempt(after, jnp.ones((), bool), dense)
    if run.limits is None:
        return after, row
    # A limit that has fallen where the step began leaves no row.
    moves = stop.s > 0
    return chosen(moves, after, due), row._replace(accepted=moves)
