"""Answers that hold several, as their field `found`: counted, gone through, picked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from polhode.answer_table import Answer

if TYPE_CHECKING:
    from polhode.system.system import System

One = TypeVar("One")


def length(answer: Any) -> int:
    """How many were found."""
    return len(answer.found)


def each(answer: Any) -> Iterator[Any]:
    """One after the other."""
    return iter(answer.found)


def picked(answer: Any, k: int) -> Any:
    """The k-th, from 0."""
    return answer.found[k]


@dataclass(frozen=True, eq=False, repr=False)
class StateSearch(Answer, Generic[One]):
    """Answers, each with a `state`, that a search from many starts has found.

    starts, arrived  how many places were started from, and how many led to one
    """

    system: System
    found: tuple[One, ...]
    starts: int
    arrived: int

    __len__ = length
    __iter__ = each
    __getitem__ = picked

    @property
    def states(self) -> list[Any]:
        """The states of all, for pictures and for motions from there."""
        found: Any = self.found
        return [one.state for one in found]
