"""One run on its way through chunks: what it met, what it was fed, why it ended."""

from __future__ import annotations

from typing import final

import numpy as np

from polhode.integrate.events.context import Case, RunContext
from polhode.integrate.events.event import Occurrence
from polhode.integrate.events.handle import begun, followed
from polhode.integrate.events.messages import StopReason
from polhode.integrate.events.restart import SegmentResult
from polhode.integrate.kernel.chunk import ATTEMPTS, Rows, StepperState

# After an event that stops a run few attempts are made at first: what is attempted
# beyond the next one is thrown away.
CAREFUL = 16


@final
class EventTracker:
    """Goes with one run: turns chunks into legs and collects what happens."""

    def __init__(self, context: RunContext, case: Case):
        self._guide, self._case = context, case
        self.met: list[Occurrence] = []
        self.input_log: list[tuple[float, np.ndarray]] = []
        self.told: StopReason | None = None
        self.room = CAREFUL if context.has_stops else ATTEMPTS

    def begin(self, stepper_state: StepperState) -> SegmentResult:
        """The first leg."""
        self.input_log.append((float(stepper_state.t), np.array(stepper_state.held)))
        return self._noted(begun(self._guide, self._case, stepper_state))

    def follow(
        self, before: StepperState, after: StepperState, rows: Rows
    ) -> SegmentResult:
        """What a chunk comes to."""
        turn = self._noted(followed(self._guide, self._case, before, after, rows))
        if not np.array_equal(turn.stepper_state.sample_count, before.sample_count):
            self.input_log.append(
                (float(turn.stepper_state.t), np.array(turn.stepper_state.held))
            )
        has_stopped = not np.array_equal(turn.stepper_state.recent, before.recent)
        if self._guide.has_stops:
            self.room = CAREFUL if has_stopped else min(2 * self.room, ATTEMPTS)
        return turn

    def mark(self) -> tuple[int, int, StopReason | None]:
        """How much has been collected so far."""
        return len(self.met), len(self.input_log), self.told

    def restore(self, mark: tuple[int, int, StopReason | None]) -> None:
        """Forget what was collected after a mark."""
        met, input_log, self.told = mark
        del self.met[met:], self.input_log[input_log:]

    def _noted(self, turn: SegmentResult) -> SegmentResult:
        self.met += turn.met
        self.told = turn.told
        return turn
