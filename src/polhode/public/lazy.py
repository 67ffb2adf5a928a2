"""Names of a module that are imported when they are first used."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from polhode.public.elsewhere import ELSEWHERE


def lazy_names(
    module: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a module whose names live in other modules."""

    def get(name: str) -> Any:
        if name not in homes:
            # Of None, so that Python adds no suggestion of its own to ours.
            text = f"module {module!r} has no attribute {name!r}{near(name, homes)}"
            raise AttributeError(text, name=name, obj=None)
        from polhode.public.public_call import public

        own = f"{module.rpartition('.')[2]}.{name}"
        return public(_found(homes[name], name), own)

    return get, lambda: sorted(homes)


def _found(home: str, name: str) -> Any:
    """What a module defines, or the module of that name in a package."""
    module = import_module(home)
    return (
        vars(module)[name] if name in vars(module) else import_module(f"{home}.{name}")
    )


def public_place(name: str) -> str:
    """`ph.name` or `ph.namespace.name` of a public name; empty where there is none."""
    front = import_module("polhode")
    if name in front.PUBLIC:
        return f"ph.{name}"
    for space in front.NAMESPACES:
        if name in import_module(f"polhode.{space}").HOMES:
            return f"ph.{space}.{name}"
    return ""


def near(name: str, homes: Mapping[str, str]) -> str:
    """Where a name that a module does not have is, or what is spelt like it."""
    # Other programs look for names with an underscore, again and again.
    if name.startswith("_"):
        return ""
    place, ours = public_place(name), ELSEWHERE.get(name, "")
    if place:
        return f"; it is {place}" + (f"; for a model: {ours}" if ours else "")
    if ours:
        return f"; it is {ours} here"
    alike = [known for known in _all_names() if known.lower() == name.lower()]
    if alike:
        return f"; it is {public_place(alike[0])} here"
    if close := get_close_matches(name, homes, n=1):
        return f"; did you mean {close[0]!r}?"
    far = get_close_matches(name, _all_names(), n=1, cutoff=0.75)
    return f"; did you mean {public_place(far[0])}?" if far else ""


def _all_names() -> list[str]:
    front = import_module("polhode")
    spaces = (import_module(f"polhode.{space}").HOMES for space in front.NAMESPACES)
    return [*front.PUBLIC, *(name for homes in spaces for name in homes)]
