"""The public functions of rooms, and those that a call reaches."""

from __future__ import annotations

import inspect
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import CodeType, FrameType
from typing import Any


def public_functions(*rooms: str) -> dict[str, Callable[..., Any]]:
    """The module-level functions of rooms, as "room.module.name".

    The public ones are wrapped once somebody has asked `polhode` for them: all wrappers
    have one code, and what runs within is what counts.
    """
    found = {}
    for room in rooms:
        package = import_module(f"polhode.{room}")
        for entry in pkgutil.walk_packages(package.__path__, f"polhode.{room}."):
            module = import_module(entry.name)
            for name, value in vars(module).items():
                own = inspect.isfunction(value) and value.__module__ == entry.name
                if own and not name.startswith("_"):
                    found[f"{entry.name.removeprefix('polhode.')}.{name}"] = (
                        inspect.unwrap(value)
                    )
    return found


@contextmanager
def reached() -> Iterator[set[CodeType]]:
    """Collect the code of every Python function that runs within."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield codes
    finally:
        sys.setprofile(before)
