"""What the host does between chunks: events are met, inputs sampled, legs begun.

A leg is a part of a run over which its inputs are held and its state moves by its
equations alone. All that one leg leaves to the next is in the cursor, and all of it
depends on steps, not on how they were cut into chunks.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import numpy as np

from polhode.errors import PolhodeError
from polhode.integrate import step_size
from polhode.integrate.chunk import DONE, NOT_A_NUMBER, RUNNING, Cursor, Rows
from polhode.integrate.crossing import Crossing, Found, restricted
from polhode.integrate.dense import Steps, joined
from polhode.integrate.events import Event, Occurrence
from polhode.integrate.guide import (
    Case,
    Guide,
    Weight,
    landed,
    occurrence,
    searched,
    seen,
    state_at,
    weighed,
)
from polhode.integrate.launch import probe
from polhode.integrate.outcome import EVENT, FAULT, ZENO
from polhode.integrate.sampling import InputFault, next_time, sampled
from polhode.integrate.states import States
from polhode.system.state import State

# Events so near in time are at one instant: to this they are located.
INSTANT = 1e-12
# As many resets as the cursor remembers, in so small a part of the run: Zeno's.
ACCUMULATION = 1e-9


class Told(NamedTuple):
    """Why the host ended a run, and what was raised, if anything was."""

    sentence: str
    cause: BaseException | None = None


class Turn(NamedTuple):
    """What comes of a chunk: rows to keep, the next cursor, events, perhaps an end."""

    rows: list[Steps]
    cursor: Cursor
    met: list[Occurrence]
    told: Told | None = None


def begun(guide: Guide, case: Case, cursor: Cursor) -> Turn:
    """The first leg: sides of events are taken, and resets made that are due at once.

    `cursor` has the inputs of the start already.
    """
    cursor = aimed(guide, case, cursor)
    if not guide.events or int(cursor.status) != RUNNING:
        return Turn([], cursor, [])
    nowhere = np.zeros(len(guide.events), np.int64)
    weight = weighed(guide, case, cursor)
    cursor = cursor._replace(sides=_sides(cursor, weight, nowhere))
    way = np.sign(weight.rate) * np.sign(cursor.h)
    due = [
        Crossing(k, 0, 0.0, float(cursor.t), event.direction, False)
        for k, event in enumerate(guide.events)
        if event.reset and event.direction and abs(cursor.sides[k]) < 2
        if way[k] == event.direction
    ]
    return _restarted(guide, case, cursor, due) if due else Turn([], cursor, [])


def followed(
    guide: Guide, case: Case, before: Cursor, after: Cursor, rows: Rows
) -> Turn:
    """What a chunk from `before` to `after` comes to."""
    new = Steps(*(part[rows.accepted] for part in rows[1:]))
    at_goal = int(after.status) == DONE
    at_end = at_goal and float(after.goal) == float(case.plan.stop)
    met: list[Occurrence] = []
    if guide.events and len(new.t):
        here = joined([_row(before, new.bend), new])
        found = searched(guide, case, here, before)
        each = found.each + (_at_end(here, found) if at_end else [])
        each = [c for c in each if guide.events[c.event].direction in (0, c.direction)]
        halt = next((c for c in each if guide.events[c.event].stops), None)
        if halt:
            cut = _cut(case, here, halt, before, rows)
            return _halted(guide, case, here, each, (halt, cut))
        after = after._replace(sides=found.sides)
        met = [seen(guide, case, here, c, after.held) for c in each]
    if at_goal and not at_end:
        turn = _ticked(guide, case, after, new)
        return turn._replace(rows=[new, *turn.rows], met=met + turn.met)
    return Turn([new], after, met)


def aimed(guide: Guide, case: Case, cursor: Cursor) -> Cursor:
    """The cursor at the beginning of a leg: to the next sample, or to the end."""
    plan = case.plan
    due = next_time(guide.inputs, plan.start, cursor)
    goal = float(plan.stop) if due >= plan.stop else due
    if not guide.inputs.sources:
        goal = float(plan.stop)
    leg = {"begun": cursor.t, "goal": np.float64(goal), "before": cursor.accepted}
    if not guide.method.is_adaptive:
        span = goal - float(cursor.t)
        step = guide.method.step  # type: ignore[attr-defined]
        quota = max(int(np.ceil(abs(span) / step * (1 - 1e-12))), 1)
        leg |= {"quota": np.int64(quota), "h": np.float64(span / quota)}
    return cursor._replace(**leg)


# ------------------------------------------------------------------ events


def _row(cursor: Cursor, bend: np.ndarray) -> Steps:
    """A cursor as a row; `bend` as that of other rows is."""
    t, x, slope = (np.asarray(part)[None] for part in cursor[:3])
    return Steps(t, x, slope, np.zeros_like(bend[:1]))


def _sides(cursor: Cursor, weight: Weight, before: np.ndarray) -> np.ndarray:
    """Sides of zero where a leg begins: by g, or in doubt by where it goes."""
    g, rate, doubt = weight
    goes = rate * cursor.h
    near = np.where(np.abs(goes) > doubt, np.sign(goes), np.sign(before))
    return np.where(np.abs(g) > doubt, 2 * np.sign(g), near).astype(np.int64)


def _at_end(here: Steps, found: Found) -> list[Crossing]:
    """Zeros at the very end: g is in doubt there, and was clear since the last zero."""
    at = (len(here.t) - 2, 1.0, float(here.t[-1]))
    return [
        Crossing(int(k), *at, -int(np.sign(found.sides[k])), False)
        for k in np.flatnonzero(found.is_near & (np.abs(found.sides) == 2))
    ]


def _cut(
    case: Case, here: Steps, halt: Crossing, before: Cursor, rows: Rows
) -> tuple[Steps, Cursor]:
    """The rows up to an event, and the cursor there; its x is not settled yet."""
    j, s = halt.step, halt.s
    kept = Steps(*(part[1 : j + 1] for part in here))
    if s == 1:
        kept = Steps(*(part[1 : j + 2] for part in here))
    elif s > 0:
        kept = joined([kept, restricted(here, j, s)._replace(t=np.array([halt.t]))])
    last = kept if len(kept.t) else Steps(*(part[:1] for part in here))
    attempts = int(np.flatnonzero(rows.accepted)[j]) + 1
    facts = {
        "t": np.float64(halt.t),
        "x": last.x[-1],
        "slope": last.slope[-1],
        "h": here.t[j + 1] - here.t[j],
        "accepted": before.accepted + j + 1,
        "rejected": before.rejected + attempts - (j + 1),
        "memory": np.float64(step_size.FIRST_MEMORY),
        "tried": np.float64(0.0),
        "status": np.int64(RUNNING),
    }
    return kept, before._replace(**facts)


def _halted(
    guide: Guide,
    case: Case,
    here: Steps,
    each: list[Crossing],
    stop: tuple[Crossing, tuple[Steps, Cursor]],
) -> Turn:
    """The run up to an event that stops it, and what it and its like then do."""
    halt, (kept, cursor) = stop
    size = max(abs(halt.t), abs(float(here.t[halt.step + 1] - here.t[halt.step])))
    near = [c for c in each if abs(c.t - halt.t) <= INSTANT * size]
    earlier = [c for c in each if (c.step, c.s) < (halt.step, halt.s) and c not in near]
    met = [seen(guide, case, here, c, cursor.held) for c in earlier]
    sides = np.array(cursor.sides)
    for c in earlier:
        sides[c.event] = -c.direction if c.is_grazing else c.direction
    cursor = cursor._replace(sides=sides)
    near = [c._replace(t=halt.t) for c in sorted(near, key=lambda c: c.event)]
    turn = _restarted(guide, case, cursor, near)
    if len(kept.t):
        settled = kept.x.copy()
        settled[-1] = landed(guide, case, halt.t, kept.x[-1], cursor.held).x
        kept = kept._replace(x=settled)
    return turn._replace(rows=[kept, *turn.rows], met=met + turn.met)


def _restarted(guide: Guide, case: Case, cursor: Cursor, fired: list[Crossing]) -> Turn:
    """Resets of events at one instant, one after the other, and the leg from there."""
    here = landed(guide, case, cursor.t, cursor.x, cursor.held)
    state = state_at(guide, cursor.t, here)
    met: list[Occurrence] = []
    sides = np.array(cursor.sides)
    for crossing in fired:
        event = guide.events[crossing.event]
        try:
            after = _reset(event, state)
        except Exception as reason:
            told = _told(guide, cursor, f"the reset of {event.name!r} failed", reason)
            return Turn([], _ended(cursor, here.x, FAULT), met, told)
        met.append(occurrence(guide, crossing, state, after))
        turned = crossing.is_grazing or event.reset is not None
        sides[crossing.event] = crossing.direction * (-1 if turned else 1)
        state = after
    cursor = cursor._replace(sides=sides, stiff=np.int64(0))
    terminal = [c for c in fired if guide.events[c.event].terminal]
    if all(guide.events[c.event].reset is None for c in fired):
        told = _ending(guide, terminal[0], state)
        return Turn([], _ended(cursor, here.x, EVENT), met, told)
    return _moved_on(guide, case, cursor, (state, fired, met))


def _moved_on(
    guide: Guide,
    case: Case,
    cursor: Cursor,
    after: tuple[State, list[Crossing], list[Occurrence]],
) -> Turn:
    """The leg that begins in the state that resets have left."""
    state, fired, met = after
    table = {name: np.array([value]) for name, value in case.table.items()}
    held = cursor.held[None]
    try:
        states = States(state.system, state.t, state.q[None], state.z[None])
        start = probe(guide.equations, states, table, guide.inputs.drive, held)
    except PolhodeError as reason:
        fault = _told(guide, cursor, "a reset led to no state of the system", reason)
        return Turn([], _ended(cursor, cursor.x, FAULT), met, fault)
    x, slope = start.x[0], start.slope[0]
    recent = np.append(cursor.recent[1:], cursor.t)
    first = cursor._replace(x=x, slope=slope, carried=slope, recent=recent)
    first = aimed(guide, case, first)
    first = first._replace(
        sides=_sides(first, weighed(guide, case, first), first.sides)
    )
    straight = np.zeros((1, guide.method.bends, len(x)))
    jump = _row(first, straight)
    terminal = [c for c in fired if guide.events[c.event].terminal]
    told: Told | None = None
    if terminal:
        first, told = _ended(first, x, EVENT), _ending(guide, terminal[0], state)
    elif not (start.is_sound[0] and np.all(np.isfinite(slope))):
        first = first._replace(status=np.int64(NOT_A_NUMBER))
    elif float(first.t) == float(case.plan.stop):
        first = first._replace(status=np.int64(DONE))
    elif _accumulates(case, first):
        first, told = _ended(first, x, ZENO), _zeno(guide, fired[0], first)
    return Turn([jump], first, met, told)


def _reset(event: Event, state: State) -> State:
    if event.reset is None:
        return state
    # jax.numpy inside plain Python keeps double precision.
    with jax.enable_x64(True):
        after = event.reset(float(state.t), state)
    if not isinstance(after, State) or after.system is not state.system:
        raise TypeError(f"a reset gives a state of the system, not {after!r}")
    return State(state.system, float(state.t), after.q, after.z)


def _ended(cursor: Cursor, x: np.ndarray, status: int) -> Cursor:
    return cursor._replace(x=x, status=np.int64(status))


def _accumulates(case: Case, cursor: Cursor) -> bool:
    first, last = float(cursor.recent[0]), float(cursor.t)
    span = max(abs(last), abs(float(case.plan.stop) - float(case.plan.start)))
    return np.isfinite(first) and abs(last - first) <= ACCUMULATION * span


# ------------------------------------------------------------------ inputs


def _ticked(guide: Guide, case: Case, cursor: Cursor, like: Steps) -> Turn:
    """New samples of the inputs that are due, and the leg that begins with them."""
    here = landed(guide, case, cursor.t, cursor.x, cursor.held)
    state = state_at(guide, cursor.t, here._replace(x=cursor.x))
    try:
        next_ = sampled(guide.inputs, case.run, cursor, state, case.plan.start)
    except InputFault as fault:
        told = _told(guide, cursor, fault.words, fault.cause)
        return Turn([], _ended(cursor, cursor.x, FAULT), [], told)
    there = landed(guide, case, cursor.t, cursor.x, next_.held)
    next_ = next_._replace(slope=there.slope, carried=there.slope)
    status = RUNNING if there.is_sound else NOT_A_NUMBER
    next_ = next_._replace(status=np.int64(status), tried=np.float64(0.0))
    next_ = aimed(guide, case, next_)
    turn = Turn([_row(next_, like.bend)], next_, [])
    return _switched(guide, case, cursor, turn) if guide.events else turn


def _switched(guide: Guide, case: Case, cursor: Cursor, turn: Turn) -> Turn:
    """Events that a new sample itself carries over zero."""
    before, after = (weighed(guide, case, at) for at in (cursor, turn.cursor))
    sides = _sides(turn.cursor, after, cursor.sides)
    turned = np.sign(before.g) * np.sign(after.g) < 0
    turned &= (np.abs(before.g) > before.doubt) & (np.abs(after.g) > after.doubt)
    found = [
        Crossing(int(k), 0, 0.0, float(cursor.t), int(np.sign(after.g[k])), False)
        for k in np.flatnonzero(turned)
    ]
    found = [c for c in found if guide.events[c.event].direction in (0, c.direction)]
    next_ = turn.cursor._replace(sides=sides)
    if any(guide.events[c.event].stops for c in found):
        stopped = _restarted(guide, case, next_, found)
        return stopped._replace(rows=[*turn.rows, *stopped.rows])
    here = state_at(guide, cursor.t, landed(guide, case, next_.t, next_.x, next_.held))
    met = [occurrence(guide, c, here, here) for c in found]
    return turn._replace(cursor=next_, met=met)


# ------------------------------------------------------------------ words


def _told(guide: Guide, cursor: Cursor, what: str, cause: BaseException | None) -> Told:
    name = guide.equations.system.name
    why = (
        f" ({type(cause).__name__}: {cause})" if cause and "raised" not in what else ""
    )
    return Told(
        f"{name!r} stopped at t = {float(cursor.t):.9g} s, after"
        f" {int(cursor.accepted)} steps: {what}{why}. What was reached is kept.",
        cause,
    )


def _ending(guide: Guide, crossing: Crossing, state: State) -> Told:
    event, name = guide.events[crossing.event], guide.equations.system.name
    at = f"t = {float(state.t):.12g} s"
    return Told(f"{name!r} was ended by its event {event.name!r} at {at}.")


def _zeno(guide: Guide, crossing: Crossing, cursor: Cursor) -> Told:
    event, name = guide.events[crossing.event], guide.equations.system.name
    span = float(cursor.t) - float(cursor.recent[0])
    return Told(
        f"{name!r} stopped at t = {float(cursor.t):.9g} s: the event {event.name!r} was"
        f" the last of {len(cursor.recent)} within {abs(span):.3g} s. Such events"
        " accumulate, infinitely many in a finite time (Zeno), and no run passes them."
        " End the run there with terminal=True, or let the reset hold what comes to"
        " rest; what was reached is kept."
    )
