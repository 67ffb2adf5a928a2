"""Events of many runs without their rows: the host looks where a lookout has halted.

What it finds is what a run alone finds, by the same search of the same step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.integrate.events.context import Case, Guide, instant
from polhode.integrate.events.event import Occurrence
from polhode.integrate.events.functions import values_of, weighing
from polhode.integrate.events.handle import begun, followed
from polhode.integrate.events.restart import Turn, row_of
from polhode.integrate.field.dense_output import Steps, evaluate, joined
from polhode.integrate.kernel.chunk import Cursor, Plan, Rows
from polhode.integrate.kernel.status import DONE, RUNNING
from polhode.lowering.compile import compile

if TYPE_CHECKING:
    from polhode.integrate.host.batch_kernel import Glider


@final
class Patrol:
    """Goes with the runs of a fleet: what each met, and why the host ended it.

    met     (run, occurrence), in the order in which they were found
    told    run -> the sentence of its end
    early   (run, goal) -> x there, of steps that an event has cut
    """

    def __init__(self, guide: Guide, plans: Plan, table: Any, goals: np.ndarray):
        self._guide, self._plans, self._table = guide, plans, table
        self._goals = goals
        self.met: list[tuple[int, Occurrence]] = []
        self.told: dict[int, str] = {}
        self.early: dict[tuple[int, int], np.ndarray] = {}

    def begin(self, cursors: Cursor) -> Cursor:
        """Sides of all events at the starts, and resets that are due at once."""
        events = self._guide.events
        g, rate, doubt = self._weighed(cursors)
        goes = rate * cursors.h[:, None]
        near = np.where(np.abs(goes) > doubt, np.sign(goes), 0)
        sides = np.where(np.abs(g) > doubt, 2 * np.sign(g), near)
        sides = np.where(np.isfinite(g), sides, 0).astype(np.int64)
        resets = np.array([bool(e.reset) and e.direction != 0 for e in events])
        required = np.array([event.required for event in events])
        odd = ~np.isfinite(g) | (required & (g < -doubt))
        odd |= resets & (np.abs(sides) < 2)
        leaves = [np.array(leaf) for leaf in cursors._replace(sides=sides)]
        # Few start where something is due, or cannot start.
        few = np.flatnonzero(np.any(odd, axis=1) & (cursors.status == RUNNING))
        for k in few.tolist():
            own = Cursor(*(leaf[k] for leaf in leaves))
            turn = begun(self._guide, self._case(k), own)
            self._note(k, turn, row_of(own, np.zeros((1, 0, len(own.x)))))
            for leaf, new in zip(leaves, turn.cursor, strict=True):
                leaf[k] = new
        return Cursor(*leaves)

    def attend(self, run: int, glider: Glider) -> Glider:
        """The glider of a run after a close look at its last step."""
        plan = self._case(run).plan
        at_end = float(glider.cursor.t) == float(plan.stop)
        status = np.int64(DONE if at_end else RUNNING)
        after = glider.cursor._replace(status=status)
        start = {"t": glider.t, "x": glider.x, "slope": glider.slope}
        before = after._replace(**start, accepted=after.accepted - 1)
        bend = np.asarray(glider.bend)[None]
        t, x, slope = (np.asarray(part)[None] for part in after[:3])
        rows = Rows(np.array([True]), t, x, slope, bend)
        turn = followed(self._guide, self._case(run), before, after, rows)
        self._note(run, turn, row_of(before, bend))
        cursor = turn.cursor
        if float(cursor.t) == float(after.t) and len(turn.rows) == 1:
            return glider._replace(cursor=cursor)
        here = {"t": cursor.t, "x": cursor.x, "slope": cursor.slope}
        return glider._replace(cursor=cursor, **here, bend=0.0 * glider.bend)

    def mark(self) -> tuple[int, int, int]:
        """How much has been collected so far."""
        return len(self.met), len(self.told), len(self.early)

    def restore(self, mark: tuple[int, int, int]) -> None:
        """Forget what was collected after a mark."""
        del self.met[mark[0] :]
        # Dictionaries keep the order in which their entries came.
        self.told = dict(list(self.told.items())[: mark[1]])
        self.early = dict(list(self.early.items())[: mark[2]])

    def _note(self, run: int, turn: Turn, first: Steps) -> None:
        """What a turn tells; states at goals before the cut, which no one else has."""
        self.met += [(run, event) for event in turn.met]
        if turn.told is not None:
            self.told[run] = turn.told.sentence
        sign = 1.0 if self._plans.stop[run] >= self._plans.start[run] else -1.0
        last = turn.rows[0] if turn.rows and len(turn.rows[0].t) else first
        low, high = sign * first.t[0], sign * last.t[-1]
        inside = (sign * self._goals >= low) & (sign * self._goals <= high)
        if float(turn.cursor.t) != float(last.t[-1]) or not turn.rows:
            return
        here = first if last is first else joined([_like(first, last), last])
        for goal in np.flatnonzero(inside):
            x = evaluate(here, self._goals[goal : goal + 1])[0]
            self.early.setdefault((run, int(goal)), x)

    def _case(self, run: int) -> Case:
        table = {name: float(values[run]) for name, values in self._table.items()}
        return Case(run, Plan(*(leaf[run] for leaf in self._plans)), table)

    def _weighed(self, cursors: Cursor) -> Any:
        """g, its rate and the doubt (runs, e) of all events at the starts."""
        guide, plans = self._guide, self._plans
        row = (cursors.t, cursors.x, cursors.slope, instant(cursors.t, cursors.h))
        allowed, table = (plans.rtol, plans.atol), self._table
        functions = tuple((event.function, event.arity) for event in guide.events)
        key = ("weigh many", functions, tuple(sorted(table)))
        programs, held = guide.equations.programs, np.zeros(0)
        if key not in programs:
            value = values_of(guide.equations, guide.events, guide.inputs.drive)
            own = {name: float(values[0]) for name, values in table.items()}
            example = (tuple(p[0] for p in row), tuple(p[0] for p in allowed), own)
            batched = ["row", "allowed", "table"] if table else ["row", "allowed"]
            programs[key] = compile(weighing(value), *example, held, batched=batched)
        return programs[key](row, allowed, table, held)


def _like(first: Steps, other: Steps) -> Steps:
    """A row with as many terms of dense output as another has."""
    return first._replace(bend=np.zeros_like(other.bend[:1]))
