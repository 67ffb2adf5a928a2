"""Sections of motions: Poincare's, and bifurcation diagrams over a parameter.

A motion is looked at once a period, or whenever it passes a surface g(t, state) = 0.
What comes back to itself is a point, what comes back after k periods k points, what
never does a cloud.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.machinery.naming import nominal, require_parameter, state_names
from polhode.answer_table import Answer, AnswerTable, some
from polhode.arrays import Array
from polhode.errors import AnalysisError
from polhode.integrate.events.event import Event
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.sweep import sweep
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.results.sweep_result import Sweep
    from polhode.system.state import State
    from polhode.system.system import System

SHOWN = 8  # rows of a printed table


@final
@dataclass(frozen=True, eq=False, repr=False)
class Section(Answer):
    """States at which motions were looked at, one row each.

    run         (m,) of which motion
    t           (m,)
    states      (m, nq + nz), coordinates and speeds
    parameter   name of what differs from run to run, "" where nothing does
    values      (runs,) of the parameter
    """

    system: System
    run: np.ndarray
    t: np.ndarray
    states: np.ndarray
    parameter: str
    values: np.ndarray

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, name: str) -> np.ndarray:
        """(m,) a coordinate, 'speed of ...', the parameter, or 't'."""
        if name == "t":
            return self.t
        if name == self.parameter:
            return self.values[self.run]
        names = state_names(self.system)
        if name not in names:
            known = [*names, "t", *([self.parameter] if self.parameter else [])]
            raise AnalysisError(
                f"the section of {self.system.name!r} has no {name!r}.",
                "It has coordinates, speeds, the parameter and the time.",
                suggestion(name, known),
            )
        return self.states[:, names.index(name)]

    def wrapped(self, name: str) -> np.ndarray:
        """(m,) as it is drawn: an angle that goes round is within half a turn."""
        values, names = self[name], self.system.coordinate_names
        units = [u for joint in self.system.joints for u in joint.units]
        is_angle = name in names and units[names.index(name)] == "rad"
        if is_angle and len(values) and np.ptp(values) > 2 * np.pi:
            return (values + np.pi) % (2 * np.pi) - np.pi
        return values

    def distinct(self, name: str, *, near: float = 1e-4) -> np.ndarray:
        """(runs,) how many different values each run comes back to.

        Values nearer to each other than `near` of the spread of all are one.
        """
        values = self.wrapped(name)
        gap = near * float(np.ptp(values) if len(values) else 1.0) or near
        counts = []
        for k in range(len(self.values)):
            own = np.sort(values[self.run == k])
            counts.append(int(np.sum(np.diff(own) > gap)) + 1 if len(own) else 0)
        return np.array(counts)

    def plot(self, y: str = "", x: str = "") -> Any:
        """Points of a quantity over another: a `Picture`.

        Without names, a speed over its coordinate; over the parameter, if one differs.
        """
        from polhode.show.plots.sections import section_picture

        return section_picture(self, y, x)

    @property
    def rows(self) -> list[tuple[float, ...]]:
        """Some rows, as they are printed."""
        shown: Any = some(len(self), SHOWN) if len(self) else ()
        first = [self[self.parameter]] if self.parameter else []
        columns = np.column_stack([*first, self.t, self.states])
        return [tuple(map(float, columns[k])) for k in shown]

    @property
    def heads(self) -> tuple[str, ...]:
        """What the columns are."""
        first = (self.parameter,) if self.parameter else ()
        return (*first, "t, s", *state_names(self.system))

    def as_table(self) -> AnswerTable:
        """What is printed."""
        along = f", {len(self.values)} values of {self.parameter}"
        words = f"{len(self)} points{along if self.parameter else ''}"
        head = f"Section({self.system.name!r}: {words})"
        return AnswerTable(head, self.heads, self.rows)


def poincare(
    model: System | Equations,
    states: State | Sequence[State],
    *,
    at: float | Event,
    until: float,
    after: float = 0.0,
    inputs: Mapping[Any, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    rtol: float = 1e-9,
) -> Section:
    """Where motions pass: once every `at` seconds, or at an event.

    at       the period of what drives the system, s, or `ph.Event`, whose function
             passes zero in its direction
    after    what comes before this time is left out, so that motions may settle

    >>> import polhode as ph
    >>> swing = ph.models.pendulum()
    >>> low = ph.Event("low", lambda t, state: state["hinge"], direction=1)
    >>> found = poincare(swing, swing.state(hinge=1.0), at=low, until=6.0)
    >>> found["speed of hinge"].round(4).tolist()
    [4.1123, 4.1123, 4.1123, 4.1123]
    """
    model = equations_of(model)
    own = {name: [float(v)] for name, v in dict(parameters or {}).items()}
    many = [states] if not isinstance(states, Sequence) else list(states)
    if own and len(many) > 1:
        own = {name: v * len(many) for name, v in own.items()}
    return _section(
        model, many, at=at, until=until, after=after, inputs=inputs, varied=own,
        parameter="", rtol=rtol,
    )  # fmt: skip


def bifurcation(
    model: System | Equations,
    state: State,
    parameter: str,
    values: Array,
    *,
    at: float | Event,
    until: float,
    after: float,
    inputs: Mapping[Any, Any] | None = None,
    rtol: float = 1e-9,
) -> Section:
    """Sections over the values (n,) of a parameter, after motions have settled.

    Every run begins at `state`; `after` is when its transient is over. `at` is as in
    `ph.poincare`. Runs go over all cores.
    """
    system = equations_of(model).system
    many = np.atleast_1d(np.array(values, dtype=float))
    if parameter not in _input_parameters(inputs):
        require_parameter(system, parameter)
        nominal(system, parameter)
    return _section(
        model, [state], at=at, until=until, after=after, inputs=inputs,
        varied={parameter: many}, parameter=parameter, rtol=rtol,
    )  # fmt: skip


def _input_parameters(inputs: Mapping[Any, Any] | None) -> set[str]:
    from polhode.integrate.inputs.controller import Controller

    laws = [law for law in (inputs or {}).values() if isinstance(law, Controller)]
    return {p.name for law in laws for p in law.parameters}


def _section(
    model: Any,
    states: list[State],
    *,
    at: float | Event,
    until: float,
    after: float,
    inputs: Any,
    varied: dict[str, Any],
    parameter: str,
    rtol: float,
) -> Section:
    first = float(states[0].t)
    chosen: dict[str, Any] = {"until": until, "rtol": rtol, "inputs": inputs}
    if varied:
        chosen["parameters"] = varied
    if isinstance(at, Event):
        found = sweep(model, states, events=[at], **chosen)
        run, t, x = _at_events(found)
    else:
        times = _periods(first, at, until, after)
        found = sweep(model, states, samples=times.tolist(), **chosen)
        run, t, x = _at_samples(found)
    late = t >= after
    if not np.any(late):
        raise AnalysisError(
            f"no motion of {found.system.name!r} was met after t = {after:g} s.",
            f"The runs end at t = {until:g} s.",
            "Run further, or look at something that happens.",
        )
    values = np.asarray(varied[parameter]) if parameter else np.zeros(len(found))
    return Section(found.system, run[late], t[late], x[late], parameter, values)


def _periods(first: float, period: Any, until: float, after: float) -> np.ndarray:
    span = float(period) if np.ndim(period) == 0 else np.nan
    if not (np.isfinite(span) and span > 0):
        raise AnalysisError(
            f"a motion cannot be looked at every {period!r} s.",
            "It is the period of what drives it.",
            "Give a time in seconds, or a ph.Event.",
        )
    whole = np.arange(1, int(np.floor((until - first) / span * (1 + 1e-12))) + 1)
    times = first + whole * span
    return np.minimum(times[times >= after * (1 - 1e-12)], until)


def _at_samples(found: Sweep) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of runs that reached each sample."""
    runs, count = found.t.shape
    x = np.concatenate([found.q, found.z], axis=2).reshape(runs * count, -1)
    run = np.repeat(np.arange(runs), count)
    whole = ~np.isin(run, found.failed)
    return run[whole], found.t.reshape(-1)[whole], x[whole]


def _at_events(found: Sweep) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    events = found.events
    assert events is not None
    order = np.lexsort([events.t, events.run])
    return events.run[order], events.t[order], events.before[order]
