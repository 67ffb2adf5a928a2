"""The event tracker of one run: its events, its input log, and why it ended."""

from __future__ import annotations

from typing import Any, NamedTuple, final

import numpy as np

from polhode.integrate.events.context import Case, RunContext
from polhode.integrate.events.handle import Chunk, begin_run, chunk_result, rows_result
from polhode.integrate.events.messages import StopReason
from polhode.integrate.events.occurrence_buffer import CHANGED, OccurrenceBuffer
from polhode.integrate.events.occurrence_rows import Met, tail_of, time_of
from polhode.integrate.events.restart import SegmentResult
from polhode.integrate.kernel.chunk import ATTEMPTS
from polhode.integrate.kernel.sample_instant import HeldRows
from polhode.integrate.kernel.stepper_state import StepperState


class Mark(NamedTuple):
    """How much a tracker has collected: events, inputs, and why the run stopped."""

    met: int
    input_log: int
    stop_reason: StopReason | None


@final
class EventTracker:
    """Goes with one run: turns chunks into segments and collects what happens."""

    def __init__(self, context: RunContext, case: Case):
        self._guide, self._case = context, case
        self.met: list[Met] = []
        self.input_log: list[tuple[float, np.ndarray]] = []
        self.stop_reason: StopReason | None = None
        self.room = ATTEMPTS

    def begin(self, stepper_state: StepperState) -> SegmentResult:
        """The first leg."""
        self.input_log.append((float(stepper_state.t), np.array(stepper_state.held)))
        return self._noted(begin_run(self._guide, self._case, stepper_state))

    def follow(
        self, before: StepperState, after: StepperState, *made: Any
    ) -> SegmentResult:
        """What a chunk comes to: its rows; where there are events its buffer; where the
        loop samples inputs what they were."""
        rows, *rest = made
        buffers = [part for part in rest if isinstance(part, OccurrenceBuffer)]
        samples = [part for part in rest if isinstance(part, HeldRows)]
        first = len(self.input_log)
        if buffers:
            chunk = Chunk(before, after, rows, buffers[0])
            turn = chunk_result(self._guide, self._case, chunk)
        else:
            turn = rows_result(self._guide, self._case, before, after, rows)
        turn = self._noted(turn)
        for part in samples:
            each = zip(rows.t[part.is_new], part.held[part.is_new], strict=True)
            self.input_log += [(float(t), held) for t, held in each]
            # What events have set was noted before what was sampled between them.
            self.input_log[first:] = sorted(self.input_log[first:], key=lambda e: e[0])
        sample_count = turn.stepper_state.sample_count
        if not samples and not np.array_equal(sample_count, before.sample_count):
            self.input_log.append(
                (float(turn.stepper_state.t), np.array(turn.stepper_state.held))
            )
        return turn

    def mark(self) -> Mark:
        """How much has been collected so far."""
        return Mark(len(self.met), len(self.input_log), self.stop_reason)

    def restore(self, mark: Mark) -> None:
        """Forget what was collected after a mark."""
        met, input_log, self.stop_reason = mark
        del self.met[met:], self.input_log[input_log:]

    def _noted(self, turn: SegmentResult) -> SegmentResult:
        self.met += turn.met
        self._log_modes(turn)
        self.stop_reason = turn.stop_reason
        return turn

    def _log_modes(self, turn: SegmentResult) -> None:
        """Held values that changes in the loop have set."""
        if not self._guide.inputs.modes:
            return
        system, width = self._guide.equations.system, self._guide.inputs.drive.width
        for met in turn.met:
            if isinstance(met, np.ndarray) and met[CHANGED]:
                held = tail_of(system, met)[:width].copy()
                self.input_log.append((time_of(met), held))
