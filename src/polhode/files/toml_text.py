"""Tables as TOML text that people like to read."""

from __future__ import annotations

import json
import re
from typing import Any

BARE = re.compile(r"[A-Za-z0-9_-]+")
WIDE = 88


def to_toml(document: dict[str, Any]) -> str:
    """Plain values first, then a header for each table that holds things by name.

    >>> print(to_toml({"name": "a", "bodies": {"rod": {"mass": 1.0}}}), end="")
    name = "a"
    <BLANKLINE>
    [bodies.rod]
    mass = 1.0
    """
    lines = [_line(k, v) for k, v in document.items() if not isinstance(v, dict)]
    for word, table in document.items():
        if not isinstance(table, dict):
            continue
        flat = {k: v for k, v in table.items() if not _is_section(word, v)}
        if flat:
            lines += ["", f"[{_key(word)}]", *(_line(k, v) for k, v in flat.items())]
        for name, inner in table.items():
            if _is_section(word, inner):
                lines += ["", f"[{_key(word)}.{_key(name)}]"]
                lines += [_line(k, v) for k, v in inner.items()]
    return "\n".join(lines) + "\n"


def _is_section(word: str, value: Any) -> bool:
    return isinstance(value, dict) and word not in ("start", "run", "world", "locked")


def _line(key: str, value: Any) -> str:
    text = f"{_key(key)} = {_value(value)}"
    if len(text) > WIDE and isinstance(value, list) and value:
        entries = "".join(f"    {_value(entry)},\n" for entry in value)
        return f"{_key(key)} = [\n{entries}]"
    return text


def _key(key: str) -> str:
    return key if BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)
