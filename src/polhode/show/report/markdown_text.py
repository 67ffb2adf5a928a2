"""A report as Markdown: tables, formulas between dollar signs, pictures beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from polhode.show.page.mathml import with_words
from polhode.show.report.blocks import Block, Chapter, Figure, Formula, Grid, Words
from polhode.show.report.typst_document import picture_name

SIGNS = re.compile(r"([\\`*_{}\[\]<>|#])")


def markdown_text(
    title: str, summary: str, chapters: Sequence[Chapter], folder: str
) -> str:
    """The text of a report whose pictures are in a folder beside it."""
    lines = [f"# {_plain(title)}", _plain(summary)]
    for k, chapter in enumerate(chapters):
        lines.append(f"## {_plain(chapter.title)}")
        for n, each in enumerate(chapter.blocks):
            lines.append(_block(each, f"{folder}/{picture_name(k, n, each)}"))
    return "\n\n".join(lines) + "\n"


def _block(block: Block, path: str) -> str:
    if isinstance(block, Words):
        return (
            f"**{_plain(block.text)}**" if block.mood == "bad" else _plain(block.text)
        )
    if isinstance(block, Formula):
        return f"$$\n{with_words(block.latex)}\n$$"
    if isinstance(block, Figure):
        return f"![{_plain(block.caption)}]({path.replace(' ', '%20')})"
    return _grid(block)


def _grid(grid: Grid) -> str:
    width = max(len(grid.heads), *(len(line) for line in grid.lines), 1)
    heads = [*grid.heads, *[""] * (width - len(grid.heads))]
    rule = ["---:" if each else "---" for each in grid.numeric] or ["---"] * width
    return "\n".join(map(_line, [heads, rule, *grid.lines]))


def _line(cells: Sequence[Any]) -> str:
    texts = [str(c) if str(c).startswith("---") else _plain(str(c)) for c in cells]
    return f"| {' | '.join(texts)} |"


def _plain(text: str) -> str:
    return SIGNS.sub(r"\\\1", text).replace("\n", " ")
