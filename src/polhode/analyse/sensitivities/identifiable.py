"""Which parameters motions and known forces can tell, and which only together.

    Y = d(M z_dot + b - f)/dp,      Y D n = 0,      D = diag(size of p)

Y (states nz, p) is the regressor at states and accelerations drawn at random. Changes
of the parameters in the shares n change no force in any motion: they cannot be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from polhode.analyse.machinery.naming import nominal
from polhode.analyse.symmetries import draw
from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, Scalar
from polhode.formulation.equations import Equations
from polhode.formulation.questions.determinacy import row_echelon
from polhode.integrate.host.motion_equations import equations_of
from polhode.lowering.compile import compile
from polhode.matter.parameter import Table
from polhode.system.system import System

DRAWS = 40
BLIND = 1e-9  # of the largest singular value: what is below is rounding


@final
@dataclass(frozen=True, eq=False, repr=False)
class Identifiable(Answer):
    """Which of some parameters a record identifies.

    names    the parameters
    blind    (k, p): shares of themselves by which they may change unnoticed together
    values   singular values of the regressor by shares, largest first (p,)
    """

    names: tuple[str, ...]
    blind: np.ndarray
    values: np.ndarray

    @property
    def alone(self) -> tuple[str, ...]:
        """Those that are determined each by itself."""
        known = ~np.any(self.blind != 0, axis=0)
        return tuple(
            n for n, is_known in zip(self.names, known, strict=True) if is_known
        )

    @property
    def together(self) -> tuple[tuple[str, ...], ...]:
        """Sets of which only a combination is identified; of a set of one, nothing."""
        return tuple(
            tuple(n for n, share in zip(self.names, row, strict=True) if share)
            for row in self.blind
        )

    def plot(self) -> Any:
        """Singular values of the regressor, largest first: a `Picture`."""
        from polhode.show.plots.answers import identifiable_picture

        return identifiable_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        found = len(self.names) - len(self.blind)
        return AnswerTable(
            f"Identifiable({found} combinations of {len(self.names)} parameters)",
            ("", "by itself"),
            [(name, "yes" if name in self.alone else "no") for name in self.names],
            [
                f"changes nothing: {direction_text(self.names, row)}"
                for row in self.blind
            ],
        )


def identifiable(
    model: System | Equations, parameters: Sequence[str] | None = None
) -> Identifiable:
    """Which of some parameters, or of all, the equations of motion can tell.

    >>> import polhode as ph
    >>> print(identifiable(ph.models.pendulum()))
    Identifiable(2 combinations of 3 parameters)
       by itself
    m  no
    l  no
    g  no
      changes nothing: +1 % m, -0.5 % l, -0.5 % g
    """
    equations = equations_of(model)
    system = equations.system
    names = tuple(system.parameters if parameters is None else parameters)
    p = np.array([nominal(system, name) for name in names])
    rng = np.random.default_rng(7)
    q = np.array([draw(system, rng) for _ in range(DRAWS)])
    z, a = rng.uniform(-2, 2, (2, DRAWS, system.speeds))
    times = rng.uniform(0, 3, DRAWS)
    function = _regressor(equations, names)
    example = (0.0, q[0], z[0], a[0], p)
    program = compile(function, *example, batched=["t", "q", "z", "a"])
    Y = program(times, q, z, a, p).reshape(-1, len(names))
    blind, values = unseen(Y * sizes(p))
    return Identifiable(names, blind, values)


def unseen(J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions (k, p) along which J changes nothing, and its singular values (p,)."""
    _, values, right = np.linalg.svd(J, full_matrices=True)
    values = np.concatenate([values, np.zeros(J.shape[1] - len(values))])
    small = values <= BLIND * max(values[0], 1e-300)
    return row_echelon(right[small]), values


def without_rounding(J: np.ndarray) -> np.ndarray:
    """J (n, p) without what is rounding in it: no step is made along what is blind."""
    left, values, right = np.linalg.svd(J, full_matrices=False)
    kept = values > BLIND * np.max(values, initial=1e-300)
    return (left[:, kept] * values[kept]) @ right[kept]


def direction_text(names: Sequence[str], shares: np.ndarray) -> str:
    """A direction in words: '+1 % m, -0.5 % l'."""
    pairs = zip(names, shares, strict=True)
    return ", ".join(f"{share:+.4g} % {name}" for name, share in pairs if share)


def sizes(p: np.ndarray) -> np.ndarray:
    """What a change is measured by: the value itself, or one where that is zero."""
    return np.where(p == 0, 1.0, np.abs(p))


def _regressor(equations: Equations, names: tuple[str, ...]) -> Any:
    core = equations.functions

    def regressor(t: Scalar, q: Array, z: Array, a: Array, p: Array) -> Any:
        def inertial_force(p: Array) -> Any:
            table: Table = {name: p[k] for k, name in enumerate(names)}
            terms = core.terms(t, q, z, table)
            return terms.mass_matrix @ a + terms.bias - terms.force

        return jax.jacfwd(inertial_force)(p)

    return regressor
