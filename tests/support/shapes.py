"""Calls of kernels held against the shapes that their annotations name."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jaxtyping

from polhode.public import shapes

NAMED = {
    name
    for name, value in vars(shapes).items()
    if typing.get_args(value) and name != "Array"
}


class WrongShape(AssertionError):
    """A kernel took or gave an array of another shape than it says."""


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Its annotations that name a shape, as types."""
    written = getattr(function, "__annotations__", {})
    return {
        word: eval(text, {**vars(shapes), "tuple": tuple})  # of our own source
        for word, text in written.items()
        if isinstance(text, str) and NAMED & {*re.findall(r"\w+", text)}
    }


def held(function: Callable[..., Any], hints: dict[str, Any]) -> Callable[..., Any]:
    """The function, refusing what is not of its shapes; letters agree in one call."""
    signature = inspect.signature(function)
    name = f"{function.__module__}.{function.__qualname__}"

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        with jaxtyping.jaxtyped("context"):
            for word, value in given.items():
                if word in hints:
                    require(value, hints[word], f"{word} of {name}")
            result = function(*args, **kwargs)
            if "return" in hints:
                require(result, hints["return"], f"what {name} gives")
        return result

    return call


def require(value: Any, hint: Any, what: str) -> None:
    """Refuse an array, or a tuple of them, that is not of a type of `shapes`."""
    parts = typing.get_args(hint)
    if typing.get_origin(hint) is tuple:
        for part, inner in zip(value, parts, strict=True):
            require(part, inner, what)
    # Of a union Python asks for the class alone: each part knows the shape.
    elif hasattr(value, "shape") and not any(isinstance(value, each) for each in parts):
        raise WrongShape(f"{what} has the shape {value.shape}, not {hint}")


def kernels(room: str) -> Iterator[tuple[Any, str, Callable[..., Any], dict[str, Any]]]:
    """The functions of a room whose annotations name shapes, each with its owner."""
    for module in [*sys.modules.values()]:
        if getattr(module, "__name__", "").startswith(f"polhode.{room}."):
            owners = [module, *(v for v in vars(module).values() if _is_own(v, module))]
            for owner in owners:
                for name, value in [*vars(owner).items()]:
                    home = getattr(value, "__module__", "") == module.__name__
                    is_own = isinstance(value, types.FunctionType) and home
                    if is_own and (hints := hints_of(value)):
                        yield owner, name, value, hints


def _is_own(value: Any, module: types.ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__


@contextmanager
def shapes_held(*rooms: str) -> Iterator[int]:
    """Within, every call of the kernels of some rooms is checked; how many they are."""
    found = [each for room in rooms for each in kernels(room)]
    changed: list[tuple[Any, str, Any]] = []
    checked = {id(value): held(value, hints) for _, _, value, hints in found}
    for owner, name, value, _ in found:
        if isinstance(owner, type):
            changed.append((owner, name, value))
            setattr(owner, name, checked[id(value)])
    # Modules that have imported a kernel call it by their own name.
    for module in [*sys.modules.values()]:
        if getattr(module, "__name__", "").startswith("polhode."):
            for name, value in [*vars(module).items()]:
                if id(value) in checked:
                    changed.append((module, name, value))
                    setattr(module, name, checked[id(value)])
    try:
        yield len(found)
    finally:
        for owner, name, value in changed:
            setattr(owner, name, value)
