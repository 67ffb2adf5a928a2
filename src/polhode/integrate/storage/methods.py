"""Methods by name: those of this room, found in its own modules and in no file."""

from __future__ import annotations

import dataclasses
import importlib
import re
from pathlib import Path
from typing import Any

import polhode.integrate as room
from polhode.errors import FileError
from polhode.integrate.method import Method


def method_from(told: dict[str, Any]) -> Method:
    """The method that a header tells of: its kind and its settings."""
    found, settings = known_method(str(told["kind"])), told["settings"]
    if found is None:
        raise FileError(
            f"this version has no method {told['kind']!r}.",
            "The file was written with a method of another version, or of a user.",
            "Give the method: ph.resume(path, system, method=...).",
        )
    return found(**{name: _value(value) for name, value in settings.items()})


def known_method(kind: str) -> type | None:
    """The method of this room whose class has a name; only its module is imported."""
    if not kind.isidentifier():
        return None
    for folder in room.__path__:
        for path in sorted(Path(folder).glob("*.py")):
            if re.search(rf"^class {kind}\b", path.read_text("utf-8"), re.MULTILINE):
                module = importlib.import_module(f"{room.__name__}.{path.stem}")
                value = getattr(module, kind)
                steps = dataclasses.is_dataclass(value) and hasattr(value, "attempt")
                return value if steps else None
    return None


def _value(value: Any) -> Any:
    """A setting: numbers and texts as they are, a method by its kind."""
    if isinstance(value, list):
        return tuple(_value(entry) for entry in value)
    if isinstance(value, dict):
        inner = {name: entry for name, entry in value.items() if name != "kind"}
        return method_from({"kind": value["kind"], "settings": inner})
    return value
