"""The parts of linear equations of motion, by what they do to the energy.

M v' + (D + G) v + (K + N) p = B u

M mass         symmetric, positive: stores energy of motion
D damping      symmetric: takes energy, or gives it where it is negative
G gyroscopic   skew: turns the motion aside, and does no work
K stiffness    symmetric: stores energy of place
N circulatory  skew: follower forces and steady rolling; may feed energy in
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable, relative
from polhode.errors import AnalysisError
from polhode.system.members import suggestion

PARTS = ("mass", "damping", "gyroscopic", "stiffness", "circulatory")
SYMMETRIC = ("mass", "damping", "stiffness")
NOTHING = 1e-10  # of the largest part, in the measure of masses: rounding


@final
@dataclass(frozen=True, eq=False, repr=False)
class Parts(Answer):
    """Mass, damping, gyroscopic, stiffness and circulatory matrices (f, f).

    Symmetric ones are exactly so, skew ones too. `others` (f, h - f) is the stiffness
    by places whose speeds are not independent, named in `other_names`: it is there only
    with velocity constraints.
    """

    names: tuple[str, ...]
    mass: np.ndarray
    damping: np.ndarray
    gyroscopic: np.ndarray
    stiffness: np.ndarray
    circulatory: np.ndarray
    other_names: tuple[str, ...]
    others: np.ndarray

    @property
    def velocity(self) -> np.ndarray:
        """D + G (f, f)."""
        return self.damping + self.gyroscopic

    @property
    def place(self) -> np.ndarray:
        """K + N (f, f)."""
        return self.stiffness + self.circulatory

    def per_mass(self, matrix: np.ndarray) -> np.ndarray:
        """L^-1 matrix L^-T with M = L L^T: the same part where the mass is one."""
        L = np.linalg.cholesky(self.mass)
        half = np.linalg.solve(L, matrix)
        return np.linalg.solve(L, half.T).T

    def has(self, part: str) -> bool:
        """Whether a part, by its name, is more than rounding."""
        rates = "damping", "gyroscopic"
        asked = self.per_mass(getattr(self, part))
        fast = np.max(np.abs(self.per_mass(self.velocity)), initial=0.0)
        stiff = np.max(np.abs(self.per_mass(self.place)), initial=0.0)
        # A rate squared is a stiffness: the larger of both sets the scale.
        scale = max(fast, np.sqrt(stiff))
        size = np.max(np.abs(asked), initial=0.0)
        return bool(size > NOTHING * (scale if part in rates else scale**2))

    @property
    def is_symmetric(self) -> bool:
        """Whether nothing but mass and stiffness is there: K phi = w^2 M phi."""
        skewed = any(map(self.has, ("damping", "gyroscopic", "circulatory")))
        return not skewed and not self.feels_others

    @property
    def feels_others(self) -> bool:
        """Whether places beside the independent ones enter."""
        scale = np.max(np.abs(self.place), initial=0.0)
        return bool(np.max(np.abs(self.others), initial=0.0) > NOTHING * scale)

    def definiteness(self, part: str) -> str:
        """Of a symmetric part: "positive definite", "indefinite", "zero", ..."""
        if not self.has(part) and part != "mass":
            return "zero"
        found = np.linalg.eigvalsh(self.per_mass(getattr(self, part)))
        if not len(found):
            return "empty: nothing is free"
        edge = 1e-9 * np.max(np.abs(found))
        below, above = np.sum(found < -edge), np.sum(found > edge)
        if below and above:
            return "indefinite"
        sign = "positive" if above else "negative"
        whole = len(found) == above + below
        return f"{sign} {'definite' if whole else 'semidefinite'}"

    def words(self) -> dict[str, str]:
        """What each part is: "positive definite", ..., "skew", or "none"."""
        found = {}
        for part in PARTS:
            there = part == "mass" or self.has(part)
            word = self.definiteness(part) if part in SYMMETRIC else "skew"
            found[part] = word if there else "none"
        return found

    def of(self, *names: str) -> Parts:
        """The rows and columns of some coordinates, by name, the others held."""
        for name in names:
            if name not in self.names:
                raise AnalysisError(
                    f"there is no independent coordinate {name!r}.",
                    f"The equations are in {', '.join(self.names)}.",
                    suggestion(name, self.names),
                )
        k = [self.names.index(name) for name in names]
        picked = {part: getattr(self, part)[np.ix_(k, k)] for part in PARTS}
        return replace(self, names=names, others=self.others[k], **picked)

    def plot(self) -> Any:
        """The matrices as squares, a panel each: a `Picture`."""
        from polhode.show.plots.matrices import parts_picture

        return parts_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        words = self.words()
        below = [
            AnswerTable(
                f"{part}: {word}",
                ("", *self.names) if word != "none" else (),
                [
                    (name, *relative(row))
                    for name, row in zip(self.names, getattr(self, part), strict=True)
                    if word != "none"
                ],
            )
            for part, word in words.items()
        ]
        return AnswerTable(f"Parts in {', '.join(self.names)}", below=below)


def parts_of(
    names: tuple[str, ...],
    mass: np.ndarray,
    velocity: np.ndarray,
    place: np.ndarray,
    other_names: tuple[str, ...] = (),
) -> Parts:
    """Split by symmetry. `place` (f, h) has a column a place, the independent first."""
    f = len(names)
    own, others = place[:, :f], place[:, f:]
    matrices = _even(mass), _even(velocity), _odd(velocity), _even(own), _odd(own)
    return Parts(names, *matrices, other_names, others)


def _even(matrix: np.ndarray) -> np.ndarray:
    return (matrix + matrix.T) / 2


def _odd(matrix: np.ndarray) -> np.ndarray:
    return (matrix - matrix.T) / 2
