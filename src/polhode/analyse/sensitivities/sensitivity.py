"""How a motion changes with parameters and with its first state, forward in time.

    X[k+1] = (dS/dx) X[k] + (dS/dp) P,      X = dx/dc,      P = dp/dc

along every column c: the variational equations, carried along the motion's own steps.
Each column is a lane of one compiled loop. X of the first state's errors is the
state-transition matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.analyse.machinery.naming import first_names, state_names
from polhode.analyse.machinery.step_chain import Replay, replay_of
from polhode.analyse.sensitivities.saltation import jump_of_tangents
from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.integrate.results.checked_argument import motion_argument
from polhode.matter.parameter import Table
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

ROWS = 256  # steps of one call of the compiled loop


@final
@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Answer):
    """The derivatives of a motion at times t (n,) by each of its columns.

    columns      parameters by name, then 'first hinge' and 'first speed of hinge'
    q            (n, nq, columns) of coordinates
    z            (n, nz, columns) of the system's speeds
    errors       (n, 2 nz, columns): along the joints, then of the speeds
    parameters   names and values of what was varied
    """

    motion: Trajectory
    columns: tuple[str, ...]
    parameters: dict[str, float]
    t: np.ndarray
    q: np.ndarray
    z: np.ndarray
    errors: np.ndarray

    def __getitem__(self, column: str) -> np.ndarray:
        """(n, nq + nz): the derivative of [q; z] by one column."""
        if column not in self.columns:
            raise AnalysisError(
                f"the sensitivity to {column!r} was not requested.",
                f"Its columns are {', '.join(self.columns) or 'none'}.",
                suggestion(column, self.columns),
            )
        k = self.columns.index(column)
        return np.concatenate([self.q[:, :, k], self.z[:, :, k]], axis=1)

    @property
    def transition(self) -> np.ndarray:
        """P (n, 2 nz, 2 nz): errors x of the first state are P x at each time."""
        if len(self.columns) == len(self.parameters):
            raise AnalysisError(
                f"the transition matrix of {self.motion!r} was not requested.",
                "It is the sensitivity to the first state.",
                "Ask for ph.sensitivity(motion, ..., initial=True).",
            )
        return self.errors[:, :, len(self.parameters) :]

    def covariance(self, given: Any) -> np.ndarray:
        """(n, nq + nz, nq + nz) of [q; z], carried on from that of the columns.

        `given` is a covariance (columns, columns), or standard deviations (columns,):
        to first order C(t) = D given D^T, with D the derivatives at t.
        """
        C = np.asarray(given, float)
        C = np.diag(C**2) if C.ndim == 1 else C
        if C.shape != (len(self.columns),) * 2:
            raise AnalysisError(
                f"{np.shape(given)} numbers are no covariance of"
                f" {len(self.columns)} columns.",
                f"The columns are {', '.join(self.columns)}.",
                "Give a standard deviation for each, or a square matrix.",
            )
        D = np.concatenate([self.q, self.z], axis=1)
        return D @ C @ np.swapaxes(D, 1, 2)

    def plot(self, *columns: str) -> Any:
        """Derivatives over time, a panel a column: a `Picture`."""
        from polhode.show.plots.answers import sensitivity_picture

        return sensitivity_picture(self, columns)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        system = self.motion.system
        span = f"{self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} rows"
        return AnswerTable(
            f"Sensitivity({system.name!r}, {span}); at the end:",
            ("d / d", *state_names(system)),
            [(c, *(f"{value:.4g}" for value in self[c][-1])) for c in self.columns],
        )


@motion_argument
def sensitivity(
    motion: Trajectory,
    parameters: Sequence[str] = (),
    *,
    initial: bool = True,
    times: Any = None,
) -> Sensitivity:
    """The derivatives of a motion by parameters and by its first state.

    They are those of the motion's own steps, exact to rounding; as the steps get
    shorter they go to the solution of the variational equations with the order of the
    method. `times` are asked rows; without them, every step.

    Errors of the first state are taken along the joints and in their speeds, and put on
    the constraints as the nearest in mass. Impacts, slips that stop and contacts that
    open move in time with what is varied: their saltation matrices are part of it.

    >>> import polhode as ph
    >>> swing = ph.models.pendulum()
    >>> motion = ph.simulate(swing, swing.state(hinge=0.5), until=1.0)
    >>> found = sensitivity(motion, ["m"])
    >>> bool(abs(found["m"]).max() < 1e-9)  # weight and inertia alike
    True
    """
    replay = replay_of(motion, parameters, times)
    system, p = replay.system, len(replay.names)
    k = 2 * system.speeds if initial else 0
    along = np.zeros((p + k, p))
    along[:p] = np.eye(p)
    moves = np.zeros((p + k, 2 * system.speeds))
    moves[p:] = np.eye(2 * system.speeds)[: k or 0]
    X = _carry(replay, _first(replay, moves, along), along)[replay.is_asked]
    t, x = replay.t[replay.is_asked], replay.x[replay.is_asked]
    q, z, d = _read(replay, (t, x), X, along)
    columns = (*replay.names, *(first_names(system) if initial else ()))
    known = dict(zip(replay.names, map(float, replay.values), strict=True))
    errors = np.concatenate([d, z], axis=1)
    return Sensitivity(motion, columns, known, t, q, z, errors)


def _first(replay: Replay, moves: np.ndarray, along: np.ndarray) -> np.ndarray:
    """dX along each column (columns, width)."""
    nz = replay.system.speeds

    def first(now: Any, move: Any, direction: Array, p: Array, table: Table) -> Any:
        def start(move: Any, p: Array) -> Any:
            return replay.start(now, (move[:nz], move[nz:]), p, table)

        still = jnp.zeros(2 * nz)
        return jax.jvp(start, (still, p), (move, direction))[1]

    fixed = (replay.values, replay.table)
    example = (replay.first, np.zeros(2 * nz), np.zeros(along.shape[1]), *fixed)
    program = replay.program("first", first, example, ["move", "direction"])
    return program(replay.first, moves, along, *fixed)


def _carry(replay: Replay, first: np.ndarray, along: np.ndarray) -> np.ndarray:
    """X (rows, columns, width) from that of the first row (columns, width)."""
    fixed = (replay.values, replay.table)
    rows = [np.asarray(first)[None]]
    for start, stop in replay.spans:
        if start:
            rows.append(jump_of_tangents(replay, start, rows[-1][-1], along)[None])
        for begin in range(start, stop, ROWS):
            steps, count = steps_from(replay, begin, stop)
            example = (steps, count, first[0], along[0], fixed)
            batched = ["tangent", "direction"]
            program = replay.program("forward", _forward(replay), example, batched)
            found = program(steps, count, rows[-1][-1], along, fixed)
            rows.append(np.swapaxes(found, 0, 1)[:count])
    return np.concatenate(rows)


def steps_from(replay: Replay, begin: int, stop: int) -> tuple[Any, int]:
    """Steps (ROWS, ...) from a row on, up to the row `stop`, and how many are real."""
    count = min(ROWS, stop - begin)
    return replay.rows(begin + np.minimum(np.arange(ROWS), count - 1)), count


def _forward(replay: Replay) -> Any:
    def forward(
        steps: Any, count: Any, tangent: Any, direction: Array, fixed: Any
    ) -> Any:
        p, table = fixed

        def once(tangent: Any, row: Any) -> tuple[Any, Any]:
            k, (t, x, *more) = row

            def tangent_step(tangent: Any) -> Any:
                def step(x: Array, p: Array) -> Any:
                    return replay.step((t, x, *more), p, table)

                return jax.jvp(step, (x, p), (tangent, direction))[1]

            after = lax.cond(k < count, tangent_step, lambda tangent: tangent, tangent)
            return after, after

        return lax.scan(once, tangent, (jnp.arange(ROWS), steps))[1]

    return forward


def _read(replay: Replay, rows: Any, X: np.ndarray, along: np.ndarray) -> Any:
    """Derivatives of q, z and of the place along the joints: (rows, ..., columns)."""
    t, x = rows
    n, c = len(t), len(along)
    system = replay.system

    def read(t: Scalar, x: Array, tangent: Any, direction: Array, fixed: Any) -> Any:
        p, table = fixed

        def speeds(x: Array, p: Array) -> Any:
            return replay.speeds(t, x, p, table)

        q, dq = x[: system.coordinates], tangent[: system.coordinates]
        dz = jax.jvp(speeds, (x, p), (tangent, direction))[1]
        return 1.0 * dq, dz, 1.0 * system.speeds_from(t, q, dq)

    fixed = (replay.values, replay.table)
    example = (0.0, x[0], x[0], np.zeros(along.shape[1]), fixed)
    batched = ["t", "x", "tangent", "direction"]
    program = replay.program("read", read, example, batched)
    flat = (np.repeat(t, c), np.repeat(x, c, axis=0), X.reshape(n * c, -1))
    found = program(*flat, np.tile(along, (n, 1)), fixed)
    return [np.swapaxes(part.reshape(n, c, -1), 1, 2) for part in found]
