"""Parameters from recorded motion, by least squares with exact derivatives.

    minimise over p   sum of |h(t_i, x(t_i; p)) - y_i|^2 / s^2

    C = s^2 (J^T J)^-1,      J = dh/dp   along the motion found

The derivatives are those of `ph.sensitivity`. Directions in which J changes nothing
cannot be told from the record: they are named, and their spread is infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, final

import jax
import numpy as np

from polhode.analyse.machinery.naming import first_names, nominal
from polhode.analyse.sensitivities.first_state import (
    move_chart,
    move_state,
    require_free_start,
)
from polhode.analyse.sensitivities.identifiable import (
    BLIND,
    direction_text,
    sizes,
    unseen,
    without_rounding,
)
from polhode.analyse.sensitivities.record import (
    Record,
    is_table,
    quantity_measure,
    table_record,
)
from polhode.analyse.sensitivities.sensitivity import sensitivity
from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, Numbers, Scalar
from polhode.errors import AnalysisError, PolhodeError
from polhode.formulation.equations import Equations
from polhode.integrate.field.scales import displacements
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.results.state_functions import at_rows
from polhode.integrate.simulate import simulate
from polhode.lowering.compile import compile
from polhode.system.state import State
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

Measure = Callable[[Any, State], Any]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Identified(Answer):
    """Parameters that explain a record best.

    values       name -> value
    deviations   name -> standard deviation; infinite where the record does not tell
    covariance   (p, p), of what it tells
    blind        (k, p) shares of changes that leave the motion as it is
    noise        the standard deviation of one measurement that the rest speaks for
    times        (n,) of the record, on the clock of the motion
    residuals    (n, m) what is left; not a number where the record has a gap
    spread       (n, m) standard deviations of the motion found, from the parameters
    record       what was measured, and `columns`, its names
    motion       that they give
    """

    values: dict[str, float]
    deviations: dict[str, float]
    covariance: np.ndarray
    blind: np.ndarray
    noise: float
    times: np.ndarray
    residuals: np.ndarray
    spread: np.ndarray
    record: np.ndarray
    columns: tuple[str, ...]
    motion: Trajectory

    @property
    def count(self) -> int:
        """How many numbers were measured."""
        return int(np.sum(np.isfinite(self.record)))

    @property
    def correlation(self) -> np.ndarray:
        """(p, p): 1 or -1 where two parameters are told only together."""
        size = np.sqrt(np.maximum(np.diag(self.covariance), 0.0))
        whole = np.outer(size, size)
        return np.where(whole > 0, self.covariance / np.where(whole > 0, whole, 1), 0.0)

    def interval(self, name: str, level: float = 0.95) -> tuple[float, float]:
        """Between which values a parameter lies with some confidence (Student's t)."""
        from scipy.stats import t as student

        spare = max(self.count - (len(self.values) - len(self.blind)), 1)
        half = float(student.ppf((1 + level) / 2, spare)) * self.deviations[name]
        return self.values[name] - half, self.values[name] + half

    def confidence(self) -> Any:
        """Intervals of the parameters and how they hang together: a `Picture`."""
        from polhode.show.plots.records import confidence_picture

        return confidence_picture(self)

    def plot(self) -> Any:
        """Record and motion found, and what is left between them: a `Picture`."""
        from polhode.show.plots.records import identified_picture

        return identified_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        size = f"{self.count} measurements, noise {self.noise:.3g}"
        blind = [direction_text(tuple(self.values), row) for row in self.blind]
        return AnswerTable(
            f"Identified({self.motion.system.name!r}: {size})",
            ("", "value", "+-"),
            [
                (name, f"{value:.8g}", f"{self.deviations[name]:.2g}")
                for name, value in self.values.items()
            ],
            [f"not determined by the record: {words}" for words in blind],
        )


def identify(
    model: System | Equations,
    start: State,
    times: Numbers,
    record: Numbers,
    guess: Mapping[str, float] | list[str],
    *,
    measure: Measure | None = None,
    initial: bool = False,
    time: str | None = None,
    clock: float | None = None,
    offset: float = 0.0,
    every: float | None = None,
    rtol: float = 1e-10,
) -> Identified:
    """The parameters with which a motion from `start` passes nearest to a record.

    times, record   (n,) and (n, m), measured after the start; or a CSV file or a
                    DataFrame, and {quantity: column}: coordinates and 'speed of hinge'
    measure         measure(t, state) is what each row is of: (m,), traced; without it,
                    the coordinates, or the quantities that columns are given for
    guess           names the parameters, with first guesses where these are not those
                    of the model; what the record does not tell stays there
    initial         finds the first state too: the start is a guess, and 'first hinge'
                    and 'first speed of hinge' are how far off it was, along the joints
    time            the column with the time; else 't', 'time' or the first
    clock           what the clock of the record showed at the start, where it is not
                    the time of the start; what is before is left out
    offset          by how much that may be wrong, s: 'time offset' is then found
    every           averages rows over so many seconds, where they are closer

    Gaps in a record, not numbers, are left out.
    """
    from scipy.optimize import least_squares

    equations = equations_of(model)
    first = dict(guess) if isinstance(guess, Mapping) else None
    names = tuple(guess)
    known = {name: nominal(equations.system, name) for name in names}
    p = np.array([float((first or known)[name]) for name in names])
    unknown = _first_errors(equations.system, initial)
    data, measure = _admit_record(equations.system, times, record, measure, time)
    data = _prepare(data, start, clock, offset=abs(float(offset)), every=every)
    late = ("time offset",) if offset else ()
    _require_speeds(equations, late)
    p = np.concatenate([p, np.zeros(len(unknown) + len(late))])
    task = _Task(
        equations, start, names, unknown, data.times, measure, rtol, abs(float(offset))
    )
    y = _rows(data, task)
    there = np.isfinite(y)
    scale = task.sizes(p)
    task.values(p)  # a first guess that cannot be moves nothing: it says so itself
    most = np.full(len(p), np.inf)
    if late:
        most[-1] = task.offset / scale[-1]
    found = least_squares(
        lambda s: (task.tried(s * scale) - y)[there],
        p / scale,
        jac=lambda s: without_rounding((task.slopes(s * scale) * scale)[there]),
        bounds=(-most, most),
        xtol=1e-14, ftol=1e-14, gtol=1e-14,
    )  # fmt: skip
    return _report(task, found.x * scale, replace(data, values=y))


@dataclass(frozen=True, eq=False)
class _Task:
    """What is simulated and compared; motions are kept for their derivatives."""

    equations: Equations
    start: State
    names: tuple[str, ...]
    unknown: tuple[str, ...]
    times: np.ndarray
    measure: Measure | None
    rtol: float
    offset: float

    def clock(self, p: np.ndarray) -> np.ndarray:
        """Times of the record on the clock of the motion."""
        return self.times + (p[-1] if self.offset else 0.0)

    def motion(self, p: np.ndarray) -> Any:
        k = len(self.names)
        given = dict(zip(self.names, map(float, p[:k]), strict=True))
        until = float(self.times[-1]) + self.offset
        first = self.first(p[k : k + len(self.unknown)])
        return simulate(
            self.equations, first, until=until, rtol=self.rtol, parameters=given
        )

    def first(self, off: np.ndarray) -> State:
        """The first state, moved by errors (2 nz,) along the joints and of speeds."""
        return move_state(self.start, off) if len(off) else self.start

    def sizes(self, p: np.ndarray) -> np.ndarray:
        """What changes are measured by: parameters by themselves, errors by the
        system's lengths, in the time of the record."""
        k = len(self.names)
        late = [self.offset] if self.offset else []
        if not self.unknown:
            return np.concatenate([sizes(p[:k]), late])
        D = np.asarray(displacements(self.equations.system, self.start.q), float)
        span = float(self.times[-1] - self.start.t) or 1.0
        return np.concatenate([sizes(p[:k]), D, D / span, late])

    def values(self, p: np.ndarray) -> np.ndarray:
        rows = self.motion(p).resampled(self.clock(p))
        return self._measured(rows.t, rows.q, rows.z)[0]

    def tried(self, p: np.ndarray) -> np.ndarray:
        """The values, or none where such a system cannot be: then steps get shorter."""
        try:
            return self.values(p)
        except PolhodeError:
            return np.full((len(self.times), self.width), np.nan)

    @property
    def width(self) -> int:
        """How many numbers each row has."""
        state = self.start
        one = (np.array([state.t]), state.q[None], state.z[None])
        return int(self._measured(*one)[0].shape[1])

    def slopes(self, p: np.ndarray) -> np.ndarray:
        """(n, m, p)"""
        motion = self.motion(p)
        initial, times = bool(self.unknown), self.clock(p)
        found = sensitivity(motion, self.names, initial=initial, times=times)
        rows = motion.resampled(found.t)
        _, by_q, by_z = self._measured(rows.t, rows.q, rows.z)
        by = (by_q @ found.q + by_z @ found.z) @ self._chart(p)
        if not self.offset:
            return by
        n, x_dot = motion.system.coordinates, state_rates(rows)
        rate = np.einsum("kij,kj->ki", by_q, x_dot[:, :n])
        rate = rate + np.einsum("kij,kj->ki", by_z, x_dot[:, n:])
        return np.concatenate([by, rate[:, :, None]], axis=2)

    def _chart(self, p: np.ndarray) -> np.ndarray:
        """From errors at the guess to those at the state they lead to: 1, but for
        rotations."""
        k, n = len(self.names), self.equations.system.speeds
        whole = np.eye(k + len(self.unknown))
        if self.unknown:
            E = move_chart(self.start, p[k : k + n])
            whole[k : k + n, k : k + n] = E
        return whole

    def _measured(self, t: Any, q: Any, z: Any) -> Any:
        system, measure = self.equations.system, self.measure
        if measure is None:
            eye = np.broadcast_to(np.eye(q.shape[1]), (len(t), q.shape[1], q.shape[1]))
            return q, eye, np.zeros((len(t), q.shape[1], z.shape[1]))

        def both(t: Scalar, q: Array, z: Array) -> Any:
            def h(q: Array, z: Array) -> Any:
                return 1.0 * measure(t, State(system, t, q, z))

            return h(q, z), *jax.jacfwd(h, (0, 1))(q, z)

        key = ("measure", measure)
        if key not in self.equations.programs:
            example = (0.0, q[0], z[0])
            self.equations.programs[key] = compile(both, *example, batched=True)
        return self.equations.programs[key](t, q, z)


def _first_errors(system: System, initial: bool) -> tuple[str, ...]:
    """Names of the errors of a first state that is to be found."""
    if initial:
        require_free_start(system)
    return first_names(system) if initial else ()


def _report(task: _Task, p: np.ndarray, data: Record) -> Identified:
    scale, there = task.sizes(p), data.is_there
    whole = task.slopes(p) * scale
    J = whole[there]
    rest = task.values(p) - data.values
    blind, _ = unseen(J)
    n_determined = len(p) - len(blind)
    spare = int(np.sum(there)) - n_determined
    left = float(np.sum(rest[there] ** 2))
    noise = float(np.sqrt(left / spare)) if spare > 0 else np.inf
    back = np.linalg.pinv(J, rcond=BLIND)
    shares = noise**2 * (back @ back.T)
    spread = np.sqrt(np.maximum(np.einsum("nip,pq,niq->ni", whole, shares, whole), 0))
    C = shares * np.outer(scale, scale)
    free = np.any(blind != 0, axis=0)
    deviation = np.where(free, np.inf, np.sqrt(np.maximum(np.diag(C), 0.0)))
    late = ("time offset",) if task.offset else ()
    names = (*task.names, *task.unknown, *late)
    named = dict(zip(names, map(float, p), strict=True))
    spreads = dict(zip(names, map(float, deviation), strict=True))
    found = (noise, task.clock(p), rest, spread, data.values, data.names)
    return Identified(named, spreads, C, blind, *found, task.motion(p))


def _admit_record(
    system: System, times: Array, record: Any, measure: Measure | None, time: str | None
) -> tuple[Record, Measure | None]:
    """The record, and what it is of."""
    if is_table(times):
        data = table_record(times, record, time)
        return data, measure or quantity_measure(system, data.names)
    y = np.array(record, dtype=float)
    y = y[:, None] if y.ndim == 1 else y
    count = y.shape[1] if y.ndim == 2 else 0
    own = system.coordinate_names
    named = own if measure is None and count == len(own) else ()
    names = named or tuple(f"measurement {k + 1}" for k in range(count))
    return Record(np.array(times, dtype=float), y, names), measure


def _prepare(
    data: Record,
    start: State,
    clock: float | None,
    *,
    offset: float,
    every: float | None,
) -> Record:
    """On the clock of the motion, and averaged; the first rows are left to `offset`."""
    if data.values.shape[:1] != data.times.shape:
        _refuse_shape(data.values.shape, len(data.times), "as many")
    if clock is not None:
        data = data.since(float(clock), float(start.t))
    if every is not None and len(data.times):
        data = data.averaged(every)
    _require_rising(start, data.times)
    keep = data.times >= float(start.t) + offset
    if not np.any(keep):
        _require_rising(start, data.times[:0])
    return replace(data, times=data.times[keep], values=data.values[keep])


def _require_speeds(equations: Equations, late: tuple[str, ...]) -> None:
    """Refuse an offset in forms whose velocities are not the speeds."""
    core = equations.functions
    if late and core.start is not core.speeds:
        raise AnalysisError(
            f"the time offset cannot be found with {equations.name!r}.",
            "Its velocities are not the speeds along the joints.",
            "Give the system itself.",
        )


def state_rates(rows: Trajectory) -> np.ndarray:
    """(n, nq + nz): rates of coordinates and speeds at all rows."""
    return np.asarray(at_rows(rows, "slope"))


def _require_rising(start: State, t: np.ndarray) -> None:
    if t.ndim != 1 or not len(t) or np.any(np.diff(t) <= 0) or t[0] < start.t:
        raise AnalysisError(
            "the times of a record must grow from the start on.",
            f"The motion starts at t = {float(start.t):g} s.",
            "Sort the rows by time, leave out those before the start, or give clock=,"
            " what the clock of the record showed then.",
        )


def _rows(data: Record, task: _Task) -> np.ndarray:
    y, width = data.values, task.width
    bad = np.isinf(y) if y.ndim == 2 else np.array(True)
    if y.shape != (len(data.times), width) or np.any(bad) or not np.any(data.is_there):
        _refuse_shape(y.shape, len(data.times), str(width))
    return y


def _refuse_shape(shape: Any, count: int, width: str) -> None:
    raise AnalysisError(
        f"a record of shape {tuple(shape)} does not fit {count} times of {width}"
        " numbers.",
        "Each row is what was measured at one time: numbers, or nan for a gap.",
        "Give (times, numbers).",
    )
