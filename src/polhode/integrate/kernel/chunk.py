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

ATTEMPTS = 512  # of one chunk at most
# Of wide states fewer: a chunk's rows are columns of a program, each as long as there
# are attempts, and a program of so many elements takes seconds to be made.
LEAST_ATTEMPTS, ELEMENTS = 16, 32_768
RECENT = 10


class StepperState(NamedTuple):
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
    x_dot: Any
    h: Any
    memory: Any
    tried: Any
    accepted: Any
    rejected: Any
    status: Any
    carried: Any
    stiff: Any
    begun: Any
    t_end: Any
    n_steps: Any
    before: Any
    held: Any
    sample_count: Any
    recall: Any
    sides: Any
    recent: Any


class RunBounds(NamedTuple):
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
    x_dot: Any
    dense: Any


class Runs(NamedTuple):
    """Runs between chunks, with their parameters; leading axes are runs."""

    stepper_states: StepperState
    bounds: RunBounds
    table: dict[str, Any]


def chunk_program(
    equations: Equations,
    method: Method,
    runs: Runs,
    drive: Drive,
) -> Program | PackedChunk:
    """The compiled chunk of some equations and a method, for one run or for many."""
    stepper_states, bounds, table = runs
    many = len(stepper_states.t) > 1
    shapes = tuple(leaf.shape[1:] for leaf in stepper_states)
    kind = (type(method), method.name, tuple(sorted(table)), many)

    def made() -> Program | PackedChunk:
        function = _chunk(equations, method, drive)
        first = (
            StepperState(*(leaf[0] for leaf in stepper_states)),
            RunBounds(*(leaf[0] for leaf in bounds)),
        )
        own = {name: float(values[0]) for name, values in table.items()}
        if many:
            return compile(function, *first, own, batched=True)
        return PackedChunk(function, *first, own)

    return equations.remembered(("chunk", *kind, shapes, drive.key), made)


@final
class PackedChunk:
    """The chunk of one run: (cursor, plan, table) -> cursor, rows, as for many.

    All have an axis of one run; its program takes and gives few arrays (see `packing`).
    """

    def __init__(
        self, function: Any, stepper_state: StepperState, bounds: RunBounds, table: Any
    ):
        given = form_of((stepper_state, bounds))

        def lone(columns: Any, table: Any) -> tuple[Any, Rows]:
            after, rows = function(*given.unpacked(columns), table)
            return packed_in_trace(after), rows

        self._program = compile(lone, packed((stepper_state, bounds)), table)
        self._back = form_of(stepper_state).lifted()

    def __call__(
        self, stepper_states: StepperState, bounds: RunBounds, table: Any
    ) -> tuple[StepperState, Rows]:
        own = {name: values[0, ...] for name, values in table.items()}
        columns, rows = self._program(packed((stepper_states, bounds)), own)
        return self._back.unpacked(columns), Rows(*(leaf[None] for leaf in rows))


def start_cursor(t: Any, x: np.ndarray, x_dot: np.ndarray, h: Any) -> StepperState:
    """The cursor of runs that begin; a leading axis of t, x, slope, h is runs."""
    count = np.zeros(np.shape(t), np.int64)
    zero = np.zeros(np.shape(t))
    first = step_size.FIRST_MEMORY + zero
    counts = (count, count, count, x_dot, count)
    segment = (t, t, count, count)
    nothing = np.zeros((*np.shape(t), 0))
    none = nothing.astype(np.int64)
    never = np.full((*np.shape(t), RECENT), np.inf)
    own = (nothing, none, nothing, none, never)
    return StepperState(t, x, x_dot, h, first, zero, *counts, *segment, *own)


def attempts_of(width: int, terms: int) -> int:
    """How many steps a chunk attempts at most; no bit of a run depends on it."""
    return min(ATTEMPTS, max(LEAST_ATTEMPTS, ELEMENTS // (width * (2 + terms))))


def _chunk(equations: Equations, method: Method, drive: Drive) -> Callable[..., Any]:
    advance = advance_of(method)

    def chunk(
        stepper_state: StepperState, bounds: RunBounds, table: Any
    ) -> tuple[StepperState, Rows]:
        table = {**table, **drive.unpacked(stepper_state.held)}
        field = settling(field_of(equations, table, drive.driven), method)

        def attempt(stepper_state: StepperState, k: Any) -> tuple[StepperState, Rows]:
            return lax.cond(
                (stepper_state.status == RUNNING) & (k < bounds.room),
                lambda stepper_state: advance(field, method, bounds, stepper_state),
                lambda stepper_state: _idle(method, stepper_state),
                stepper_state,
            )

        count = attempts_of(stepper_state.x.shape[0], method.dense_terms)
        return lax.scan(attempt, stepper_state, jnp.arange(count))

    return chunk


def advance_of(method: Method) -> Callable[..., tuple[StepperState, Rows]]:
    """(field, method, plan, cursor) -> the cursor after one attempt, and its row."""
    return _adaptive if method.is_adaptive else _fixed


def _idle(method: Method, stepper_state: StepperState) -> tuple[StepperState, Rows]:
    nothing = jnp.zeros_like(stepper_state.x)
    dense = jnp.zeros((method.dense_terms, *stepper_state.x.shape))
    return stepper_state, Rows(
        jnp.zeros((), bool), stepper_state.t, nothing, nothing, dense
    )


def _bend(terms: tuple[Any, ...], x: Any) -> Any:
    """The terms of dense output as one array (terms, width)."""
    return jnp.stack(terms) if terms else jnp.zeros((0, *x.shape))


def _fixed(
    field: Field, method: Method, bounds: RunBounds, stepper_state: StepperState
) -> tuple[StepperState, Rows]:
    count = stepper_state.accepted + 1
    done = count - stepper_state.before
    is_last = done >= stepper_state.n_steps
    # Times are multiples of the step: sums of it would drift.
    t = jnp.where(
        is_last, stepper_state.t_end, stepper_state.begun + done * stepper_state.h
    )
    moved = _moved(field, method, bounds, stepper_state)
    x, x_dot, good, is_kept = _arrived(field, t, moved.x)
    fault = fault_status(moved.is_solved, good)
    good = good & moved.is_solved & is_kept
    status = jnp.where(good, jnp.where(is_last, DONE, RUNNING), fault)
    after = stepper_state._replace(tried=stepper_state.h, status=status)
    reached = after._replace(t=t, x=x, x_dot=x_dot, accepted=count)
    reached = _remembered(reached, moved)
    dense = _bend(moved.dense, x)
    return _chosen(good, reached, after), Rows(good, t, x, x_dot, dense)


def _adaptive(
    field: Field, method: Method, bounds: RunBounds, stepper_state: StepperState
) -> tuple[StepperState, Rows]:
    left = stepper_state.t_end - stepper_state.t
    is_last = 1.01 * jnp.abs(stepper_state.h) >= jnp.abs(left)
    h = jnp.where(is_last, left, stepper_state.h)
    t = jnp.where(is_last, stepper_state.t_end, stepper_state.t + h)
    h = t - stepper_state.t  # as far as the clock goes: late times are rounded
    moved = _moved(field, method, bounds, stepper_state._replace(h=h))
    x, x_dot, good, is_kept = _arrived(field, t, moved.x)
    share = step_size.shares(stepper_state.x, moved.foreseen, bounds.rtol, bounds.atol)
    size = step_size.size_of(moved.error, share)
    good = good & size.is_finite
    fault = fault_status(moved.is_solved, good)
    # A step whose constraints are not met leads nowhere, however small its error.
    good = good & moved.is_solved & is_kept
    accepted = good & size.is_allowed
    tried = step_size.Tried(h, size, good, accepted, stepper_state.tried == 0)
    h, memory = step_size.chosen(falls_of(method), tried, stepper_state.memory)
    # A step cut short by the end of a leg says nothing against longer ones.
    whole = jnp.sign(left) * step_size.larger(jnp.abs(h), jnp.abs(stepper_state.h))
    h = jnp.where(is_last & accepted, whole, h)
    # Also after an accepted step: time must advance by more than its rounding.
    stuck = jnp.abs(h) <= bounds.least
    reason = jnp.where(good, TOO_SMALL, fault)
    running = jnp.where(is_last, DONE, jnp.where(stuck, TOO_SMALL, RUNNING))
    zero = jnp.zeros_like(h)
    after = stepper_state._replace(h=h, tried=h, rejected=stepper_state.rejected + 1)
    after = after._replace(status=jnp.where(stuck, reason, RUNNING))
    reached = stepper_state._replace(
        t=t, x=x, x_dot=x_dot, h=h, memory=memory, tried=zero
    )
    reached = reached._replace(accepted=stepper_state.accepted + 1, status=running)
    reached = _remembered(reached, moved)
    held = _is_held(moved, share, tried.h, reached)
    reached = reached._replace(stiff=stepper_state.stiff + held)
    dense = _bend(moved.dense, x)
    return _chosen(accepted, reached, after), Rows(accepted, t, x, x_dot, dense)


def _moved(
    field: Field, method: Method, bounds: RunBounds, stepper_state: StepperState
) -> Attempt:
    t, x, x_dot, h = stepper_state[:4]
    here = field._replace(
        carried=stepper_state.carried, allowed=(bounds.rtol, bounds.atol)
    )
    return method.attempt(here, t, x, x_dot, h)


def _remembered(stepper_state: StepperState, moved: Attempt) -> StepperState:
    kept = stepper_state.carried if moved.carried is None else moved.carried
    return stepper_state._replace(carried=kept)


def _is_held(moved: Attempt, share: Any, h: Any, end: StepperState) -> Any:
    """Whether stability held a step, not accuracy: h |lambda| is above its limit.

        |lambda| = |f(a) - f(b)| / |a - b|

    of two states at one time is how quick the quickest is. Both are shares of what is
    allowed, so that it has no units but 1/s.
    """
    if moved.edge is None:
        return jnp.zeros((), bool)
    x, x_dot, limit = moved.edge
    rise, way = (end.x_dot - x_dot) * share, (end.x - x) * share
    above, below = jnp.sum(rise * rise), jnp.sum(way * way)
    return (below > 0) & (h * h * above > limit**2 * below)


def fault_status(is_solved: Any, is_finite: Any) -> Any:
    """Why a step that is not good is not: its equations, its numbers, or its rows."""
    return jnp.where(is_solved, jnp.where(is_finite, UNMET, NOT_A_NUMBER), UNSOLVED)


def _arrived(field: Field, t: Any, x: Any) -> tuple[Any, Any, Any, Any]:
    """The state projected, its slope, whether all of it is numbers, and is kept."""
    x, is_kept = field.projected(t, x)
    x_dot = field.x_dot(t, x)
    # Each is tested apart: a product with zero would let a missing number through.
    good = jnp.all(jnp.isfinite(x)) & jnp.all(jnp.isfinite(x_dot))
    return x, x_dot, good & field.is_sound(t, x), is_kept


def _chosen(flag: Any, yes: StepperState, no: StepperState) -> StepperState:
    pairs = zip(yes, no, strict=True)
    return StepperState(*(jnp.where(flag, a, b) for a, b in pairs))
