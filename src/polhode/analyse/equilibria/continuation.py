"""Equilibria followed as a parameter changes, round folds and through bifurcations.

    r(x, p) = 0,      x = (place, intensities),      step along the curve, not along p

The next point is sought in the plane across the tangent (pseudo-arclength), so that p
may turn back. A fold is where it does; a bifurcation where another curve crosses: the
stiffness has a zero there, and the tangent is not unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.analyse.equilibria.equilibrium import Equilibrium
from polhode.analyse.machinery.curve import Curve, Point
from polhode.analyse.machinery.listing import Listing
from polhode.analyse.machinery.naming import coordinate_of, require_parameter
from polhode.answer_table import Answer, AnswerTable, some
from polhode.errors import AnalysisError, ModelError
from polhode.system.state import State, require_layout

if TYPE_CHECKING:
    from polhode.system.system import System

STEPS = 400  # that are tried along a branch, each way
HALVINGS = 45  # at most: thirty find a fold to 1e-9 of a step
APART = 1e-2  # of a step: folds and bifurcations that are nearer are one
SHOWN = 5  # points of a branch that are printed


class Mark(NamedTuple):
    """A point where the curve turns or another crosses: "fold" or "bifurcation"."""

    kind: str
    parameter: float
    state: State


Met = tuple[Mark, Point, np.ndarray]  # with its point, and the curve's tangent


@final
@dataclass(frozen=True, eq=False, repr=False)
class Branch(Answer):
    """Equilibria along one curve.

    parameter   values (k,) of the parameter
    q           places (k, nq);  multipliers (k, m)
    falling     in how many directions (k,) the stiffness is negative: none, a minimum
    marks       folds and bifurcations on it
    """

    system: System
    name: str
    parameter: np.ndarray
    q: np.ndarray
    multipliers: np.ndarray
    falling: np.ndarray
    marks: tuple[Mark, ...]

    @property
    def folds(self) -> list[float]:
        """Where the parameter turns back."""
        return [mark.parameter for mark in self.marks if mark.kind == "fold"]

    @property
    def bifurcations(self) -> list[float]:
        """Where another curve crosses."""
        return [mark.parameter for mark in self.marks if mark.kind == "bifurcation"]

    def __getitem__(self, coordinate: str) -> np.ndarray:
        """A coordinate along the curve (k,), by its name."""
        return self.q[:, coordinate_of(self.system, coordinate)]

    def __len__(self) -> int:
        return len(self.parameter)

    def plot(self, coordinate: str = "") -> Any:
        """The curve over the parameter, dashed where no minimum is: a `Picture`."""
        return Branches(self.system, (self,), self.name).plot(coordinate)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        shown = some(len(self), SHOWN)
        return AnswerTable(
            f"Branch of {self.system.name!r} along {self.name}: {len(self)} points",
            ("", self.name, *self.system.coordinate_names, "falling"),
            [(k, self.parameter[k], *self.q[k], self.falling[k]) for k in shown],
            [f"{m.kind} at {self.name} = {m.parameter:.6g}" for m in self.marks],
        )


@final
@dataclass(frozen=True, eq=False, repr=False)
class Branches(Listing[Branch]):
    """All curves that were followed; the first begins at the given equilibrium."""

    name: str

    def plot(self, coordinate: str = "") -> Any:
        """All branches over the parameter, dashed where no minimum is: a `Picture`."""
        from polhode.show.plots.branch_picture import branch_picture

        return branch_picture(self, coordinate or self.system.coordinate_names[0])

    def as_table(self) -> AnswerTable:
        """What is printed."""
        rows, below = [], []
        names = ("", self.name, *self.system.coordinate_names)
        for k, branch in enumerate(self.found):
            falls = f"{branch.falling.min()} to {branch.falling.max()}"
            rows.append((k, len(branch), *branch.parameter[[0, -1]], falls))
            for kind in ("fold", "bifurcation"):
                marks = [m for m in branch.marks if m.kind == kind]
                lines = [(i, m.parameter, *m.state.q) for i, m in enumerate(marks)]
                if lines:
                    below.append(AnswerTable(f"{kind}s of branch {k}", names, lines))
        count = f"{len(self)} branch{'' if len(self) == 1 else 'es'}"
        heads = ("", "equilibria", "from", "to", "falling directions")
        title = f"{self.system.name!r} along {self.name}: {count}"
        return AnswerTable(title, heads, rows, below=below)


def continuation(
    start: Equilibrium | State,
    parameter: str,
    between: tuple[float, float],
    *,
    step: float = 0.05,
    branches: bool = True,
) -> Branches:
    """The equilibria of a system as a parameter goes through a range, both ways.

    `step` is along the curve, in radians and lengths of the system, and in shares of
    the range. With `branches`, curves that cross the first are followed too.
    """
    state = start.state if isinstance(start, Equilibrium) else start
    if not isinstance(state, State):
        raise ModelError(
            f"continuation takes an equilibrium, and was given {start!r}.",
            "A curve of equilibria begins at one of them.",
            "Give one of ph.equilibria(system), or a state near one.",
        )
    system = state.system
    require_layout(system, state)
    low, high = _range(system, parameter, between)
    curve = Curve.of(state, parameter, (low, high), step)
    first = curve.begin(state)
    trunk, marks = _both_ways(curve, first, curve.tangent(first, None), known=0)
    found = [_noun(curve, trunk, marks)]
    for mark, crossing, along in marks if branches else ():
        if mark.kind != "bifurcation":
            continue
        for direction in curve.crossing(crossing, along):
            points, more = _both_ways(curve, crossing, direction, known=1)
            if len(points) > 2:
                found.append(_noun(curve, points, more))
    return Branches(system, tuple(found), parameter)


def _both_ways(
    curve: Curve, first: Point, tangent: np.ndarray, known: int
) -> tuple[list[Point], list[Met]]:
    """Points on both sides of one; a closed curve is gone round once.

    Of the first `known` steps it is known what they meet: the curve they come from.
    """
    after, more, is_closed = _walk(curve, first, tangent, known)
    if is_closed:
        return after, more
    before, marks, _ = _walk(curve, first, -tangent, known)
    return [*before[:0:-1], *after], [*marks, *more]


def _walk(
    curve: Curve, first: Point, tangent: np.ndarray, known: int
) -> tuple[list[Point], list[Met], bool]:
    """Points from one to the end of the range, bifurcations, whether it closed."""
    points, marks, length, step = [first], [], curve.step, curve.step
    for _ in range(STEPS):
        here = points[-1]
        there = curve.next(here, tangent, length)
        if there is None:
            length /= 2
            if length < 1e-4 * step:
                break
            continue
        ahead = curve.tangent(there, tangent)
        slopes = tangent[-1], ahead[-1]
        kind = _crossing_kind(here, there, slopes) if len(points) > known else ""
        if kind and abs(there.falling - here.falling) != 1 and length > APART * step:
            length /= 2  # more than one is met: they are told one by one
            continue
        if kind:
            marks.append(_locate(curve, (here, there), tangent, kind))
        if not curve.low <= there.parameter <= curve.high:
            end = curve.at_edge(here, there)
            return [*points, *([end] if end else [])], marks, False
        points.append(there)
        tangent, length = ahead, min(1.4 * length, step)
        if len(points) > 8 and curve.distance(there, first) < 0.8 * length:
            return [*points, first], marks, True
    return points, marks, False


def _crossing_kind(here: Point, there: Point, slopes: tuple[float, float]) -> str:
    if slopes[0] * slopes[1] < 0:
        return "fold"
    return "bifurcation" if here.falling != there.falling else ""


def _locate(
    curve: Curve, ends: tuple[Point, Point], tangent: np.ndarray, kind: str
) -> Met:
    """The fold or bifurcation between two points, by halving."""
    here, there = ends
    low, high = 0.0, curve.distance(here, there)
    best = there
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        point = curve.next(here, tangent, middle)
        if point is None:
            break
        ahead = curve.tangent(point, tangent)
        best = point
        if _crossing_kind(here, point, (tangent[-1], ahead[-1])):
            high = middle
        else:
            low = middle
        if high - low < 1e-9 * curve.step:
            break
    return Mark(kind, best.parameter, curve.state(best)), best, tangent


def _noun(curve: Curve, points: list[Point], marks: list[Met]) -> Branch:
    return Branch(
        curve.system,
        curve.parameter,
        np.array([point.parameter for point in points]),
        np.array([point.q for point in points]),
        np.array([point.multipliers for point in points]),
        np.array([point.falling for point in points]),
        tuple(mark for mark, *_ in marks),
    )


def _range(
    system: System, parameter: str, between: tuple[float, float]
) -> tuple[float, float]:
    require_parameter(system, parameter)
    low, high = map(float, between)
    value = float(system.parameters[parameter])
    if not low <= value <= high or low == high:
        raise AnalysisError(
            f"{parameter} = {value:g} does not lie between {low:g} and {high:g}.",
            "The curve begins at the equilibrium of the system as it is.",
            f"Widen the range, or begin at another {parameter}: system.with_(...).",
        )
    return low, high
