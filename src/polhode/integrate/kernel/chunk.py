"""A chunk: one native call that makes a bounded number of attempts of a run.

One compiled loop holds equations, method and step control. It returns a row for every
attempt, marked if accepted, and a `StepperState` with all that the next chunk needs: a
run made in chunks is, bit for bit, the run made at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Scalar
from polhode.integrate.field.backend import backend_on
from polhode.integrate.kernel.packing import form_of, packed, packed_in_trace
from polhode.integrate.kernel.sample_instant import HeldRows, run_turn
from polhode.integrate.kernel.status import RUNNING
from polhode.integrate.kernel.stepper_state import (
    RunBounds,
    StepperState,
    no_attempt,
)
from polhode.integrate.methods.method import Method
from polhode.lowering.compile import Program, compile
from polhode.matter.parameter import Table
from polhode.system.rolled.size import is_rolled

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive

ATTEMPTS = 512  # of one chunk at most
# Of wide states fewer: a chunk's rows are columns of a program, each as long as there
# are attempts, and a program of so many elements takes seconds to be made.
LEAST_ATTEMPTS, ELEMENTS = 16, 32_768
# Of large systems more: XLA's loops have no operation for each element, and a call of
# one costs as much as several steps.
IN_LOOPS = 8


class Runs(NamedTuple):
    """Runs between chunks, with their parameters; leading axes are runs."""

    stepper_states: StepperState
    bounds: RunBounds
    table: dict[str, Any]


def picked(tree: Any, pick: Any) -> Any:
    """The runs at some places, or one of them; of tuples, of dicts and of arrays."""
    if isinstance(tree, dict):
        return {name: leaf[pick] for name, leaf in tree.items()}
    if not isinstance(tree, tuple):
        return tree[pick]
    return type(tree)(*(picked(leaf, pick) for leaf in tree))


def replaced(old: Any, pick: np.ndarray, new: Any) -> Any:
    """A copy with other runs at some places; the new ones alone where they are all."""
    if isinstance(old, np.ndarray):
        if len(pick) == len(old):
            return new
        whole = np.array(old)
        whole[pick] = new
        return whole
    pairs = zip(old, new, strict=True)
    return type(old)(*(replaced(a, pick, b) for a, b in pairs))


def stacked(trees: list[Any]) -> Any:
    """Runs one by one as one tree of all."""
    if not isinstance(trees[0], tuple):
        # A view of one: stacking each of twenty leaves would take 0.2 ms.
        return np.asarray(trees[0])[None] if len(trees) == 1 else np.stack(trees)
    return type(trees[0])(*map(stacked, map(list, zip(*trees, strict=True))))


def each(tree: Any) -> list[Any]:
    """Every run by itself."""
    return [picked(tree, k) for k in range(len(tree[1]))]


def chunk_program(
    equations: Equations,
    method: Method,
    runs: Runs,
    drive: Drive,
    *,
    backend: str = "llvm",
) -> Program | PackedChunk:
    """The compiled chunk of some equations and a method, for one run or for many.

    `backend` is that of the call: "cuda", or native code as suits the equations.
    """
    stepper_states, bounds, table = runs
    many = len(stepper_states.t) > 1
    shapes = tuple(leaf.shape[1:] for leaf in stepper_states)
    own = (type(method), method.name, tuple(sorted(table)), many)
    chosen = backend_on(backend, equations)
    kind = (*own, *leg_step(method, drive), chosen)

    def made() -> Program | PackedChunk:
        function = _chunk(equations, method, drive)
        first = (
            StepperState(*(leaf[0] for leaf in stepper_states)),
            RunBounds(*(leaf[0] for leaf in bounds)),
        )
        own = {name: float(values[0]) for name, values in table.items()}
        if many:
            return compile(function, *first, own, batched=True, backend=chosen)
        return PackedChunk(function, *first, own, backend=chosen)

    return equations.remembered(("chunk", *kind, shapes, drive.key), made)


@final
class PackedChunk:
    """The chunk of one run: (stepper state, bounds, table) -> stepper state, rows.

    Where the loop samples inputs, held values are a third. All have an axis of one run;
    its program takes and gives few arrays (see `packing`).
    """

    def __init__(
        self,
        function: Any,
        stepper_state: StepperState,
        bounds: RunBounds,
        table: Table,
        *,
        backend: str,
    ):
        given = form_of((stepper_state, bounds))

        def lone(columns: Any, table: Any) -> tuple[Any, ...]:
            after, *made = function(*given.unpacked(columns), table)
            return packed_in_trace(after), *made

        columns = packed((stepper_state, bounds))
        self._program = compile(lone, columns, table, backend=backend)
        self._back = form_of(stepper_state).lifted()

    def __call__(
        self, stepper_states: StepperState, bounds: RunBounds, table: Table
    ) -> tuple[Any, ...]:
        own = {name: values[0, ...] for name, values in table.items()}
        columns, *made = self._program(packed((stepper_states, bounds)), own)
        lifted = [type(part)(*(leaf[None] for leaf in part)) for part in made]
        return self._back.unpacked(columns), *lifted


def attempts_of(width: int, terms: int, times: int = 1) -> int:
    """How many steps a chunk attempts at most; no bit of a run depends on it."""
    count = times * ELEMENTS // (width * (2 + terms))
    return min(ATTEMPTS, max(LEAST_ATTEMPTS, count))


def lengthening(equations: Equations) -> int:
    """How many times as long chunks of these equations may be."""
    return IN_LOOPS if is_rolled(equations.system) else 1


def leg_step(method: Method, drive: Drive) -> tuple[float, ...]:
    """The step of a method of fixed step, where the loop itself begins segments."""
    own = getattr(method, "step", None)
    return (float(own),) if drive.samplers and own is not None else ()


def _chunk(equations: Equations, method: Method, drive: Drive) -> Callable[..., Any]:
    def chunk(
        stepper_state: StepperState, bounds: RunBounds, table: Table
    ) -> tuple[Any, ...]:
        turn = run_turn(
            equations,
            method,
            drive,
            bounds=bounds,
            table=table,
            held=stepper_state.held,
        )

        def attempt(before: StepperState, k: Scalar) -> tuple[StepperState, Any]:
            after, row = lax.cond(
                (before.status == RUNNING) & (k < bounds.room),
                turn,
                lambda here: (here, no_attempt(here, method.dense_terms)),
                before,
            )
            if not drive.samplers:
                return after, row
            return after, (row, held_row(before, StepperState(*after)))

        width, times = stepper_state.x.shape[0], lengthening(equations)
        count = attempts_of(width, method.dense_terms, times)
        after, made = lax.scan(attempt, stepper_state, jnp.arange(count))
        return (after, *made) if drive.samplers else (after, made)

    return chunk


def held_row(before: StepperState, after: StepperState) -> HeldRows:
    """The held values that a turn has left, and whether it has set them."""
    is_new = jnp.any(after.sample_count != before.sample_count)
    return HeldRows(is_new, after.held)
