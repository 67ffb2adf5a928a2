"""Changes at an event inside a compiled loop: resets, limits, and the next leg."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.integrate.events.event_run import (
    FIRED,
    GRAZED,
    Turn,
    TurnContext,
)
from polhode.integrate.events.limits import NONE
from polhode.integrate.events.occurrence_buffer import (
    Happening,
    OccurrenceBuffer,
    add_row,
)
from polhode.integrate.events.switch import Switch
from polhode.integrate.events.times import ACCUMULATION, INSTANT, ROUNDED
from polhode.integrate.field.constraint_violation import keeps_constraints
from polhode.integrate.field.vector_field import with_states_of
from polhode.integrate.kernel.arrival import chosen
from polhode.integrate.kernel.sample_instant import Leg, sample_turn
from polhode.integrate.kernel.status import (
    DONE,
    EVENT,
    NEEDS_HOST,
    NOT_A_NUMBER,
    RUNNING,
    SWITCHING,
    ZENO,
)
from polhode.integrate.kernel.stepper_state import (
    RunBounds,
    StepperState,
    carried_anew,
    row_of_attempt,
)
from polhode.system.state_arrays import StateArrays

# Quaternions that a change may leave so far from length one, and the host as well.
UNIT_LENGTH = 1e-3


class _Changed(NamedTuple):
    """A state [q; z] on its way through the changes of one instant."""

    state: Any
    held: Any
    buffer: OccurrenceBuffer


def change_turn(run: TurnContext, here: StepperState, buffer: OccurrenceBuffer) -> Turn:
    """The changes that are due, one after the other, and the segment from there."""
    guards, system = run.guards, run.equations.system
    fired = jnp.abs(here.sides) >= FIRED
    ways = jnp.sign(here.sides) * fired
    grazing = fired & (jnp.abs(here.sides) == GRAZED)
    now = _Changed(run.column(here.held, here.t, here.x), here.held, buffer)
    first = 0
    for switch in guards.switches:
        own = slice(first, first + len(switch.guards))
        now = _change_of_switch(
            run, here.t, now, switch, first=first, ways=ways[own], grazing=grazing[own]
        )
        first = own.stop
    turned = grazing | guards.changes
    sides = jnp.where(fired, jnp.where(turned, -ways, ways), here.sides)
    here = here._replace(sides=sides, stiff=jnp.zeros_like(here.stiff))
    is_changed = jnp.any(fired & guards.changes)
    is_decided = jnp.array(True)
    if run.limits is not None:
        now, is_decided, is_changed = _change_of_limit(run, here, now, is_changed)
    ended = here._replace(status=jnp.full_like(here.status, EVENT))
    nothing = jnp.zeros((run.method.dense_terms, *here.x.shape))
    q, z = now.state[: system.coordinates], now.state[system.coordinates :]
    is_state = jnp.all(jnp.isfinite(now.state)) & _is_unit(system, q) & is_decided
    if system.coordinates != system.speeds:
        q = system.normalised(q)
    leg, is_kept = _begin_segment(run, here, now.held, fired, q=q, z=z)
    good = is_state & is_kept
    # The host makes them again, and says what is wrong.
    unmade = here._replace(
        sides=jnp.where(fired, (FIRED + grazing) * ways, here.sides),
        status=jnp.full_like(here.status, NEEDS_HOST),
    )
    after = chosen(is_changed, chosen(good, leg, unmade), ended)
    is_row = is_changed & good
    kept = OccurrenceBuffer(
        jnp.where(good | ~is_changed, now.buffer.count, buffer.count), now.buffer.rows
    )
    return Turn(after, row_of_attempt(leg, is_row, nothing), kept)


def sample_turn_with_guards(
    run: TurnContext, here: StepperState, buffer: OccurrenceBuffer
) -> Turn:
    """Samples at the end of a segment, and guards that these carry over zero."""
    leg = Leg(run.method, run.drive, run.bounds, run.table, run.step)
    after, row = sample_turn(run.field, leg, here)
    guards = run.guards
    if not guards.count:
        return Turn(after, row, buffer)
    instant = INSTANT * jnp.maximum(jnp.abs(here.t), jnp.abs(here.h))
    old, _, at_old = run.weigh((here.t, here.x, here.x_dot), instant, here.held)
    new, _, at_new = run.weigh((after.t, after.x, after.x_dot), instant, after.held)
    ways = jnp.sign(new).astype(here.sides.dtype)
    sides = jnp.where(jnp.abs(new) > at_new, 2 * ways, here.sides)
    turned = (jnp.sign(old) * jnp.sign(new) < 0) & row.accepted
    turned = turned & (jnp.abs(old) > at_old) & (jnp.abs(new) > at_new)
    turned = turned & ((guards.direction == 0) | (guards.direction == ways))
    stops = jnp.any(turned & guards.stops)
    state = run.column(after.held, after.t, after.x)
    for k in range(guards.count):
        what = Happening(after.t, k, ways[k], 0, 0, state, state, run.modes(after.held))
        buffer = _add_row_if(turned[k] & ~stops, buffer, what, None)
    is_host = jnp.any(turned & guards.untraced)
    due = jnp.where(is_host, NEEDS_HOST, SWITCHING).astype(after.status.dtype)
    fires = stops & (after.status == RUNNING)
    after = after._replace(
        sides=jnp.where(turned & fires, FIRED * ways, sides),
        status=jnp.where(fires, due, after.status),
    )
    return Turn(after, row, buffer)


def _change_of_switch(
    run: TurnContext,
    t: Scalar,
    now: _Changed,
    switch: Switch,
    *,
    first: int,
    ways: Any,
    grazing: Any,
) -> _Changed:
    """After one switch, where a guard of it has fired."""
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
            buffer = _add_row_if(ways[k] != 0, buffer, what, own)
        return _Changed(state, held, buffer)

    return _Changed(*lax.cond(jnp.any(ways != 0), change, lambda now: now, now))


def _change_of_limit(
    run: TurnContext, here: StepperState, now: _Changed, is_changed: Any
) -> tuple[_Changed, Any, Any]:
    """After the change of a limit, or of all where events have changed the state.

    Also whether it could be made, and whether anything has changed.
    """
    limits, drive, n = run.limits, run.drive, run.equations.system.coordinates
    assert limits is not None
    number = limits.fired_in(drive, here.held)
    is_due = (number >= 0) | is_changed
    fired = jnp.where(number >= 0, number, float(limits.count))
    # Events that have changed the state leave nothing of what a limit would do.
    fired = jnp.where(is_changed, float(limits.count), fired)

    def change(now: _Changed) -> tuple[_Changed, Any]:
        q, z = now.state[:n], now.state[n:]
        table = drive.table(here.t, q, z, run.table, now.held)
        made = limits.change(here.t, q, z, fired, table)
        state = jnp.concatenate([made.q, made.z]).astype(float)
        held = drive.replaced(now.held, made.modes)
        held = limits.with_fired(drive, held, NONE)
        what = Happening(
            here.t, run.guards.count, -1, 0, 1, now.state, state, run.modes(held)
        )
        buffer = OccurrenceBuffer(*add_row(now.buffer, what, made.record))
        return _Changed(state, held, buffer), made.is_made

    def none(now: _Changed) -> tuple[_Changed, Any]:
        return now, jnp.array(True)

    after, is_made = lax.cond(is_due, change, none, now)
    return _Changed(*after), is_made, is_due | is_changed


def _add_row_if(
    flag: Any, buffer: OccurrenceBuffer, what: Happening, record: Any
) -> Any:
    """One more row where `flag` holds; else the row is written and not counted."""
    more = add_row(buffer, what, record)
    return OccurrenceBuffer(jnp.where(flag, more.count, buffer.count), more.rows)


def _begin_segment(
    run: TurnContext, here: StepperState, held: Any, fired: Any, *, q: Array, z: Array
) -> tuple[StepperState, Any]:
    """The segment that begins where changes have left the state; whether it is one."""
    guards, bounds, system = run.guards, run.bounds, run.equations.system
    t, field = here.t, run.field(held)
    y = with_states_of(here.x, field.start(t, q, z), run.equations.controller_states)
    x = jnp.concatenate([q, y])
    x_dot = field.x_dot(t, x)
    is_kept = jnp.array(True)
    if system.constraints:
        table = run.drive.table(t, q, z, run.table, held)
        is_kept = keeps_constraints(system, StateArrays(t, q, z), table)
    is_event = jnp.any(fired & guards.changes) if guards.count else jnp.array(False)
    recent = jnp.where(is_event, jnp.append(here.recent[1:], t), here.recent)
    carried = carried_anew(here, x_dot)
    leg = here._replace(x=x, x_dot=x_dot, carried=carried, recent=recent, held=held)
    leg = leg._replace(begun=t, before=here.accepted)
    if not run.method.is_adaptive:
        span = leg.t_end - t
        steps = jnp.ceil(jnp.abs(span) / run.step * (1 - 1e-12))
        steps = jnp.maximum(steps, 1.0)
        leg = leg._replace(n_steps=steps.astype(here.n_steps.dtype), h=span / steps)
    sides = leg.sides
    if guards.count:
        instant = INSTANT * jnp.maximum(jnp.abs(t), jnp.abs(leg.h))
        g, rate, doubt = run.weigh((t, x, x_dot), instant, held)
        goes = rate * leg.h
        near = jnp.where(fired & (jnp.abs(goes) > doubt), jnp.sign(goes), leg.sides)
        sides = jnp.where(jnp.abs(g) > doubt, 2 * jnp.sign(g), near)
    is_sound = field.is_sound(t, x) & jnp.all(jnp.isfinite(x_dot))
    status = jnp.where(is_event & _accumulates(leg, bounds), ZENO, RUNNING)
    status = jnp.where(t == bounds.stop, DONE, status)
    status = jnp.where(is_sound, status, NOT_A_NUMBER)
    status = jnp.where(jnp.any(fired & guards.terminal), EVENT, status)
    leg = leg._replace(
        sides=sides.astype(here.sides.dtype), status=status.astype(here.status.dtype)
    )
    return leg, is_kept


def _accumulates(leg: StepperState, bounds: RunBounds) -> Any:
    """As many changes as a stepper state remembers, in next to no time: Zeno's."""
    span = jnp.abs(bounds.stop - bounds.start)
    # Far from t = 0 times are no nearer to each other than their rounding.
    close = jnp.maximum(ACCUMULATION * span, ROUNDED * jnp.abs(leg.t))
    return jnp.isfinite(leg.recent[0]) & (jnp.abs(leg.t - leg.recent[0]) <= close)


def _is_unit(system: Any, q: Array) -> Any:
    """Whether quaternions are near enough to length one, as states are admitted."""
    if system.coordinates == system.speeds:
        return jnp.array(True)
    return jnp.all(jnp.abs(system.normalised(q) - q) <= UNIT_LENGTH / 2)
