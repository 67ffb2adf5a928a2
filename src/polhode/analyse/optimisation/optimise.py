"""`ph.optimise`: the variables with which a motion serves its goal best.

    minimise over v   J(v),      low <= v <= high,      a <= g(v) <= b

J and g are goals of the motion that v gives. Their derivatives are exact: those of
`ph.gradient`, backwards along the motion's own steps, at a cost that does not grow with
the number of variables. The search itself is SciPy's, or Ipopt's where cyipopt is
installed.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.analyse.machinery.naming import first_names
from polhode.analyse.machinery.step_chain import replay_of
from polhode.analyse.optimisation.goal import Bound, Goal, goal_of
from polhode.analyse.optimisation.optimum import Optimum, Progress
from polhode.analyse.optimisation.variable import UNTIL, Variables, admit_variables
from polhode.analyse.sensitivities.first_state import move_chart
from polhode.analyse.sensitivities.gradient import end_rate, weighted_gradient
from polhode.errors import AnalysisError, PolhodeError
from polhode.formulation.equations import Equations
from polhode.integrate.host.motion_equations import equations_of
from polhode.integrate.simulate import simulate
from polhode.system.state import State, require_layout
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

SOLVERS = ("SLSQP", "trust-constr", "L-BFGS-B", "ipopt")
WORSE = 10.0  # how much worse than the best a motion counts that cannot be run


class Evaluation(NamedTuple):
    """Goals (k,) of one motion and their derivatives (k, n), objective first."""

    values: np.ndarray
    slopes: np.ndarray
    motion: Trajectory | None


def optimise(
    model: System | Equations,
    variables: Mapping[str, Any],
    objective: Goal | Callable[..., Any],
    *,
    start: State,
    until: float,
    constraints: Mapping[str, Bound] | Sequence[Bound] = (),
    inputs: Mapping[Any, Any] | None = None,
    guess: Mapping[str, float] | None = None,
    solver: str = "SLSQP",
    iterations: int = 200,
    tolerance: float = 1e-6,
    rtol: float = 1e-9,
    watch: Callable[[Progress], None] | None = None,
) -> Optimum:
    """The variables that make a goal of the motion from `start` least.

    variables    name -> (low, high): parameters of the model or of a controller,
                 'first hinge' and 'first speed of hinge', 'until'; the name of an
                 input -> `ph.InputShape`
    objective    a goal of `ph.goals`, or function(t, state) at the end; the negative
                 of what is to be greatest
    constraints  name -> goal.at_most(...), .at_least, .equals, .within
    inputs       laws of the run, as in `ph.simulate`
    guess        where variables begin that do not begin at the model's own values
    solver       "SLSQP", "trust-constr", "L-BFGS-B" (without constraints), or "ipopt"
    tolerance    of the objective and the constraints, each by its size
    watch        called with a `Progress` after each iteration

    A search finds a valley, not the deepest: try several guesses.

    >>> import polhode as ph
    >>> swing = ph.models.pendulum()
    >>> least = lambda t, state: -state["hinge"]
    >>> found = optimise(swing, {"first speed of hinge": (0.0, 3.0)}, least,
    ...                  start=swing.rest(), until=0.3)
    >>> round(found["first speed of hinge"], 6)
    3.0
    """
    equations = equations_of(model)
    require_layout(equations.system, start)
    admitted = admit_variables(start, until, variables, inputs, guess)
    bounds = _admit_constraints(constraints)
    _admit_solver(solver, bounds)
    goals = (goal_of(objective), *(bound.goal for bound in bounds.values()))
    task = _Task(equations, admitted, goals, rtol)
    first = task.evaluate(admitted.guess, is_first=True)
    search = _Search(task, bounds, first, watch)
    found = search.run(solver, iterations, tolerance)
    return search.answer(found)


@final
@dataclass(frozen=True, eq=False)
class _Task:
    """The motion of some values, its goals and their derivatives; the last is kept."""

    equations: Equations
    variables: Variables
    goals: tuple[Goal, ...]
    rtol: float
    last: dict[bytes, Evaluation] = field(default_factory=dict)
    best: dict[str, Evaluation] = field(default_factory=dict)
    count: list[int] = field(default_factory=list)

    def evaluate(self, x: np.ndarray, *, is_first: bool = False) -> Evaluation:
        key = np.asarray(x, float).tobytes()
        if key not in self.last:
            self.count.append(1)
            found = self._evaluation(np.asarray(x, float), is_first)
            self.last.clear()
            self.last[key] = found
        return self.last[key]

    def _evaluation(self, x: np.ndarray, is_first: bool) -> Evaluation:
        try:
            motion = self.motion(x)
            pairs = [self._goal(goal, motion, x) for goal in self.goals]
        except PolhodeError:
            if is_first:
                raise
            return self._impossible()
        values, slopes = (np.array(part) for part in zip(*pairs, strict=True))
        found = Evaluation(values, slopes, motion)
        self.best["last"] = found
        return found

    def _impossible(self) -> Evaluation:
        """A motion that cannot be run counts as worse, so that steps get shorter."""
        values, slopes, _ = self.best["last"]
        sizes = np.maximum(np.abs(values), 1.0)
        return Evaluation(values + WORSE * sizes, slopes, None)

    def motion(self, x: np.ndarray) -> Trajectory:
        given, start, until = self.variables.trial(x)
        motion = simulate(
            self.equations,
            start,
            until=until,
            rtol=self.rtol,
            parameters=given,
            inputs=self.variables.laws,
        )
        if not motion.outcome.is_complete:
            raise AnalysisError(
                f"a motion of {self.equations.system.name!r} did not reach its end.",
                motion.outcome.sentence,
                "Narrow the bounds, or begin with another guess.",
            )
        return motion

    def _goal(self, goal: Goal, motion: Trajectory, x: np.ndarray) -> Any:
        """The value of a goal and its derivatives (n,)."""
        names = self.variables.parameters
        replay = replay_of(motion, names, goal.times(motion, self.variables.breaks))
        weights: list[np.ndarray] = []

        def weigh(t: np.ndarray, values: np.ndarray) -> np.ndarray:
            weights.append(goal.weights(t, values))
            return weights[-1]

        found = weighted_gradient(replay, goal.function, weigh)
        by = {**found.parameters, **self._by_first(found, x)}
        if UNTIL in self.variables.names:
            by[UNTIL] = goal.by_end(end_rate(replay, goal.function), weights[-1])
        return found.value, np.array([by[name] for name in self.variables.names])

    def _by_first(self, found: Any, x: np.ndarray) -> dict[str, float]:
        names = first_names(self.equations.system)
        if not set(names) & set(self.variables.names):
            return {}
        start, places = self.variables.start, found.places
        system = start.system
        if system.coordinates != system.speeds:  # rotations: a chart of their turns
            moved = self.variables.move(x)[: system.speeds]
            places = places @ move_chart(start, moved)
        return dict(zip(names, (*places, *found.speeds), strict=True))


@final
@dataclass(frozen=True, eq=False)
class _Search:
    """A search in variables, objective and constraints of size one."""

    task: _Task
    bounds: Mapping[str, Bound]
    first: Evaluation
    watch: Callable[[Progress], None] | None
    history: list[Progress] = field(default_factory=list)

    @property
    def size(self) -> float:
        """What the objective is measured by: its value or its change at the guess."""
        J, by = float(self.first.values[0]), self.first.slopes[0]
        effect = np.abs(by * self.task.variables.scale)
        return max(abs(J), float(np.max(effect, initial=0.0))) or 1.0

    @property
    def sizes(self) -> np.ndarray:
        """(k,) of the constraints: how much the guess changes each."""
        effect = np.abs(self.first.slopes[1:] * self.task.variables.scale)
        largest = np.max(effect, axis=1, initial=0.0)
        return np.where(largest > 0, largest, 1.0)

    def run(self, solver: str, iterations: int, tolerance: float) -> Any:
        v, scale = self.task.variables, self.task.variables.scale
        call = _ipopt() if solver == "ipopt" else _scipy(solver)
        ends = list(zip(v.low / scale, v.high / scale, strict=True))

        def objective(s: np.ndarray) -> tuple[float, np.ndarray]:
            found = self.task.evaluate(s * scale)
            return found.values[0] / self.size, found.slopes[0] * scale / self.size

        with warnings.catch_warnings():
            # A goal that is linear in its variables is no fault.
            warnings.filterwarnings("ignore", "delta_grad == 0.0", UserWarning)
            return call(
                objective,
                v.guess / scale,
                jac=True,
                bounds=ends,
                constraints=self._constraints(),
                callback=self.tell,
                **_options(solver, iterations, tolerance),
            )

    def _constraints(self) -> list[dict[str, Any]]:
        """Equalities h = 0 and inequalities h >= 0, each with its derivatives."""
        found: list[dict[str, Any]] = []
        for k, (bound, size) in enumerate(
            zip(self.bounds.values(), self.sizes, strict=True), start=1
        ):
            if bound.is_equality:
                found.append(self._one("eq", k, bound.low, size))
                continue
            if np.isfinite(bound.low):
                found.append(self._one("ineq", k, bound.low, size))
            if np.isfinite(bound.high):
                found.append(self._one("ineq", k, bound.high, -size))
        return found

    def _one(self, kind: str, k: int, end: float, size: float) -> dict[str, Any]:
        scale = self.task.variables.scale

        def value(s: np.ndarray) -> Any:
            return (self.task.evaluate(s * scale).values[k] - end) / size

        def slope(s: np.ndarray) -> Any:
            return self.task.evaluate(s * scale).slopes[k] * scale / size

        return {"type": kind, "fun": value, "jac": slope}

    def tell(self, s: np.ndarray, *_: object) -> None:
        """One iteration more."""
        found = self.task.evaluate(s * self.task.variables.scale)
        worst = self.violation(found.values[1:])
        count = len(self.task.count)
        now = Progress(len(self.history) + 1, count, float(found.values[0]), worst)
        self.history.append(now)
        if self.watch is not None:
            self.watch(now)
        elif sys.stderr.isatty():
            _say(now)

    def violation(self, values: np.ndarray) -> float:
        pairs = zip(self.bounds.values(), values, self.sizes, strict=True)
        return max((float(b.violation(v) / s) for b, v, s in pairs), default=0.0)

    def answer(self, found: Any) -> Optimum:
        v = self.task.variables
        x = np.clip(found.x * v.scale, v.low, v.high)
        end = self.task.evaluate(x)
        self.tell(
            x / v.scale
        )  # solvers return after an iteration that they do not tell
        if end.motion is None:
            end = self.task.best["last"]
        assert end.motion is not None
        kept = dict(zip(self.bounds, map(float, end.values[1:]), strict=True))
        if self.history and sys.stderr.isatty() and self.watch is None:
            print(file=sys.stderr)
        return Optimum(
            v,
            dict(zip(v.names, map(float, x), strict=True)),
            float(end.values[0]),
            float(self.first.values[0]),
            self.bounds,
            kept,
            end.motion,
            tuple(self.history),
            bool(found.success),
            str(found.message),
        )


def _say(now: Progress) -> None:
    words = f"iteration {now.iteration}: {now.value:.6g}"
    words += f", constraints off by {now.violation:.1e}" if now.violation else ""
    print(f"\r{words:70}", end="", file=sys.stderr, flush=True)


def _scipy(solver: str) -> Callable[..., Any]:
    from functools import partial

    from scipy.optimize import minimize

    return partial(minimize, method=solver)


def _ipopt() -> Callable[..., Any]:
    try:
        from cyipopt import minimize_ipopt  # type: ignore[import-not-found,unused-ignore]
    except ImportError as reason:
        raise AnalysisError(
            "Ipopt is not installed.",
            "The solver that was asked for is called through cyipopt.",
            'Install it: conda install cyipopt; or leave solver="SLSQP".',
        ) from reason
    found: Callable[..., Any] = minimize_ipopt
    return found


def _options(solver: str, iterations: int, tolerance: float) -> dict[str, Any]:
    if solver == "trust-constr":
        options = {"maxiter": iterations, "gtol": tolerance, "xtol": tolerance}
        return {"options": options}
    if solver == "ipopt":
        return {"options": {"max_iter": iterations, "tol": tolerance, "disp": 0}}
    return {"options": {"maxiter": iterations, "ftol": tolerance}}


def _admit_constraints(given: Any) -> dict[str, Bound]:
    pairs = (
        dict(given)
        if isinstance(given, Mapping)
        else {f"constraint {k + 1}": each for k, each in enumerate(given)}
    )
    for name, bound in pairs.items():
        if not isinstance(bound, Bound):
            raise AnalysisError(
                f"{name!r} is no constraint: {bound!r}.",
                "A constraint bounds a goal of the motion.",
                "Give ph.goals.AtEnd(function).equals(value), or at_most, at_least.",
            )
    return pairs


def _admit_solver(solver: str, bounds: Mapping[str, Bound]) -> None:
    if solver not in SOLVERS:
        raise AnalysisError(
            f"there is no solver {solver!r}.",
            "Searches with derivatives are made by SciPy or by Ipopt.",
            f"Give one of {', '.join(SOLVERS)}.",
        )
    if solver == "L-BFGS-B" and bounds:
        raise AnalysisError(
            f"L-BFGS-B keeps bounds of variables alone, not {', '.join(bounds)}.",
            "It knows nothing of constraints.",
            'Leave solver="SLSQP".',
        )
