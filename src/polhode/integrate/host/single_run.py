"""A sweep of one run: columns to native code and back, and little between.

A short run alone is over in the time that a dozen small arrays take to be made. Its
steps, and their bits, are those of a run in a batch.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.integrate.host.batch_kernel import (
    BatchState,
    first_run_states,
    single_run_loop,
)
from polhode.integrate.host.batch_loop import (
    BatchResult,
    FinalState,
    Given,
    at_goal,
    extent,
)
from polhode.integrate.host.checks import require_sound_start
from polhode.integrate.host.loop import advance
from polhode.integrate.host.progress import Clock, Watch
from polhode.integrate.kernel.packing import Packed, PackedProgram, packed
from polhode.integrate.kernel.start import (
    HOPELESS,
    StepSettings,
    initialisation,
    initialise,
    require_feasible,
    step_settings,
    with_first_carried,
)
from polhode.integrate.kernel.status import INTERRUPTED, RUNNING, WORK_LIMIT
from polhode.integrate.kernel.stepper_state import RunBounds, StepperState
from polhode.integrate.methods.method import kept_numbers
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.integrate.field.states import States

# Attempts between two looks of the host: only Ctrl-C and the bar wait for them.
ROOM = 4096
NO_INPUTS = np.zeros((1, 0))


class Ready(NamedTuple):
    """One run before its first step: its state, plan, goal and room, and its faults.

    They are none where every force is a number, and time advances beside its rounding.
    """

    run_state: BatchState
    bounds: RunBounds
    t_end: Any
    room: Any
    faults: Any


class _Lane(NamedTuple):
    """One run on its way, as columns of its `Ready`.

    A chunk makes new columns: Ctrl-C finds those before it or those after it.

    limit       attempts that it may make
    direction   positive forwards in time, negative backwards
    t_end       to or just past which it goes now
    """

    ready: PackedProgram
    loop_of_run: PackedProgram
    columns: Packed
    table: dict[str, Any]
    limit: int
    clock: Clock
    direction: float
    t_end: float
    status: int

    @property
    def run(self) -> Ready:
        return self.ready.form.unpacked(self.columns)

    def to(self, t_end: float) -> _Lane:
        """To or just past a time, or to its end."""
        return advance(self._replace(t_end=t_end))

    def advanced(self) -> _Lane | None:
        """After a chunk, to or just past `t_end` at most."""
        if self.status != RUNNING:
            return None
        if (self.t_end - _number(self, T)) * self.direction <= 0:
            return None
        doubles, counts = self.columns[0], self.columns[1][:-1]
        doubles[-1], counts[-1] = self.t_end, min(ROOM, self.limit - _spent(self))
        parts = self.loop_of_run.run((doubles, counts), self.table)
        pairs = zip(self.columns, parts, strict=True)
        columns = [np.concatenate([part, old[len(part) :]]) for old, part in pairs]
        after = self._replace(columns=(columns[0], columns[1]))
        status = int(_number(after, STATUS))
        if status == RUNNING and _spent(after) >= self.limit:
            status = WORK_LIMIT
        return after._replace(status=status)

    def report(self) -> None:
        """Report how far it has come."""
        self.clock.tell(_part(self, T), _part(self, ACCEPTED))

    def interrupted(self) -> _Lane:
        """As the last chunk left it."""
        is_running = self.status == RUNNING
        return self._replace(status=INTERRUPTED) if is_running else self


def _part(lane: _Lane, number: int) -> np.ndarray:
    """A leaf of the state, with an axis of one run."""
    k, at, shape = lane.loop_of_run.form.places[number]
    return lane.columns[k][at].reshape(shape)


def _number(lane: _Lane, number: int) -> Any:
    """The same of a leaf that is one number."""
    k, at, _ = lane.loop_of_run.form.places[number]
    return lane.columns[k][at.start]


def _spent(lane: _Lane) -> int:
    """How many attempts it has made."""
    return int(_number(lane, ACCEPTED)) + int(_number(lane, REJECTED))


# The cursor is the first of a state: its leaves are numbered as its fields.
CURSOR = {word: k for k, word in enumerate(StepperState._fields)}
T, X, STATUS, WORK = CURSOR["t"], CURSOR["x"], CURSOR["status"], -1
ACCEPTED, REJECTED = CURSOR["accepted"], CURSOR["rejected"]


def run_single(
    given: Given,
    states: States,
    table: dict[str, Any],
    *,
    until: float,
    watch: Watch | None,
) -> BatchResult:
    """The one run from its state, with its parameters, until its time."""
    lane = _initial_lane(given, states, table, until=until, watch=watch)
    start, first = states.t, _part(lane, X).copy()
    count = len(given.output_times)
    t, x = np.empty((1, count)), np.empty((1, count, first.shape[1]))
    for k, t_end in enumerate(given.output_times.tolist()):
        lane = lane.to(t_end)
        if given.sampled:
            run = lane.run
            sign = np.sign(run.bounds.stop - run.bounds.start)
            t[:, k], x[:, k] = at_goal(run.run_state, sign, t_end)
        else:
            t[:, k], x[:, k] = _part(lane, T), _part(lane, X)
    if given.sampled:
        lane = lane.to(until)  # samples may end before
    own = [_part(lane, CURSOR[word]) for word in FinalState._fields[:-1]]
    final_state, status = (
        FinalState._make([*own, _part(lane, WORK)]),
        np.array([lane.status]),
    )
    return BatchResult(t, x, final_state, status, start, first)


def _initial_lane(
    given: Given, states: States, table: Any, *, until: float, watch: Watch | None
) -> _Lane:
    """The run before its first step; refused as a run of a batch would be."""
    settings = step_settings(given.method, until)
    lifted = StepSettings(*(np.array([number]) for number in settings))
    begin = (states.t, states.q, states.z, NO_INPUTS, lifted)
    own = {name: values[0, ...] for name, values in table.items()}
    ready, loop_of_run = _programs(given, begin, own)
    columns = ready.run(packed(begin), own)
    if columns[1][-1]:
        go = initialise(given.equations, states, table, settings, drive=given.drive)
        require_sound_start(
            given.drive, states, go.initial_derivative, table=table, held=NO_INPUTS
        )
        require_feasible(given.equations, go, given.method)
    clock = Clock(watch, states.t, lifted.until, (0.0, 1.0), time.perf_counter())
    span = until - float(states.t[0])
    lane = _Lane(
        ready, loop_of_run, columns, own, given.limit, clock, span, until, RUNNING
    )
    return lane._replace(status=int(_number(lane, STATUS)))


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
        loop_of_run = single_run_loop(equations, method, places[1] > 0, given.drive)
        return ready, PackedProgram(loop_of_run, run, own)

    key = ("single run", type(method), method.name, *kind)
    return equations.remembered(key, both)


def _readying(given: Given, places: tuple[int, int]) -> Any:
    """(t, q, z, held, aim), table -> ready, to be traced."""
    launch, system = (
        initialisation(given.equations, given.drive),
        given.equations.system,
    )

    def ready(begin: Any, table: Table) -> Ready:
        start, stepper_state, bounds, rate = launch(begin, table)
        stepper_state = with_first_carried(stepper_state, given.method, system)
        fine = jnp.all(jnp.isfinite(start.x_dot)) & start.is_sound & start.is_kept
        # Of fixed steps the host counts whether there are too many.
        lost = (bounds.least * rate > HOPELESS) | (bounds.steps > 0)
        run_state = first_run_states(stepper_state, *places)
        return Ready(run_state, bounds, bounds.stop, np.array(ROOM), ~fine | lost)

    return ready
