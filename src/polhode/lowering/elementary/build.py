"""What an elementary function needs in order to build itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

Element = Any  # a node of the scalar program, or a Python constant


class Build(Protocol):  # limit: one method an operation is the vocabulary
    """The basic operations, each giving a new element.

    Nothing is reassociated or contracted: what is written is what runs. Three freedoms
    of the compiler bind the writer. `x - x` of one node may become 0, so it cannot make
    a NaN; a literal zero may vanish from sums and annihilate products; division by a
    literal may become multiplication by its reciprocal.
    """

    def add(self, a: Element, b: Element, type: str = "float64") -> Element: ...

    def sub(self, a: Element, b: Element, type: str = "float64") -> Element: ...

    def mul(self, a: Element, b: Element, type: str = "float64") -> Element: ...

    def div(self, a: Element, b: Element, type: str = "float64") -> Element: ...

    def neg(self, a: Element, type: str = "float64") -> Element: ...

    def fma(self, a: Element, b: Element, c: Element) -> Element:
        """a b + c, rounded once."""

    def sqrt(self, a: Element) -> Element: ...

    def abs(self, a: Element) -> Element: ...

    def apply(self, op: str, type: str, *args: Element, data: object = None) -> Element:
        """Any other operation of `scalars.NUMPY`."""

    def compare(self, op: str, a: Element, b: Element, type: str) -> Element:
        """A boolean; `type` is that of the two sides."""

    def select(self, which: Element, yes: Element, no: Element, type: str) -> Element:
        """`yes` where the boolean holds, else `no`."""

    def bitcast(self, a: Element, source: str, target: str) -> Element:
        """The same 64 bits, read as another type."""

    def table(self, values: np.ndarray, index: Element) -> Element:
        """`values[index]`; the index is within range whatever the argument was."""

    def rare(
        self,
        condition: Element,
        slow: Callable[[], list[Element]],
        fast: list[Element],
        types: list[str],
    ) -> list[Element]:
        """slow() where the condition holds, else `fast`: a branch seldom taken.

        Two calls with the same condition and the same fast elements have the same slow
        path, and may be one.
        """

    def call(
        self,
        name: str,
        function: Callable[..., list[Element]],
        args: list[Element],
        types: list[str],
    ) -> list[Element]:
        """function(build, *args), compiled once for all its callers.

        Arguments are float64; `types` are those of the results.
        """
