"""Runs with supports in exact mode: from switch to switch, each located.

Between switches one compiled program runs, the modes of contacts as its data. At a
switch the laws of contact decide the next modes; impacts change the speeds. Bounces
that accumulate (Zeno) settle: the contact closes and what was left is booked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.errors import ContactError, IntegrationError, ModelError
from polhode.formulation.contact.decide import OPEN, STATUSES
from polhode.formulation.contact.instant import require_apart, seen
from polhode.formulation.contact.mode_forces import GUARDS, contact_equations
from polhode.integrate.events.event import Events, Occurrence
from polhode.integrate.field.dense_output import Steps, joined
from polhode.integrate.host.contact_segment import (
    Fired,
    Segment,
    Setting,
    first_tolerance,
    landed,
    run_segment,
)
from polhode.integrate.host.contact_switch import Switch, after_guard, begun
from polhode.integrate.kernel.outcome import Ending, Outcome, outcome_of
from polhode.integrate.kernel.status import DONE, RUNNING, WORK_LIMIT
from polhode.integrate.methods.runge_kutta.calvo import Calvo7
from polhode.integrate.methods.runge_kutta.dop853 import DormandPrince8
from polhode.integrate.methods.runge_kutta.dormand_prince import DormandPrince
from polhode.integrate.results.contact_log import ContactLog, ImpactRow, ModeSpan
from polhode.integrate.results.trajectory import Trajectory
from polhode.system.contacts import names, owners
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.integrate.methods.method import Method
    from polhode.system.system import System

MOST_POINTS = 8
EXPLICIT = (DormandPrince, DormandPrince8, Calvo7)
# Chatter: the time that its next bounces would take, of the run's.
ZENO = 1e-9
# Switches at one instant: more are a cycle that no law breaks.
CYCLE = 30


@dataclass
class _Record:
    """What a run has left so far."""

    steps: list[Steps] = field(default_factory=list)
    spans: list[ModeSpan] = field(default_factory=list)
    impacts: list[ImpactRow] = field(default_factory=list)
    events: list[Occurrence] = field(default_factory=list)
    settled: list[tuple[int, float]] = field(default_factory=list)
    times: dict[int, list[float]] = field(default_factory=dict)
    fired: list[float] = field(default_factory=list)
    rows: int = 0
    accepted: int = 0
    rejected: int = 0

    def add(self, segment: Segment, modes: Any) -> None:
        """Rows of a segment, with its modes."""
        count = len(segment.steps.t)
        self.steps.append(segment.steps)
        self.spans.append(ModeSpan(self.rows, self.rows + count, modes))
        self.rows += count
        self.accepted += int(segment.last.accepted)
        self.rejected += int(segment.last.rejected)


def require_exact(system: System, method: Method | None) -> None:
    """Refuse too many points, and methods whose steps are of another kind."""
    count = len(names(system))
    if count > MOST_POINTS:
        raise ModelError(
            f"{system.name!r} has {count} points that may touch; located one by one"
            f" are at most {MOST_POINTS}.",
            "Every combination of open, sliding and sticking points is a motion of its"
            " own.",
            "Give fewer corners (ph.surfaces.hull with those that can touch), or a"
            " method that steps over contacts.",
        )
    if method is not None and not isinstance(method, EXPLICIT):
        raise IntegrationError(
            f"{method.name} cannot run {system.name!r}, which has supports.",
            "Switches of contacts are located between steps of an explicit method.",
            "Leave the method out, or give ph.methods.DormandPrince or"
            " ph.methods.DormandPrince8.",
        )


def run_contacts(
    state: State,
    picked: tuple[Method, str],
    *,
    until: float,
    table: dict[str, float],
    limit: int,
    order: str,
) -> Trajectory:
    """The motion of a system with supports from a state, forwards to a time."""
    equations = contact_equations(state.system)
    now = seen(state, table)
    require_apart(now)
    record = _Record()
    switch = begun(state, table, order)
    own = (_tolerances(now), np.zeros((0, 0)))
    setting = Setting(equations, picked[0], until, table, *own)
    atol = first_tolerance(setting, switch.modes, state)
    setting = setting._replace(atol=atol)
    _book(record, state, switch, Fired(float(state.t), 0, ""), np.zeros(0))
    cause: ContactError | None = None
    segment: Segment | None = None
    while True:
        x = np.concatenate([switch.state.q, switch.state.z])
        x = landed(setting, switch.modes, float(switch.state.t), x)
        _settle(record, equations.system, x, switch, table)
        left = limit - record.accepted - record.rejected
        segment = run_segment(setting, switch.modes, float(switch.state.t), x, left)
        record.add(segment, switch.modes)
        if segment.fired is None:
            break
        try:
            switch = _next(record, setting, segment, switch, order)
        except ContactError as error:
            cause = error
            break
    return _trajectory(setting, picked[1], record, segment, cause)


def _tolerances(now: Any) -> np.ndarray:
    """(n, 5): what of each guard is rounding."""
    force = float(np.max(np.abs(now.problem.free), initial=1e-300))
    force /= max(float(np.max(np.diag(now.problem.delassus))), 1e-300)
    each = dict(zip(GUARDS, (1e-12 * now.length, 1e-10 * force, 1e-10 * force,
                             1e-12 * now.speed, 1e-9), strict=True))  # fmt: skip
    return np.tile(np.array([each[word] for word in GUARDS]), (len(now.touching), 1))


def _next(
    record: _Record, setting: Setting, segment: Segment, switch: Switch, order: str
) -> Switch:
    """The switch that a fired guard makes."""
    fired, system = segment.fired, setting.equations.system
    assert fired is not None
    n = system.coordinates
    x = landed(setting, switch.modes, fired.t, segment.steps.x[-1])
    state = State(system, fired.t, x[:n], x[n:])
    span = setting.until - float(record.steps[0].t[0])
    settles = fired.kind == "touches" and _accumulates(record, fired, span)
    after = after_guard(
        state,
        switch.modes,
        (fired.contact, fired.kind),
        table=setting.table,
        order=order,
        settles=settles,
    )
    _require_progress(record, fired, system)
    _book(record, state, after, fired, switch.status)
    return after


def _accumulates(record: _Record, fired: Fired, span: float) -> bool:
    """Whether the bounces of a contact end at once: intervals in a falling ratio."""
    times = [*record.times.get(fired.contact, []), fired.t][-3:]
    if len(times) < 3:
        return False
    one, two = np.diff(times)
    ratio = two / one if one > 0 else 1.0
    return bool(ratio < 1 and two * ratio / (1 - ratio) < ZENO * span)


def _require_progress(record: _Record, fired: Fired, system: System) -> None:
    # Switches that change nothing leave no event, and are counted all the same.
    record.fired.append(fired.t)
    recent = record.fired[-CYCLE:]
    if len(recent) == CYCLE and recent[0] == fired.t:
        raise ContactError(
            f"{system.name!r} switches again and again at t = {fired.t:.9g} s.",
            f"{names(system)[fired.contact]!r} {fired.kind} without end: the laws of"
            " contact disagree within rounding.",
            "Change the start or a coefficient a little, or take a method that steps"
            " over contacts.",
        )


def _book(
    record: _Record, before: State, switch: Switch, fired: Fired, old: np.ndarray
) -> None:
    """Events and impacts of a switch."""
    system = before.system
    labels, support = names(system), owners(system)
    status = switch.status
    was = old if len(old) else status
    told: list[tuple[int, str]] = []
    if switch.struck is not None:
        for k in np.flatnonzero(np.any(switch.struck.impulse, axis=1)).tolist():
            record.times.setdefault(k, []).append(fired.t)
            told.append((k, "settles" if switch.settles else "touches"))
            hit = _impact_row(labels[k], fired.t, switch, k)
            record.impacts.append(hit._replace(row=record.rows))
    for k in np.flatnonzero(status != was).tolist():
        told.append((k, "opens" if status[k] == OPEN else STATUSES[status[k]]))
    for k, kind in told:
        name = system.supports[support[k]].name
        event = Occurrence(
            name, fired.t, before, switch.state, -1, False, kind, labels[k]
        )
        record.events.append(event)


def _impact_row(point: str, t: float, switch: Switch, k: int) -> ImpactRow:
    struck = switch.struck
    assert struck is not None
    return ImpactRow(
        t,
        point,
        switch.before[k],
        struck.velocity[k],
        struck.impulse[k],
        float(struck.push[k]),
        float(struck.friction[k]),
        struck.phases,
        0,
    )


def _settle(
    record: _Record, system: System, x: np.ndarray, switch: Switch, table: Any
) -> None:
    """Book what a switch has changed of the energy beyond its impacts."""
    if not record.steps:
        return
    t, n = float(switch.state.t), system.coordinates

    def energy(x: np.ndarray) -> float:
        T = system.kinetic_energy(t, x[:n], x[n:], table)
        return float(T + system.potential_energy(t, x[:n], table))

    jump = energy(x) - energy(record.steps[-1].x[-1])
    struck = switch.struck
    by_impact = 0.0 if struck is None else float(np.sum(struck.push + struck.friction))
    record.settled.append((record.rows, jump - by_impact))


def _trajectory(
    setting: Setting,
    note: str,
    record: _Record,
    segment: Segment,
    cause: ContactError | None,
) -> Trajectory:
    equations, steps = setting.equations, joined(record.steps)
    n = equations.system.coordinates
    q, z = steps.x[-1, :n], steps.x[-1, n:]
    facts = (record.accepted, record.rejected)
    t = float(steps.t[-1])
    if cause is not None:
        outcome = Outcome("CONTACT", t, str(cause), *facts)
    else:
        status = WORK_LIMIT if segment.status == RUNNING else segment.status
        ending = Ending(status, t, q, z, float(segment.last.tried), *facts)
        table = dict(setting.table)
        outcome = outcome_of(equations.system, ending, setting.until, table)
        assert status == DONE or outcome.code != "DONE"
    words = tuple(s.name for s in equations.system.supports)
    log = ContactLog(tuple(record.spans), tuple(record.impacts), tuple(record.settled))
    return Trajectory(
        equations,
        setting.method,
        steps,
        outcome,
        setting.table,
        note,
        True,
        events=Events(tuple(record.events), words),
        cause=cause,
        contacts=log,
    )
