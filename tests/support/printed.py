"""Printed equations read back: the text that people see, as numbers."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np

TOKEN = "v_{}_"


def _piecewise(*cases):
    return next(value for value, holds in cases if holds)


FUNCTIONS = {
    name: getattr(np, name)
    for name in ("sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "sinh", "cosh")
} | {
    "Piecewise": _piecewise,
    "Abs": abs,
    "sign": np.sign,
    "Max": max,
    "Min": min,
    "floor": np.floor,
    "ceiling": np.ceil,
    "atan2": np.arctan2,
    "atan": np.arctan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "asinh": np.arcsinh,
    "erf": math.erf,
    "pi": np.pi,
    "ITE": lambda which, yes, no: yes if which else no,
    "Eq": lambda a, b: a == b,
    "Ne": lambda a, b: a != b,
}


@dataclass
class Printed:
    """What a printed reading says, as numbers at a point; `error` of a comparison."""

    equations: list[float] = field(default_factory=list)
    lagrangian: float = math.nan
    mass_matrix: np.ndarray | None = None
    error: float = math.nan


def evaluate(text: str, values: dict[str, float], functions=None) -> Printed:
    """The lines of a printed reading at a point.

    `values` are the numbers of its symbols by name; what the text defines after "where"
    is computed from them, line by line.
    """
    head, _, where = text.partition("\nwhere\n")
    # Names may hold spaces and brackets: each is one token, longest first.
    names = sorted(values, key=len, reverse=True)
    tokens = {name: TOKEN.format(k) for k, name in enumerate(names)}
    known = {tokens[name]: np.float64(values[name]) for name in names}
    known |= FUNCTIONS | (functions or {})
    if names:
        words = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names)
        pattern = re.compile(words)
        head, where = (
            pattern.sub(lambda found: tokens[found[0]], part) for part in (head, where)
        )
    with np.errstate(all="ignore"):
        for line in where.splitlines():
            name, _, expression = line.strip().partition(" = ")
            assert name.isidentifier(), line
            assert name not in known, f"{name} is defined twice, or hides another"
            known[name] = _number(expression, known)
        return _lines(head, known)


def _lines(text: str, known: dict) -> Printed:
    found = Printed()
    for line in text.splitlines()[1:]:
        if line.startswith("L = "):
            found.lagrangian = float(_number(line[4:], known))
        elif line.startswith("M = "):
            found.mass_matrix = np.array(_number(line[4:], known), dtype=float)
        elif line.endswith(" = 0") and "where it" not in line:
            found.equations.append(float(_number(line[:-4], known)))
    return found


def _number(expression: str, known: dict):
    """Python reads what SymPy prints; whole numbers divide as numbers do."""
    code = compile(expression.strip(), "<printed>", "eval")
    return eval(code, {"__builtins__": {}}, known)
