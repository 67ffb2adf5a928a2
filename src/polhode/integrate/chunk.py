"""Time in native chunks: at most so many attempts, rows out, a cursor to go on from.

One compiled loop holds equations, method and step control. It returns a row for every
attempt, marked if accepted, and a cursor that holds all that the next chunk needs: a
run made in chunks is, bit for bit, the run made at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.integrate import step_size
from polhode.integrate.field import Field, field_of
from polhode.integrate.method import Attempt, Method
from polhode.lowering.compile import Program, compile

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations

ATTEMPTS = 512
RUNNING, DONE, NOT_A_NUMBER, TOO_SMALL, UNSOLVED = 0, 1, 2, 3, 6


class Cursor(NamedTuple):
    """Where a run is.

    t, x, slope   the last accepted state and its rate of change
    h             the step to try next, with its sign
    memory        of the step control: the last accepted error
    tried         the step that failed, if one did
    accepted, rejected   counts of steps
    status        RUNNING or how it ended
    carried       (x,) what the method told its next step; the first slope at the start
    stiff         how many accepted steps stability has held back, not accuracy
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


class Plan(NamedTuple):
    """What a run is to do: the same for all its chunks.

    start, stop   times (s)
    steps         how many, for a method of fixed step
    rtol, atol    tolerances; atol (x,)
    least         no step is shorter
    """

    start: Any
    stop: Any
    steps: Any
    rtol: Any
    atol: Any
    least: Any


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
    equations: Equations, method: Method, table: Any, runs: int
) -> Program:
    """The compiled chunk of some equations and a method, for one run or for many."""
    key = ("chunk", type(method), method.name, tuple(sorted(table)), runs > 1)
    if key not in equations.programs:
        function = _chunk(equations, method)
        width = equations.system.coordinates + len(equations.velocity_names)
        example = (*_examples(width), dict(table))
        equations.programs[key] = compile(function, *example, batched=runs > 1)
    return equations.programs[key]


def start_cursor(t: Any, x: np.ndarray, slope: np.ndarray, h: Any) -> Cursor:
    """The cursor of runs that begin; a leading axis of t, x, slope, h is runs."""
    count = np.zeros(np.shape(t), np.int64)
    zero = np.zeros(np.shape(t))
    first = step_size.FIRST_MEMORY + zero
    return Cursor(t, x, slope, h, first, zero, count, count, count, slope, count)


def _chunk(equations: Equations, method: Method) -> Callable[..., Any]:
    advance = _adaptive if method.is_adaptive else _fixed

    def chunk(cursor: Cursor, plan: Plan, table: Any) -> tuple[Cursor, Rows]:
        field = field_of(equations, table)

        def attempt(cursor: Cursor, _: Any) -> tuple[Cursor, Rows]:
            return lax.cond(
                cursor.status == RUNNING,
                lambda cursor: advance(field, method, plan, cursor),
                lambda cursor: _idle(method, cursor),
                cursor,
            )

        return lax.scan(attempt, cursor, None, length=ATTEMPTS)

    return chunk


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
    is_last = count >= plan.steps
    # Times are multiples of the step: sums of it would drift.
    t = jnp.where(is_last, plan.stop, plan.start + count * cursor.h)
    moved = _moved(field, method, plan, cursor)
    x, slope, good = _arrived(field, t, moved.x)
    fault = jnp.where(moved.is_solved, NOT_A_NUMBER, UNSOLVED)
    good = good & moved.is_solved
    status = jnp.where(good, jnp.where(is_last, DONE, RUNNING), fault)
    after = cursor._replace(tried=cursor.h, status=status)
    reached = after._replace(t=t, x=x, slope=slope, accepted=count)
    reached = _remembered(reached, moved)
    bend = _bend(moved.bend, x)
    return _chosen(good, reached, after), Rows(good, t, x, slope, bend)


def _adaptive(
    field: Field, method: Method, plan: Plan, cursor: Cursor
) -> tuple[Cursor, Rows]:
    left = plan.stop - cursor.t
    is_last = 1.01 * jnp.abs(cursor.h) >= jnp.abs(left)
    h = jnp.where(is_last, left, cursor.h)
    t = jnp.where(is_last, plan.stop, cursor.t + h)
    moved = _moved(field, method, plan, cursor._replace(h=h))
    x, slope, good = _arrived(field, t, moved.x)
    error = step_size.size_of(moved.error, cursor.x, x, plan.rtol, plan.atol)
    fault = jnp.where(moved.is_solved, NOT_A_NUMBER, UNSOLVED)
    good = good & jnp.isfinite(error) & moved.is_solved
    # A state without numbers, or not solved for, says nothing about the size.
    error = jnp.where(good, error, jnp.inf)
    accepted = good & (error <= 1)
    tried = step_size.Tried(h, error, accepted, good & (cursor.tried == 0))
    h, memory = step_size.chosen(method.order, tried, cursor.memory)
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
    bend = _bend(moved.bend, x)
    return _chosen(accepted, reached, after), Rows(accepted, t, x, slope, bend)


def _moved(field: Field, method: Method, plan: Plan, cursor: Cursor) -> Attempt:
    t, x, slope, h = cursor[:4]
    here = field._replace(carried=cursor.carried, allowed=(plan.rtol, plan.atol))
    return method.attempt(here, t, x, slope, h)


def _remembered(cursor: Cursor, moved: Attempt) -> Cursor:
    held = (moved.stiffness > 1) & jnp.ones((), bool)
    kept = cursor.carried if moved.carried is None else moved.carried
    return cursor._replace(carried=kept, stiff=cursor.stiff + held)


def _arrived(field: Field, t: Any, x: Any) -> tuple[Any, Any, Any]:
    """The state settled, its slope, and whether all of it is numbers."""
    x = field.settled(t, x)
    slope = field.slope(t, x)
    # Each is tested apart: a product with zero would let a missing number through.
    good = jnp.all(jnp.isfinite(x)) & jnp.all(jnp.isfinite(slope))
    return x, slope, good & field.is_sound(t, x)


def _chosen(flag: Any, yes: Cursor, no: Cursor) -> Cursor:
    pairs = zip(yes, no, strict=True)
    return Cursor(*(jnp.where(flag, a, b) for a, b in pairs))


def _examples(width: int) -> tuple[Cursor, Plan]:
    column = np.zeros(width)
    cursor = start_cursor(np.float64(0.0), column, column, np.float64(0.0))
    plan = Plan(0.0, 1.0, np.int64(1), 1e-9, column, 1e-15)
    return cursor, plan
