"""Methods of nouns, called with arguments that they cannot take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import polhode as ph

WRONG: tuple[Any, ...] = (
    *(object(), {3: None}, [None], 10**400, "zz", -1.5, None, np.zeros((2, 2)), 3),
)
# Windows and servers; a protocol of JAX, which no user calls.
LEFT_OUT = ("show", "serve", "open", "tree_unflatten")
DEAR = ("page", "picture")  # seconds each


class WrongCall(NamedTuple):
    """A method with one wrong value for all that it needs, or for one of its wishes."""

    name: str
    method: Callable[..., Any]
    given: tuple[Any, ...]
    named: dict[str, Any]


def methods(noun: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public methods of a noun, and how it is indexed."""
    for word in dir(type(noun)):
        if word in LEFT_OUT or (word.startswith("_") and word != "__getitem__"):
            continue
        member = inspect.getattr_static(type(noun), word)
        if inspect.isfunction(getattr(member, "__func__", member)):
            yield f"{type(noun).__name__}.{word}", getattr(noun, word)


def wrong_calls(noun: Any, left_out: tuple[str, ...] = ()) -> Iterator[WrongCall]:
    """Every public method of a noun with every wrong value."""
    for name, method in methods(noun):
        if name.endswith(left_out):
            continue
        places = [*inspect.signature(method).parameters.values()]
        needed = [p for p in places if p.default is p.empty]
        by_place = [p for p in needed if p.kind < p.KEYWORD_ONLY]
        by_name = [p.name for p in needed if p.kind is p.KEYWORD_ONLY]
        wishes = [p.name for p in places if p.default is not p.empty]
        for value in WRONG:
            if by_place or by_name:
                given = (value,) * len(by_place)
                yield WrongCall(name, method, given, dict.fromkeys(by_name, value))
            for wish in wishes if not (by_place or by_name) else ():
                yield WrongCall(name, method, (), {wish: value})


def fault_of(call: WrongCall) -> str:
    """What is wrong with how the call ends; empty where it is refused or answers."""
    try:
        call.method(*call.given, **call.named)
    except ph.PolhodeError as refused:
        return "" if refused.repair else f"{call.name} is refused without a repair"
    except IndexError:
        # Beyond the end, Python's own word: what goes through a sequence needs it.
        return "" if call.name.endswith("__getitem__") else _bare(call, "IndexError")
    except Exception as error:
        return _bare(call, f"{type(error).__name__}: {error}")
    return ""


def _bare(call: WrongCall, words: str) -> str:
    return f"{call.name}({call.given!r:.60}, {call.named!r:.60}) raised a bare {words}"
