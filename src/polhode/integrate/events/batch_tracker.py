"""Events of many runs without their rows: the host looks at steps that the loop left.

What it finds is what a run alone finds, by the same search of the same step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.integrate.events.context import Case, RunContext
from polhode.integrate.events.functions import values_of, weighing
from polhode.integrate.events.handle import (
    begin_run,
    examine_step,
    host_change,
    reason_of,
)
from polhode.integrate.events.occurrence_buffer import OccurrenceBuffer
from polhode.integrate.events.occurrence_rows import Met, row_of_occurrence
from polhode.integrate.events.restart import SegmentResult
from polhode.integrate.events.times import instant
from polhode.integrate.field.dense_output import (
    Steps,
    evaluate,
    first_row,
    join_steps,
    row_at,
)
from polhode.integrate.kernel.status import EVENT, RUNNING, ZENO
from polhode.integrate.kernel.stepper_state import RunBounds, StepperState
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.integrate.host.batch_kernel import BatchState


@final
class BatchEventTracker:
    """Follows the runs of a batch: the events of each, and why the host ended it.

    goals   times of samples, in the order of the run
    met     numbers of runs (m,) and rows (m, ...), in the order in which they came
    told    run -> the sentence of its end
    early   (run, goal) -> x there, of steps that an event has cut
    """

    def __init__(
        self,
        context: RunContext,
        bounds: RunBounds,
        table: Table,
        output_times: np.ndarray,
    ):
        self._guide, self._plans, self._table = context, bounds, table
        self.goals = output_times
        self.met: list[tuple[np.ndarray, np.ndarray]] = []
        self.told: dict[int, str] = {}
        self.early: dict[tuple[int, int], np.ndarray] = {}

    def begin(self, stepper_states: StepperState) -> StepperState:
        """Sides of all events at the starts, and resets that are due at once."""
        events = self._guide.events
        if not events:
            return stepper_states
        g, rate, doubt = self._weighed(stepper_states)
        goes = rate * stepper_states.h[:, None]
        near = np.where(np.abs(goes) > doubt, np.sign(goes), 0)
        sides = np.where(np.abs(g) > doubt, 2 * np.sign(g), near)
        sides = np.where(np.isfinite(g), sides, 0).astype(np.int64)
        resets = np.array([bool(e.reset) and e.direction != 0 for e in events])
        required = np.array([event.required for event in events])
        odd = ~np.isfinite(g) | (required & (g < -doubt))
        odd |= resets & (np.abs(sides) < 2)
        leaves = [np.array(leaf) for leaf in stepper_states._replace(sides=sides)]
        # Few start where something is due, or cannot start.
        few = np.flatnonzero(np.any(odd, axis=1) & (stepper_states.status == RUNNING))
        for k in few.tolist():
            own = StepperState(*(leaf[k] for leaf in leaves))
            turn = begin_run(self._guide, self._case(k), own)
            self._note(k, turn, first_row(own, 0))
            for leaf, new in zip(leaves, turn.stepper_state, strict=True):
                leaf[k] = new
        return StepperState(*leaves)

    def collect(
        self, runs: np.ndarray, stepper_states: StepperState, buffer: OccurrenceBuffer
    ) -> None:
        """What happened to some runs in a chunk, and why the loop has ended them."""
        filled = np.arange(buffer.rows.shape[1]) < buffer.count[:, None]
        if np.any(filled):
            which, _ = np.nonzero(filled)
            self.met.append((runs[which], buffer.rows[filled]))
        ended = np.isin(stepper_states.status, (EVENT, ZENO))
        for k in np.flatnonzero(ended).tolist():
            own = StepperState(*(leaf[k] for leaf in stepper_states))
            rows: list[Met] = list(buffer.rows[k, : int(buffer.count[k])])
            reason = reason_of(self._guide, own, rows)
            if reason is not None:
                self.told[int(runs[k])] = reason.sentence

    def attend(
        self, run: int, run_state: BatchState
    ) -> tuple[BatchState, Steps | None]:
        """The state of a run after a close look at its last step, and what of that is
        kept; None where only changes were due."""
        case, after, dense = (
            self._case(run),
            run_state.stepper_state,
            run_state.dense[None],
        )
        turn, kept = host_change(self._guide, case, after), None
        if turn is not None:
            self._note(run, turn, first_row(after, len(run_state.dense)))
        else:
            first, last = (row_at(at, dense) for at in (run_state, after))
            turn = examine_step(self._guide, case, first, last, after)
            self._note(run, turn, first._replace(dense=0.0 * dense))
            kept = turn.rows[0] if turn.rows else last.part(slice(0))
        stepper_state = turn.stepper_state
        if float(stepper_state.t) == float(after.t) and len(turn.rows) == 1:
            return run_state._replace(stepper_state=stepper_state), kept
        here = {
            "t": stepper_state.t,
            "x": stepper_state.x,
            "x_dot": stepper_state.x_dot,
        }
        new = run_state._replace(
            stepper_state=stepper_state, **here, dense=0.0 * run_state.dense
        )
        return new, kept

    def mark(self) -> tuple[int, int, int]:
        """How much has been collected so far."""
        return len(self.met), len(self.told), len(self.early)

    def restore(self, mark: tuple[int, int, int]) -> None:
        """Forget what was collected after a mark."""
        del self.met[mark[0] :]
        # Dictionaries keep the order in which their entries came.
        self.told = dict(list(self.told.items())[: mark[1]])
        self.early = dict(list(self.early.items())[: mark[2]])

    def _note(self, run: int, turn: SegmentResult, first: Steps) -> None:
        """What a turn tells; states at goals before the cut, which no one else has."""
        names = [event.name for event in self._guide.events]
        records = self._guide.watched.records
        if self._guide.inputs.modes:
            records += self._guide.inputs.drive.width
        for met in turn.met:
            row = row_of_occurrence(names, met, records)
            self.met.append((np.array([run]), row[None]))
        if turn.stop_reason is not None:
            self.told[run] = turn.stop_reason.sentence
        sign = self.sign_of(run)
        last = turn.rows[0] if turn.rows and len(turn.rows[0].t) else first
        low, high = sign * first.t[0], sign * last.t[-1]
        inside = (sign * self.goals >= low) & (sign * self.goals <= high)
        if float(turn.stepper_state.t) != float(last.t[-1]) or not turn.rows:
            return
        here = first if last is first else join_steps([_like(first, last), last])
        for t_end in np.flatnonzero(inside):
            x = evaluate(here, self.goals[t_end : t_end + 1])[0]
            self.early.setdefault((run, int(t_end)), x)

    def sign_of(self, run: int) -> float:
        """1 where time goes on, -1 where a run goes back."""
        return 1.0 if self._plans.stop[run] >= self._plans.start[run] else -1.0

    def table_of(self, run: int) -> dict[str, float]:
        """The parameters of one run."""
        return {name: float(values[run]) for name, values in self._table.items()}

    def _case(self, run: int) -> Case:
        bounds = RunBounds(*(leaf[run] for leaf in self._plans))
        return Case(run, bounds, self.table_of(run))

    def _weighed(self, stepper_states: StepperState) -> Any:
        """g, its rate and the doubt (runs, e) of all events at the starts."""
        context, bounds = self._guide, self._plans
        row = (
            stepper_states.t,
            stepper_states.x,
            stepper_states.x_dot,
            instant(stepper_states.t, stepper_states.h),
        )
        allowed, table = (bounds.rtol, bounds.atol), self._table
        functions = tuple(switch.looks for switch in context.switches)
        drive, held = context.inputs.drive, stepper_states.held
        value = values_of(context.equations, context.switches, drive)
        own = {name: float(values[0]) for name, values in table.items()}
        example = (tuple(p[0] for p in row), tuple(p[0] for p in allowed), own, held[0])
        names = {"row": True, "allowed": True, "table": table, "held": held.size}
        batched = [name for name, is_there in names.items() if is_there]
        program = context.equations.program(
            ("weigh many", functions, drive.key),
            weighing(value),
            example,
            batched=batched,
        )
        return program(row, allowed, table, held if held.size else held[0])


def _like(first: Steps, other: Steps) -> Steps:
    """A row with as many terms of dense output as another has."""
    return first._replace(dense=np.zeros_like(other.dense[:1]))
