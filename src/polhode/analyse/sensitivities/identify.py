"""Parameters from recorded motion, by least squares with exact derivatives.

    minimise over p   sum of |h(t_i, x(t_i; p)) - y_i|^2 / s^2

    C = s^2 (J^T J)^-1,      J = dh/dp   along the motion found

The derivatives are those of `ph.sensitivity`. Directions in which J changes nothing
cannot be told from the record: they are named, and their spread is infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import jax
import numpy as np

from polhode.analyse.machinery.naming import first_names, nominal
from polhode.analyse.sensitivities.first_state import (
    move_chart,
    moved_state,
    require_free_start,
)
from polhode.analyse.sensitivities.identifiable import BLIND, felt, said, sizes, unseen
from polhode.analyse.sensitivities.sensitivity import sensitivity
from polhode.errors import AnalysisError, PolhodeError
from polhode.formulation.equations import Equations
from polhode.integrate.field.scales import displacements
from polhode.integrate.simulate import equations_of, simulate
from polhode.lowering.compile import compile
from polhode.system.state import State
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

Measure = Callable[[Any, State], Any]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Identified:
    """Parameters that explain a record best.

    values       name -> value
    deviations   name -> standard deviation; infinite where the record does not tell
    covariance   (p, p), of what it tells
    blind        (k, p) shares of changes that leave the motion as it is
    noise        the standard deviation of one measurement that the rest speaks for
    times        (n,) of the record
    residuals    (n, m) what is left
    motion       that they give
    """

    values: dict[str, float]
    deviations: dict[str, float]
    covariance: np.ndarray
    blind: np.ndarray
    noise: float
    times: np.ndarray
    residuals: np.ndarray
    motion: Trajectory

    def plot(self) -> Any:
        """What the motion found leaves of the record: a `Picture`."""
        from polhode.show.plots.answers import identified_picture

        return identified_picture(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from polhode.show.answers_html import answer_html

        return answer_html(self)

    def __repr__(self) -> str:
        name, width = self.motion.system.name, max(map(len, self.values))
        lines = [f"Identified({name!r}: {self.residuals.size} measurements,"]
        lines[0] += f" noise {self.noise:.3g})"
        for key, value in self.values.items():
            lines.append(
                f"  {key.ljust(width)}  {value:.8g} +- {self.deviations[key]:.2g}"
            )
        words = [said(tuple(self.values), row) for row in self.blind]
        lines += [f"  not told by the record: {word}" for word in words]
        return "\n".join(lines)


def identify(
    model: System | Equations,
    start: State,
    times: Any,
    record: Any,
    guess: Mapping[str, float] | list[str],
    *,
    measure: Measure | None = None,
    initial: bool = False,
    rtol: float = 1e-10,
) -> Identified:
    """The parameters with which a motion from `start` passes nearest to a record.

    `record` (n, m) was measured at `times` (n,), after the start. `measure(t, state)`
    is what each row is of: (m,), traced; without it, the coordinates. `guess` names the
    parameters, with first guesses where these are not those of the model; what the
    record does not tell stays there.

    With `initial` the first state is found too: the start is a guess, and 'first hinge'
    and 'first speed of hinge' are how far off it was, along the joints.
    """
    from scipy.optimize import least_squares

    equations = equations_of(model)
    first = dict(guess) if isinstance(guess, Mapping) else None
    names = tuple(guess)
    known = {name: nominal(equations.system, name) for name in names}
    p = np.array([float((first or known)[name]) for name in names])
    unknown = _first_errors(equations.system, initial)
    p = np.concatenate([p, np.zeros(len(unknown))])
    at = _admitted(start, times)
    task = _Task(equations, start, names, unknown, at, measure, rtol)
    y = _rows(record, task)
    scale = task.sizes(p)
    task.values(p)  # a first guess that cannot be moves nothing: it says so itself
    found = least_squares(
        lambda s: (task.tried(s * scale) - y).ravel(),
        p / scale,
        jac=lambda s: felt((task.slopes(s * scale) * scale).reshape(-1, len(p))),
        xtol=1e-14, ftol=1e-14, gtol=1e-14,
    )  # fmt: skip
    return _report(task, found.x * scale, y)


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

    def motion(self, p: np.ndarray) -> Any:
        k = len(self.names)
        given = dict(zip(self.names, map(float, p[:k]), strict=True))
        until, first = float(self.times[-1]), self.first(p[k:])
        return simulate(
            self.equations, first, until=until, rtol=self.rtol, parameters=given
        )

    def first(self, off: np.ndarray) -> State:
        """The first state, moved by errors (2 nz,) along the joints and of speeds."""
        return moved_state(self.start, off) if len(off) else self.start

    def sizes(self, p: np.ndarray) -> np.ndarray:
        """What changes are measured by: parameters by themselves, errors by the
        system's lengths, in the time of the record."""
        k = len(self.names)
        if not self.unknown:
            return sizes(p)
        D = np.asarray(displacements(self.equations.system, self.start.q), float)
        span = float(self.times[-1] - self.start.t) or 1.0
        return np.concatenate([sizes(p[:k]), D, D / span])

    def values(self, p: np.ndarray) -> np.ndarray:
        rows = self.motion(p).resampled(self.times)
        return self._measured(rows.t, rows.q, rows.z)[0]

    def tried(self, p: np.ndarray) -> np.ndarray:
        """The values, or none where such a system cannot be: then steps get shorter."""
        try:
            return self.values(p)
        except PolhodeError:
            return np.full((len(self.times), 1), np.nan)

    def slopes(self, p: np.ndarray) -> np.ndarray:
        """(n, m, p)"""
        motion = self.motion(p)
        initial, times = bool(self.unknown), self.times
        found = sensitivity(motion, self.names, initial=initial, times=times)
        rows = motion.resampled(found.t)
        _, by_q, by_z = self._measured(rows.t, rows.q, rows.z)
        return (by_q @ found.q + by_z @ found.z) @ self._chart(p)

    def _chart(self, p: np.ndarray) -> np.ndarray:
        """From errors at the guess to those at the state they lead to: 1, but for
        rotations."""
        k, n = len(self.names), self.equations.system.speeds
        whole = np.eye(len(p))
        if self.unknown:
            E = move_chart(self.start, p[k : k + n])
            whole[k : k + n, k : k + n] = E
        return whole

    def _measured(self, t: Any, q: Any, z: Any) -> Any:
        system, measure = self.equations.system, self.measure
        if measure is None:
            eye = np.broadcast_to(np.eye(q.shape[1]), (len(t), q.shape[1], q.shape[1]))
            return q, eye, np.zeros((len(t), q.shape[1], z.shape[1]))

        def both(t: Any, q: Any, z: Any) -> Any:
            def h(q: Any, z: Any) -> Any:
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


def _report(task: _Task, p: np.ndarray, y: np.ndarray) -> Identified:
    scale = task.sizes(p)
    J = task.slopes(p).reshape(-1, len(p)) * scale
    rest = task.values(p) - y
    blind, _ = unseen(J)
    told = len(p) - len(blind)
    spare = rest.size - told
    noise = float(np.sqrt(np.sum(rest**2) / spare)) if spare > 0 else np.inf
    back = np.linalg.pinv(J, rcond=BLIND)
    C = noise**2 * (back @ back.T) * np.outer(scale, scale)
    free = np.any(blind != 0, axis=0)
    deviation = np.where(free, np.inf, np.sqrt(np.maximum(np.diag(C), 0.0)))
    names = (*task.names, *task.unknown)
    named = dict(zip(names, map(float, p), strict=True))
    spread = dict(zip(names, map(float, deviation), strict=True))
    left = (noise, task.times, rest)
    return Identified(named, spread, C, blind, *left, task.motion(p))


def _admitted(start: State, times: Any) -> np.ndarray:
    t = np.array(times, dtype=float)
    if t.ndim != 1 or not len(t) or np.any(np.diff(t) <= 0) or t[0] < start.t:
        raise AnalysisError(
            "the times of a record must grow from the start on.",
            f"The motion starts at t = {float(start.t):g} s.",
            "Sort the rows by time, and leave out those before the start.",
        )
    return t


def _rows(record: Any, task: _Task) -> np.ndarray:
    y = np.array(record, dtype=float)
    y = y[:, None] if y.ndim == 1 else y
    state = task.start
    one = (np.array([state.t]), state.q[None], state.z[None])
    width = task._measured(*one)[0].shape[1]
    if y.shape != (len(task.times), width) or not np.all(np.isfinite(y)):
        raise AnalysisError(
            f"a record of shape {y.shape} does not fit {len(task.times)} times of"
            f" {width} numbers.",
            "Each row is what was measured at one time, all of it numbers.",
            "Give (times, numbers), and leave out rows with gaps.",
        )
    return y
