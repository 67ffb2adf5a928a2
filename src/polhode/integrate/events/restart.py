"""Events that stop a run: it is cut there, its state reset, and a new leg begun."""

from __future__ import annotations

from typing import NamedTuple

import jax
import numpy as np

from polhode.errors import PolhodeError
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
from polhode.integrate.events.event import Event, Occurrence
from polhode.integrate.events.locate import Crossing, restricted
from polhode.integrate.events.messages import Told, ending, stopped, zeno
from polhode.integrate.field.dense_output import Steps, joined
from polhode.integrate.field.states import unchecked
from polhode.integrate.host.checks import inconsistency
from polhode.integrate.inputs.sampling import next_time
from polhode.integrate.kernel import step_size
from polhode.integrate.kernel.chunk import Cursor, Rows
from polhode.integrate.kernel.start import probe
from polhode.integrate.kernel.status import (
    DONE,
    EVENT,
    FAULT,
    NOT_A_NUMBER,
    RUNNING,
    ZENO,
)
from polhode.system.check import require_consistent
from polhode.system.state import State

# As many resets as the cursor remembers, in so small a part of the run: Zeno's.
ACCUMULATION = 1e-9
ROUNDED = 256 * np.finfo(float).eps


class Turn(NamedTuple):
    """What comes of a chunk: rows to keep, the next cursor, events, perhaps an end."""

    rows: list[Steps]
    cursor: Cursor
    met: list[Occurrence]
    told: Told | None = None


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


def row_of(cursor: Cursor, bend: np.ndarray) -> Steps:
    """A cursor as a row; `bend` as that of other rows is."""
    t, x, slope = (np.asarray(part)[None] for part in cursor[:3])
    return Steps(t, x, slope, np.zeros_like(bend[:1]))


def sides_at(
    cursor: Cursor, weight: Weight, before: np.ndarray, fired: list[int]
) -> np.ndarray:
    """Sides of zero where a leg begins: by g, or in doubt as they were before.

    An event that has just been met is in doubt: its side is the one to which it goes.
    """
    g, rate, doubt = weight
    goes, is_met = rate * cursor.h, np.isin(np.arange(len(g)), fired)
    near = np.where(is_met & (np.abs(goes) > doubt), np.sign(goes), before)
    return np.where(np.abs(g) > doubt, 2 * np.sign(g), near).astype(np.int64)


def cut_at(
    case: Case, here: Steps, halt: Crossing, chunk: tuple[Cursor, Rows]
) -> tuple[Steps, Cursor]:
    """The rows up to an event, and the cursor there; its x is not settled yet."""
    (before, rows), (j, s) = chunk, (halt.step, halt.s)
    kept = Steps(*(part[1 : j + 1] for part in here))
    if s == 1:
        kept = Steps(*(part[1 : j + 2] for part in here))
    elif s > 0:
        kept = joined([kept, restricted(here, j, s)._replace(t=np.array([halt.t]))])
    last = kept if len(kept.t) else Steps(*(part[:1] for part in here))
    steps = j + (s > 0)
    attempts = int(np.flatnonzero(rows.accepted)[j]) + 1
    h = here.t[j + 1] - here.t[j]
    # A leg may end just after it began; a step must still advance the time.
    h = np.sign(h) * np.maximum(np.abs(h), 1e3 * case.plan.least)
    facts = {
        "t": np.float64(halt.t),
        "x": last.x[-1],
        "slope": last.slope[-1],
        "h": np.float64(h),
        "accepted": before.accepted + steps,
        "rejected": before.rejected + attempts - steps,
        "memory": np.float64(step_size.FIRST_MEMORY),
        "tried": np.float64(0.0),
        "status": np.int64(RUNNING),
    }
    return kept, before._replace(**facts)


def halted(
    guide: Guide,
    case: Case,
    here: Steps,
    each: list[Crossing],
    stop: tuple[Crossing, tuple[Steps, Cursor]],
) -> Turn:
    """The run up to an event that stops it, and what it and its like then do."""
    halt, (kept, cursor) = stop
    close = instant(halt.t, here.t[halt.step + 1] - here.t[halt.step])
    near = [c for c in each if abs(c.t - halt.t) <= close]
    earlier = [c for c in each if (c.step, c.s) < (halt.step, halt.s) and c not in near]
    met = [seen(guide, case, here, c, cursor.held) for c in earlier]
    if len(kept.t):
        first = Steps(*(part[:1] for part in here))
        sides = searched(guide, case, joined([first, kept]), cursor).sides
        cursor = cursor._replace(sides=sides)
    near = [c._replace(t=halt.t) for c in sorted(near, key=lambda c: c.event)]
    turn = restarted(guide, case, cursor, near)
    if len(kept.t):
        settled = kept.x.copy()
        settled[-1] = landed(guide, case, halt.t, kept.x[-1], cursor.held).x
        kept = kept._replace(x=settled)
    return turn._replace(rows=[kept, *turn.rows], met=met + turn.met)


def restarted(guide: Guide, case: Case, cursor: Cursor, fired: list[Crossing]) -> Turn:
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
            told = stopped(guide, cursor, f"the reset of {event.name!r} failed", reason)
            return Turn([], ended(cursor, here.x, FAULT), met, told)
        met.append(occurrence(guide, crossing, state, after))
        turned = crossing.is_grazing or event.reset is not None
        sides[crossing.event] = crossing.direction * (-1 if turned else 1)
        state = after
    cursor = cursor._replace(sides=sides, stiff=np.int64(0))
    terminal = [c for c in fired if guide.events[c.event].terminal]
    if all(guide.events[c.event].reset is None for c in fired):
        told = ending(guide, terminal[0], state)
        return Turn([], ended(cursor, here.x, EVENT), met, told)
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
        # By the parameters of this run: a state of it may break those of the system.
        columns = (
            np.array([part], dtype=float) for part in (state.t, state.q, state.z)
        )
        states = unchecked(state.system, *columns)
        if not table:
            require_consistent(state)
        start = probe(guide.equations, states, table, guide.inputs.drive, held)
        if not start.is_kept[0]:
            at = (float(state.t), state.q, state.z)
            raise inconsistency(state.system, at, case.table)
    except PolhodeError as reason:
        fault = stopped(guide, cursor, "a reset led to no state of the system", reason)
        return Turn([], ended(cursor, cursor.x, FAULT), met, fault)
    x, slope = start.x[0], start.slope[0]
    recent = np.append(cursor.recent[1:], cursor.t)
    first = cursor._replace(x=x, slope=slope, carried=slope, recent=recent)
    first = aimed(guide, case, first)
    weight, met_now = weighed(guide, case, first), [c.event for c in fired]
    sides = sides_at(first, weight, first.sides, met_now)
    first = first._replace(sides=sides)
    straight = np.zeros((1, guide.method.bends, len(x)))
    jump = row_of(first, straight)
    terminal = [c for c in fired if guide.events[c.event].terminal]
    told: Told | None = None
    if terminal:
        first, told = ended(first, x, EVENT), ending(guide, terminal[0], state)
    elif not (start.is_sound[0] and np.all(np.isfinite(slope))):
        first = first._replace(status=np.int64(NOT_A_NUMBER))
    elif float(first.t) == float(case.plan.stop):
        first = first._replace(status=np.int64(DONE))
    elif _accumulates(case, first):
        first, told = ended(first, x, ZENO), zeno(guide, fired[0], first)
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


def ended(cursor: Cursor, x: np.ndarray, status: int) -> Cursor:
    """A cursor that goes no further."""
    return cursor._replace(x=x, status=np.int64(status))


def _accumulates(case: Case, cursor: Cursor) -> bool:
    first, last = float(cursor.recent[0]), float(cursor.t)
    span = abs(float(case.plan.stop) - float(case.plan.start))
    # Far from t = 0 times are no nearer to each other than their rounding.
    close = max(ACCUMULATION * span, ROUNDED * abs(last))
    return np.isfinite(first) and abs(last - first) <= close
