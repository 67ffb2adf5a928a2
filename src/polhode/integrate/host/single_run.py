"""A sweep of one run: columns to native code and back, and little between.

A short run alone is over in the time that a dozen small arrays take to be made. Its
steps, and their bits, are those of a run in a fleet.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.integrate.host.batch_kernel import BatchState, first_gliders, lone_glide
from polhode.integrate.host.batch_loop import (
    BatchResult,
    FinalState,
    Given,
    at_goal,
    extent,
)
from polhode.integrate.host.checks import require_sound_start
from polhode.integrate.host.loop import Progress, Watch
from polhode.integrate.kernel.packing import Columns, PackedProgram, packed
from polhode.integrate.kernel.start import (
    HOPELESS,
    StepSettings,
    initialisation,
    initialise,
    require_feasible,
    step_settings,
    told_first,
)
from polhode.integrate.kernel.status import INTERRUPTED, RUNNING, WORK_LIMIT
from polhode.integrate.kernel.stepper_state import RunBounds, StepperState
from polhode.integrate.methods.method import kept_numbers

if TYPE_CHECKING:
    from polhode.integrate.field.states import States

# Attempts between two looks of the host: only Ctrl-C and the bar wait for them.
ROOM = 4096
NO_INPUTS = np.zeros((1, 0))


class Ready(NamedTuple):
    """One run before its first step: its glider, plan, goal and room, and its faults.

    They are none where every force is a number, and time advances beside its rounding.
    """

    glider: BatchState
    bounds: RunBounds
    t_end: Any
    room: Any
    faults: Any


class _Lane(NamedTuple):
    """One run on its way, as columns of its `Ready`.

    A chunk makes new columns: Ctrl-C finds those before it or those after it.
    """

    ready: PackedProgram
    glide: PackedProgram
    columns: Columns
    table: dict[str, Any]
    status: int

    @property
    def run(self) -> Ready:
        return self.ready.form.unpacked(self.columns)

    def part(self, number: int) -> np.ndarray:
        """A leaf of the glider, with an axis of one run."""
        k, at, shape = self.glide.form.places[number]
        return self.columns[k][at].reshape(shape)

    @property
    def spent(self) -> int:
        """How many attempts it has made."""
        return int(self.part(ACCEPTED)[0]) + int(self.part(REJECTED)[0])

    def moved(self, t_end: float, limit: int) -> _Lane:
        """After a chunk, to or just past a goal at most."""
        doubles, counts = self.columns[0], self.columns[1][:-1]
        doubles[-1], counts[-1] = t_end, min(ROOM, limit - self.spent)
        parts = self.glide.run((doubles, counts), self.table)
        pairs = zip(self.columns, parts, strict=True)
        columns = [np.concatenate([part, old[len(part) :]]) for old, part in pairs]
        after = self._replace(columns=(columns[0], columns[1]))
        return after._replace(status=int(after.part(STATUS)[0]))


# The cursor is the first of a glider: its leaves are numbered as its fields.
CURSOR = {word: k for k, word in enumerate(StepperState._fields)}
T, X, STATUS, WORK = CURSOR["t"], CURSOR["x"], CURSOR["status"], -1
ACCEPTED, REJECTED = CURSOR["accepted"], CURSOR["rejected"]


def flown_alone(
    given: Given, begun: tuple[States, dict[str, Any], float], watch: Watch | None
) -> BatchResult:
    """The one run from its state, with its parameters, until its time."""
    states, table, until = begun
    lane = _launched(given, states, table, until)
    start, first = states.t, lane.part(X).copy()
    clock = _Clock(watch, float(start[0]), until - float(start[0]), time.perf_counter())
    count = len(given.output_times)
    t, x = np.empty((1, count)), np.empty((1, count, first.shape[1]))
    for k, t_end in enumerate(given.output_times.tolist()):
        lane = _to_goal(lane, t_end, given.limit, clock)
        if given.sampled:
            t[:, k], x[:, k] = at_goal(lane.run.glider, lane.run.bounds, t_end)
        else:
            t[:, k], x[:, k] = lane.part(T), lane.part(X)
    lane = _to_goal(lane, until, given.limit, clock)  # samples may end before
    own = [lane.part(CURSOR[word]) for word in FinalState._fields[:-1]]
    landing, status = FinalState._make([*own, lane.part(WORK)]), np.array([lane.status])
    return BatchResult(t, x, landing, status, start, first)


def _launched(given: Given, states: States, table: Any, until: float) -> _Lane:
    """The run before its first step; refused as a run of a fleet would be."""
    settings = step_settings(given.method, until)
    lifted = StepSettings(*(np.array([number]) for number in settings))
    begin = (states.t, states.q, states.z, NO_INPUTS, lifted)
    own = {name: values[0, ...] for name, values in table.items()}
    ready, glide = _programs(given, begin, own)
    columns = ready.run(packed(begin), own)
    if columns[1][-1]:
        go = initialise(given.equations, states, table, settings, drive=given.drive)
        require_sound_start(
            given.drive, states, go.initial_derivative, table=table, held=NO_INPUTS
        )
        require_feasible(given.equations, go, given.method)
    lane = _Lane(ready, glide, columns, own, RUNNING)
    return lane._replace(status=int(lane.part(STATUS)[0]))


def _programs(
    given: Given, begin: Any, own: Any
) -> tuple[PackedProgram, PackedProgram]:
    """What makes a run ready, and what carries it on."""
    equations, method = given.equations, given.method
    places = extent(given, is_alone=True)
    kept = kept_numbers(method, equations.system)
    kind = (tuple(sorted(own)), *places, kept, given.drive.key)

    def readied() -> PackedProgram:
        return PackedProgram(_readying(given, places), begin, own)

    def both() -> tuple[PackedProgram, PackedProgram]:
        ready = equations.remembered(("single run, start", *kind), readied)
        run = ready(begin, own)[:4]
        glide = lone_glide(equations, method, places[1] > 0, given.drive)
        return ready, PackedProgram(glide, run, own)

    key = ("single run", type(method), method.name, *kind)
    return equations.remembered(key, both)


def _readying(given: Given, places: tuple[int, int]) -> Any:
    """(t, q, z, held, aim), table -> ready, to be traced."""
    launch, system = (
        initialisation(given.equations, given.drive),
        given.equations.system,
    )

    def ready(begin: Any, table: Any) -> Ready:
        start, stepper_state, bounds, rate = launch(begin, table)
        stepper_state = told_first(stepper_state, given.method, system)
        fine = jnp.all(jnp.isfinite(start.x_dot)) & start.is_sound & start.is_kept
        # Of fixed steps the host counts whether there are too many.
        lost = (bounds.least * rate > HOPELESS) | (bounds.steps > 0)
        glider = first_gliders(stepper_state, *places)
        return Ready(glider, bounds, bounds.stop, np.array(ROOM), ~fine | lost)

    return ready


class _Clock(NamedTuple):
    """Tells how far the run has come, where anybody watches."""

    watch: Watch | None
    start: float
    span: float
    began: float

    def tell(self, t: float, accepted: int) -> None:
        if self.watch is not None:
            share = (t - self.start) / self.span
            self.watch(Progress(share, accepted, time.perf_counter() - self.began))


def _to_goal(lane: _Lane, t_end: float, limit: int, clock: _Clock) -> _Lane:
    """The run to or just past a goal, or to its end."""
    t = float(lane.part(T)[0])
    try:
        while lane.status == RUNNING and (t_end - t) * clock.span > 0:
            lane = lane.moved(t_end, limit)
            t = float(lane.part(T)[0])
            if lane.spent >= limit and lane.status == RUNNING:
                lane = lane._replace(status=WORK_LIMIT)
            clock.tell(t, int(lane.part(ACCEPTED)[0]))
    except KeyboardInterrupt:
        if lane.status == RUNNING:
            lane = lane._replace(status=INTERRUPTED)
    return lane
