"""The table that an answer is printed as: in text, and in HTML for notebooks."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

ROUNDING = 1e-12  # of 1 rad or 1 m, or of the largest: what is printed as nothing
MANY = 40  # rows of a table in HTML; what is more is counted


class AnswerTable(NamedTuple):
    """A title, rows of cells below their heads, notes, and further tables.

    Cells that are text stay as they are; numbers get six digits. Columns of numbers are
    set to the right, columns of words to the left.

    >>> print(AnswerTable("Rest", ("", "q", "why"), [("hinge", 0.5, "free")]).text())
    Rest
             q  why
    hinge  0.5  free
    """

    title: str
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    notes: Sequence[str] = ()
    below: Sequence[AnswerTable] = ()

    def text(self) -> str:
        """For a terminal: the title, the table, what is below it, and the notes."""
        lines = [self.title] if self.title else []
        lines += self._lines()
        lines += [each.text() for each in self.below]
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])

    def html(self) -> str:
        """For a notebook or a page; every cell is escaped."""
        title = f"<strong>{html.escape(self.title)}</strong>" if self.title else ""
        parts = [title, self.grid_html(), *(each.html() for each in self.below)]
        return f"<div>{''.join([*parts, *map(note_html, self.notes)])}</div>"

    def grid_html(self, most: int = MANY) -> str:
        """Heads and the first rows alone, and how many more rows there are."""
        if not self.rows:
            return ""
        top = "".join(f"<th>{html.escape(head)}</th>" for head in self.heads)
        rows = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>"
            for row in self._cells(self.rows[:most])
        )
        grid = f"<table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>"
        more = len(self.rows) - most
        return grid + (note_html(f"and {more} more") if more > 0 else "")

    def _lines(self) -> list[str]:
        if not self.rows:
            return []
        cells = [[*self.heads], *self._cells(self.rows)]
        columns = [_column(column) for column in zip(*cells, strict=True)]
        lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
        return lines if any(self.heads) else lines[1:]

    @staticmethod
    def _cells(rows: Sequence[Sequence[Any]]) -> list[list[str]]:
        return [[x if isinstance(x, str) else number(x) for x in row] for row in rows]


class Answer(ABC):
    """An answer that prints as its table."""

    @abstractmethod
    def as_table(self) -> AnswerTable:
        """What is printed, in text and in HTML."""

    def __str__(self) -> str:
        return self.as_table().text()

    def __repr__(self) -> str:
        return self.as_table().text()

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.as_table().html()


def note_html(text: str) -> str:
    """A line of small print."""
    return f'<p class="note">{html.escape(text)}</p>'


def number(value: Any, size: float = 1.0) -> str:
    """A number with six digits; beside `size`, rounding errors are nothing.

    >>> number(2 / 3), number(-1e-17), number(1 - 2j)
    ('0.666667', '0', '1 -2i')
    """
    s = complex(value)
    least = ROUNDING * size
    real, imaginary = (0.0 if abs(x) <= least else x for x in (s.real, s.imag))
    return f"{real:.6g} {imaginary:+.6g}i" if imaginary else f"{real:.6g}"


def relative(values: Any, size: float = 0.0) -> list[str]:
    """Numbers of one kind: what the largest, or `size`, dwarfs is nothing.

    >>> relative([2e-15, 1e-30])
    ['2e-15', '0']
    """
    sizes = np.asarray(values, float)
    least = ROUNDING * float(np.max(np.abs(sizes), initial=size))
    return [f"{0.0 if abs(x) <= least else x:.6g}" for x in sizes]


def some(count: int, most: int) -> np.ndarray:
    """Numbers of rows, evenly from the first to the last, at most so many.

    >>> some(9, 3)
    array([0, 4, 8])
    """
    return np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))


def _column(cells: Sequence[str]) -> list[str]:
    """Cells of one width, the head among them; words to the left, numbers right."""
    width = max(map(len, cells))
    filled = [cell for cell in cells[1:] if cell]
    is_words = 2 * sum(map(_is_number, filled)) < len(filled)
    return [cell.ljust(width) if is_words else cell.rjust(width) for cell in cells]


def _is_number(cell: str) -> bool:
    return cell[0].isdigit() or cell[0] in "+-.*–" or cell in ("nan", "inf")
