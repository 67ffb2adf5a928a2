"""Copies of arrays in memory that are nobody's last look: left out.

A loop that changes an array begins with a copy of it. Where what was copied is not read
again, and nothing else changes it, the loop may as well change the array itself: a run
of loops that each begin with what the one before has left then works in one place.

    a = loop(...);   b = copy(a);   b = loop(b)    ->    a = loop(...);   a = loop(a)

A version of an array is known by its buffer and the node that made it. All that reads a
version must come before what overwrites it: nodes are made in an order in which they
can run, so that readers with smaller numbers do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from polhode.lowering.ir.graph import Block, Buffer, Node
from polhode.lowering.ir.schedule import (
    Liveness,
    Unordered,
    block_owners,
    memory_meeting,
    overwritten_by,
    read_by,
)
from polhode.lowering.ir.strided_views import columns_of

Version = tuple[Buffer, Node]


def leave_out_copies(outputs: list[np.ndarray], live: Liveness) -> int:
    """Make one buffer of an array and its copy where both are not needed; how many."""
    versions = _Versions(live, _outputs_in_memory(outputs))
    copies = [node for node in live.nodes if _is_whole_copy(node)]
    count = 0
    for node in sorted(copies, key=lambda n: n.number):
        count += versions.join(node)
    if count:
        # Of an output in a column the first element is live, and stands for all.
        given = {e for value in outputs for e in value.flat if isinstance(e, Node)}
        versions.rename(live.nodes | given)
    return count


def _is_whole_copy(node: Node) -> bool:
    """Whether a node fills a fresh buffer with all of another that is alike."""
    if node.op != "copy_all" or node.data[2]:
        return False
    buffer, column, _ = node.data
    source = column.source
    if source is None or source.kind != "memory" or buffer.kind != "memory":
        return False
    whole = column.first == column.start == 0 and column.stride == column.step == 1
    sizes = {column.count, buffer.size, source.size}
    return whole and len(sizes) == 1 and buffer.type == source.type


def _outputs_in_memory(outputs: Iterable[np.ndarray]) -> Iterator[Version]:
    """Versions that are stored in columns when all has run."""
    for value in outputs:
        for column in columns_of(value) or ():
            if column.source is not None and column.source.kind == "memory":
                yield column.source, column.reads[0]


class _Versions:
    """Who reads and who overwrites each version; which are wanted to the end."""

    def __init__(self, live: Liveness, outputs: Iterable[Version]):
        self.readers: dict[Version, list[Node]] = defaultdict(list)
        self.overwriters: dict[Version, list[Node]] = defaultdict(list)
        self.wanted: set[Version] = set(outputs)
        for node in live.nodes:
            for version in read_by(node):
                self.readers[version].append(node)
            for version in overwritten_by(node, live):
                self.overwriters[version].append(node)
            if node.op in ("loop", "branch"):
                for held in node.data.memories:
                    self.wanted.update((held.buffer, final) for final in held.finals)
        self.owners: dict[Block, Node] = block_owners(live.nodes)
        self.buffers: dict[Buffer, Buffer] = {}  # where another took its place
        self.nodes: dict[Node, Node] = {}  # copies, and the versions that they were of

    def join(self, copy: Node) -> bool:
        """Let what follows a copy change what was copied, if nobody would see it."""
        buffer, column, _ = copy.data
        version: Node = copy.args[-1]
        source: Buffer = self.buffers.get(column.source, column.source)
        before: Node = self.nodes.get(version, version)
        old, new = (source, before), (buffer, copy)
        later = [node for node in self.readers[old] if node is not copy]
        if before.block is not copy.block or old in self.wanted:
            return False
        if self.overwriters[old]:
            return False
        for writer in self.overwriters[new]:
            if writer.block is not copy.block:
                return False
            if not all(self._comes_before(reader, writer) for reader in later):
                return False
        for key in [key for key in self.readers if key[0] is buffer]:
            self._hand_over(key, (source, before if key == new else key[1]))
        for key in [key for key in self.overwriters if key[0] is buffer]:
            self._hand_over(key, (source, before if key == new else key[1]))
        for key in [key for key in self.wanted if key[0] is buffer]:
            self.wanted.add((source, before if key == new else key[1]))
        self.readers[old] = [n for n in self.readers[old] if n is not copy]
        self.buffers[buffer], self.nodes[copy] = source, before
        return True

    def _hand_over(self, key: Version, to: Version) -> None:
        for table in (self.readers, self.overwriters):
            if key in table:
                table[to] = table[to] + table.pop(key)

    def _comes_before(self, reader: Node, writer: Node) -> bool:
        try:
            met, first = memory_meeting(writer, reader, self.owners)
        except Unordered:
            return False
        return first.number < met.number

    def rename(self, nodes: set[Node]) -> None:
        """The nodes by the buffers and versions that are left."""
        for node in nodes:
            if node.op == "load" and node.data in self.buffers:
                node.data = self.buffers[node.data]
            elif node.op == "update":
                buffer, before = node.data
                node.data = self.buffers.get(buffer, buffer), before
            elif node.op == "copy_all":
                node.data = self._of_copy(node)
            elif node.op in ("loop", "branch"):
                for held in node.data.memories:
                    held.buffer = self.buffers.get(held.buffer, held.buffer)
                    held.start = self.nodes.get(held.start, held.start)
                    finals = [self.nodes.get(final, final) for final in held.finals]
                    held.finals = finals
            if node.op in ("load", "update", "copy_all"):
                node.args = tuple(
                    self.nodes.get(a, a) if isinstance(a, Node) else a
                    for a in node.args
                )

    def _of_copy(self, node: Node) -> tuple:
        buffer, column, follows = node.data
        if column.source in self.buffers:
            reads = tuple(self.nodes.get(read, read) for read in column.reads)
            source = self.buffers[column.source]
            column = replace(column, source=source, reads=reads)
        elif column.source is not None:
            reads = tuple(self.nodes.get(read, read) for read in column.reads)
            column = replace(column, reads=reads)
        return self.buffers.get(buffer, buffer), column, follows
