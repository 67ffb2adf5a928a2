"""A system in a Python file of the user: `model.py:name`. The file is run."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from typing import Any

from polhode.errors import CommandError, FileError, ModelError, PolhodeError


def from_python(path: Path, name: str) -> tuple[Any, Any]:
    """The system of a file by its name, and the state it starts from.

    The name is that of a system, of a state, or of a function without arguments that
    gives one. Without a name the file must have one system only.
    """
    things = _run(path)
    thing = things[name] if name in things else _only(path, things, name)
    return _with_start(path, name, thing, things)


def _with_start(
    path: Path, name: str, thing: Any, things: dict[str, Any]
) -> tuple[Any, Any]:
    import polhode as ph

    if callable(thing) and not isinstance(thing, ph.System):
        thing = _guard(path, thing)
    if isinstance(thing, ph.results.Model):
        return thing.system, thing.start
    if isinstance(thing, ph.State):
        return thing.system, thing
    if not isinstance(thing, ph.System):
        raise CommandError(
            f"{name!r} of {path.name!r} is {type(thing).__name__}, no system.",
            repair="Name a ph.System, a ph.State, or a function that gives one.",
        )
    start = things.get("start")
    own = isinstance(start, ph.State) and start.system is thing
    return thing, (start if own else thing.rest())


def _only(path: Path, things: dict[str, Any], name: str) -> Any:
    import polhode as ph
    from polhode.files.issues import nearest

    systems = {n: v for n, v in things.items() if isinstance(v, ph.System)}
    if not name and len({id(system) for system in systems.values()}) == 1:
        return next(iter(systems.values()))
    known = [n for n, v in things.items() if not n.startswith("_") and _fits(v)]
    what = f"{path.name!r} has no {name!r}." if name else ""
    many = f"{path.name!r} has {len(systems)} systems: say which."
    hint = nearest(name, known) if name else f"Write {path.name}:name."
    listed = f" There are: {', '.join(map(repr, known))}." if known and not name else ""
    raise CommandError(what or many, repair=hint + listed)


def _fits(value: Any) -> bool:
    import polhode as ph

    own = callable(value) and getattr(value, "__module__", "") == "_polhode_model"
    return own or isinstance(value, ph.System | ph.State)


def _run(path: Path) -> dict[str, Any]:
    """What a Python file defines, by name."""
    if not path.is_file():
        raise FileError(f"there is no file {str(path)!r}.", repair="Check the path.")
    spec = importlib.util.spec_from_file_location("_polhode_model", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["_polhode_model"] = module
    sys.path.insert(0, str(path.parent))
    try:
        _guard(path, lambda: spec.loader.exec_module(module))
    finally:
        sys.path.remove(str(path.parent))
    return vars(module)


def _guard(path: Path, act: Any) -> Any:
    """Do it; what the user's own code raises is reported with its line."""
    try:
        return act()
    except PolhodeError:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [f.lineno for f in frames if Path(f.filename) == path.resolve()]
        lines += [f.lineno for f in frames if Path(f.filename).name == path.name]
        line = lines[-1] if lines else getattr(error, "lineno", None)
        raise ModelError(
            f"{path.name!r} stopped at line {line}: {type(error).__name__}: {error}.",
            "The file was run to get its system.",
            "Try it alone: python " + path.name,
        ) from error
