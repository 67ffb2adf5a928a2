"""Runs under way together: chunk after chunk, those that are done leave their lanes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.integrate.field.dense_output import between
from polhode.integrate.field.input_table import UNDRIVEN, Drive
from polhode.integrate.host.batch_kernel import Glider, first_gliders, glide_program
from polhode.integrate.host.loop import Progress, Watch
from polhode.integrate.kernel.chunk import Cursor, Plan
from polhode.integrate.kernel.status import INTERRUPTED, NEEDS_HOST, RUNNING, WORK_LIMIT

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.events.batch_tracker import Patrol
    from polhode.integrate.events.context import Guide
    from polhode.integrate.methods.method import Method

# Attempts between two looks of the host: finished lanes wait no longer.
ROOM = 128


class Given(NamedTuple):
    """What all runs of a sweep share.

    goals    times (s,) at which states are kept, in the order of the run
    limit    attempts that one run may make
    audited  whether work is reckoned on the way
    sampled  whether goals were asked for, so that they lie between steps
    guide    with the events that are watched for, if there are any
    drive    laws of time and state, where they drive the runs
    """

    equations: Equations
    method: Method
    goals: np.ndarray
    limit: int
    audited: bool
    sampled: bool
    guide: Guide | None = None
    drive: Drive = UNDRIVEN


class Fleet(NamedTuple):
    """Runs at their start; `share` is of all runs: before these, and of these."""

    cursors: Cursor
    plans: Plan
    table: dict[str, np.ndarray]
    share: tuple[float, float]


class Landing(NamedTuple):
    """Where runs ended, and what they took: t, x, the last step tried, counts, work."""

    t: np.ndarray
    x: np.ndarray
    tried: np.ndarray
    accepted: np.ndarray
    rejected: np.ndarray
    stiff: np.ndarray
    work: np.ndarray


class Flight(NamedTuple):
    """Runs at their end.

    t (runs, s), x (runs, s, width)   at the goals; of a run that stopped early the last
                                      state that it reached, at its time
    start (runs,), first (runs, width)   time and state at the start
    patrol                               what happened, where events were watched for
    """

    t: np.ndarray
    x: np.ndarray
    landing: Landing
    status: np.ndarray
    start: np.ndarray
    first: np.ndarray
    patrol: Patrol | None = None


def loose_actions(equations: Equations) -> list[str]:
    """What does work that is not stored: actions by name, and constraints."""
    system = equations.system
    names = [action.name for action in system.actions if not action.is_conservative]
    return [*names, "constraints"] if system.constraints else names


def flown(given: Given, fleet: Fleet, watch: Watch | None) -> Flight:
    """All runs of a fleet, to their goals."""
    runs, width = fleet.cursors.x.shape
    fleet, patrol = _patrolled(given, fleet)
    gliders = first_gliders(fleet.cursors, *extent(given))
    way = _Way(gliders, np.array(fleet.cursors.status), _mark(patrol))
    t, x = np.zeros((runs, len(given.goals))), np.zeros((runs, len(given.goals), width))
    clock = _Clock(watch, fleet, time.perf_counter())
    for k, goal in enumerate(given.goals):
        way = _to_goal(given, fleet, (way, patrol), goal, clock)
        if given.sampled:
            t[:, k], x[:, k] = at_goal(way.gliders, fleet.plans, goal)
        else:
            t[:, k], x[:, k] = way.gliders.cursor.t, way.gliders.cursor.x
    # Samples may end before the run does.
    end = float(fleet.plans.stop[0])
    way = _to_goal(given, fleet, (way, patrol), end, clock)
    if patrol is not None and given.sampled:
        for (run, k), value in patrol.early.items():
            t[run, k], x[run, k] = given.goals[k], value
    last = way.gliders.cursor
    counts = (last.accepted, last.rejected, last.stiff)
    landing = Landing(last.t, last.x, last.tried, *counts, way.gliders.work)
    first = (fleet.plans.start, fleet.cursors.x)
    return Flight(t, x, landing, way.status, *first, patrol)


class _Way(NamedTuple):
    """Runs on their way after a chunk; it changes as a whole, or Ctrl-C would part it.

    collected   how much their patrol had collected by then
    """

    gliders: Glider
    status: np.ndarray
    collected: Any


def _mark(patrol: Patrol | None) -> Any:
    return None if patrol is None else patrol.mark()


def extent(given: Given) -> tuple[int, int]:
    """How many terms of dense output, and how many works, are reckoned on the way."""
    works = len(loose_actions(given.equations)) if given.audited else 0
    # Without samples every goal is the end of a step; events lie within steps.
    terms = given.method.bends if given.sampled or given.guide else 0
    return terms, works


def _patrolled(given: Given, fleet: Fleet) -> tuple[Fleet, Patrol | None]:
    """The fleet with the sides of its events, and what goes with it."""
    if given.guide is None:
        return fleet, None
    from polhode.integrate.events.batch_tracker import Patrol

    patrol = Patrol(given.guide, fleet.plans, fleet.table, given.goals)
    return fleet._replace(cursors=patrol.begin(fleet.cursors)), patrol


def _to_goal(
    given: Given,
    fleet: Fleet,
    runs: tuple[_Way, Patrol | None],
    goal: float,
    clock: _Clock,
) -> _Way:
    """All runs that still go, to or just past a goal."""
    way, patrol = runs
    sign = np.sign(fleet.plans.stop - fleet.plans.start)
    try:
        while True:
            gliders, status, _ = way
            ahead = (goal - gliders.cursor.t) * sign > 0
            alive = np.flatnonzero((status == RUNNING) & ahead)
            if not len(alive):
                return way
            after = _called(given, fleet, gliders, alive, goal)
            after = _attended(after, alive, patrol)
            is_all = len(alive) == len(status)
            gliders = after if is_all else _replaced(gliders, alive, after)
            cursor = after.cursor
            spent = cursor.accepted + cursor.rejected >= given.limit
            out = spent & (cursor.status == RUNNING)
            now = np.where(out, WORK_LIMIT, cursor.status)
            way = _Way(gliders, _replaced(status, alive, now), _mark(patrol))
            clock.tell(gliders.cursor)
    except KeyboardInterrupt:
        if patrol is not None:
            patrol.restore(way.collected)
        ended = np.where(way.status == RUNNING, INTERRUPTED, way.status)
        return way._replace(status=ended)


def _called(
    given: Given, fleet: Fleet, gliders: Glider, alive: np.ndarray, goal: float
) -> Glider:
    """One chunk of the runs that go; the last of many takes another beside it."""
    # The program is for many runs, and a batch of one would be another program.
    pick = np.repeat(alive, 2) if len(alive) == 1 else alive
    trees = (_picked(gliders, pick), _picked(fleet.plans, pick))
    table = {name: values[pick] for name, values in fleet.table.items()}
    first = (_picked(trees[0], 0), _picked(trees[1], 0))
    example = (*first, {n: float(v[0]) for n, v in table.items()}, 0.0, np.int64(0))
    events = given.guide.events if given.guide else ()
    beside = (events, given.drive)
    program = glide_program(given.equations, given.method, example, beside)
    cursor = trees[0].cursor
    left = given.limit - int(np.max(cursor.accepted + cursor.rejected))
    after = program(*trees, table, float(goal), np.int64(min(ROOM, left)))
    return _picked(after, slice(0, len(alive)))


def _attended(after: Glider, alive: np.ndarray, patrol: Patrol | None) -> Glider:
    """Gliders of which those that wait were looked at by the host."""
    waiting = np.flatnonzero(after.cursor.status == NEEDS_HOST)
    if patrol is None or not len(waiting):
        return after
    new = [patrol.attend(int(alive[k]), _picked(after, int(k))) for k in waiting]
    return _replaced(after, waiting, _stacked(new))


def _stacked(trees: list[Any]) -> Any:
    if not isinstance(trees[0], tuple):
        return np.stack(trees)
    return type(trees[0])(*map(_stacked, map(list, zip(*trees, strict=True))))


def at_goal(gliders: Glider, plans: Plan, goal: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and states at a goal, or the last that were reached."""
    cursor = gliders.cursor
    sign = np.sign(plans.stop - plans.start)
    past = (cursor.t - goal) * sign > 0
    h = cursor.t - gliders.t
    s = np.where(past, (goal - gliders.t) / np.where(h == 0, 1.0, h), 1.0)[:, None]
    start, end = (gliders.x, gliders.slope), (cursor.x, cursor.slope)
    found = between(s, h[:, None], start, end, np.moveaxis(gliders.bend, 1, 0))
    found = np.where(s == 0, gliders.x, found)
    found = np.where(s == 1, cursor.x, found)
    return np.where(past, goal, cursor.t), found


class _Clock(NamedTuple):
    watch: Watch | None
    fleet: Fleet
    began: float

    def tell(self, cursors: Cursor) -> None:
        if self.watch is None:
            return
        start, stop = self.fleet.plans.start, self.fleet.plans.stop
        span = np.where(stop == start, 1.0, stop - start)
        before, own = self.fleet.share
        share = before + own * float(np.mean((cursors.t - start) / span))
        seconds = time.perf_counter() - self.began
        self.watch(Progress(share, int(np.sum(cursors.accepted)), seconds))


def _picked(tree: Any, pick: Any) -> Any:
    if not isinstance(tree, tuple):
        return tree[pick]
    return type(tree)(*(_picked(leaf, pick) for leaf in tree))


def _replaced(old: Any, pick: np.ndarray, new: Any) -> Any:
    if isinstance(old, np.ndarray):
        whole = np.array(old)
        whole[pick] = new
        return whole
    pairs = zip(old, new, strict=True)
    return type(old)(*(_replaced(a, pick, b) for a, b in pairs))
