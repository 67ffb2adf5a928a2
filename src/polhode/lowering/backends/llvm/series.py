"""Taylor series in LLVM: recurrences as straight code.

A system alone takes series of one kind side by side in the lanes of a vector; in a
batch lanes are systems. Long series are cut into functions, which leave coefficients in
scratch memory for those that follow: LLVM's time grows faster than a function.
"""

from __future__ import annotations

from dataclasses import dataclass

from polhode.lowering.backends.llvm.emit import Emitter
from polhode.lowering.backends.llvm.text import SLOT, literal, vector
from polhode.lowering.ir.graph import Element, Node
from polhode.lowering.series.groups import WIDTH
from polhode.lowering.series.plan import Plan
from polhode.lowering.series.recurrences import Recurrences, Token

INLINE = 6_000  # operations of a series that stays within the step
PART = 1_000  # lines of a function: longer ones are slower to make, and to run


@dataclass(eq=False, slots=True)
class Word:
    """A value: its name in the function that made it, its lanes, its place if any."""

    name: str
    lanes: int
    part: int
    slot: int = -1
    element: Element = None  # of a leading value: it is found again where it is asked


class SeriesWriter:  # limit: the words of one kind of code
    """Writes recurrences as text, into one emitter after another."""

    def __init__(self, outer: Emitter, is_apart: bool):
        self.outer, self.is_apart = outer, is_apart
        self.emit, self.part_number = outer, 0
        self.parts: list[Emitter] = [outer]
        self.fetched: dict[Word, str] = {}
        self.known: dict[Element, Word] = {}
        if is_apart:
            self.emit = outer.inner()
            self.parts = [self.emit]

    # ------------------------------------------------------------------ values

    def leading(self, element: Element) -> Token:
        if not isinstance(element, Node):
            return float(element) if element.__class__ is not bool else element
        if element not in self.known:
            name = self.emit.use(element, element.type, True)
            word = Word(name, self.emit.lanes, self.part_number, element=element)
            self.known[element] = word
        return self.known[element]

    def _name(self, token: Token, lanes: int) -> str:
        if not isinstance(token, Word):
            kind = "bool" if token.__class__ is bool else "float64"
            return literal(token, kind, lanes)
        if token.part == self.part_number:
            return token.name
        if token.element is not None:
            return self.emit.use(token.element, token.element.type, True)
        if token not in self.fetched:
            self.leave(token)
            kind, place = vector("float64", token.lanes), _place(self.emit, token)
            self.fetched[token] = self.emit.write(
                f"load {kind}, ptr {place}, align {SLOT}"
            )
        return self.fetched[token]

    def leave(self, word: Word) -> None:
        """At the end of its function a value goes to a place of its own."""
        if word.slot >= 0:
            return
        emit = self.parts[word.part]
        word.slot = emit.memory.reserve(word.lanes if emit.lanes == 1 else 1)
        kind, place = vector("float64", word.lanes), _place(emit, word)
        emit.do(f"store {kind} {word.name}, ptr {place}, align {SLOT}")

    def _made(self, text: str, lanes: int) -> Word:
        return Word(self.emit.write(text), lanes, self.part_number)

    @staticmethod
    def _lanes(*tokens: Token) -> int:
        return max(t.lanes for t in tokens if isinstance(t, Word))

    # -------------------------------------------------------------- operations

    def _operation(self, word: str, a: Token, b: Token) -> Word:
        lanes = self._lanes(a, b)
        kind, x, y = (
            vector("float64", lanes),
            self._name(a, lanes),
            self._name(b, lanes),
        )
        return self._made(f"{word} {kind} {x}, {y}", lanes)

    def add(self, a: Token, b: Token) -> Token:
        return self._operation("fadd", a, b)

    def sub(self, a: Token, b: Token) -> Token:
        return self._operation("fsub", a, b)

    def mul(self, a: Token, b: Token) -> Token:
        if a.__class__ is float and a == -1.0:
            return self._negated(b)
        return self._operation("fmul", a, b)

    def _negated(self, a: Word) -> Word:
        kind = vector("float64", a.lanes)
        return self._made(f"fneg {kind} {self._name(a, a.lanes)}", a.lanes)

    def fma(self, a: Token, b: Token, c: Token) -> Token:
        lanes = self._lanes(a, b, c)
        kind = vector("float64", lanes)
        end = "f64" if lanes == 1 else f"v{lanes}f64"
        args = ", ".join(f"{kind} {self._name(t, lanes)}" for t in (a, b, c))
        return self._made(f"call {kind} @llvm.fma.{end}({args})", lanes)

    def fnma(self, a: Token, b: Token, c: Token) -> Token:
        return self.fma(self._negated(a), b, c)

    def select(self, which: Token, yes: Token, no: Token) -> Token:
        lanes = self._lanes(yes, no)
        kind, bools = vector("float64", lanes), vector("bool", lanes)
        mask = self._name(which, lanes)
        x, y = self._name(yes, lanes), self._name(no, lanes)
        return self._made(f"select {bools} {mask}, {kind} {x}, {kind} {y}", lanes)

    def pack(self, parts: list[Token]) -> Token:
        lanes = 1 << (len(parts) - 1).bit_length()
        kind, row = vector("float64", lanes), "poison"
        for k in range(lanes):
            # Lanes that are left over repeat the last: its roundings are harmless.
            name = self._name(parts[min(k, len(parts) - 1)], 1)
            row = self.emit.write(f"insertelement {kind} {row}, double {name}, i64 {k}")
        return Word(row, lanes, self.part_number)

    def part(self, whole: Token, lane: int, count: int) -> Token:
        kind = vector("float64", whole.lanes)
        name = self._name(whole, whole.lanes)
        return self._made(f"extractelement {kind} {name}, i64 {lane}", 1)

    # ------------------------------------------------------------------- parts

    def pause(self) -> None:
        """Between two series: a new function where this one is long."""
        if self.is_apart and len(self.emit.lines) > PART:
            self.emit, self.fetched = self.outer.inner(), {}
            self.parts.append(self.emit)
            self.part_number += 1

    def close(self) -> None:
        """All functions, called one after another where the series stands."""
        outer = self.outer
        for inner in self.parts if self.is_apart else ():
            outer.hand_over(inner)
            name = f"series{len(outer.functions)}"
            head = f"define internal void @{name}(ptr noalias %scratch) noinline {{"
            text = [head, "entry:", *inner.lines, "  ret void", "}"]
            outer.functions.append("\n".join(text))
            outer.do(f"call void @{name}(ptr %scratch)")


def _place(emit: Emitter, word: Word) -> str:
    at = word.slot * SLOT * emit.lanes
    return emit.write(f"getelementptr inbounds i8, ptr %scratch, i64 {at}")


def series(emit: Emitter, node: Node) -> None:
    """All coefficients of the variables, as the results of a node."""
    plan: Plan = node.data
    writer = SeriesWriter(emit, plan.operations > INLINE)
    found = Recurrences(plan, writer, WIDTH if emit.lanes == 1 else 1).solve()
    results = [m for m in emit.plan.of(node.block) if m.op == "proj"]
    results = [m for m in results if m.args[0] is node]
    for member in results:
        v, k = member.data
        word = found[v][k]
        if word.element is not None:
            emit.alias[member] = word.element
        elif writer.is_apart:
            writer.leave(word)
            emit.memory.slot_of[member] = word.slot
            emit.filled.add(member)
        else:
            emit.names[(member, emit.lanes > 1)] = word.name
    writer.close()
