"""Values as flat lists of elements, and back: what loops carry and branches give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from polhode.lowering.ir import stored
from polhode.lowering.ir.graph import Element, key_of
from polhode.lowering.ir.program import Key, Value, is_key, lift, type_of


@dataclass(frozen=True)
class Layout:
    """The shapes and types by which a list of values is one flat list of elements."""

    avals: tuple[Any, ...]

    def types(self) -> list[str]:
        out: list[str] = []
        for aval in self.avals:
            count = int(np.prod(aval.shape, dtype=int))
            out += ["uint32"] * (2 * count) if is_key(aval) else [type_of(aval)] * count
        return out

    def flatten(self, values: Any) -> list[Element]:
        out: list[Element] = []
        for value in values:
            for element in lift(stored.elements(value)).flat:
                if isinstance(element, Key):
                    out += [element.first, element.second]
                else:
                    out.append(element)
        return out

    def rebuild(self, elements: list[Element]) -> list[Value]:
        out, start = [], 0
        for aval in self.avals:
            value = np.empty(int(np.prod(aval.shape, dtype=int)), object)
            if is_key(aval):
                words = elements[start : start + 2 * value.size]
                value[:] = [Key(*w) for w in zip(words[::2], words[1::2], strict=True)]
                start += 2 * value.size
            else:
                value[:] = elements[start : start + value.size]
                start += value.size
            out.append(value.reshape(aval.shape))
        return out

    def stack(self, columns: list[list[Element]], length: int) -> list[Value]:
        """Values with a new first axis; each column runs along it."""
        out, start = [], 0
        for aval in self.avals:
            keys = is_key(aval)
            count = int(np.prod(aval.shape, dtype=int))
            value = np.empty((length, count), object)
            for k in range(count):
                if keys:
                    pair = zip(columns[start], columns[start + 1], strict=True)
                    value[:, k] = [Key(a, b) for a, b in pair]
                    start += 2
                else:
                    value[:, k] = columns[start]
                    start += 1
            out.append(value.reshape((length, *aval.shape)))
        return out


def same_element(a: Element, b: Element) -> bool:
    return a is b or key_of(a) == key_of(b)
