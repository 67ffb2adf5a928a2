"""The text of a program in LLVM: straight runs of operations, memory, values.

A value that is the same in every lane (loop counters, arguments shared by the batch) is
computed once, as a scalar, and spread over the lanes where it meets one that is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from polhode.lowering.columns import Column
from polhode.lowering.graph import Block, Buffer, Element, Node
from polhode.lowering.llvm.operations import template
from polhode.lowering.llvm.text import (
    IN_MEMORY,
    SCALAR,
    SLOT,
    literal,
    scalar_literal,
    suffix,
    vector,
)
from polhode.lowering.scalars import operand_type
from polhode.lowering.schedule import Schedule

_FIELD = re.compile(r"\{([^}]*)\}")


class Emitter:
    """Writes the body of one LLVM function, node by node."""

    def __init__(self, plan: Schedule, lanes: int, varying: set[Node], memory: Memory):
        self.plan, self.lanes, self.varying, self.memory = plan, lanes, varying, memory
        self.lines: list[str] = []
        self.names: dict[tuple[Node, bool], str] = {}
        self.alias: dict[Node, Element] = {}
        self.label = "entry"
        self.mask: str | None = None
        self.roots: set[Node] = set()  # what the program gives
        self.functions: list[str] = []  # parts of blocks too long for one function
        self.holes: list[tuple[int, str]] = []  # phis of open loops
        self._next = 0

    # ------------------------------------------------------------------ words

    def fresh(self) -> str:
        self._next += 1
        return f"%v{self._next}"

    def new_label(self, word: str) -> str:
        self._next += 1
        return f"{word}{self._next}"

    def write(self, instruction: str) -> str:
        name = self.fresh()
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        self.lines.append(f"  {instruction}")

    def start(self, label: str) -> None:
        self.lines.append(f"{label}:")
        self.label = label

    # ----------------------------------------------------------------- values

    def resolve(self, element: Element) -> Element:
        while isinstance(element, Node) and element in self.alias:
            element = self.alias[element]
        return element

    def is_wide(self, element: Element) -> bool:
        element = self.resolve(element)
        return self.lanes > 1 and isinstance(element, Node) and element in self.varying

    def use(self, element: Element, type: str, wide: bool) -> str:
        """The operand text of an element, as a scalar or spread over the lanes."""
        element = self.resolve(element)
        if not isinstance(element, Node):
            return literal(element, type, self.lanes if wide else 1)
        return self.names[(element, wide and self.lanes > 1)]

    def define(self, node: Node, name: str, wide: bool) -> None:
        """Name a node's value; a scalar is spread at once, for whoever needs it so."""
        self.names[(node, wide)] = name
        if not wide and self.lanes > 1 and node.type:
            self.names[(node, True)] = self.spread(name, node.type)

    def named(self, type: str, name: str) -> Node:
        """A uniform value that is no node of the program, as one."""
        node = Node("counter", type, (), None)
        self.names[(node, False)] = name
        return node

    def spread(self, name: str, type: str) -> str:
        wide, one = vector(type, self.lanes), SCALAR[type]
        seed = self.write(f"insertelement {wide} poison, {one} {name}, i64 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        return self.write(f"shufflevector {wide} {seed}, {wide} poison, {zeros}")

    def repeat(self, count: int, turn: Callable[[str], None]) -> None:
        """A loop that calls `turn` with the name of its counter."""
        before, head = self.label, self.new_label("repeat")
        after = self.new_label("after")
        self.do(f"br label %{head}")
        self.start(head)
        counter, following = self.fresh(), self.fresh()
        self.do(f"{counter} = phi i64 [0, %{before}], [{following}, %{head}]")
        turn(counter)
        self.do(f"{following} = add i64 {counter}, 1")
        more = self.write(f"icmp ult i64 {following}, {count}")
        self.do(f"br i1 {more}, label %{head}, label %{after}")
        self.start(after)

    # -------------------------------------------------------------- operations

    def block(self, block: Block) -> None:
        from polhode.lowering.llvm import flow, outline

        if outline.is_long(self, block):
            outline.Outliner(self, block).write()
            return
        for node in self.plan.of(block):
            if node.op in ("phi", "counter", "param", "version"):
                continue
            if node.op in flow.FLOW:
                flow.FLOW[node.op](self, node)
            elif node.op == "copy":
                self.alias[node] = node.args[0]
            elif node.op != "proj":  # those are named where their loop ends
                wide = self.is_wide(node)
                self.define(node, self.operation(node, wide), wide)

    def operation(self, node: Node, wide: bool) -> str:
        """Fill the operation's template in."""
        lanes = self.lanes if wide else 1
        pattern = template(node.op, node.type, node.data)
        if pattern is None:
            raise KeyError(f"no LLVM for {node.op} of {node.type}")
        source = operand_type(node.op, node.type, node.data)
        kinds = [source] * len(node.args)
        if node.op == "select":
            kinds = ["bool", node.type, node.type]
        words = [
            self.use(a, kind, wide) for a, kind in zip(node.args, kinds, strict=True)
        ]
        temporaries: list[str] = []
        known = {
            "T": vector(node.type, lanes),
            "S": vector(source, lanes),
            "B": vector("bool", lanes),
            "x": suffix(node.type, lanes),
            "xs": suffix(source, lanes),
            "z": literal(0, node.type, lanes),
            "ones": literal(1 if node.type == "bool" else -1, node.type, lanes)
            if node.type != "float64"
            else "",
            "inf": literal(float("inf"), "float64", lanes),
        }

        def fill(match: re.Match) -> str:
            word = match[1]
            if word.isdigit():
                return words[int(word)]
            if word in known:
                return known[word]
            if word.startswith("lit:"):
                return literal(int(word[4:]), node.type, lanes)
            return temporaries[int(word[1:]) - 1]

        for line in pattern.split("\n"):
            temporaries.append(self.write(_FIELD.sub(fill, line)))
        return temporaries[-1]

    # ------------------------------------------------------------------ memory

    def load(self, node: Node) -> None:
        buffer, index = node.data, node.args[0]
        wide = self.is_wide(node)
        if buffer.kind in ("column", "memory"):
            name = self._load_column(buffer, index)
        elif wide and (buffer.kind == "input" or self.is_wide(index)):
            name = self._load_lanes(buffer, index)
        else:
            pointer = self.memory.base(buffer)
            name = self._read(pointer, buffer.type, self.use(index, "int64", False))
        self.define(node, name, wide)

    def in_steps(self, counter: str, start: int, step: int) -> str:
        scaled = self.write(f"mul i64 {counter}, {step}")
        return self.write(f"add i64 {scaled}, {start}")

    def of_column(self, column: Column, counter: str) -> Element:
        """The element of a column in one turn of a loop over it."""
        buffer = column.source
        if buffer is None:
            return column.element
        place = self.in_steps(counter, column.start, column.step)
        value = Node("load", buffer.type, (self.named("int64", place),), buffer)
        if buffer.kind != "input" or self.memory.batched[buffer.slot]:
            self.varying.add(value)
        self.load(value)
        return value

    def _read(self, pointer: str, type: str, index: str) -> str:
        stored = IN_MEMORY[type]
        place = self.write(
            f"getelementptr inbounds {stored}, ptr {pointer}, i64 {index}"
        )
        value = self.write(f"load {stored}, ptr {place}")
        return self.write(f"trunc i8 {value} to i1") if type == "bool" else value

    def _load_lanes(self, buffer: Buffer, index: Element) -> str:
        """One scalar a lane, each from its own place."""
        wide, out = vector(buffer.type, self.lanes), "poison"
        apart = self.is_wide(index)
        all_places = self.use(index, "int64", apart)
        for lane in range(self.lanes):
            place = all_places
            if apart:
                kind = vector("int64", self.lanes)
                place = self.write(f"extractelement {kind} {all_places}, i64 {lane}")
            value = self._read(self.memory.base(buffer, lane), buffer.type, place)
            one = SCALAR[buffer.type]
            out = self.write(f"insertelement {wide} {out}, {one} {value}, i64 {lane}")
        return out

    def slot(self, buffer: Buffer, index: Element) -> str:
        """The address of a scratch column at a uniform index: all lanes together."""
        offset, stride = self.memory.place(buffer)
        size = SLOT * self.lanes
        if not isinstance(self.resolve(index), Node):
            at = str((offset + self.resolve(index) * stride) * size)
        else:
            word = self.use(index, "int64", False)
            scaled = self.write(f"mul i64 {word}, {stride * size}")
            at = self.write(f"add i64 {scaled}, {offset * size}")
        return self.write(f"getelementptr inbounds i8, ptr %scratch, i64 {at}")

    def _load_column(self, buffer: Buffer, index: Element) -> str:
        if self.is_wide(index):
            return self._gather_column(buffer, index)
        place = self.slot(buffer, index)
        if buffer.type == "bool":
            stored = f"<{self.lanes} x i8>" if self.lanes > 1 else "i8"
            value = self.write(f"load {stored}, ptr {place}")
            kind = vector("bool", self.lanes)
            return self.write(f"trunc {stored} {value} to {kind}")
        kind = vector(buffer.type, self.lanes)
        return self.write(f"load {kind}, ptr {place}, align {SLOT}")

    def _gather_column(self, buffer: Buffer, index: Element) -> str:
        """Each lane from its own index of a column."""
        wide, out = vector(buffer.type, self.lanes), "poison"
        for lane, address in enumerate(self._lane_places(buffer, index)):
            value = self._read(address, buffer.type, "0")
            one = SCALAR[buffer.type]
            out = self.write(f"insertelement {wide} {out}, {one} {value}, i64 {lane}")
        return out

    def _lane_places(self, buffer: Buffer, index: Element) -> list[str]:
        offset, stride = self.memory.place(buffer)
        places, kind = self.use(index, "int64", True), vector("int64", self.lanes)
        size = SLOT * self.lanes
        item = 1 if buffer.type == "bool" else _bytes(buffer.type)
        out = []
        for lane in range(self.lanes):
            place = self.write(f"extractelement {kind} {places}, i64 {lane}")
            scaled = self.write(f"mul i64 {place}, {stride * size}")
            at = self.write(f"add i64 {scaled}, {offset * size + lane * item}")
            out.append(self.write(f"getelementptr inbounds i8, ptr %scratch, i64 {at}"))
        return out

    def store_memory(self, buffer: Buffer, index: Element, value: Element) -> None:
        """Write to a mutable buffer, in the lanes that take part."""
        if not self.is_wide(index):
            self.store_column(buffer, index, value, self.mask)
            return
        word, kind = self.use(value, buffer.type, True), vector(buffer.type, self.lanes)
        if self.mask is not None:
            old, bools = self._gather_column(buffer, index), vector("bool", self.lanes)
            word = self.write(
                f"select {bools} {self.mask}, {kind} {word}, {kind} {old}"
            )
        for lane, address in enumerate(self._lane_places(buffer, index)):
            one = self.write(f"extractelement {kind} {word}, i64 {lane}")
            stored = IN_MEMORY[buffer.type]
            if buffer.type == "bool":
                one = self.write(f"zext i1 {one} to i8")
            self.do(f"store {stored} {one}, ptr {address}")

    def store_column(
        self, buffer: Buffer, index: Element, value: Element, mask: str | None = None
    ) -> None:
        place = self.slot(buffer, index)
        word = self.use(value, buffer.type, True)
        kind = vector(buffer.type, self.lanes)
        if mask is not None:
            old, bools = self._load_column(buffer, index), vector("bool", self.lanes)
            word = self.write(f"select {bools} {mask}, {kind} {word}, {kind} {old}")
        if buffer.type == "bool":
            stored = f"<{self.lanes} x i8>" if self.lanes > 1 else "i8"
            word, kind = self.write(f"zext {kind} {word} to {stored}"), stored
        self.do(f"store {kind} {word}, ptr {place}, align {SLOT}")


def _bytes(type: str) -> int:
    return {"double": 8, "i64": 8, "i32": 4, "i16": 2, "i8": 1}[SCALAR[type]]


class Memory:
    """Where buffers lie: arguments, constant tables, and columns of scratch memory."""

    def __init__(self, plan: Schedule, batched: list[bool], sizes: list[int]):
        self.batched, self.sizes = batched, sizes
        self.tables: dict[Buffer, str] = {}
        self._places: dict[Buffer, tuple[int, int]] = {}
        self.slots = 0
        groups: dict[Any, list[Buffer]] = {}
        for buffer in sorted(plan.live.buffers, key=_creation):
            if buffer.kind == "table":
                self.tables[buffer] = f"@table{len(self.tables)}"
            elif buffer.kind in ("column", "memory"):
                groups.setdefault(buffer.group or buffer, []).append(buffer)
        for members in groups.values():
            for k, buffer in enumerate(members):
                self._places[buffer] = (self.slots + k, len(members))
            self.slots += members[0].size * len(members)

    def place(self, buffer: Buffer) -> tuple[int, int]:
        """The first slot and the stride of a column."""
        return self._places[buffer]

    def base(self, buffer: Buffer, lane: int = 0) -> str:
        if buffer.kind == "table":
            return self.tables[buffer]
        if self.batched[buffer.slot]:
            return f"%in{buffer.slot}.{lane}"
        return f"%in{buffer.slot}"

    def globals(self) -> list[str]:
        lines = []
        for buffer, name in self.tables.items():
            stored = IN_MEMORY[buffer.type]
            assert buffer.values is not None
            kind = "int8" if buffer.type == "bool" else buffer.type
            items = ", ".join(
                f"{stored} {scalar_literal(v, kind)}" for v in buffer.values.tolist()
            )
            lines.append(
                f"{name} = private constant [{buffer.size} x {stored}] [{items}]"
            )
        return lines


def _creation(buffer: Buffer) -> tuple[float, int, bytes]:
    """A stable order: by writer, then by slot or content."""
    number = buffer.writer.number if buffer.writer is not None else -1.0
    if buffer.kind == "memory":
        number = buffer.number
    content = buffer.values.tobytes() if buffer.values is not None else b""
    order = 0
    if buffer.group is not None:
        order = [b for b, _, _ in buffer.group.stores].index(buffer)
    return number, buffer.slot + order, content
