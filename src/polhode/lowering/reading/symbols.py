"""SymPy expressions into the ring: sums, products and powers are taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import sympy

from polhode.lowering.reading import functions as f
from polhode.lowering.reading.ring import ONE, Polynomial, Ring, plus, whole

DOTS = re.compile(r"^(?P<base>.+?)_?(?P<dots>d{1,4})ot(?P<index>_?\d+|_\w+)?$")

SPECIAL = re.compile(r"[#$%&~\\{}^\s`\"]")
ESCAPES = {letter: "\\" + letter for letter in "#$%&{}_"} | {
    "~": r"\textasciitilde ",
    "^": r"\textasciicircum ",
    "\\": r"\textbackslash ",
}

UNARY = {
    sympy.sin: lambda ring, a: f.cosine_sine(ring, a)[1],
    sympy.cos: lambda ring, a: f.cosine_sine(ring, a)[0],
    sympy.exp: f.exponential,
    sympy.log: f.logarithm,
    sympy.Abs: f.absolute,
}


def from_sympy(ring: Ring, expression: Any) -> Polynomial:
    """A number or SymPy expression; what has no algebra becomes a symbol."""
    e = sympy.sympify(expression)
    if e.is_Rational:
        return {0: whole(sympy.QQ(int(e.p), int(e.q)))} if e else {}
    if e.is_Float:
        return f.constant(ring, float(e))
    if e is sympy.pi:
        return f.pi(ring).polynomial
    if e.is_Add or e.is_Mul:
        out: Polynomial = {} if e.is_Add else ONE
        for part in (from_sympy(ring, a) for a in e.args):
            out = plus(out, part) if e.is_Add else ring.mul(out, part)
        return out
    if isinstance(e, sympy.Pow):
        base, exponent = (from_sympy(ring, a) for a in e.args)
        return f.power(ring, base, exponent)
    if e.func in UNARY:
        return UNARY[e.func](ring, from_sympy(ring, e.args[0]))
    return ring.generator("symbol", e, e, positive=bool(e.is_positive)).polynomial


def declare_units(ring: Ring, units: Iterable[Sequence[sympy.Symbol]]) -> None:
    """Groups of symbols whose squares add up to 1: the first square is the others'."""
    for group in units:
        first, *others = (
            ring.generator("symbol", s, s, positive=bool(s.is_positive)) for s in group
        )
        first.power, first.value = 2, {0: 1} | {g.to(2): -1 for g in others}


def rate_order(expression: sympy.Expr) -> int:
    """How many times a symbol has been differentiated: by its name, or as it says."""
    if isinstance(expression, sympy.Derivative):
        return int(sum(count for _, count in expression.variable_count))
    match = DOTS.match(getattr(expression, "name", ""))
    return len(match["dots"]) if match else 0


def escaped(text: str) -> str:
    r"""Words for LaTeX's \text{...}, nothing in which is a command.

    >>> escaped("left_arm#1 50%")
    'left\\_arm\\#1 50\\%'
    """
    return "".join(ESCAPES.get(letter, letter) for letter in text)


def latex_name(symbol: sympy.Symbol) -> str | None:
    r"""`thetaddot_1` as \ddot{\theta}_{1}; None for a symbol without dots.

    A name that would be read as commands or comments is set as text: `arm#1 50%`.
    """
    match = DOTS.match(symbol.name)
    if SPECIAL.search(symbol.name):
        base = match["base"] if match else symbol.name
        base, _, kind = (base, "", "") if match else base.rpartition("_")
        text = rf"\text{{{escaped(base or kind)}}}"
        if match is None:
            return text + (rf"_{{\text{{{escaped(kind)}}}}}" if base else "")
        index = escaped((match["index"] or "").removeprefix("_"))
        dotted = "\\" + match["dots"] + "ot{" + text + "}"
        return dotted + (rf"_{{\text{{{index}}}}}" if index else "")
    if match is None:
        return None
    base = sympy.latex(sympy.Symbol(match["base"] + (match["index"] or "")))
    letter, mark, index = base.partition("_")
    return "\\" + match["dots"] + "ot{" + letter + "}" + mark + index
