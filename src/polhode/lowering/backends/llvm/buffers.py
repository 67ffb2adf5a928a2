"""Where buffers lie: arguments, constant tables, and columns of scratch memory.

In scratch memory all lanes lie side by side, element by element; what lanes read and
write at places of their own lies lane by lane (see `lane_rows`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from polhode.lowering.backends.llvm.text import IN_MEMORY, scalar_literal
from polhode.lowering.ir.graph import Buffer, Node
from polhode.lowering.ir.schedule import Function, Schedule


class Memory:
    """Where buffers lie: arguments, constant tables, and columns of scratch memory."""

    def __init__(
        self,
        plan: Schedule,
        batched: list[bool],
        sizes: list[int],
        apart: Mapping[Buffer, int] = MappingProxyType({}),
    ):
        self.batched, self.sizes = batched, sizes
        # Buffers that lie lane by lane, and for how many numbers behind the end of each
        # there is room.
        self.apart = apart
        self.tables: dict[Buffer, str] = {}
        self._places: dict[Buffer, tuple[int, int]] = {}
        self._functions: dict[str, int] = {}
        self.slot_of: dict[Node, int] = {}  # values that lie in scratch memory
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
            # The place behind the last is where lanes without part write.
            self.slots += (members[0].size + apart.get(members[0], 1)) * len(members)

    def of_function(self, function: Function) -> int:
        """The first slot of a large function's arguments."""
        if function.name not in self._functions:
            self._functions[function.name] = self.reserve(len(function.params))
        return self._functions[function.name]

    def reserve(self, count: int) -> int:
        """The first of so many slots that nothing else has."""
        first = self.slots
        self.slots += count
        return first

    def slot(self, node: Node) -> int:
        """Where a value lies between the functions that share it."""
        if node not in self.slot_of:
            self.slot_of[node] = self.reserve(1)
        return self.slot_of[node]

    def add(self, buffer: Buffer) -> None:
        """Room in scratch memory for a whole buffer, all lanes side by side."""
        self._places[buffer] = (self.slots, 1)
        self.slots += buffer.size

    def move(self, buffer: Buffer, beside: Buffer) -> None:
        """From here on, one buffer is read where another lies."""
        self._places[buffer] = self._places[beside]

    def is_in_scratch(self, buffer: Buffer) -> bool:
        return buffer in self._places

    def place(self, buffer: Buffer) -> tuple[int, int]:
        """The first slot and the stride of a column."""
        return self._places[buffer]

    def of_lane(self, buffer: Buffer) -> int | None:
        """The slots of each lane of a buffer that lies lane by lane; else None."""
        return buffer.size + self.apart[buffer] if buffer in self.apart else None

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
