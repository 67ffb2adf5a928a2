"""All that is wrong with a file, told at once: line, column, place and repair."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple, TypeAlias, final

from polhode.errors import ModelFileError, UnsafeFile

# The way to a value in a document: keys, and numbers of entries.
Way: TypeAlias = tuple[str | int, ...]
# Names among which the nearest is looked for: each comparison takes microseconds, and
# a file of thousands of bodies may have an error in every line.
CLOSEST = 500
MOST = 40  # errors that are told; more only tell that the file is something else


class Spot(NamedTuple):
    """A line and a column of a text, both counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class Issue(NamedTuple):
    """One thing that is wrong, and where."""

    spot: Spot
    text: str
    is_unsafe: bool = False


@final
class Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str):
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def spot(self, offset: int) -> Spot:
        """The line and the column of a character."""
        line = bisect_right(self._starts, offset)
        return Spot(line, offset - self._starts[line - 1] + 1)


def refusal(path: Path, issues: list[Issue]) -> ModelFileError:
    """The error that tells all issues of a file in the order of its lines."""
    found = sorted(issues)
    lines = [f"{issue.spot}: {issue.text}" for issue in found]
    kind = UnsafeFile if any(issue.is_unsafe for issue in found) else ModelFileError
    count = "1 error" if len(found) == 1 else f"{len(found)} errors"
    count += " or more" if len(found) >= MOST else ""
    return kind(
        f"{path.name!r} is no model that can be read: {count}.", *_report(lines)
    )


def _report(lines: list[str]) -> tuple[str, str]:
    return "\n".join(lines), "What a model file may say is in docs/model-files.md."


def path_text(path: Way) -> str:
    """The way to a value in the words of the file: `joints.hinge.axis`."""
    words = "".join(f"[{k}]" if isinstance(k, int) else f".{k}" for k in path)
    return f"{words[1:]}: " if words else ""


def nearest(word: object, known: Iterable[str]) -> str:
    """The repair of a misspelt word: the nearest of those known, or all of them."""
    names = [str(name) for name in known]
    text = word[:80] if isinstance(word, str) else ""  # what is no word is near none
    close = get_close_matches(text, names[:CLOSEST], n=1)
    parts = [name for name in names if len(text) > 2 and text in name]
    if close or parts:
        like = close or parts[:3]
        return f"Did you mean {' or '.join(map(repr, like))}?"
    some = ", ".join(repr(name) for name in names[:12])
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return f"There are: {some}{more}." if names else "There are none."
