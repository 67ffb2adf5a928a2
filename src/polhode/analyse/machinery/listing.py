"""Answers that hold several, as their field `found`: counted, gone through, picked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def length(answer: Any) -> int:
    """How many were found."""
    return len(answer.found)


def each(answer: Any) -> Iterator[Any]:
    """One after the other."""
    return iter(answer.found)


def picked(answer: Any, k: int) -> Any:
    """The k-th, from 0."""
    return answer.found[k]


def states(answer: Any) -> list[Any]:
    """The states of all, for pictures and for motions from there."""
    return [one.state for one in answer.found]
