"""Where the values of a TOML text are: at which character each key and entry begins.

`tomllib` gives values without places. This walks over a text that it has accepted; only
a file with errors is walked.
"""

from __future__ import annotations

import re
from typing import Any, final

from polhode.files.issues import Way

BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
KEY = re.compile(r"\"(?:\\.|[^\"\\\n])*+\"|'[^'\n]*+'|[A-Za-z0-9_-]++")
DOT = re.compile(r"[ \t]*+\.[ \t]*+")
EQUALS = re.compile(r"[ \t]*+=[ \t]*+")
LONG = re.compile(r"\"\"\"(?:\\.|[^\\])*?\"{3,5}|'''.*?'{3,5}", re.DOTALL)
SHORT = re.compile(r"\"(?:\\.|[^\"\\\n])*+\"|'[^'\n]*+'")
PLAIN = re.compile(r"[^,\]}#\n]++")
# Entries of lists that are noted one by one, and a run of numbers that is passed over.
FEW = 64
NUMBERS = re.compile(r"[-+0-9eE._,\s]++")


def offsets_of(text: str) -> dict[Way, int]:
    """The place of every key and entry of a valid TOML text; of long lists the first.

    >>> offsets_of("[rod]\\nmass = 2\\nplace = [0, 1]")[("rod", "place", 1)]
    27
    """
    walk = _Walk(text)
    walk.document()
    return walk.offsets


@final
class _Walk:
    def __init__(self, text: str):
        self._text, self._at = text, 0
        self._counts: dict[Way, int] = {}
        self.offsets: dict[Way, int] = {}

    def document(self) -> None:
        head: Way = ()
        self._skip(BLANK)
        end, before = len(self._text), -1
        while before < self._at < end:
            before = self._at
            if self._text.startswith("[", self._at):
                head = self._header()
            else:
                self._pair(head)
            self._skip(BLANK)

    def _header(self) -> Way:
        start, is_list = self._at, self._text.startswith("[[", self._at)
        self._at += 2 if is_list else 1
        path = self._inside_lists(self._keys(), last=not is_list)
        self._skip(re.compile(r"[ \t]*+\]{1,2}"))
        if is_list:
            number = self._counts.get(path, -1) + 1
            self._counts[path] = number
            self._note(path, start)
            path = (*path, number)
        for k in range(1, len(path) + 1):  # [a.b] is also where a begins
            self._note(path[:k], start)
        return path

    def _inside_lists(self, keys: Way, *, last: bool) -> Way:
        """Keys with the numbers of the lists' last entries that they lead through."""
        path: Way = ()
        for k, key in enumerate(keys):
            path = (*path, key)
            if path in self._counts and (last or k < len(keys) - 1):
                path = (*path, self._counts[path])
        return path

    def _pair(self, head: Way) -> None:
        start = self._at
        keys = self._keys()
        for k in range(1, len(keys) + 1):
            self._note((*head, *keys[:k]), start)
        self._skip(EQUALS)
        self._value((*head, *keys))

    def _keys(self) -> Way:
        keys: list[str] = []
        while True:
            self._skip(re.compile(r"[ \t]*+"))
            keys.append(_plain(self._skip(KEY)))
            if not self._skip(DOT):
                return tuple(keys)

    def _value(self, path: Way) -> None:
        sign = self._text[self._at : self._at + 1]
        if sign == "[":
            self._entries(path)
        elif sign == "{":
            self._table(path)
        elif not (self._skip(LONG) or self._skip(SHORT)):
            self._skip(PLAIN)

    def _entries(self, path: Way) -> None:
        self._at, number = self._at + 1, 0
        self._skip(BLANK)
        while self._text[self._at : self._at + 1] not in ("]", ""):
            self._note((*path, number), self._at)
            self._value((*path, number))
            number += 1
            self._comma()
            if number > FEW:
                self._skip(NUMBERS)
        self._at += 1

    def _table(self, path: Way) -> None:
        self._at += 1
        self._skip(BLANK)
        while self._text[self._at : self._at + 1] not in ("}", ""):
            self._pair(path)
            self._comma()
        self._at += 1

    def _comma(self) -> None:
        self._skip(BLANK)
        if self._text.startswith(",", self._at):
            self._at += 1
        self._skip(BLANK)

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found.group() if found else ""

    def _note(self, path: Way, offset: int) -> None:
        self.offsets.setdefault(path, offset)


def _plain(key: str) -> str:
    """A key without its quotation marks."""
    if not key.startswith(('"', "'")):
        return key
    import tomllib

    read: dict[str, Any] = tomllib.loads(f"{key} = 0")
    return next(iter(read))
