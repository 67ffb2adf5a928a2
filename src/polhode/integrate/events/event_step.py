"""One turn of a compiled loop with events: an attempted step, or changes at an event.

    RUNNING     a step is attempted, and its guards looked at. Where one passes zero
                plainly it is noted; where it stops the run the step is cut there, and
                the run is SWITCHING.
    SWITCHING   the changes that are due are made, and a new leg begins: RUNNING, or an
                end. Which guards have fired stands in their sides: +-FIRED, by the way
                in which they went, +-GRAZED for one that touched zero.
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

from polhode.arrays import shared
from polhode.integrate.events.cut_step import along, cut
from polhode.integrate.events.functions import Ends, values_of, weighing
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
    added,
    empty_buffer,
)
from polhode.integrate.events.switch import Switch, guards_of
from polhode.integrate.events.times import ACCUMULATION, INSTANT, ROUNDED
from polhode.integrate.field.constraint_violation import keeps_constraints
from polhode.integrate.field.vector_field import Field, field_of, with_states_of
from polhode.integrate.kernel import step_size
from polhode.integrate.kernel.chunk import Rows, RunBounds, StepperState, advance_of
from polhode.integrate.kernel.status import (
    DONE,
    EVENT,
    NEEDS_HOST,
    NOT_A_NUMBER,
    RUNNING,
    SWITCHING,
    ZENO,
)
from polhode.integrate.methods.projection import settling

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System

# Sides of guards whose changes are due.
FIRED, GRAZED = 4, 5
# Quaternions that a change may leave so far from length one, and the host as well.
UNIT_LENGTH = 1e-3


class Turn(NamedTuple):
    """What a turn of the loop leaves: the cursor, a row (accepted or not), and what
    happened so far."""

    stepper_state: StepperState
    row: Rows
    buffer: OccurrenceBuffer


Stepping = Callable[[StepperState, OccurrenceBuffer, RunBounds, Any, Any], Turn]


class Watched(NamedTuple):
    """What runs are watched for, and what they are fed.

    has_modes   whether some of the held values are modes
    """

    switches: tuple[Switch, ...]
    drive: Drive
    has_modes: bool = False

    @property
    def guards(self) -> int:
        """How many guards there are."""
        return len(guards_of(self.switches))

    @property
    def key(self) -> tuple[Any, ...]:
        """What compiled programs depend on."""
        acts = tuple(switch.acts for switch in self.switches)
        return (*acts, self.drive.key, self.has_modes)

    def buffer(self, system: System, rows: int = ROWS) -> OccurrenceBuffer:
        """An empty buffer, inside a trace."""
        records = max(switch.records for switch in self.switches)
        held = self.drive.width if self.has_modes else 0
        state = system.coordinates + system.speeds
        return empty_buffer(self.guards, state, held + records, rows)


def stepping(equations: Equations, method: Method, watched: Watched) -> Stepping:
    """(cursor, buffer, plan, table, step) -> Turn, of a run that goes on; traced.

    `step` is that of a method of fixed step (s).
    """
    switches, drive, has_modes = watched
    advance = advance_of(method)
    guards = _Guards(switches)
    value = values_of(equations, switches, drive)

    def turn(
        stepper_state: StepperState,
        buffer: OccurrenceBuffer,
        bounds: RunBounds,
        table: Any,
        step: Any,
    ) -> Turn:
        # Held values, modes among them, are those of this turn.
        def field(held: Any) -> Field:
            return field_of(equations, {**table, **drive.unpacked(held)}, drive.driven)

        given = (bounds, table, step, drive, has_modes)
        run = _Run(equations, method, guards, field, value, *given)

        def attempt(given: tuple[StepperState, OccurrenceBuffer]) -> Turn:
            before, buffer = given
            own = settling(field(before.held), method)
            after, row = advance(own, method, bounds, before)
            return _attempted(run, before, after, row, buffer)

        def change(given: tuple[StepperState, OccurrenceBuffer]) -> Turn:
            return _switched(run, *given)

        is_due = stepper_state.status == SWITCHING
        return Turn(*lax.cond(is_due, change, attempt, (stepper_state, buffer)))

    return turn


class _Guards:
    """What all guards say of themselves, as arrays (e,)."""

    def __init__(self, switches: tuple[Switch, ...]):
        each = guards_of(switches)
        self.switches = switches
        self.count = len(each)
        self.direction = np.array([g.direction for g in each], np.int64)
        self.stops = np.array([g.stops for g in each], bool)
        self.terminal = np.array([g.terminal for g in each], bool)
        self.spacing = min(g.spacing for g in each)
        traced = [s.change is not None for s in switches for _ in s.guards]
        changes = [g.reset is not None for g in each]
        self.changes = np.array(changes, bool)
        # Plain Python: the host is asked.
        self.untraced = self.changes & ~np.array(traced, bool)


class _Run(NamedTuple):
    """What the turns of one run share, inside a trace."""

    equations: Equations
    method: Method
    guards: _Guards
    field: Callable[[Any], Field]
    value: Callable[[Any, Any, Any, Any], Any]
    bounds: RunBounds
    table: Any
    step: Any
    drive: Drive
    has_modes: bool

    def weigh(self, at: Any, instant: Any, held: Any) -> tuple[Any, Any, Any]:
        """g, its rate and the doubt about it at (t, x, slope)."""
        row, allowed = (*at[:3], instant), (self.bounds.rtol, self.bounds.atol)
        return weighing(self.value)(row, allowed, self.table, held)

    def modes(self, held: Any) -> Any:
        """What a row of the buffer has of the held values."""
        return held if self.has_modes else jnp.zeros(0)

    def column(self, held: Any, t: Any, x: Any) -> Any:
        """[q; z] of x = [q; y]."""
        n = self.equations.system.coordinates
        speeds = self.equations.functions.speeds
        table = {**self.table, **self.drive.unpacked(held)}
        return jnp.concatenate(
            [x[:n], 1.0 * jnp.asarray(speeds(t, x[:n], x[n:], table))]
        )


# ------------------------------------------------------------------ after a step


def _attempted(
    run: _Run,
    before: StepperState,
    after: StepperState,
    row: Rows,
    buffer: OccurrenceBuffer,
) -> Turn:
    """A step after its guards were looked at."""
    ends = Ends(
        before.t, row.t - before.t, (before.x, before.x_dot), (row.x, row.x_dot),
        row.dense,
    )  # fmt: skip
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
    is_reached = (after.status == RUNNING) | (after.status == DONE)
    seen = row.accepted & is_reached
    clear = (2 * jnp.sign(g[-1])).astype(before.sides.dtype)
    quiet = is_quiet(looks) & ~(2 * jnp.abs(ends.h) > PARTS * run.guards.spacing)
    passed = after._replace(sides=jnp.where(seen, clear, before.sides))

    def closely(given: Turn) -> Turn:
        step = _Step(run, ends, look, before)
        return _examined(step, given, looks)

    turn = Turn(passed, row, buffer)
    return Turn(*lax.cond(seen & ~quiet, closely, lambda turn: turn, turn))


def _look(run: _Run, ends: Ends, held: Any) -> Callable[[Any], tuple[Any, Any]]:
    """s -> g and dg/ds at a share of a step; written once in a program."""

    def at(s: Any) -> Any:
        return run.value(ends.t + s * ends.h, along(ends, s), run.table, held)

    return shared(lambda s: jax.jvp(at, (s,), (jnp.ones_like(s),)))


class _Step(NamedTuple):
    """A step that is looked at closely."""

    run: _Run
    ends: Ends
    look: Callable[[Any], tuple[Any, Any]]
    before: StepperState


class _Stop(NamedTuple):
    """The first guards that stop the run: when, where in the step, which (e,)."""

    t: Any
    s: Any
    is_met: Any
    fired: Any


def _examined(step: _Step, turn: Turn, looks: Looks) -> Turn:
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
    is_plain = is_plain & ~is_due
    earlier = is_met & ~stop.fired & (~stop.is_met | (found.s < stop.s)) & is_plain
    buffer = _noted(step, buffer, jnp.where(earlier, found.s, NOWHERE), ways)
    watched = after._replace(
        sides=jnp.where(is_plain, found.sides, before.sides),
        status=jnp.where(is_plain, after.status, NEEDS_HOST),
    )

    def halt(_: Any) -> tuple[StepperState, Rows]:
        return _cut(step, looks, found, stop)

    kept = lax.cond(stop.is_met & is_plain, halt, lambda _: (watched, row), None)
    return Turn(StepperState(*kept[0]), Rows(*kept[1]), buffer)


def _first_stop(step: _Step, is_met: Any, s: Any, times: Any) -> _Stop:
    guards, h = step.run.guards, step.ends.h
    stops = jnp.where(is_met & guards.stops, s, NOWHERE)
    k = jnp.argmin(stops)
    t = times[k]
    close = INSTANT * jnp.maximum(jnp.abs(t), jnp.abs(h))
    has = stops[k] < NOWHERE
    # What is met at one instant is met together.
    return _Stop(t, stops[k], has, has & is_met & (jnp.abs(times - t) <= close))


def _noted(step: _Step, buffer: OccurrenceBuffer, s: Any, ways: Any) -> Any:
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
        return jnp.where(is_this, NOWHERE, s), OccurrenceBuffer(*added(buffer, what))

    return lax.while_loop(lambda c: jnp.any(c[0] < NOWHERE), note, (s, buffer))[1]


def _cut(
    step: _Step, looks: Looks, found: Zeros, stop: _Stop
) -> tuple[StepperState, Rows]:
    """The step up to the guards that stop the run, and the cursor there."""
    run, ends, before = step.run, step.ends, step.before
    x, x_dot, dense = cut(ends, stop.s)
    g, _, doubt = run.weigh(
        (stop.t, x, x_dot),
        INSTANT * jnp.maximum(jnp.abs(stop.t), jnp.abs(stop.s * ends.h)),
        before.held,
    )
    x = run.field(before.held).settled(stop.t, x)
    ways = -jnp.sign(before.sides)
    places = np.linspace(0.0, 1.0, PARTS + 1)[:, None]
    was_clear = (looks.g * -ways > looks.doubt) & (places <= stop.s) & (places > 0)
    same = jnp.where(jnp.any(was_clear, axis=0), -2 * ways, before.sides)
    near = jnp.where(found.s <= stop.s, ways, same)
    sides = jnp.where(jnp.abs(g) > doubt, 2 * jnp.sign(g).astype(near.dtype), near)
    sides = jnp.where(stop.fired, FIRED * ways, sides)
    # A leg may end just after it began; a step must still advance the time.
    h = jnp.sign(ends.h) * jnp.maximum(jnp.abs(ends.h), 1e3 * run.bounds.least)
    after = before._replace(
        t=stop.t,
        x=x,
        x_dot=x_dot,
        h=h,
        accepted=before.accepted + 1,
        memory=jnp.full_like(before.memory, step_size.FIRST_MEMORY),
        tried=jnp.zeros_like(before.tried),
        sides=sides.astype(before.sides.dtype),
        status=jnp.full_like(before.status, SWITCHING),
    )
    return after, Rows(jnp.ones((), bool), stop.t, x, x_dot, dense)


# ------------------------------------------------------------------ changes


class _Changed(NamedTuple):
    """A state [q; z] on its way through the changes of one instant."""

    state: Any
    held: Any
    buffer: OccurrenceBuffer


def _switched(run: _Run, here: StepperState, buffer: OccurrenceBuffer) -> Turn:
    """The changes that are due, one after the other, and the leg from there."""
    guards, system = run.guards, run.equations.system
    fired = jnp.abs(here.sides) >= FIRED
    ways = jnp.sign(here.sides) * fired
    grazing = fired & (jnp.abs(here.sides) == GRAZED)
    now = _Changed(run.column(here.held, here.t, here.x), here.held, buffer)
    first = 0
    for switch in guards.switches:
        own = slice(first, first + len(switch.guards))
        now = _changed(run, here.t, now, switch, (first, ways[own], grazing[own]))
        first = own.stop
    turned = grazing | guards.changes
    sides = jnp.where(fired, jnp.where(turned, -ways, ways), here.sides)
    here = here._replace(sides=sides, stiff=jnp.zeros_like(here.stiff))
    is_changed = jnp.any(fired & guards.changes)
    ended = here._replace(status=jnp.full_like(here.status, EVENT))
    nothing = jnp.zeros((run.method.dense_terms, *here.x.shape))
    q, z = now.state[: system.coordinates], now.state[system.coordinates :]
    is_state = jnp.all(jnp.isfinite(now.state)) & _is_unit(system, q)
    if system.coordinates != system.speeds:
        q = system.normalised(q)
    leg, is_kept = _begun(run, here, (q, z), now.held, fired)
    good = is_state & is_kept
    # The host makes them again, and says what is wrong.
    unmade = here._replace(
        sides=jnp.where(fired, (FIRED + grazing) * ways, here.sides),
        status=jnp.full_like(here.status, NEEDS_HOST),
    )
    after = _chosen(is_changed, _chosen(good, leg, unmade), ended)
    is_row = is_changed & good
    kept = OccurrenceBuffer(
        jnp.where(good | ~is_changed, now.buffer.count, buffer.count), now.buffer.rows
    )
    return Turn(after, Rows(is_row, leg.t, leg.x, leg.x_dot, nothing), kept)


def _changed(
    run: _Run, t: Any, now: _Changed, switch: Switch, fired: tuple[int, Any, Any]
) -> _Changed:
    """After one switch, where a guard of it has fired."""
    first, ways, grazing = fired
    n, drive = run.equations.system.coordinates, run.drive

    def change(now: _Changed) -> _Changed:
        state, held, record = now.state, now.held, None
        if switch.change is not None:
            q, z = state[:n], state[n:]
            table = drive.table(t, q, z, run.table, held)
            made = switch.change(t, q, z, ways, table)
            state = jnp.concatenate([made.q, made.z]).astype(float)
            held, record = drive.replaced(held, made.modes), made.record
        buffer = now.buffer
        for k in range(len(switch.guards)):
            what = Happening(
                t, first + k, ways[k], grazing[k], switch.change is not None,
                now.state, state, run.modes(held),
            )  # fmt: skip
            own = None if record is None else record[k]
            buffer = _added_if(ways[k] != 0, buffer, what, own)
        return _Changed(state, held, buffer)

    return _Changed(*lax.cond(jnp.any(ways != 0), change, lambda now: now, now))


def _added_if(flag: Any, buffer: OccurrenceBuffer, what: Happening, record: Any) -> Any:
    """One more row where `flag` holds; else the row is written and not counted."""
    more = added(buffer, what, record)
    return OccurrenceBuffer(jnp.where(flag, more.count, buffer.count), more.rows)


def _begun(
    run: _Run, here: StepperState, state: tuple[Any, Any], held: Any, fired: Any
) -> tuple[StepperState, Any]:
    """The leg that begins in a state that changes have left, and whether it is one."""
    guards, bounds, system = run.guards, run.bounds, run.equations.system
    (q, z), t, field = state, here.t, run.field(held)
    y = with_states_of(here.x, field.start(t, q, z), run.equations.controller_states)
    x = jnp.concatenate([q, y])
    x_dot = field.x_dot(t, x)
    is_kept = jnp.array(True)
    if system.constraints:
        table = run.drive.table(t, q, z, run.table, held)
        A, _ = system.constraint_rows(t, q, z, table)
        is_kept = keeps_constraints(system, (t, q, z), A, table)
    recent = jnp.append(here.recent[1:], t)
    leg = here._replace(x=x, x_dot=x_dot, carried=x_dot, recent=recent, held=held)
    leg = leg._replace(begun=t, before=here.accepted)
    if not run.method.is_adaptive:
        span = leg.t_end - t
        steps = jnp.ceil(jnp.abs(span) / run.step * (1 - 1e-12))
        steps = jnp.maximum(steps, 1.0)
        leg = leg._replace(n_steps=steps.astype(here.n_steps.dtype), h=span / steps)
    instant = INSTANT * jnp.maximum(jnp.abs(t), jnp.abs(leg.h))
    g, rate, doubt = run.weigh((t, x, x_dot), instant, held)
    goes = rate * leg.h
    near = jnp.where(fired & (jnp.abs(goes) > doubt), jnp.sign(goes), leg.sides)
    sides = jnp.where(jnp.abs(g) > doubt, 2 * jnp.sign(g), near)
    is_sound = field.is_sound(t, x) & jnp.all(jnp.isfinite(x_dot))
    status = jnp.where(_accumulates(leg, bounds), ZENO, RUNNING)
    status = jnp.where(t == bounds.stop, DONE, status)
    status = jnp.where(is_sound, status, NOT_A_NUMBER)
    status = jnp.where(jnp.any(fired & guards.terminal), EVENT, status)
    leg = leg._replace(
        sides=sides.astype(here.sides.dtype), status=status.astype(here.status.dtype)
    )
    return leg, is_kept


def _accumulates(leg: StepperState, bounds: RunBounds) -> Any:
    """As many changes as a cursor remembers, in next to no time: Zeno's."""
    span = jnp.abs(bounds.stop - bounds.start)
    # Far from t = 0 times are no nearer to each other than their rounding.
    close = jnp.maximum(ACCUMULATION * span, ROUNDED * jnp.abs(leg.t))
    return jnp.isfinite(leg.recent[0]) & (jnp.abs(leg.t - leg.recent[0]) <= close)


def _is_unit(system: Any, q: Any) -> Any:
    """Whether quaternions are near enough to length one, as states are admitted."""
    if system.coordinates == system.speeds:
        return jnp.array(True)
    return jnp.all(jnp.abs(system.normalised(q) - q) <= UNIT_LENGTH / 2)


def _chosen(flag: Any, yes: StepperState, no: StepperState) -> StepperState:
    pairs = zip(yes, no, strict=True)
    return StepperState(*(jnp.where(flag, a, b) for a, b in pairs))
