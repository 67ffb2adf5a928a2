"""A short motion by each formulation's own equations, from many states at once.

    q_dot = psi(t, q, y),      y_dot from the formulation,      classical Runge-Kutta

Steps are so short that what the method errs by in one formulation's velocities and in
another's is rounding: a difference after them is one of the equations. The loop is on
the host: the program that answers for a state serves its steps as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.arrays import Array, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable

    from polhode.formulation.equations import Equations
    from polhode.system.state import State

SHARE = 2e-3  # of the shortest time in which anything changes: a step
NODES, WEIGHTS = (0.0, 0.5, 0.5, 1.0), np.array([1.0, 2.0, 2.0, 1.0]) / 6


class Answers(NamedTuple):
    """What a formulation says of (t, q, y).

    bodies, wrenches   accelerations of bodies (n, 6) and what joints exert (n, 6)
    rates, y_dot       q_dot and y_dot
    twists             of bodies, in their own axes (n, 6)
    """

    bodies: Any
    wrenches: Any
    rates: Any
    y_dot: Any
    twists: Any


def answers_of(equations: Equations) -> Callable[..., Answers]:
    """(t, q, y) -> `Answers`, in the formulation's own velocities."""
    core, system = equations.functions, equations.system

    def all_of(t: Scalar, q: Array, y: Array) -> Answers:
        solution = core.accelerations(t, q, y, {})
        return Answers(
            core.bodies(t, q, y, solution[0], {}),
            core.joint_wrenches(t, q, y, solution, {}),
            core.rates(t, q, y, {}),
            1.0 * solution[0],
            system.body_twists(t, q, core.speeds(t, q, y, {}), {}),
        )

    return all_of


def after_steps(
    answer: Callable[..., Answers],
    t: np.ndarray,
    q: np.ndarray,
    y: np.ndarray,
    *,
    h: np.ndarray,
    steps: int,
) -> tuple[np.ndarray, np.ndarray]:
    """q and the bodies' velocities after so many steps of length h, for many states.

    `answer` takes (t, q, y) with a leading axis, as they are given.
    """
    column = h[:, None]
    for k in range(steps):
        slopes: list[Answers] = []
        for node in NODES:
            ahead = node * column
            last = slopes[-1] if slopes else Answers(0, 0, 0 * q, 0 * y, 0)
            at = q + ahead * last.rates, y + ahead * last.y_dot
            slopes.append(answer(t + (k + node) * h, *at))
        q = q + column * _weighted_sum([s.rates for s in slopes])
        y = y + column * _weighted_sum([s.y_dot for s in slopes])
    return q, answer(t + steps * h, q, y).twists


def _weighted_sum(slopes: list[Any]) -> Any:
    return np.tensordot(WEIGHTS, np.stack(slopes), axes=1)


def step_of(state: State, accelerations: np.ndarray) -> float:
    """A length of time in which little changes: a share of 1/w and of (1/a)^(1/2)."""
    V = state.system.body_twists(state.t, state.q, state.z)
    fastest = max(np.max(np.abs(V)), np.sqrt(np.max(np.abs(accelerations))), 1.0)
    return float(SHARE / fastest)
