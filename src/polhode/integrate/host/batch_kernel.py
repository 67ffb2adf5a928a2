"""Batch kernel of sweep: advances many runs to an output time.

A call makes at most so many attempts and stores only the last accepted step of each
run, enough for dense output there. The steps are those of a run that keeps them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Scalar
from polhode.formulation.contact.mode_forces import knows_modes
from polhode.integrate.audit.contact_ledger import contact_audit
from polhode.integrate.audit.rates import audit_function
from polhode.integrate.events.event_step import Watched, stepping
from polhode.integrate.events.occurrence_buffer import OccurrenceBuffer, has_room
from polhode.integrate.field.dense_output import between
from polhode.integrate.field.input_table import UNDRIVEN, Drive
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.host.batch_samples import (
    Due,
    SampledStep,
    Samples,
    Taker,
    Taking,
)
from polhode.integrate.kernel.chunk import leg_step
from polhode.integrate.kernel.sample_instant import run_turn
from polhode.integrate.kernel.status import NEEDS_HOST, RUNNING, SWITCHING
from polhode.integrate.kernel.stepper_state import Rows, RunBounds, StepperState
from polhode.integrate.methods.deferred_dense import DeferredDense, StepStart, deferred
from polhode.integrate.methods.projection import settling
from polhode.integrate.methods.taylor import EndsAlone, Taylor
from polhode.lowering.compile import Program, compile
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.methods.method import Method

NODES, WEIGHTS = np.polynomial.legendre.leggauss(4)


class BatchState(NamedTuple):
    """One run of a batch between two calls of the kernel.

    stepper_state    where it is
    t, x, x_dot      the start of its last accepted step
    dense            (terms, width) the dense output of that step
    work             (actions,) J done since the start, where the sweep is audited
    """

    stepper_state: StepperState
    t: Any
    x: Any
    x_dot: Any
    dense: Any
    work: Any


class Goal(NamedTuple):
    """How far a call with events goes.

    t_end   the time, which the last step may pass; not finite: to the end of the run
    room    attempts at most
    step    of a method of fixed step (s)
    """

    t_end: Any
    room: Any
    step: Any


def first_run_states(
    stepper_states: StepperState, terms: int, works: int
) -> BatchState:
    """Runs of a batch at their start; leading axes are runs, if there are any.

    Without terms no dense output is computed, which may be a good part of a step.
    """
    *runs, width = stepper_states.x.shape
    dense, work = np.zeros((*runs, terms, width)), np.zeros((*runs, works))
    return BatchState(
        stepper_states,
        stepper_states.t,
        stepper_states.x,
        stepper_states.x_dot,
        dense,
        work,
    )


def batch_program(
    equations: Equations,
    method: Method,
    example: tuple[Any, ...],
    watched: Watched,
    *,
    backend: str = "auto",
) -> Program:
    """(run_state, bounds, table, t_end, room) -> run_state, for many runs at once.

    Work and dense output are computed where the example has a place for them. Where
    there are switches it is (run_state, bounds, table, goal) -> run_state, buffer.
    What is due may follow: samples are then the last that is given back.
    """
    run_state, _, table, *rest = example
    works, terms = run_state.work.shape[0], run_state.dense.shape[0]
    is_sampled = isinstance(rest[-1], Due)
    places = (works, terms, is_sampled, backend, *leg_step(method, watched.drive))
    key = ("loop_of_run", *_kind(method, table), *places, watched.key)

    def made() -> Program:
        if watched.is_needed:
            function = event_loop(equations, method, watched, works > 0)
        elif is_sampled:
            function = sampled_loop(equations, method, works > 0, watched.drive)
        else:
            function = _plain_loop(equations, method, works > 0, watched.drive)
        common = ("t_end", "room", "goal")
        batched = [name for name in _leaves(example) if not name.startswith(common)]
        return compile(function, *example, batched=batched, backend=backend)

    return equations.remembered(key, made)


def single_run_loop(
    equations: Equations, method: Method, is_audited: bool, drive: Drive
) -> Any:
    """(run_state, bounds, t_end, room), table -> run_state, of one run; traced."""
    loop_of_run = _plain_loop(equations, method, is_audited, drive)

    def lone(run: Any, table: Table) -> BatchState:
        run_state, bounds, t_end, room = run
        return loop_of_run(run_state, bounds, table, t_end, room)

    return lone


def batch_kernel(equations: Equations, method: Method) -> Any:
    """(run_state, bounds, table, t_end, room) -> run_state, of one run; traced."""
    return _plain_loop(equations, method, False, UNDRIVEN)


def _kind(method: Method, table: Table) -> tuple[Any, ...]:
    return type(method), method.name, tuple(sorted(table))


def _leaves(example: tuple[Any, ...]) -> list[str]:
    last = ("goal",) if isinstance(example[3], Goal) else ("t_end", "room")
    names = ("run_state", "bounds", "table", *last, "due")[: len(example)]
    return [
        name
        for name, tree in zip(names, example, strict=True)
        if jax.tree_util.tree_leaves(tree)
    ]


def _plain_loop(
    equations: Equations,
    method: Method,
    is_audited: bool,
    drive: Drive,
) -> Any:
    audit = audit_function(equations, drive) if is_audited else None

    def loop_of_run(
        run_state: BatchState,
        bounds: RunBounds,
        table: Table,
        t_end: Scalar,
        room: Scalar,
    ) -> BatchState:
        is_kept = is_audited or len(run_state.dense) > 0
        turn = run_turn(
            equations,
            method if is_kept or not isinstance(method, Taylor) else EndsAlone(method),
            drive,
            bounds=bounds,
            table=table,
            held=run_state.stepper_state.held,
        )

        def goes_on(carry: tuple[BatchState, Any]) -> Any:
            stepper_state, k = carry[0].stepper_state, carry[1]
            ahead = (t_end - stepper_state.t) * jnp.sign(bounds.stop - bounds.start) > 0
            return (stepper_state.status == RUNNING) & ahead & (k < room)

        def attempt(carry: tuple[BatchState, Any]) -> tuple[BatchState, Any]:
            run_state, k = carry
            after, rows = turn(run_state.stepper_state)
            return _followed(run_state, after, rows, audit, table), k + 1

        return lax.while_loop(goes_on, attempt, (run_state, 0 * room))[0]

    return loop_of_run


def sampled_method(method: Method, drive: Drive, is_audited: bool) -> Method:
    """The method of runs with samples: dense output is found for their steps alone.

    Work is computed by the dense output of all steps; where inputs are sampled, those
    of a step that is kept may have changed since.
    """
    return method if is_audited or drive.samplers else deferred(method)


def sampled_loop(
    equations: Equations, method: Method, is_audited: bool, drive: Drive
) -> Any:
    """(run_state, bounds, table, t_end, room, due) -> run_state, samples; to be traced.

    A step with samples in it is kept, and its samples are taken some attempts later:
    side by side with those of other lanes, whose steps have theirs at other attempts.
    """
    audit = audit_function(equations, drive) if is_audited else None
    late = sampled_method(method, drive, is_audited)

    def loop_of_run(
        run_state: BatchState,
        bounds: RunBounds,
        table: Table,
        t_end: Scalar,
        room: Scalar,
        due: Due,
    ) -> tuple[BatchState, Samples]:  # limit: those of a loop, and its samples
        held = run_state.stepper_state.held
        turn = run_turn(equations, late, drive, bounds=bounds, table=table, held=held)
        sign = jnp.sign(bounds.stop - bounds.start)

        def terms(step: SampledStep) -> Any:
            if not isinstance(late, DeferredDense):
                return step.dense
            inputs = {**table, **drive.unpacked(held)}
            field = settling(field_of(equations, inputs, drive.driven), late)
            start = StepStart(step.t, step.x, step.x_dot, step.end_t - step.t)
            return jnp.stack(late.dense(field, start, step.dense))

        take = Taker(due.times, sign, terms)

        def goes_on(carry: tuple[BatchState, Taking, Any]) -> Any:
            (stepper_state, *_), taking, k = carry
            ahead = (t_end - stepper_state.t) * sign > 0
            may = (k < room) & take.has_room(taking)
            return (stepper_state.status == RUNNING) & ahead & may

        def attempt(carry: Any) -> Any:
            run_state, taking, k = carry
            start = run_state.stepper_state
            after, rows = turn(start)
            taking = take.claim(taking, start, rows)
            return _followed(run_state, after, rows, audit, table), taking, k + 1

        first = (run_state, take.begin(due.step), 0 * room)
        run_state, taking, _ = lax.while_loop(goes_on, attempt, first)
        return run_state, take.end(taking)

    return loop_of_run


def event_loop(
    equations: Equations, method: Method, watched: Watched, is_audited: bool = False
) -> Any:
    """(run_state, bounds, table, goal[, due]) -> run_state, buffer[, samples]; traced.

    A run that is cut at an event beyond its goal waits there with its changes due: the
    goal lies in the step before them. Samples of a step that the host is to look at
    are the host's, which may cut it.
    """
    turn, guards = stepping(equations, method, watched), watched.guards
    audit = power_function(equations, watched.drive) if is_audited else None

    def loop_of_run(
        run_state: BatchState,
        bounds: RunBounds,
        table: Table,
        goal: Goal,
        due: Due | None = None,
    ) -> tuple[Any, ...]:  # limit: those of a loop, its occurrences and samples
        t_end, room, step = goal
        sign = jnp.sign(bounds.stop - bounds.start)
        take = None if due is None else Taker(due.times, sign, lambda step: step.dense)

        def goes_on(carry: tuple[BatchState, OccurrenceBuffer, Any, Any]) -> Any:
            (stepper_state, *_), buffer, taking, k = carry
            ahead = (t_end - stepper_state.t) * sign > 0
            may = (k < room) & has_room(buffer, guards)
            may = (stepper_state.status == RUNNING) & may
            ahead = ahead if take is None else ahead & take.has_room(taking)
            return ahead & (may | (stepper_state.status == SWITCHING))

        def attempt(carry: Any) -> Any:
            run_state, buffer, taking, k = carry
            start = run_state.stepper_state
            after, row, buffer = turn(start, buffer, bounds, table, step)
            after, row = StepperState(*after), Rows(*row)
            if take is not None:
                sure = row.accepted & (after.status != NEEDS_HOST)
                taking = take.claim(taking, start, row._replace(accepted=sure))
            run_state = _followed(run_state, after, row, audit, table)
            return run_state, OccurrenceBuffer(*buffer), taking, k + 1

        taking = None if take is None or due is None else take.begin(due.step)
        first = (run_state, watched.buffer(equations.system), taking, 0 * room)
        run_state, buffer, taking, _ = lax.while_loop(goes_on, attempt, first)
        if take is None or taking is None:
            return run_state, buffer
        return run_state, buffer, take.end(taking)

    return loop_of_run


def _followed(
    run_state: BatchState, after: StepperState, rows: Rows, audit: Any, table: Table
) -> BatchState:
    """A run after an attempt; its step is the last one if it was accepted."""
    start, good = run_state.stepper_state, rows.accepted
    step = (start.t, start.x, start.x_dot, rows.dense[: len(run_state.dense)])
    held = (run_state.t, run_state.x, run_state.x_dot, run_state.dense)
    pairs = zip(step, held, strict=True)
    t, x, x_dot, dense = (jnp.where(good, new, old) for new, old in pairs)
    work = run_state.work
    if audit is not None:
        work = work + jnp.where(good, _work(start, rows, audit, table), 0.0)
    return BatchState(after, t, x, x_dot, dense, work)


def power_function(equations: Equations, drive: Drive) -> Any:
    """(t, x, held, table) -> Audit, with the powers of contacts where they are."""
    if knows_modes(equations):
        return contact_audit(equations, drive)
    return audit_function(equations, drive)


def work_function(equations: Equations, drive: Drive) -> Any:
    """(cursor at its start, row at its end, table) -> work of a step; to be traced."""
    audit = power_function(equations, drive)

    def work(start: StepperState, row: Rows, table: Table) -> Any:
        return _work(start, row, audit, table)

    return work


def _work(start: StepperState, rows: Rows, audit: Any, table: Table) -> Any:
    """The work of each action over a step, by Gauss's rule with four points."""
    h, total = rows.t - start.t, 0.0
    ends = (start.x, start.x_dot), (rows.x, rows.x_dot)
    for node, weight in zip(NODES, WEIGHTS, strict=True):
        s = (node + 1) / 2
        x = between(s, h, *ends, rows.dense)
        powers = audit(start.t + s * h, x, start.held, table).powers
        total = total + weight / 2 * h * jnp.stack(list(powers.values()))
    return total
