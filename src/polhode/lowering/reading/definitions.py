"""Names for what is long and stands in several places: a reading with "where" lines.

    M y_dot + b = 0      where  R_11 = 1 - 2 (y^2 + z^2),  c_1 = R_11 A + R_12 B, ...

A closed form multiplies out, and grows without bound with the depth of a program. With
names a reading is as long as the program, whatever its size: each value that is long
and used several times is one generator of the ring, and is written once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import sympy

from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.ir.schedule import find_live
from polhode.lowering.reading.division import common, leading_sign
from polhode.lowering.reading.nesting import plain_content
from polhode.lowering.reading.ring import (
    Generator,
    Polynomial,
    Ring,
    declare_product,
    held,
    key_of,
    ratio,
)
from polhode.lowering.reading.shape import Shape

SHORT = 6  # letters, about: a value so short is written again rather than named
NAMED = 3  # the same of a value that has a name in mechanics
PRODUCT = 12  # terms: a product of more stays a product
LETTER = "c"

Definition = tuple[sympy.Symbol, sympy.Expr]


def defining_ring(operations: float) -> Ring:
    """A ring in which long products stay products."""
    return Ring(operations, largest=PRODUCT)


class Definitions:
    """The values of one program that are named.

    quantities   arrays that have a name in mechanics; their elements are called by
                 their places, counted from 1: R_12, and M_3_12 beyond nine
    rotations    which of them are orthogonal matrices of determinant 1
    """

    def __init__(
        self,
        ring: Ring,
        outputs: Iterable[Element],
        quantities: Mapping[str, np.ndarray],
        rotations: Collection[str] = (),
    ):
        self.ring = ring
        first = [word for word in quantities if word in rotations]
        self.arrays = [quantities[word] for word in first]
        self.names: dict[Generator, str] = {}
        self._called: dict[Node, str] = {}
        for word in [*first, *(w for w in quantities if w not in rotations)]:
            for node, name in _places(word, quantities[word]):
                self._called.setdefault(node, name)
        self._turns: dict[Node, tuple[Node, ...]] = {}
        for word in first:
            nodes = quantities[word].ravel()
            if all(isinstance(node, Node) for node in nodes):
                self._turns |= {node: tuple(nodes) for node in nodes}
        self._generators: dict[Node, Generator] = {}
        self._uses = _uses([*outputs])
        self._weights: dict[Generator, int] = {}

    def of(self, node: Node, value: Any) -> Any:
        """The value of a node, or the one generator that stands for it."""
        if not isinstance(value, dict):
            return value
        name = self._called.get(node)
        if name is not None:
            is_long = self._weight(value) > (NAMED if node in self._turns else SHORT)
            return self._whole(node, value, name) if is_long else value
        if self._uses[node] < 2 or self._weight(value) <= SHORT:
            return value
        # What every term has; common denominators would pile up, name upon name.
        low, number = common(self.ring, value), plain_content(value)
        number *= leading_sign(self.ring, {m - low: c for m, c in value.items()})
        rest = {m - low: ratio(c, number) for m, c in value.items()}
        if self._weight(rest) <= SHORT:
            return value
        return self.ring.reduce({low + held(self.ring, rest): number})

    def _whole(self, node: Node, value: Polynomial, name: str) -> Polynomial:
        for sign in (1, -1):  # the same, or the opposite, may have a name already
            known = {m: sign * c for m, c in value.items()}
            found = self.ring.existing("held", key_of(known))
            if found is not None and found in self.names:
                return {found.monomial: sign}
        monomial = held(self.ring, value)
        ((generator, _),) = self.ring.factors(monomial)
        self.names[generator] = name
        self._generators[node] = generator
        nine = self._turns.get(node, ())
        if nine and all(each in self._generators for each in nine):
            declare_rotation(self.ring, [self._generators[each] for each in nine])
        return {monomial: 1}

    def _weight(self, p: Polynomial) -> int:
        """About how long a polynomial is to write; named values are one letter."""
        return sum(
            1 + sum(self._weight_of(g) for g, _ in self.ring.factors(m)) for m in p
        )

    def _weight_of(self, g: Generator) -> int:
        if g not in self._weights:
            inner = sum(self._weight(p) for p in _inside(g))
            # The sine of one angle is read like a letter.
            is_plain = g.kind in ("sin", "cos") and inner <= 2
            self._weights[g] = 1 if is_plain else 1 + inner
        return self._weights[g]


def _places(word: str, array: np.ndarray) -> Iterator[tuple[Node, str]]:
    """The elements of a quantity that are computed, and what they are called."""
    apart = "_" if max(array.shape, default=0) > 9 else ""
    for place in np.ndindex(array.shape):
        node: Any = array[place]
        if isinstance(node, Node):
            yield node, f"{word}_{apart.join(str(k + 1) for k in place)}"


def declare_rotation(ring: Ring, entries: list[Generator]) -> None:
    """Nine generators are a rotation: its rows are orthonormal, and right-handed.

        R_11^2 -> 1 - R_12^2 - R_13^2              R_11 R_21 -> -R_12 R_22 - R_13 R_23
        R_11 R_22 -> R_33 + R_12 R_21              and so on: each is its cofactor

    Every rule leaves terms that come later in the order of rows and columns, or that
    have fewer factors, so that reducing ends.
    """
    R = [entries[3 * i : 3 * i + 3] for i in range(3)]
    for i in range(3):
        R[i][0].power = 2
        R[i][0].value = {0: 1, R[i][1].to(2): -1, R[i][2].to(2): -1}
        for j in range(i + 1, 3):
            products = (R[i][k].monomial + R[j][k].monomial for k in (1, 2))
            declare_product(ring, R[i][0], R[j][0], dict.fromkeys(products, -1))
    for i, j, k, sign in ((0, 1, 2, 1), (0, 2, 1, -1), (1, 2, 0, 1)):
        for a, b, c, turn in ((0, 1, 2, 1), (0, 2, 1, -1), (1, 2, 0, 1)):
            # R_ia R_jb - R_ib R_ja = +-R_kc
            rest = {
                R[k][c].monomial: sign * turn,
                R[i][b].monomial + R[j][a].monomial: 1,
            }
            declare_product(ring, R[i][a], R[j][b], rest)


def _inside(g: Generator) -> list[Polynomial]:
    """What is written within a generator."""
    if g.kind in ("symbol", "pi", "number", "held"):
        return []
    if g.kind in ("sin", "cos", "exp", "over"):
        return [g.data]
    if g.kind == "root":
        return [g.data[0]]
    if g.kind == "choice":
        which, yes, no = g.data
        return [*_of_condition(which), yes, no]
    return [*g.data[1]]


def _of_condition(which: Any) -> list[Polynomial]:
    if isinstance(which, dict):
        return [which]
    if isinstance(which, tuple):
        return [p for part in which[1:] for p in _of_condition(part)]
    return []


def _uses(outputs: list[Element]) -> Counter[Any]:
    """How many operations, or outputs, take each node."""
    nodes = find_live(outputs).nodes
    found = Counter(e for e in outputs if isinstance(e, Node))
    for node in nodes:
        found.update(a for a in node.args if isinstance(a, Node))
    return found


def write_definitions(
    shape: Shape, definitions: Definitions, written: list[sympy.Expr], taken: set[str]
) -> tuple[list[Definition], list[sympy.Expr]]:
    """The definitions that the written expressions need, and these with their names.

    What stands in one place alone is put there; the others are in an order in which
    each needs only those before it.
    """
    stands, order = _collected(shape, written)
    count: Counter[Any] = Counter()
    for expression in [*written, *stands.values()]:
        count.update(_placeholders(expression, stands))
    final: dict[Any, Any] = {}
    kept: list[Definition] = []
    free = _free_names(taken, definitions.names.values())
    known = {
        shape.writer.held[g]: name
        for g, name in definitions.names.items()
        if g in shape.writer.held
    }
    for place in order:
        expression = stands[place].xreplace(final)
        if count[place] < 2 or expression.is_Atom:
            final[place] = expression
            continue
        name = known.get(place, "")
        name = name if name and name not in taken else next(free)
        final[place] = sympy.Symbol(name)
        kept.append((final[place], expression))
    return kept, [each.xreplace(final) for each in written]


def _collected(shape: Shape, written: list[Any]) -> tuple[dict[Any, Any], list[Any]]:
    """What each placeholder stands for, and an order in which they can be computed."""
    held = shape.writer.held
    stands: dict[Any, Any] = {}
    order: list[Any] = []
    generators = {}
    stack = [(p, False) for e in reversed(written) for p in _sorted(e, held)]
    while stack:
        place, is_done = stack.pop()
        if is_done:
            order.append(place)
            continue
        if place in stands:
            continue
        generators = {s: g for g, s in held.items()}
        stands[place] = shape.write(generators[place].data)
        stack.append((place, True))
        stack += [(p, False) for p in _sorted(stands[place], held)]
    return stands, order


def _sorted(expression: Any, held: dict[Generator, Any]) -> list[Any]:
    found = expression.free_symbols
    return [s for g, s in held.items() if s in found]


def _placeholders(expression: Any, stands: Mapping[Any, Any]) -> list[Any]:
    """Every place at which a placeholder stands, as printed."""
    found, stack = [], [expression]
    while stack:
        each = stack.pop()
        if each in stands:
            found.append(each)
        stack.extend(each.args)
    return found


def _free_names(taken: set[str], others: Iterable[str]) -> Any:
    used = {*taken, *others}
    k = 0
    while True:
        k += 1
        if (name := f"{LETTER}_{k}") not in used:
            yield name
