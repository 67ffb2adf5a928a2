"""Rows on velocities in symbols: Frobenius' test, and the functions that they keep.

    db + R(a, b) da = 0                                  the rows, solved for some rates
    D_j R_ik - D_k R_ij = 0,    D_j = d/da_j - sum_l R_lj d/db_l        Frobenius
    pi_i = b_i + int R_i da                              where R_i da is closed
    pi_i = int db_i/g + int h da                         where R_i = g(b_i) h(a)

Solving for rates divides by coefficients: an integrating factor that is one of them is
found by itself, another that depends on the solved coordinate by the second form.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
import sympy

from polhode.arrays import Array
from polhode.errors import ModelError
from polhode.lowering.reading.sympy_reader import read, to_latex
from polhode.system import rows

if TYPE_CHECKING:
    from polhode.system.system import System


@final
@dataclass(frozen=True, eq=False, repr=False)
class ReadPositions:
    """What rows on velocities say of the place, as SymPy expressions.

    rows        A (m, n): A q_dot = 0
    curvature   what Frobenius' test leaves, by pairs; all zero where integrable
    integrals   pi, one for each row that could be integrated; constant in motion
    unwritten   coordinates whose pi exists, but not in these forms
    """

    coordinates: tuple[sympy.Symbol, ...]
    rows: sympy.Matrix
    curvature: tuple[sympy.Expr, ...]
    integrals: tuple[sympy.Expr, ...]
    unwritten: tuple[str, ...]

    @property
    def is_holonomic(self) -> bool:
        """Whether all rows are equations of position."""
        return not any(self.curvature)

    def __repr__(self) -> str:
        lines = [f"{pi} = const" for pi in self.integrals]
        lines += [
            f"{left} is left of Frobenius' test" for left in self.curvature if left
        ]
        lines += [f"pi of {name} is not of a known form" for name in self.unwritten]
        return "\n".join(lines) or "no rows"

    def _repr_html_(self) -> str:
        """What a notebook shows, without a script or the net."""
        from polhode.show.page.mathml import mathml

        return mathml(self._repr_latex_().strip("$"))

    def _repr_latex_(self) -> str:
        lines = [rf"{to_latex(pi)} &= \text{{const}}" for pi in self.integrals]
        lines += [rf"{to_latex(left)} &\ne 0" for left in self.curvature if left]
        return r"$$\begin{aligned}" + r"\\ ".join(lines) + r"\end{aligned}$$"


def read_positions(system: System, names: Mapping[str, str]) -> ReadPositions:
    """Frobenius' test of a system's rows in symbols, and the integrals found.

    `names` calls coordinates otherwise: {"ice.angle": "theta"}.
    """
    _require_rates(system)
    words = [names.get(n, n.replace(".", "_")) for n in system.coordinate_names]
    q = [sympy.Symbol(word, real=True) for word in words]
    A = _matrix(system, q)
    R, pivots = A.rref(simplify=True)
    R = R[: len(pivots), :]
    free = [k for k in range(len(q)) if k not in pivots]
    solved = _Solved([q[k] for k in pivots], [q[k] for k in free], R[:, free])
    curvature = tuple(
        solved.curvature(i, j, k)
        for i in range(len(pivots))
        for j, k in itertools.combinations(range(len(free)), 2)
    )
    found = [solved.integral(i) for i in range(len(pivots))]
    if any(curvature):
        found = [pi if solved.is_flat(i) else None for i, pi in enumerate(found)]
    lost = [
        words[pivots[i]]
        for i, pi in enumerate(found)
        if pi is None and not any(curvature)
    ]
    kept = tuple(pi for pi in found if pi is not None)
    return ReadPositions(tuple(q), A, curvature, kept, tuple(lost))


@dataclass(frozen=True, eq=False)
class _Solved:
    """db + R da = 0."""

    b: list[Any]
    a: list[Any]
    R: Any

    def curvature(self, i: int, j: int, k: int) -> Any:
        left = self._along(j, self.R[i, k]) - self._along(k, self.R[i, j])
        return sympy.simplify(left)

    def is_flat(self, i: int) -> bool:
        """Whether a row knows nothing of solved coordinates but its own."""
        others = {b for l, b in enumerate(self.b) if l != i}
        pairs = itertools.combinations(range(len(self.a)), 2)
        return not (self.R[i, :].free_symbols & others) and not any(
            self.curvature(i, j, k) for j, k in pairs
        )

    def integral(self, i: int) -> Any:
        """pi of a row, or None where it has none of the known forms."""
        own, row = self.b[i], list(self.R[i, :])
        held = set(self.b) & self.R[i, :].free_symbols
        if not held:
            rest = _potential(row, self.a)
            return None if rest is None else own + rest
        if held != {own}:
            return None
        first = next(entry for entry in row if entry.has(own))
        factor = sympy.separatevars(first, [*self.a, own], dict=True)
        if factor is None:
            return None
        g = factor[own]
        h = [sympy.simplify(entry / g) for entry in row]
        if any(entry.has(own) for entry in h):
            return None
        rest = _potential(h, self.a)
        return None if rest is None else sympy.integrate(1 / g, own) + rest

    def _along(self, j: int, value: Any) -> Any:
        bent = sum(self.R[l, j] * sympy.diff(value, b) for l, b in enumerate(self.b))
        return sympy.diff(value, self.a[j]) - bent


def _potential(row: list[Any], a: list[Any]) -> Any:
    """V with dV/da = row, or None where the row is not closed."""
    V: Any = sympy.Integer(0)
    for entry, symbol in zip(row, a, strict=True):
        rest = sympy.simplify(entry - sympy.diff(V, symbol))
        V = V + sympy.integrate(rest, symbol)
    wrong = [
        sympy.simplify(entry - sympy.diff(V, symbol))
        for entry, symbol in zip(row, a, strict=True)
    ]
    return None if any(wrong) or V.has(sympy.Integral) else sympy.simplify(V)


def _matrix(system: System, q: list[Any]) -> Any:
    """A (m, n) in symbols; numbers of the model stay numbers."""
    import jax
    import jax.numpy as jnp

    def matrix(q: Array) -> Any:
        still = jnp.zeros(system.speeds)
        return jax.jacfwd(lambda z: rows.velocities(system, 0.0, q, z))(still)

    return sympy.Matrix(np.array(read(matrix, q).tolist(), dtype=object))


def _require_rates(system: System) -> None:
    """Refuse coordinates whose rates are not the speeds."""
    turning = [
        joint.name
        for joint in system.joints
        if joint.coordinate_names != joint.speed_names
    ]
    if turning:
        raise ModelError(
            f"the rows of {system.name!r} cannot be integrated in symbols.",
            f"The speeds of {', '.join(map(repr, turning))} are not the rates of its"
            " coordinates: a rotation has no three such.",
            "Take pi as numbers: ph.questions.integrability(system).integrals.",
        )
