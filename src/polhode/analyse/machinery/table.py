"""How answers print: numbers in columns under their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

ROUNDING = 1e-12  # of 1 rad or 1 m, or of the largest: what is printed as nothing


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


def table_of(
    names: Sequence[str],
    rows: Iterable[Iterable[Any]],
    labels: Iterable[Any] | None = None,
) -> list[str]:
    """Lines of a table: names above, a label before each row, else its number.

    Cells that are text stay as they are.

    >>> print(*table_of(["x", "V"], [(0.5, -1.25)], ["hinge"]), sep="\\n")
             x      V
    hinge  0.5  -1.25
    """
    texts = [[x if isinstance(x, str) else number(x) for x in row] for row in rows]
    before = range(len(texts)) if labels is None else labels
    pairs = zip(before, texts, strict=True)
    cells = [["", *names], *([str(label), *row] for label, row in pairs)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in cells
    ]
