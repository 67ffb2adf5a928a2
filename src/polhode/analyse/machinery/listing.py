"""Answers that hold several, as their field `found`: counted, gone through, picked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from polhode.answer_table import Answer

if TYPE_CHECKING:
    from polhode.system.system import System

One = TypeVar("One")


@dataclass(frozen=True, eq=False, repr=False)
class Listing(Answer, Generic[One]):
    """An answer that holds several, as its field `found`."""

    system: System
    found: tuple[One, ...]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[One]:
        return iter(self.found)

    def __getitem__(self, k: int) -> One:
        return self.found[k]


@dataclass(frozen=True, eq=False, repr=False)
class StateSearch(Listing[One]):
    """Answers, each with a `state`, that a search from many starts has found.

    starts, arrived  how many places were started from, and how many led to one
    """

    starts: int
    arrived: int

    @property
    def states(self) -> list[Any]:
        """The states of all, for pictures and for motions from there."""
        found: Any = self.found
        return [one.state for one in found]
