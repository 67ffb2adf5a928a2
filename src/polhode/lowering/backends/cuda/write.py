"""The text of a program in C: straight runs of operations, memory, values.

Every value of the scalar program is a constant of its own, named once; loops carry
variables. The order of operations is that of the schedule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from polhode.lowering.backends.cuda.operations import (
    IN_MEMORY,
    SCALAR,
    expression,
    literal,
)
from polhode.lowering.backends.llvm.buffers import Memory
from polhode.lowering.ir.graph import Block, Buffer, Element, Node
from polhode.lowering.ir.scalars import operand_type
from polhode.lowering.ir.schedule import Schedule

# (operation, type, data, operands) -> an expression in the language.
Spelling: TypeAlias = Callable[[str, str, Any, list[str]], str]
NAMED_ELSEWHERE = ("phi", "counter", "param", "version")


class Writer:
    """Writes the body of one C function, node by node."""

    def __init__(self, plan: Schedule, memory: Memory, spell: Spelling = expression):
        self.plan, self.memory, self.spell = plan, memory, spell
        self.lines: list[str] = []
        self.names: dict[Node, str] = {}
        self.parts: dict[tuple[Node, int], str] = {}  # results of loops and branches
        self.kinds = {
            (n.args[0], n.data): n.type for n in plan.live.nodes if n.op == "proj"
        }
        self.depth = 1
        self._count = 0

    # ------------------------------------------------------------------- words

    def fresh(self, letter: str = "v") -> str:
        """A name that nothing else has."""
        self._count += 1
        return f"{letter}{self._count}"

    def say(self, line: str) -> None:
        """A line of code."""
        self.lines.append("    " * self.depth + line)

    def open(self, line: str) -> None:
        """A line that begins a block."""
        self.say(f"{line} {{")
        self.depth += 1

    def close(self, line: str = "") -> None:
        """The end of a block, and what follows it on its line."""
        self.depth -= 1
        self.say(f"}}{line}")

    # ------------------------------------------------------------------ values

    def use(self, element: Element, type: str) -> str:
        """The operand text of an element."""
        while isinstance(element, Node) and element.op == "copy":
            element = element.args[0]
        if isinstance(element, Node):
            return self.names[element]
        return literal(element, type)

    def constant(self, type: str, text: str) -> str:
        """The name of a new value."""
        name = self.fresh()
        self.say(f"const {SCALAR[type]} {name} = {text};")
        return name

    def block(self, block: Block) -> None:
        """All that a block does, in order."""
        from polhode.lowering.backends.cuda import flow

        for node in self.plan.of(block):
            if node.op == "copy" or node.op in NAMED_ELSEWHERE:
                continue
            if node.op in flow.FLOW:
                flow.FLOW[node.op](self, node)
            elif node.op == "proj":
                self.names[node] = self.parts[node.args[0], node.data]
            elif node.op == "load":
                text = self.read(node.data, self.use(node.args[0], "int64"))
                self.names[node] = self.constant(node.type, text)
            else:
                self.names[node] = self.constant(node.type, self._operation(node))

    def _operation(self, node: Node) -> str:
        source = operand_type(node.op, node.type, node.data)
        kinds = [source] * len(node.args)
        if node.op == "select":
            kinds = ["bool", node.type, node.type]
        words = [self.use(a, kind) for a, kind in zip(node.args, kinds, strict=True)]
        return self.spell(node.op, node.type, node.data, words)

    # ------------------------------------------------------------------ memory

    def read(self, buffer: Buffer, index: str) -> str:
        """The element of a buffer at an index that is within its size."""
        place = self._place(buffer, index)
        return f"{place} != 0" if buffer.type == "bool" else place

    def store(self, buffer: Buffer, index: str, value: Element) -> None:
        """Write an element of scratch memory."""
        self.say(f"{self._place(buffer, index)} = {self.use(value, buffer.type)};")

    def _place(self, buffer: Buffer, index: str) -> str:
        if buffer.kind == "table":
            return f"{table_name(self.memory, buffer)}[{index}]"
        if buffer.kind == "input":
            at = f"ELEMENT({index})" if self.memory.batched[buffer.slot] else index
            return f"a{buffer.slot}[{at}]"
        first, stride = self.memory.place(buffer)
        slot = f"{first} + {index}" if stride == 1 else f"{first} + {index} * {stride}"
        return f"*({IN_MEMORY[buffer.type]} *)SLOT({slot})"


def table_name(memory: Memory, buffer: Buffer) -> str:
    """What a table of constants is called."""
    return memory.tables[buffer].removeprefix("@")
