"""Large arrays in memory that nobody has looked into yet.

A graph of a thousand bodies has arrays of tens of thousands of elements, of which a
loop reads and writes a few by index. Naming each would take longer than all the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.lowering.ir.graph import Buffer, Graph, Node

LARGE = 128  # elements: so many are not named one by one unless someone asks


class Stored(np.ndarray):
    """A large array by its buffer and version: no element has a node yet.

    It has the shape and type of an array of elements, and nothing in it. Rules that
    read and write by index take it as it is; all others get its `elements`.
    """

    graph: Graph
    buffer: Buffer
    version: Node

    @classmethod
    def of(
        cls, graph: Graph, buffer: Buffer, version: Node, shape: tuple[int, ...]
    ) -> Stored:
        """The whole buffer at a version."""
        out = np.broadcast_to(np.empty((), object), shape).view(cls)
        out.graph, out.buffer, out.version = graph, buffer, version
        return out

    def elements(self) -> np.ndarray:
        """A load for each element."""
        return self.part(...)

    def part(self, where: Any) -> np.ndarray:
        """A load for each element of a part, which is cut as arrays are."""
        places = np.arange(self.buffer.size).reshape(self.shape)[where]
        out = np.empty(places.size, object)
        make, type = self.graph.make, self.buffer.type
        out[:] = [
            make("load", type, (j, self.version), self.buffer)
            for j in places.reshape(-1).tolist()
        ]
        return out.reshape(places.shape)


def elements(value: np.ndarray) -> np.ndarray:
    """The value as it is, or the elements of one in memory."""
    return value.elements() if isinstance(value, Stored) else value
