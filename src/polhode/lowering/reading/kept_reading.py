"""Readings kept on disk: the same function with the same symbols is read once.

An expression is a tree of heads and atoms. Its symbols are those of the call, by
number; heads are classes of SymPy, by name; and what would come back is compared with
what is to be kept: an expression that would come back otherwise is read anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import sympy

from polhode.lowering.arguments import Leaf
from polhode.lowering.backends import cache as disk
from polhode.lowering.trace.description import (
    Untold,
    description_key,
    tree_facts,
    tree_of_facts,
)

KIND = "reading"
ATOMS = {
    "pi": sympy.pi,
    "E": sympy.E,
    "I": sympy.I,
    "nan": sympy.nan,
    "oo": sympy.oo,
    "-oo": -sympy.oo,
    "zoo": sympy.zoo,
    "true": sympy.true,
    "false": sympy.false,
}


class KeptReading:
    """Where a reading is kept; `load` gives leaves and tree, or None.

    `arrays` stand for the arguments, of `tree`; `others` is all else that shapes it.
    """

    def __init__(
        self, function: Any, tree: Any, arrays: Sequence[Any], others: Iterable[Any]
    ):
        leaves = [Leaf("", array.shape, "float64") for array in arrays]
        own = description_key(function, tree, leaves, ())
        given = [sympy.sympify(each) for array in arrays for each in array.flat]
        self._symbols = _symbols_of(given)
        self._key = ""
        if own is not None:
            words = (sympy.__version__, *map(sympy.srepr, given), *map(str, others))
            text = "\0".join((own, *words))
            digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
            self._key = disk.entry_name(KIND, digest)

    def load(self) -> tuple[list[tuple[list[Any], tuple[int, ...]]], Any] | None:
        """Elements and shape of each leaf, and the tree of leaves."""
        found = disk.load(self._key) if self._key else None
        if found is None:
            return None
        try:
            leaves = [
                ([_built(each, self._symbols) for each in elements], tuple(shape))
                for elements, shape in found[0]["leaves"]
            ]
            return leaves, tree_of_facts(found[0]["tree"])
        except (KeyError, ValueError, TypeError, AttributeError, IndexError):
            return None  # of another version: read anew

    def save(
        self, leaves: Sequence[tuple[Sequence[Any], tuple[int, ...]]], tree: Any
    ) -> None:
        """Keep it, where all of it comes back as it is."""
        if not self._key:
            return
        try:
            facts = {
                "tree": tree_facts(tree),
                "leaves": [
                    [[self._facts_of(each) for each in elements], list(shape)]
                    for elements, shape in leaves
                ],
            }
        except (Untold, RecursionError):
            return
        disk.save(self._key, facts, b"")

    def _facts_of(self, expression: Any) -> Any:
        facts = _facts_of(expression, {s: k for k, s in enumerate(self._symbols)})
        again = _built(facts, self._symbols)
        if again != expression or sympy.srepr(again) != sympy.srepr(expression):
            raise Untold(str(expression))
        return facts


def _symbols_of(given: Iterable[sympy.Basic]) -> list[sympy.Symbol]:
    """The symbols of some expressions, in an order that follows from these."""
    found: dict[sympy.Symbol, None] = {}
    for each in given:
        for symbol in sorted(each.atoms(sympy.Symbol), key=sympy.srepr):
            found.setdefault(symbol)
    return [*found]


def _facts_of(expression: Any, numbers: dict[Any, int]) -> Any:
    if expression in numbers:
        return numbers[expression]
    if isinstance(expression, sympy.Rational):
        return [str(expression.p), str(expression.q)]
    for name, atom in ATOMS.items():
        if expression is atom:
            return name
    head = getattr(expression, "func", None)
    name = getattr(head, "__name__", "")
    if not getattr(expression, "args", ()) or getattr(sympy, name, None) is not head:
        raise Untold(str(expression))
    return {name: [_facts_of(part, numbers) for part in expression.args]}


def _built(stored: Any, symbols: Sequence[sympy.Symbol]) -> Any:
    if isinstance(stored, int):
        return symbols[stored]
    if isinstance(stored, str):
        return ATOMS[stored]
    if isinstance(stored, list):
        return sympy.Rational(int(stored[0]), int(stored[1]))
    ((name, parts),) = stored.items()
    head = getattr(sympy, name)
    if not (isinstance(head, type) and issubclass(head, sympy.Basic)):
        raise ValueError(f"{name} is no head of an expression")
    each = [_built(part, symbols) for part in parts]
    # As it was written, and not as SymPy would write it anew.
    is_plain = issubclass(head, sympy.Add | sympy.Mul | sympy.Pow | sympy.Function)
    return head(*each, evaluate=False) if is_plain else head(*each)
