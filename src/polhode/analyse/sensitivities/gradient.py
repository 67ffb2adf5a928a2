"""The gradient of one number of a motion by everything, backwards in time.

    J = sum of g(t[k], x[k])
    l[k] = (dS/dx)^T l[k+1] + dg/dx[k],      m += (dS/dp)^T l[k+1] + dg/dp

The accepted steps of the motion are known; a second compiled loop applies the transpose
of one step after the other from the last to the first. Its cost does not grow with the
number of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.analyse.machinery.step_chain import Replay, replay_of
from polhode.analyse.sensitivities.saltation import saltation_matrix
from polhode.analyse.sensitivities.sensitivity import ROWS, steps_from
from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.integrate.field.input_table import arity
from polhode.integrate.results.checked_argument import motion_argument
from polhode.matter.parameter import Table
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

Cost = Callable[..., Any]
Weigh = Callable[[np.ndarray, np.ndarray], np.ndarray]


class EndRate(NamedTuple):
    """A cost at the last row of a motion, and its rate along the motion there."""

    value: float
    rate: float


@final
@dataclass(frozen=True, eq=False, repr=False)
class Gradient(Answer):
    """A number of a motion, and how it changes.

    value        the number itself
    parameters   name -> derivative
    places       (nz,) by the first place, along the joints
    speeds       (nz,) by the first speeds
    """

    motion: Trajectory
    value: float
    parameters: dict[str, float]
    places: np.ndarray
    speeds: np.ndarray

    def __getitem__(self, name: str) -> float:
        """The derivative by a parameter, or by 'first hinge', 'first speed of ...'."""
        return self.all[name]

    @property
    def all(self) -> dict[str, float]:
        """Every derivative by name: parameters, first places, first speeds."""
        names = self.motion.system.speed_names
        first = zip(names, self.places, strict=True)
        speed = zip(names, self.speeds, strict=True)
        return {
            **self.parameters,
            **{f"first {name}": float(v) for name, v in first},
            **{f"first speed of {name}": float(v) for name, v in speed},
        }

    def plot(self) -> Any:
        """The derivatives as bars: a `Picture`."""
        from polhode.show.plots.answers import gradient_picture

        return gradient_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        title = f"Gradient({self.motion.system.name!r}): value {self.value:.6g}"
        rows = [(f"d / d {name}", f"{v:.6g}") for name, v in self.all.items()]
        return AnswerTable(title, ("", "value"), rows)


@motion_argument
def gradient(
    motion: Trajectory,
    cost: Cost,
    parameters: Sequence[str] = (),
    *,
    times: Any = None,
) -> Gradient:
    """The derivatives of cost(t, state), at the end or summed over `times`.

    The cost is traced: written with `jax.numpy`, of the time and a `State`; a third
    argument is a mapping of the values of parameters and inputs. The steps of the
    motion are held, as in `ph.sensitivity`, with which this agrees to rounding.

    >>> import polhode as ph
    >>> swing = ph.models.pendulum()
    >>> motion = ph.simulate(swing, swing.state(hinge=0.5), until=1.0)
    >>> found = gradient(motion, lambda t, state: state["hinge"], ["g"])
    >>> round(found["g"], 6)
    0.095071
    """
    last = motion.t[-1:] if len(motion) else np.zeros(0)
    replay = replay_of(motion, parameters, last if times is None else times)
    return weighted_gradient(replay, cost, lambda t, values: np.ones(len(t)))


def weighted_gradient(replay: Replay, cost: Cost, weigh: Weigh) -> Gradient:
    """The derivatives of sum of w[k] cost(t[k], x[k]) over the times asked for.

    `weigh` gives w (n,) from the times and the values there, and is held: weights of
    an integral, or one at the largest value.
    """
    value, by_state, by_parameters = _costs(replay, cost)
    w = weigh(replay.t[replay.is_asked], np.asarray(value))
    by_state[replay.is_asked] *= w[:, None]
    l = by_state[-1]
    m = np.sum(w[:, None] * by_parameters, axis=0)
    for start, stop in reversed(replay.spans):
        for begin in reversed(range(start, stop, ROWS)):
            l, m = _back(replay, (begin, stop), by_state, (l, m))
        if start:
            by_x, by_p = saltation_matrix(replay, start)
            l, m = by_x.T @ l + by_state[start - 1], m + by_p.T @ l
    d, e, first = _unstarted(replay, l)
    by = dict(zip(replay.names, map(float, m + first), strict=True))
    return Gradient(replay.motion, float(np.sum(w * value)), by, d, e)


def end_rate(replay: Replay, cost: Cost) -> EndRate:
    """The cost at the last row, and its rate there along the motion."""

    def both(t: Scalar, x: Array, x_dot: Array, p: Array, table: Table) -> Any:
        def at(t: Scalar, x: Array) -> Any:
            return _cost_at(replay, cost, (t, x), p, table)

        return jax.jvp(at, (t, x), (jnp.ones_like(t), x_dot))

    steps, fixed = replay.motion.steps, (replay.values, replay.table)
    arguments = (float(steps.t[-1]), steps.x[-1], steps.x_dot[-1], *fixed)
    program = replay.program(("end rate", cost), both, arguments, False)
    value, rate = program(*arguments)
    return EndRate(float(value), float(rate))


def _costs(replay: Replay, cost: Cost) -> tuple[Any, np.ndarray, np.ndarray]:
    """Of every row: g, dg/dx and dg/dp; nothing where no cost was asked for."""

    def costs(t: Scalar, x: Array, p: Array, table: Table) -> Any:
        def at(x: Array, p: Array) -> Any:
            return _cost_at(replay, cost, (t, x), p, table)

        return jax.value_and_grad(at, (0, 1))(x, p)

    asked = replay.is_asked
    t, x, fixed = replay.t[asked], replay.x[asked], (replay.values, replay.table)
    example = (0.0, x[0], *fixed)
    program = replay.program(("cost", cost), costs, example, ["t", "x"])
    value, (by_state, by_parameters) = program(t, x, *fixed)
    every = np.zeros_like(replay.x)
    every[asked] = by_state
    if not np.all(np.isfinite(every)):
        raise AnalysisError(
            "the cost of a motion has no derivative at this motion.",
            f"At t = {t[~np.all(np.isfinite(by_state), axis=1)][0]:g} s it is no"
            " number.",
            "Write it so that it is smooth there: a square rather than a length.",
        )
    return value, every, by_parameters


def _cost_at(replay: Replay, cost: Cost, row: Any, p: Array, table: Table) -> Any:
    """The cost of a row (t, x), traced."""
    t, x = row
    system, n = replay.system, replay.system.coordinates
    state = State(system, t, 1.0 * x[:n], replay.speeds(t, x, p, table))
    if arity(cost) < 3:
        return _number(cost(t, state))
    return _number(cost(t, state, replay.numbers(state, x[n:], p, table)))


def _number(value: Any) -> Any:
    if jnp.shape(value) != ():
        raise AnalysisError(
            f"a cost of shape {jnp.shape(value)} has no gradient.",
            "A gradient is of one number.",
            "Return a scalar, or ask ph.sensitivity for all derivatives.",
        )
    return 1.0 * value


def _back(
    replay: Replay, span: tuple[int, int], by_state: np.ndarray, from_: Any
) -> Any:
    begin, stop = span
    steps, count = steps_from(replay, begin, stop)
    take = begin + np.minimum(np.arange(ROWS), count - 1)
    arguments = (steps, by_state[take], count, *from_, replay.values, replay.table)
    return replay.program("backward", _backward(replay), arguments, False)(*arguments)


def _backward(replay: Replay) -> Any:
    def backward(
        steps: Any, added: Any, count: Any, l: Scalar, m: Any, p: Array, table: Table
    ) -> Any:  # limit: what a chunk of the loop is called with
        def once(carry: Any, row: Any) -> tuple[Any, None]:
            k, (t, x, *more), add = row

            def adjoint_step(carry: Any) -> Any:
                l, m = carry
                _, pull = jax.vjp(
                    lambda x, p: replay.step((t, x, *more), p, table), x, p
                )
                by_x, by_p = pull(l)
                return by_x + add, m + by_p

            return lax.cond(k < count, adjoint_step, lambda carry: carry, carry), None

        rows = (jnp.arange(ROWS), steps, added)
        return lax.scan(once, (l, m), rows, reverse=True)[0]

    return backward


def _unstarted(replay: Replay, l: np.ndarray) -> tuple[Any, Any, Any]:
    """What l at the first row is by the first place, the first speeds and p."""
    nz = replay.system.speeds

    def unstarted(now: Any, l: Scalar, p: Array, table: Table) -> Any:
        def start(d: Array, e: Any, p: Array) -> Any:
            return replay.start(now, (d, e), p, table)

        still = jnp.zeros(nz)
        return jax.vjp(start, still, still, p)[1](l)

    arguments = (replay.first, l, replay.values, replay.table)
    return replay.program("unstarted", unstarted, arguments, False)(*arguments)
