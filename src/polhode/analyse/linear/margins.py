"""How far a motion stays from the limits of its joints.

margin = min(q - lower, upper - q),      below zero beyond a limit
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable, number
from polhode.errors import AnalysisError
from polhode.integrate.results.checked_argument import motion_argument
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

HEADS = ("lower", "upper", "least margin", "at t, s", "limit")


class Closest(NamedTuple):
    """The least margin of a coordinate along a motion, when, and to which limit."""

    margin: float
    t: float
    limit: str


@final
@dataclass(frozen=True, eq=False, repr=False)
class LimitMargins(Answer):
    """Margins of all coordinates that have a limit, at the rows of a motion.

    limits   name -> (lower, upper), in radians or metres
    margins  name -> (n,)
    """

    motion: Trajectory
    limits: dict[str, tuple[float, float]]
    margins: dict[str, np.ndarray]

    @property
    def names(self) -> tuple[str, ...]:
        """The coordinates that have a limit."""
        return tuple(self.margins)

    @property
    def is_within(self) -> bool:
        """Whether no limit was passed."""
        return all(np.min(each) >= 0 for each in self.margins.values())

    def closest(self, name: str) -> Closest:
        """The least margin of a coordinate."""
        if name not in self.margins:
            raise AnalysisError(
                f"{name!r} of {self.motion.system.name!r} has no margin.",
                "A coordinate has one if its joint was given limits.",
                suggestion(name, self.margins),
            )
        margins, (_, upper) = self.margins[name], self.limits[name]
        k = int(np.argmin(margins))
        q = self.motion.q[k, self.motion.system.coordinate_names.index(name)]
        word = "upper" if np.isclose(upper - q, margins[k], rtol=0, atol=0) else "lower"
        return Closest(float(margins[k]), float(self.motion.t[k]), word)

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """As they are printed, of each: its limits, least margin, when, and where."""
        found = [(self.limits[name], self.closest(name)) for name in self.names]
        return [
            (number(low), number(high), number(c.margin), number(c.t), c.limit)
            for (low, high), c in found
        ]

    def plot(self) -> Any:
        """Margins along the motion, zero at a limit: a `Picture`."""
        from polhode.show.plots.answers import margin_picture

        return margin_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        within = "within its limits" if self.is_within else "beyond a limit"
        rows = zip(self.names, self.rows, strict=True)
        return AnswerTable(
            f"LimitMargins({self.motion.system.name!r}: {within})",
            ("", *HEADS),
            [(name, *row) for name, row in rows],
        )


@motion_argument
def limit_margins(motion: Trajectory) -> LimitMargins:
    """How far a motion stays from the limits of its joints, row by row."""
    limits: dict[str, tuple[float, float]] = {}
    margins: dict[str, np.ndarray] = {}
    for edge in motion.system.tree.edges:
        lower, upper = edge.joint.limits
        found = np.asarray(edge.joint.margin(np.asarray(motion.q)[:, edge.q]))
        for k, name in enumerate(edge.joint.coordinate_names):
            if np.isfinite(lower[k]) or np.isfinite(upper[k]):
                limits[name] = (float(lower[k]), float(upper[k]))
                margins[name] = found[:, k]
    if not limits:
        raise AnalysisError(
            f"no joint of {motion.system.name!r} has limits.",
            "A margin is the way to a limit.",
            "Give a joint limits=(lower, upper), in radians or metres.",
        )
    return LimitMargins(motion, limits, margins)
