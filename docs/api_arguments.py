"""Arguments of public callables, and where each is explained.

An argument is explained if the docstring names it outside of its example, or if
`api_arguments.toml` has a line for it: of all callables, of a part of the public names
or of a module.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import polhode

EVERYWHERE = "everywhere"
LINES = Path(__file__).with_name("api_arguments.toml")


class Callee(NamedTuple):
    """A public callable: its name after `ph.`, where it is written, and itself."""

    path: str
    module: str
    value: Any


def callables() -> Iterator[Callee]:
    """Every public function, class, and method that a public class itself has."""
    seen: set[int] = set()
    for path in public_paths():
        value: Any = polhode
        for word in path.split("."):
            value = getattr(value, word)
        yield from _inside(path, value, seen)


def public_paths() -> list[str]:
    """All public names, those of namespaces with their space before them."""
    spaces = polhode.NAMESPACES
    paths = [name for name in polhode.PUBLIC if name not in spaces]
    for space in spaces:
        paths += [f"{space}.{n}" for n in import_module(f"polhode.{space}").HOMES]
    return paths


def _inside(path: str, value: Any, seen: set[int]) -> Iterator[Callee]:
    home = getattr(value, "__module__", None) or ""
    if isinstance(value, ModuleType):
        for word in getattr(value, "__all__", None) or dir(value):
            part = getattr(value, word, None)
            own = (getattr(part, "__module__", None) or "").startswith("polhode")
            if own and not word.startswith("_") and callable(part):
                yield from _inside(f"{path}.{word}", part, seen)
        return
    if id(value) in seen or not callable(value):
        return
    seen.add(id(value))
    is_class = inspect.isclass(value)
    if not (is_class and issubclass(value, BaseException)):
        yield Callee(path, home, value)
    for word, method in methods(value) if is_class else ():
        yield Callee(f"{path}.{word}", home, method)


def methods(owner: type) -> list[tuple[str, Any]]:
    """Public methods that a class defines itself, without properties."""
    found = []
    for word, what in vars(owner).items():
        is_bare = isinstance(what, staticmethod | classmethod)
        function = what.__func__ if is_bare else what
        if not word.startswith("_") and inspect.isfunction(function):
            found.append((word, function))
    return found


def arguments(value: Any) -> list[str]:
    """Names of the parameters of a callable."""
    try:
        found = inspect.signature(value).parameters
    except (TypeError, ValueError):
        return []
    return [n for n in found if n not in ("self", "cls") and not n.startswith("_")]


def is_named(name: str, docstring: str) -> bool:
    """Whether a docstring names an argument in its prose: examples explain nothing."""
    parts = re.split(r"\n\s*\n", docstring)
    prose = "\n".join(p for p in parts if not p.lstrip().startswith(">>>"))
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", prose))


def explanation(callee: Callee, name: str) -> str:
    """The line for an argument: that of the longest beginning that fits; "" if none."""
    start = _source(callee, name)
    return _lines()[start][name] if start else ""


def _source(callee: Callee, name: str) -> str:
    """The table whose line is taken: by public name, then by module, then of all."""
    module = callee.module.removeprefix("polhode.")
    for whole in (callee.path, module):
        fitting = [
            start
            for start, lines in _lines().items()
            if name in lines and (whole == start or whole.startswith(f"{start}."))
        ]
        if fitting:
            return max(fitting, key=len)
    return EVERYWHERE if name in _lines()[EVERYWHERE] else ""


def unused() -> list[str]:
    """Lines that explain nothing that a docstring does not."""
    used = {
        (_source(callee, name), name)
        for callee in callables()
        for name in arguments(callee.value)
        if not is_named(name, inspect.getdoc(callee.value) or "")
    }
    every = [(start, name) for start, lines in _lines().items() for name in lines]
    return [f"{start}: {name}" for start, name in every if (start, name) not in used]


def unexplained() -> list[str]:
    """Arguments that nothing explains, by callable."""
    return [
        f"{callee.path}({name})"
        for callee in callables()
        for name in arguments(callee.value)
        if not is_named(name, inspect.getdoc(callee.value) or "")
        and not explanation(callee, name)
    ]


@cache
def _lines() -> dict[str, dict[str, str]]:
    return tomllib.loads(LINES.read_text(encoding="utf-8"))
