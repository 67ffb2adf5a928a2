"""Names of a module that are imported when they are first asked for."""

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any


def lazy_names(
    module: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a module whose names live in other modules."""

    def get(name: str) -> Any:
        if name not in homes:
            close = get_close_matches(name, homes, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise AttributeError(f"module {module!r} has no attribute {name!r}{hint}")
        from polhode.public_call import public

        own = f"{module.rpartition('.')[2]}.{name}"
        return public(getattr(import_module(homes[name]), name), own)

    return get, lambda: sorted(homes)
