"""Time in native chunks: at most so many attempts, rows out, a cursor to go on from.

One compiled loop holds equations, method and step control. It returns a row for every
attempt, marked if accepted, and a cursor that holds all that the next chunk needs: a
run made in chunks is, bit for bit, the run made at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.integrate.field.vector_field import Field, field_of
from polhode.integrate.kernel import step_size
from polhode.integrate.kernel.packing import form_of, packed, packed_in_trace
from polhode.integrate.kernel.status import (
    DONE,
    NOT_A_NUMBER,
    RUNNING,
    TOO_SMALL,
    UNMET,
    UNSOLVED,
)
from polhode.integrate.methods.method import Attempt, Method, falls_of
from polhode.integrate.methods.projection import settling
from polhode.lowering.compile import Program, compile

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive

ATTEMPTS = 512
RECENT = 10


class Cursor(NamedTuple):
    """Where a run is.

    t, x, slope   the last accepted state and its rate of change
    h             the step to try next, with its sign
    memory        of the step control: how hard the last accepted step was
    tried         the step that failed, if one did
    accepted, rejected   counts of steps
    status        RUNNING or how it ended
    carried       (x,) what the method told its next step; the first slope at the start
    stiff         how many accepted steps stability has held back, not accuracy
    begun, goal   times of this leg: legs end where an input changes, or at an event
    quota         the steps of this leg, for a method of fixed step
    before        the steps accepted before this leg
    held          (m,) sampled inputs, as they are held over this leg
    ticks         (c,) how often each sampled input has been asked
    recall        (k,) what sampled inputs remember
    sides         (e,) of each event: the side of zero; +-2 once clear of it, else +-1
    recent        (RECENT,) times of the last events that changed the state
    """

    t: Any
    x: Any
    slope: Any
    h: Any
    memory: Any
    tried: Any
    accepted: Any
    rejected: Any
    status: Any
    carried: Any
    stiff: Any
    begun: Any
    goal: Any
    quota: Any
    before: Any
    held: Any
    ticks: Any
    recall: Any
    sides: Any
    recent: Any


class Plan(NamedTuple):
    """What a run is to do: the same for all its chunks.

    start, stop   times (s)
    steps         how many at least, for a method of fixed step
    rtol, atol    tolerances; atol (x,)
    least         no step is shorter
    room          attempts of one chunk: how the run is cut changes no bit of it
    """

    start: Any
    stop: Any
    steps: Any
    rtol: Any
    atol: Any
    least: Any
    room: Any


class Rows(NamedTuple):
    """What attempts leave: accepted or not, t, x, slope, bend; leading axis attempts.

    `bend` (terms, width) belongs to the step that ends at the row.
    """

    accepted: Any
    t: Any
    x: Any
    slope: Any
    bend: Any


def chunk_program(
    equations: Equations, method: Method, runs: tuple[Cursor, Plan, Any], drive: Drive
) -> Program | LoneChunk:
    """The compiled chunk of some equations and a method, for one run or for many.

    `runs` are cursors, plans and parameters, their leading axes runs.
    """
    cursors, plans, table = runs
    many = len(cursors.t) > 1
    shapes = tuple(leaf.shape[1:] for leaf in cursors)
    kind = (type(method), method.name, tuple(sorted(table)), many)
    key = ("chunk", *kind, shapes, drive.key)
    if key not in equations.programs:
        function = _chunk(equations, method, drive)
        first = (
            Cursor(*(leaf[0] for leaf in cursors)),
            Plan(*(leaf[0] for leaf in plans)),
        )
        own = {name: float(values[0]) for name, values in table.items()}
        if many:
            made: Any = compile(function, *first, own, batched=True)
        else:
            made = LoneChunk(function, *first, own)
        equations.programs[key] = made
    return equations.programs[key]


@final
class LoneChunk:
    """The chunk of one run: (cursor, plan, table) -> cursor, rows, as for many.

    All have an axis of one run; its program takes and gives few arrays (see `packing`).
    """

    def __init__(self, function: Any, cursor: Cursor, plan: Plan, table: Any):
        given = form_of((cursor, plan))

        def lone(columns: Any, table: Any) -> tuple[Any, Rows]:
            after, rows = function(*given.unpacked(columns), table)
            return packed_in_trace(after), rows

        self._program = compile(lone, packed((cursor, plan)), table)
        self._back = form_of(cursor).lifted()

    def __call__(self, cursors: Cursor, plans: Plan, table: Any) -> tuple[Cursor, Rows]:
        own = {name: values[0, ...] for name, values in table.items()}
        columns, rows = self._program(packed((cursors, plans)), own)
        return self._back.unpacked(columns), Rows(*(leaf[None] for leaf in rows))


def start_cursor(t: Any, x: np.ndarray, slope: np.ndarray, h: Any) -> Cursor:
    """The cursor of runs that begin; a leading axis of t, x, slope, h is runs."""
    count = np.zeros(np.shape(t), np.int64)
    zero = np.zeros(np.shape(t))
    first = step_size.FIRST_MEMORY + zero
    counts = (count, count, count, slope, count)
    leg = (t, t, count, count)
    nothing = np.zeros((*np.shape(t), 0))
    none = nothing.astype(np.int64)
    never = np.full((*np.shape(t), RECENT), np.inf)
    own = (nothing, none, nothing, none, never)
    return Cursor(t, x, slope, h, first, zero, *counts, *leg, *own)


def _chunk(equations: Equations, method: Method, drive: Drive) -> Callable[..., Any]:
    advance = advance_of(method)

    def chunk(cursor: Cursor, plan: Plan, table: Any) -> tuple[Cursor, Rows]:
        table = {**table, **drive.unpacked(cursor.held)}
        field = settling(field_of(equations, table, drive.driven), method)

        def attempt(cursor: Cursor, k: Any) -> tuple[Cursor, Rows]:
            return lax.cond(
                (cursor.status == RUNNING) & (k < plan.room),
                lambda cursor: advance(field, method, plan, cursor),
                lambda cursor: _idle(method, cursor),
                cursor,
            )

        return lax.scan(attempt, cursor, jnp.arange(ATTEMPTS))

    return chunk


def advance_of(method: Method) -> Callable[..., tuple[Cursor, Rows]]:
    """(field, method, plan, cursor) -> the cursor after one attempt, and its row."""
    return _adaptive if method.is_adaptive else _fixed


def _idle(method: Method, cursor: Cursor) -> tuple[Cursor, Rows]:
    nothing = jnp.zeros_like(cursor.x)
    bend = jnp.zeros((method.bends, *cursor.x.shape))
    return cursor, Rows(jnp.zeros((), bool), cursor.t, nothing, nothing, bend)


def _bend(terms: tuple[Any, ...], x: Any) -> Any:
    """The terms of dense output as one array (terms, width)."""
    return jnp.stack(terms) if terms else jnp.zeros((0, *x.shape))


def _fixed(
    field: Field, method: Method, plan: Plan, cursor: Cursor
) -> tuple[Cursor, Rows]:
    count = cursor.accepted + 1
    done = count - cursor.before
    is_last = done >= cursor.quota
    # Times are multiples of the step: sums of it would drift.
    t = jnp.where(is_last, cursor.goal, cursor.begun + done * cursor.h)
    moved = _moved(field, method, plan, cursor)
    x, slope, good, is_kept = _arrived(field, t, moved.x)
    fault = fault_status(moved.is_solved, good)
    good = good & moved.is_solved & is_kept
    status = jnp.where(good, jnp.where(is_last, DONE, RUNNING), fault)
    after = cursor._replace(tried=cursor.h, status=status)
    reached = after._replace(t=t, x=x, slope=slope, accepted=count)
    reached = _remembered(reached, moved)
    bend = _bend(moved.bend, x)
    return _chosen(good, reached, after), Rows(good, t, x, slope, bend)


def _adaptive(
    field: Field, method: Method, plan: Plan, cursor: Cursor
) -> tuple[Cursor, Rows]:
    left = cursor.goal - cursor.t
    is_last = 1.01 * jnp.abs(cursor.h) >= jnp.abs(left)
    h = jnp.where(is_last, left, cursor.h)
    t = jnp.where(is_last, cursor.goal, cursor.t + h)
    h = t - cursor.t  # as far as the clock goes: late times are rounded
    moved = _moved(field, method, plan, cursor._replace(h=h))
    x, slope, good, is_kept = _arrived(field, t, moved.x)
    share = step_size.shares(cursor.x, moved.foreseen, plan.rtol, plan.atol)
    size = step_size.size_of(moved.error, share)
    good = good & size.is_finite
    fault = fault_status(moved.is_solved, good)
    # A step whose constraints are not met leads nowhere, however small its error.
    good = good & moved.is_solved & is_kept
    accepted = good & size.is_allowed
    tried = step_size.Tried(h, size, good, accepted, cursor.tried == 0)
    h, memory = step_size.chosen(falls_of(method), tried, cursor.memory)
    # A step cut short by the end of a leg says nothing against longer ones.
    whole = jnp.sign(left) * step_size.larger(jnp.abs(h), jnp.abs(cursor.h))
    h = jnp.where(is_last & accepted, whole, h)
    # Also after an accepted step: time must advance by more than its rounding.
    stuck = jnp.abs(h) <= plan.least
    reason = jnp.where(good, TOO_SMALL, fault)
    running = jnp.where(is_last, DONE, jnp.where(stuck, TOO_SMALL, RUNNING))
    zero = jnp.zeros_like(h)
    after = cursor._replace(h=h, tried=h, rejected=cursor.rejected + 1)
    after = after._replace(status=jnp.where(stuck, reason, RUNNING))
    reached = cursor._replace(t=t, x=x, slope=slope, h=h, memory=memory, tried=zero)
    reached = reached._replace(accepted=cursor.accepted + 1, status=running)
    reached = _remembered(reached, moved)
    held = _is_held(moved, share, tried.h, reached)
    reached = reached._replace(stiff=cursor.stiff + held)
    bend = _bend(moved.bend, x)
    return _chosen(accepted, reached, after), Rows(accepted, t, x, slope, bend)


def _moved(field: Field, method: Method, plan: Plan, cursor: Cursor) -> Attempt:
    t, x, slope, h = cursor[:4]
    here = field._replace(carried=cursor.carried, allowed=(plan.rtol, plan.atol))
    return method.attempt(here, t, x, slope, h)


def _remembered(cursor: Cursor, moved: Attempt) -> Cursor:
    kept = cursor.carried if moved.carried is None else moved.carried
    return cursor._replace(carried=kept)


def _is_held(moved: Attempt, share: Any, h: Any, end: Cursor) -> Any:
    """Whether stability held a step, not accuracy: h |lambda| is above its limit.

        |lambda| = |f(a) - f(b)| / |a - b|

    of two states at one time is how quick the quickest is. Both are shares of what is
    allowed, so that it has no units but 1/s.
    """
    if moved.edge is None:
        return jnp.zeros((), bool)
    x, slope, limit = moved.edge
    rise, way = (end.slope - slope) * share, (end.x - x) * share
    above, below = jnp.sum(rise * rise), jnp.sum(way * way)
    return (below > 0) & (h * h * above > limit**2 * below)


def fault_status(is_solved: Any, is_finite: Any) -> Any:
    """Why a step that is not good is not: its equations, its numbers, or its rows."""
    return jnp.where(is_solved, jnp.where(is_finite, UNMET, NOT_A_NUMBER), UNSOLVED)


def _arrived(field: Field, t: Any, x: Any) -> tuple[Any, Any, Any, Any]:
    """The state projected, its slope, whether all of it is numbers, and is kept."""
    x, is_kept = field.projected(t, x)
    slope = field.slope(t, x)
    # Each is tested apart: a product with zero would let a missing number through.
    good = jnp.all(jnp.isfinite(x)) & jnp.all(jnp.isfinite(slope))
    return x, slope, good & field.is_sound(t, x), is_kept


def _chosen(flag: Any, yes: Cursor, no: Cursor) -> Cursor:
    pairs = zip(yes, no, strict=True)
    return Cursor(*(jnp.where(flag, a, b) for a, b in pairs))
