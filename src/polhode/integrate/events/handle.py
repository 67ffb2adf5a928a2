"""What the host does between chunks: events are met, inputs sampled, legs begun.

A leg is a part of a run over which its inputs are held and its state moves by its
equations alone. All that one leg leaves to the next is in the cursor, and all of it
depends on steps, not on how they were cut into chunks.
"""

from __future__ import annotations

import numpy as np

from polhode.errors import IntegrationError
from polhode.integrate.events.context import (
    Case,
    Guide,
    Weight,
    instant,
    landed,
    occurrence,
    searched,
    seen,
    state_at,
    weighed,
)
from polhode.integrate.events.event import Occurrence
from polhode.integrate.events.locate import Crossing, Found, Unseen
from polhode.integrate.events.messages import stopped
from polhode.integrate.events.restart import (
    Turn,
    aimed,
    cut_at,
    ended,
    halted,
    restarted,
    row_of,
    sides_at,
)
from polhode.integrate.field.dense_output import Steps, joined
from polhode.integrate.inputs.sampling import InputFault, sampled
from polhode.integrate.kernel.chunk import Cursor, Rows
from polhode.integrate.kernel.status import DONE, FAULT, NOT_A_NUMBER, RUNNING
from polhode.system.state import State

# What an event moves from rest, within its doubt, is still more than its rounding.
SLIGHT = 1e-3


def begun(guide: Guide, case: Case, cursor: Cursor) -> Turn:
    """The first leg: sides of events are taken, and resets made that are due at once.

    `cursor` has the inputs of the start already.
    """
    cursor = aimed(guide, case, cursor)
    if not guide.events or int(cursor.status) != RUNNING:
        return Turn([], cursor, [])
    nowhere = np.zeros(len(guide.events), np.int64)
    weight = weighed(guide, case, cursor)
    _require_sides(guide, cursor, weight)
    everyone = list(range(len(guide.events)))
    cursor = cursor._replace(sides=sides_at(cursor, weight, nowhere, everyone))
    way = np.sign(_rates(guide, case, cursor, weight)) * np.sign(cursor.h)
    due = [
        Crossing(k, 0, 0.0, float(cursor.t), event.direction, False)
        for k, event in enumerate(guide.events)
        if event.reset and event.direction and abs(cursor.sides[k]) < 2
        if way[k] == event.direction
    ]
    return restarted(guide, case, cursor, due) if due else Turn([], cursor, [])


def _rates(guide: Guide, case: Case, cursor: Cursor, weight: Weight) -> np.ndarray:
    """How events change where a run begins; from rest, how they will a step later."""
    still = np.abs(weight.rate * cursor.h) <= weight.doubt
    if not np.any(still & (np.abs(weight.g) <= weight.doubt)):
        return weight.rate
    t, x = cursor.t + cursor.h, cursor.x + cursor.h * cursor.slope
    there = landed(guide, case, t, x, cursor.held)
    moved = cursor._replace(t=t, x=there.x, slope=there.slope)
    later = weighed(guide, case, moved).rate
    sure = np.abs(later * cursor.h) > SLIGHT * weight.doubt
    return np.where(still & sure, later, weight.rate)


def followed(
    guide: Guide, case: Case, before: Cursor, after: Cursor, rows: Rows
) -> Turn:
    """What a chunk from `before` to `after` comes to."""
    new = Steps(*(part[rows.accepted] for part in rows[1:]))
    at_goal = int(after.status) == DONE
    at_end = at_goal and float(after.goal) == float(case.plan.stop)
    met: list[Occurrence] = []
    if guide.events and len(new.t):
        here = joined([row_of(before, new.bend), new])
        try:
            found = searched(guide, case, here, before)
        except Unseen as fault:
            return _unseen(guide, case, here, fault, (before, rows))
        each = found.each + (_at_end(here, found) if at_end else [])
        each = [c for c in each if guide.events[c.event].direction in (0, c.direction)]
        halt = next((c for c in each if guide.events[c.event].stops), None)
        if halt:
            cut = cut_at(case, here, halt, (before, rows))
            return _due(guide, case, halted(guide, case, here, each, (halt, cut)), new)
        after = after._replace(sides=found.sides)
        met = [seen(guide, case, here, c, after.held) for c in each]
    if at_goal and not at_end:
        turn = _ticked(guide, case, after, new)
        return turn._replace(rows=[new, *turn.rows], met=met + turn.met)
    return Turn([new], after, met)


def _require_sides(guide: Guide, cursor: Cursor, weight: Weight) -> None:
    """Refuse a start where an event has no number, or is past what it guards."""
    name, at = guide.equations.system.name, f"t = {float(cursor.t):g} s"
    for event, g, doubt in zip(guide.events, weight.g, weight.doubt, strict=True):
        if not np.isfinite(g):
            raise IntegrationError(
                f"{name!r} cannot start at {at}: its event {event.name!r} is {g}.",
                "The zero of an event is sought between numbers.",
                "Change its function where it is undefined.",
            )
        if event.required and g < -doubt:
            raise IntegrationError(
                f"{name!r} cannot start at {at}: {event.name!r} has passed by {-g:g}.",
                "The event guards a limit, and the start is beyond it.",
                "Start within the limit, or watch it with an event that requires none.",
            )


def _at_end(here: Steps, found: Found) -> list[Crossing]:
    """Zeros at the very end: g is in doubt there, and was clear since the last zero."""
    at = (len(here.t) - 2, 1.0, float(here.t[-1]))
    return [
        Crossing(int(k), *at, -int(np.sign(found.sides[k])), False)
        for k in np.flatnonzero(found.is_near & (np.abs(found.sides) == 2))
    ]


def _unseen(
    guide: Guide,
    case: Case,
    here: Steps,
    fault: Unseen,
    chunk: tuple[Cursor, Rows],
) -> Turn:
    """The run up to the step in which the zeros of an event cannot be found."""
    last = Crossing(fault.event, fault.step, 0.0, float(here.t[fault.step]), 0, False)
    kept, cursor = cut_at(case, here, last, chunk)
    what = f"the event {guide.events[fault.event].name!r} {fault.why}"
    told = stopped(guide, cursor, what)
    return Turn([kept], ended(cursor, cursor.x, FAULT), [], told)


# ------------------------------------------------------------------ inputs


def _due(guide: Guide, case: Case, turn: Turn, like: Steps) -> Turn:
    """A turn; where its leg has no time, the samples at its end are made at once."""
    cursor, stop = turn.cursor, float(case.plan.stop)
    left = abs(float(cursor.goal) - float(cursor.t))
    is_due = left <= instant(cursor.t, 0.0) and float(cursor.goal) != stop
    if int(cursor.status) != RUNNING or not is_due:
        return turn
    tick = _ticked(guide, case, cursor._replace(t=cursor.goal), like)
    return tick._replace(rows=turn.rows + tick.rows, met=turn.met + tick.met)


def _ticked(guide: Guide, case: Case, cursor: Cursor, like: Steps) -> Turn:
    """New samples of the inputs that are due, and the leg that begins with them."""

    def state() -> State:
        here = landed(guide, case, cursor.t, cursor.x, cursor.held)
        return state_at(guide, cursor.t, here._replace(x=cursor.x))

    try:
        next_ = sampled(guide.inputs, case.run, cursor, state, case.plan.start)
    except InputFault as fault:
        told = stopped(guide, cursor, fault.words, fault.cause)
        return Turn([], ended(cursor, cursor.x, FAULT), [], told)
    there = landed(guide, case, cursor.t, cursor.x, next_.held)
    next_ = next_._replace(slope=there.slope, carried=there.slope)
    status = RUNNING if there.is_sound else NOT_A_NUMBER
    next_ = next_._replace(status=np.int64(status), tried=np.float64(0.0))
    next_ = aimed(guide, case, next_)
    turn = Turn([row_of(next_, like.bend)], next_, [])
    return _switched(guide, case, cursor, turn) if guide.events else turn


def _switched(guide: Guide, case: Case, cursor: Cursor, turn: Turn) -> Turn:
    """Events that a new sample itself carries over zero."""
    before, after = (weighed(guide, case, at) for at in (cursor, turn.cursor))
    sides = sides_at(turn.cursor, after, cursor.sides, [])
    turned = np.sign(before.g) * np.sign(after.g) < 0
    turned &= (np.abs(before.g) > before.doubt) & (np.abs(after.g) > after.doubt)
    found = [
        Crossing(int(k), 0, 0.0, float(cursor.t), int(np.sign(after.g[k])), False)
        for k in np.flatnonzero(turned)
    ]
    found = [c for c in found if guide.events[c.event].direction in (0, c.direction)]
    next_ = turn.cursor._replace(sides=sides)
    if any(guide.events[c.event].stops for c in found):
        halt = restarted(guide, case, next_, found)
        return halt._replace(rows=[*turn.rows, *halt.rows])
    here = state_at(guide, cursor.t, landed(guide, case, next_.t, next_.x, next_.held))
    met = [occurrence(guide, c, here, here) for c in found]
    return turn._replace(cursor=next_, met=met)
