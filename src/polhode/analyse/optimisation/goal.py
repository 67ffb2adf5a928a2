"""Goals: one number of a motion, to be made least or kept within bounds.

    J = sum of w[k] f(t[k], x[k])

What differs is at which times f is asked, and with which weights: once at the end, by
Simpson's rule for an integral, once where it is largest for a peak.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.errors import AnalysisError

if TYPE_CHECKING:
    from polhode.analyse.sensitivities.gradient import EndRate
    from polhode.integrate.results.trajectory import Trajectory

SAMPLES = 201  # of an integral or a peak
NEAR = 1e-9  # of the motion's time: a corner this near to the end of a panel is there


@dataclass(frozen=True, eq=False)
class Goal(ABC):
    """A traced function(t, state), or function(t, state, values), of a motion.

    `values` are those of parameters and inputs by name, for what depends on them
    directly: the effort of a motor, the weight of an arm.
    """

    function: Callable[..., Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise AnalysisError(
                f"{self.function!r} is no goal of a motion.",
                "A goal is a number of the time and the state.",
                'Give a function: lambda t, state: state["hinge"].',
            )

    @abstractmethod
    def times(self, motion: Trajectory, breaks: np.ndarray) -> np.ndarray:
        """When the function is evaluated; at `breaks` inputs have corners."""

    @abstractmethod
    def weights(self, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """How much of each value is in the goal."""

    @abstractmethod
    def by_end(self, end: EndRate, weights: np.ndarray) -> float:
        """The derivative by the time at which the motion ends.

        `end` has the function's value at the last row, and its rate along the motion.
        """

    def at_most(self, high: float) -> Bound:
        """A constraint: goal <= high."""
        return Bound(self, -np.inf, float(high))

    def at_least(self, low: float) -> Bound:
        """A constraint: low <= goal."""
        return Bound(self, float(low), np.inf)

    def equals(self, value: float) -> Bound:
        """A constraint: goal = value."""
        return Bound(self, float(value), float(value))

    def within(self, low: float, high: float) -> Bound:
        """A constraint: low <= goal <= high."""
        return Bound(self, float(low), float(high))


@final
@dataclass(frozen=True, eq=False)
class AtEnd(Goal):
    """The value of a function at the end of the motion.

    >>> import polhode as ph
    >>> ph.goals.AtEnd(lambda t, state: state["hinge"]).equals(0.5)
    Bound(0.5 <= AtEnd <= 0.5)
    """

    def times(self, motion: Trajectory, breaks: np.ndarray) -> np.ndarray:
        """The last."""
        return motion.t[-1:]

    def weights(self, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """One."""
        return np.ones(1)

    def by_end(self, end: EndRate, weights: np.ndarray) -> float:
        """Its rate along the motion."""
        return end.rate


@final
@dataclass(frozen=True, eq=False)
class AtTime(Goal):
    """The value of a function at a time t, s."""

    t: float

    def times(self, motion: Trajectory, breaks: np.ndarray) -> np.ndarray:
        """That time; a motion that does not reach it has no value there."""
        return np.array([self.t], dtype=float)

    def weights(self, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """One."""
        return np.ones(1)

    def by_end(self, end: EndRate, weights: np.ndarray) -> float:
        """None: what comes later changes nothing."""
        return 0.0


@final
@dataclass(frozen=True, eq=False)
class Integral(Goal):
    """The integral of a function over the time of the motion.

    By Simpson's rule over panels that end where inputs have corners, `samples` times
    or a few more.
    """

    _: KW_ONLY
    samples: int = SAMPLES

    def times(self, motion: Trajectory, breaks: np.ndarray) -> np.ndarray:
        """Ends and middles of the panels."""
        first, last = float(motion.t[0]), float(motion.t[-1])
        even = np.linspace(first, last, max(self.samples // 2, 1) + 1)
        least = NEAR * abs(last - first)
        apart = np.abs(breaks[:, None] - even).min(axis=1, initial=np.inf) > least
        inside = (breaks > min(first, last)) & (breaks < max(first, last))
        ends = np.sort(np.concatenate([even, breaks[apart & inside]]))
        middles = (ends[1:] + ends[:-1]) / 2
        return np.sort(np.concatenate([ends, middles]))

    def weights(self, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Simpson's: h/6 (1, 4, 1) of each panel."""
        h, w = (t[2::2] - t[:-2:2]) / 6, np.zeros(len(t))
        w[:-2:2] += h
        w[1::2] += 4 * h
        w[2::2] += h
        return w

    def by_end(self, end: EndRate, weights: np.ndarray) -> float:
        """What is under the integral at the end (Leibniz)."""
        return end.value


@final
@dataclass(frozen=True, eq=False)
class Peak(Goal):
    """The largest value of a function along the motion, among `samples` times.

    Its derivative is that of the function where it is largest; where two peaks are
    equally high there are two, and the search goes along the edge between them.
    """

    _: KW_ONLY
    samples: int = SAMPLES

    def times(self, motion: Trajectory, breaks: np.ndarray) -> np.ndarray:
        """Evenly spaced, both ends among them."""
        return np.linspace(motion.t[0], motion.t[-1], self.samples)

    def weights(self, t: np.ndarray, values: np.ndarray) -> np.ndarray:
        """One where the value is largest."""
        return (np.arange(len(t)) == np.argmax(values)).astype(float)

    def by_end(self, end: EndRate, weights: np.ndarray) -> float:
        """The rate, if it is largest at the end."""
        return end.rate * float(weights[-1])


@final
@dataclass(frozen=True, eq=False)
class Bound:
    """A constraint of a search: low <= goal <= high."""

    goal: Goal
    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.high:  # NaN, too
            raise AnalysisError(
                f"no motion keeps {self.low:g} <= goal <= {self.high:g}.",
                "The lower bound is above the upper one, or one is not a number.",
                "Give goal.within(low, high).",
            )

    @property
    def is_equality(self) -> bool:
        """Whether one value is asked for."""
        return self.low == self.high

    def violation(self, value: float) -> float:
        """By how much a value is out of bounds."""
        return max(self.low - value, value - self.high, 0.0)

    def __repr__(self) -> str:
        return f"Bound({self.low:g} <= {type(self.goal).__name__} <= {self.high:g})"


def goal_of(given: Any) -> Goal:
    """A goal; a bare function is one at the end."""
    return given if isinstance(given, Goal) else AtEnd(given)
