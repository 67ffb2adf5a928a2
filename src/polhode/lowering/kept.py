"""Programs and other costly things that a noun keeps: each is made once for its name.

A system and its equations are frozen, so what is compiled of them once holds for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from polhode.lowering.compile import Program

T = TypeVar("T")


def kept_program(
    kept: dict[Any, Any],
    name: Hashable,
    function: Callable[..., Any],
    examples: Sequence[Any],
    *,
    batched: Sequence[str] | bool = False,
    lanes: int | None = None,
    backend: str = "auto",
) -> Program:
    """The function compiled for arguments like the examples, once for each name.

    The name says all that the function depends on beside its arguments. Tables among
    the examples may have other entries another time: that is another program.
    """
    tables = tuple(tuple(sorted(each)) for each in examples if isinstance(each, dict))
    marks = batched if isinstance(batched, bool) else tuple(batched)
    key = (name, tables, marks, lanes)
    found = kept.get(key)
    if found is None:
        from polhode.lowering.compile import compile

        found = kept[key] = compile(
            function, *examples, batched=batched, lanes=lanes, backend=backend
        )
    return found


def kept_value(kept: dict[Any, Any], name: Hashable, make: Callable[[], T]) -> T:
    """What `make` returns, made once for each name."""
    if name not in kept:
        kept[name] = make()
    return kept[name]
