"""Whether constraints on velocities are constraints on positions in disguise.

The motions that the rows A z = 0 allow are fields X_i. By Frobenius' theorem there are
surfaces that contain them all exactly if their brackets are allowed, too:

    A [X_i, X_j] = 0        (of one row w: w ^ dw = 0)

What is left, the curvature, is motion that the rows forbid at every instant and that
can be reached all the same: parking a car sideways. Where brackets of brackets reach
nothing new, what they have left out is kept: functions pi of the place, one for each
direction that is never reached. Derivatives are exact; time is held while asking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np

from polhode.analyse.machinery.distribution import (
    DEPENDENT,
    Brackets,
    Distribution,
    allowed_motions,
    brackets,
    extension,
    independent,
    rounding,
)
from polhode.analyse.machinery.leaves import PositionIntegrals, integrals_of
from polhode.answer_table import Answer, AnswerTable
from polhode.system.checked_argument import system_argument
from polhode.system.contacts import refuse_supports

if TYPE_CHECKING:
    from polhode.formulation.reading.positions import ReadPositions
    from polhode.system.state import State
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False, repr=False)
class Integrability(Answer):
    """How far motions within the rows reach, near a place.

    curvature   (pairs, rows): what rows, each of size one, see of the brackets
    rows        their names
    """

    state: State
    curvature: np.ndarray
    rows: tuple[str, ...]
    allowed: Distribution
    reached: Brackets
    matrix: np.ndarray

    @property
    def is_holonomic(self) -> bool:
        """Whether all rows together are equations of position, near here."""
        return not self.curved

    @property
    def curved(self) -> tuple[str, ...]:
        """The rows along which forbidden motion can be reached."""
        curved = np.any(self.curvature != 0, axis=0)
        names = zip(self.rows, curved, strict=True)
        return tuple(name for name, is_curved in names if is_curved)

    @property
    def growth(self) -> tuple[int, ...]:
        """The growth vector: ranks with brackets, brackets of these, and so on."""
        return tuple(np.cumsum(self._last.widths).tolist())

    @property
    def flag(self) -> tuple[int, ...]:
        """Ranks of the derived flag: of the rows, of those that brackets leave, ..."""
        return tuple(self.state.system.speeds - rank for rank in self.growth)

    @cached_property
    def integrals(self) -> PositionIntegrals:
        """pi(q), one for each direction that is never reached."""
        return integrals_of(self._last)

    @property
    def verdict(self) -> str:
        """Holonomic or not, in words."""
        if self.is_holonomic:
            return "holonomic: the rows are equations of position"
        return f"not holonomic along {', '.join(self.curved)}"

    def read(self, names: Mapping[str, str] | None = None) -> ReadPositions:
        """Frobenius' test in symbols, and pi where it can be written down."""
        from polhode.formulation.reading.positions import read_positions

        return read_positions(self.state.system, names or {})

    def plot(self) -> Any:
        """Curvature of each row as bars, and how far brackets reach: a `Picture`."""
        from polhode.show.plots.answers import integrability_picture

        return integrability_picture(self)

    @cached_property
    def _last(self) -> Distribution:
        """All that brackets reach."""
        found, reached = self.allowed, self.reached
        most = self.state.system.speeds - _known(self.state.system, self.matrix)
        while (more := extension(found, reached)) is not None:
            found = more
            if found.rank >= most:
                break
            reached = brackets(found)
        return found

    def as_table(self) -> AnswerTable:
        """What is printed."""
        largest = np.max(np.abs(self.curvature), axis=0, initial=0.0)
        pairs = zip(self.rows, largest, strict=True)
        reach = ", ".join(map(str, self.growth))
        kept = ", ".join(f"pi of {name}" for name in self.integrals.names)
        return AnswerTable(
            f"Integrability({self.state.system.name!r}): {self.verdict}",
            ("row", "curvature"),
            [(name, f"{size:.4g}" if size else "none") for name, size in pairs],
            [
                f"directions reached: {reach} of {self.state.system.speeds}",
                f"functions of the place kept: {kept or 'none'}",
            ],
        )


@system_argument
def integrability(system: System, state: State | None = None) -> Integrability:
    """Frobenius' test of all rows of a system together, at a state or at rest.

    It holds near a place about which ranks do not change.

    >>> import polhode as ph
    >>> print(ph.questions.integrability(ph.models.chaplygin_sleigh()))
    Integrability("Chaplygin's sleigh"): not holonomic along blade
      row    curvature
      blade          1
      directions reached: 2, 3 of 3
      functions of the place kept: none
    """
    refuse_supports(system, "ph.questions.integrability")
    at = state or system.rest()
    allowed, A = allowed_motions(at)
    reached = brackets(allowed)
    sizes = np.linalg.norm(A, axis=1)
    seen = (A / np.where(sizes > 0, sizes, 1.0)[:, None]) @ reached.values
    seen = np.where(np.abs(seen) > rounding(allowed, reached), seen, 0.0).T
    return Integrability(at, seen, system.row_names, allowed, reached, A)


def _known(system: System, A: np.ndarray) -> int:
    """How many independent rows are rates of equations of position to begin with."""
    flags = [c.is_holonomic for c in system.constraints for _ in c.rows]
    own = A[np.array(flags, bool)]
    return len(independent(own.T, DEPENDENT * float(np.max(np.abs(A), initial=0.0))))
