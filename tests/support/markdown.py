"""Pages of documentation as programs: code blocks, and the output that follows them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """Python code, the line it is on, and what the page says it prints."""

    code: str
    line: int
    prints: str


def fenced(page: Path, kind: str) -> list[str]:
    """The texts of a page's blocks of a kind."""
    text = page.read_text(encoding="utf-8")
    return [found[2] for found in FENCE.finditer(text) if found[1] == kind]


def blocks(page: Path) -> list[Block]:
    """The Python blocks of a page, each with the text block right after it."""
    text = page.read_text(encoding="utf-8")
    found = list(FENCE.finditer(text))
    result = []
    for here, after in zip_longest(found, found[1:]):
        if here[1] != "python":
            continue
        joined = after is not None and not text[here.end() : after.start()].strip()
        prints = after[2] if joined and after[1] == "text" else ""
        line = text.count("\n", 0, here.start(2)) + 1
        result.append(Block(here[2], line, prints))
    return result
