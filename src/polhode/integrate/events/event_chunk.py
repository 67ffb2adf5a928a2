"""Chunks of runs with events: rows out as of any run, and what happened beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Scalar
from polhode.integrate.events.event_run import Turn
from polhode.integrate.events.event_step import Watched, stepping
from polhode.integrate.events.occurrence_buffer import OccurrenceBuffer, has_room
from polhode.integrate.kernel.chunk import Runs, attempts_of, held_row, lengthening
from polhode.integrate.kernel.packing import form_of, packed, packed_in_trace
from polhode.integrate.kernel.status import RUNNING, SWITCHING
from polhode.integrate.kernel.stepper_state import (
    Rows,
    RunBounds,
    StepperState,
    no_attempt,
)
from polhode.integrate.methods.method import is_fixed
from polhode.lowering.compile import compile
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.methods.method import Method


@final
class EventChunk:
    """(stepper states, bounds, table) -> stepper states, rows, buffers, of runs.

    As `chunk_program`, for one run or for many; held values are a fourth where the loop
    samples inputs. The last turn of a chunk is kept for
    changes: no chunk of whole length ends between a step that is cut and its changes.
    """

    def __init__(
        self,
        equations: Equations,
        method: Method,
        watched: Watched,
        runs: Runs,
        *,
        backend: str = "llvm",
    ):
        stepper_states, bounds, table = runs
        self._step = step_of(method)
        self._many = len(stepper_states.t) > 1
        shapes = tuple(leaf.shape[1:] for leaf in stepper_states)
        kind = (type(method), method.name, tuple(sorted(table)), self._many)
        # Native code, or XLA where there is no rule for a line of the user's.
        backend = "cuda" if backend == "cuda" else "auto"
        key = ("event chunk", *kind, shapes, watched.key, backend)
        self._back = form_of(_first(stepper_states)).lifted()

        def made() -> Any:
            function = _chunk(equations, method, watched)
            own = {name: float(values[0]) for name, values in table.items()}
            first = Runs(_first(stepper_states), _first(bounds), own)
            return _compile_chunk(function, first, many=self._many, backend=backend)

        self._program = equations.remembered(key, made)

    def __call__(
        self, stepper_states: StepperState, bounds: RunBounds, table: Table
    ) -> tuple[Any, ...]:
        runs = len(stepper_states.t)
        if self._many and runs > 1:
            steps = np.full(runs, self._step)
            return self._program(stepper_states, bounds, table, steps)
        own = {name: values[0, ...] for name, values in table.items()}
        if self._many:
            # The last of many goes by itself, which is quicker; the bits are the same.
            one = (_first(stepper_states), _first(bounds), own, np.float64(self._step))
            return tuple(map(_with_run_axis, self._program(*one)))
        columns = packed((stepper_states, bounds, np.array([self._step])))
        after, *made = self._program(columns, own)
        return self._back.unpacked(after), *map(_with_run_axis, made)


def step_of(method: Method) -> float:
    """The step of a method of fixed step (s); else one that is not read."""
    return float(method.step) if is_fixed(method) else 1.0


def _first(tree: Any) -> Any:
    return type(tree)(*(leaf[0, ...] for leaf in tree))


def _with_run_axis(tree: Any) -> Any:
    return type(tree)(*(np.asarray(leaf)[None] for leaf in tree))


def _compile_chunk(function: Any, first: Runs, *, many: bool, backend: str) -> Any:
    if many:
        return compile(function, *first, 1.0, batched=True, backend=backend)
    example = (first.stepper_states, first.bounds, np.ones(()))
    given = form_of(example)

    def alone(columns: Any, table: Table) -> tuple[Any, ...]:
        stepper_state, bounds, step = given.unpacked(columns)
        after, *made = function(stepper_state, bounds, table, step)
        return packed_in_trace(after), *made

    return compile(alone, packed(example), first.table, backend=backend)


def _chunk(equations: Equations, method: Method, watched: Watched) -> Any:
    turn, guards = stepping(equations, method, watched), watched.guards
    has_samplers = bool(watched.drive.samplers)

    def chunk(
        stepper_state: StepperState, bounds: RunBounds, table: Table, step: Any
    ) -> tuple[Any, ...]:
        width, times = stepper_state.x.shape[0], lengthening(equations)
        count = attempts_of(width, method.dense_terms, times)

        def attempt(
            carry: tuple[StepperState, OccurrenceBuffer], k: Scalar
        ) -> tuple[tuple[StepperState, OccurrenceBuffer], Any]:
            stepper_state, buffer = carry
            may = (stepper_state.status == RUNNING) & (k < bounds.room) & (k < count)
            may = may & has_room(buffer, guards)
            made = lax.cond(
                may | (stepper_state.status == SWITCHING),
                lambda given: turn(given[0], given[1], bounds, table, step),
                lambda given: Turn(
                    given[0], no_attempt(given[0], method.dense_terms), given[1]
                ),
                carry,
            )
            after, row, buffer = Turn(*made)
            after = StepperState(*after)
            own = (held_row(stepper_state, after),) if has_samplers else ()
            return (after, OccurrenceBuffer(*buffer)), (Rows(*row), *own)

        # A change takes two turns: no more can happen than fits, but by many guards.
        first = (stepper_state, watched.buffer(equations.system, count // 2))
        (after, buffer), made = lax.scan(attempt, first, jnp.arange(count + 1))
        rows, *own = made
        return after, rows, buffer, *own

    return chunk
