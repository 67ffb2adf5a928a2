"""Equations for people: the terms of a formulation in the symbols of its system.

What reads well: Lagrange, Gauss, Kane, Gibbs-Appell, Boltzmann-Hamel and the recursive
form of hinges, slides and one or two rotations, with few bodies. Loops read as rows
with multipliers. Forms with six velocities a body are right but long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import sympy

from polhode.lowering.sympy import read, to_latex

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations


@final
@dataclass(frozen=True, repr=False)
class Reading:
    """The equations of motion as SymPy expressions; each is equal to zero.

    motion       M y_dot + b - f - A^T l
    constraints  A y_dot - g
    mass_matrix  M
    """

    name: str
    motion: tuple[sympy.Expr, ...]
    constraints: tuple[sympy.Expr, ...]
    mass_matrix: sympy.Matrix

    def __repr__(self) -> str:
        lines = [f"{each} = 0" for each in (*self.motion, *self.constraints)]
        return "\n".join([self.name, *lines])

    def _repr_latex_(self) -> str:
        lines = [to_latex(each) + " &= 0" for each in (*self.motion, *self.constraints)]
        return "$$\\begin{aligned}" + r"\\ ".join(lines) + "\\end{aligned}$$"


def reading_of(
    equations: Equations, names: Mapping[str, str], seconds: float
) -> Reading:
    """The equations with a symbol for every coordinate, velocity and parameter.

    `names` calls coordinates, velocities and parameters otherwise: {"hinge": "theta"}.
    """
    system, core = equations.system, equations.functions
    q = _symbols(system.coordinate_names, names)
    rates = equations.velocity_names
    is_rate = system.coordinate_names == rates
    y = [sympy.Symbol(f"{s.name}dot") for s in q] if is_rate else _symbols(rates, names)
    tail = "ddot" if is_rate else "dot"
    base = q if is_rate else y
    y_dot = [sympy.Symbol(s.name + tail) for s in base]
    held = [sympy.Symbol(f"lambda_{k + 1}") for k, _ in enumerate(equations.row_names)]
    table = {name: _symbol(name, names, positive=True) for name in system.parameters}

    def balance(  # limit: the symbols of an equation are six kinds of thing
        t: Any, q: Any, y: Any, y_dot: Any, held: Any, table: Any
    ) -> Any:
        M, b, f, A, g = core.terms(t, q, y, table)
        if not held.shape[0]:
            return M @ y_dot + b - f, 0.0 * y_dot, M
        return M @ y_dot + b - f - A.T @ held, A @ y_dot - g, M

    motion, rows, M = read(
        balance, sympy.Symbol("t"), q, y, y_dot, held, table, seconds=seconds
    )
    return Reading(
        f"{equations.name}, {system.name}",
        tuple(motion),
        tuple(rows) if held else (),
        sympy.Matrix(M.tolist()),
    )


def _symbols(names: tuple[str, ...], called: Mapping[str, str]) -> list[sympy.Symbol]:
    return [_symbol(name, called) for name in names]


def _symbol(name: str, called: Mapping[str, str], **kind: bool) -> sympy.Symbol:
    return sympy.Symbol(called.get(name, name.replace(".", "_")), **kind)
