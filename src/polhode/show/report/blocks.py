"""What a report is made of: chapters of words, tables, formulas and pictures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from polhode.show.plots.picture import Picture


# A number, a span, a complex one or a vector of them; or nothing.
NUMBER = re.compile(r"[-+−()\d.,e\s*–i∞]*(?:inf|nan| to )?[-+−()\d.,e\s*]*")


class Words(NamedTuple):
    """A paragraph; its mood is "", "note", "good" or "bad"."""

    text: str
    mood: str = "note"


class Grid(NamedTuple):
    """A table: names of the columns, and rows whose first cell is a name."""

    heads: Sequence[str]
    lines: Sequence[Sequence[Any]]

    @property
    def numeric(self) -> list[bool]:
        """Which columns hold numbers: these stand to the right."""
        columns = zip(*self.lines, strict=False)
        return [all(NUMBER.fullmatch(str(cell)) for cell in c) for c in columns]


class Formula(NamedTuple):
    """An equation, in LaTeX."""

    latex: str


class Figure(NamedTuple):
    """A picture and what it shows; a drawing has too many lines to stay vectors."""

    picture: Picture
    caption: str
    is_drawing: bool = False


Block = Words | Grid | Formula | Figure


class Chapter(NamedTuple):
    """A title and what is below it."""

    title: str
    blocks: Sequence[Block]
