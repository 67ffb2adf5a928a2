"""The answer of a search for the best motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.analyse.optimisation.goal import Bound
from polhode.analyse.optimisation.variable import Variables
from polhode.answer_table import Answer, AnswerTable, number

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.state import State
    from polhode.system.system import System

HEADS = ("first", "found", "from", "to", "")
EDGE = 1e-6  # of its range: a variable this near to a bound is at it


class Progress(NamedTuple):
    """Where a search is: reported after each iteration.

    iteration, evaluations   so far; an evaluation is a motion with its derivatives
    value       of the objective
    violation   the largest by which a constraint is not kept, each by its size
    """

    iteration: int
    evaluations: int
    value: float
    violation: float


@final
@dataclass(frozen=True, eq=False, repr=False)
class Optimum(Answer):
    """The best motion that was found.

    values        name -> value of every variable
    value         of the objective, and `first_value`, with the first guess
    bounds        name -> constraint, and `kept`, name -> its value here
    motion        with these values
    history       a `Progress` an iteration
    is_converged  whether the solver says so; `sentence` is what it says
    """

    variables: Variables
    values: dict[str, float]
    value: float
    first_value: float
    bounds: Mapping[str, Bound]
    kept: dict[str, float]
    motion: Trajectory
    history: tuple[Progress, ...]
    is_converged: bool
    sentence: str

    def __getitem__(self, name: str) -> float:
        """The value of a variable."""
        return self.values[name]

    @property
    def start(self) -> State:
        """The first state that was found."""
        return self.motion[0]

    @property
    def system(self) -> System:
        """The system with the parameters that were found."""
        own = self.motion.system.parameters
        found = {n: v for n, v in self.values.items() if n in own}
        return self.motion.system.with_(found) if found else self.motion.system

    @property
    def inputs(self) -> dict[str, np.ndarray]:
        """Name of an input -> its values (n,) at the knots of its shape."""
        return {
            name: np.array([self.values[n] for n in shape.names(name)])
            for name, shape in self.variables.shapes.items()
        }

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """Name, first value, value found, bounds, and whether it is at one."""
        v, found = self.variables, list(self.values.values())
        near = EDGE * np.where(np.isfinite(v.high - v.low), v.high - v.low, 1.0)
        places = zip(found, v.low, v.high, near, strict=True)
        at = [
            "lower bound" if x <= a + e else "upper bound" if x >= b - e else ""
            for x, a, b, e in places
        ]
        numbers = zip(v.guess, found, v.low, v.high, strict=True)
        texts = [tuple(map(number, row)) for row in numbers]
        return [(n, *t, a) for n, t, a in zip(v.names, texts, at, strict=True)]

    @property
    def constraint_rows(self) -> list[tuple[str, ...]]:
        """Name, nothing, value, bounds, and whether the constraint holds it."""
        rows = []
        for name, bound in self.bounds.items():
            value, ends = self.kept[name], (bound.low, bound.high)
            near = 1e-5 * max(1.0, abs(value))
            active = any(abs(value - end) < near for end in ends)
            broken = bound.violation(value) > near
            word = "not kept" if broken else "active" if active else ""
            rows.append((name, "", number(value), *map(number, ends), word))
        return rows

    def plot(self) -> Any:
        """How the search went, and the shapes of inputs: a `Picture`."""
        from polhode.show.plots.searches import optimum_picture

        return optimum_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed: variables, then constraints."""
        rows = [*self.rows, *self.constraint_rows]
        word = "found" if self.is_converged else f"not converged ({self.sentence})"
        head = f"Optimum({self.motion.system.name!r}: {word}, {self.value:.6g} from"
        head += f" {self.first_value:.6g}, {len(self.history)} iterations)"
        return AnswerTable(head, ("", *HEADS), rows)
