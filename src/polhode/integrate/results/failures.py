"""The runs of a sweep that did not reach their end, by why they did not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.answer_table import Answer, AnswerTable
from polhode.integrate.kernel.status import Status


@final
@dataclass(frozen=True)
class Failure:
    """One reason: its code, how many runs, the first of them, and its sentence."""

    code: str
    count: int
    first: int
    sentence: str


@final
@dataclass(frozen=True, repr=False)
class Failures(Answer):
    """A row for each reason, the most frequent first, of so many runs.

    >>> print(Failures((), 3))
    All 3 runs reached their end.
    """

    rows: tuple[Failure, ...]
    runs: int

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Failure]:
        return iter(self.rows)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        whole = "" if self.rows else f"All {self.runs} runs reached their end."
        heads = ("code", "runs", "first", "what happened to the first")
        rows = [
            (row.code, str(row.count), str(row.first), row.sentence.partition("\n")[0])
            for row in self.rows
        ]
        return AnswerTable(whole, heads, rows)


def failures_of(sweep: Any, failed: np.ndarray, status: np.ndarray) -> Failures:
    """The reasons of the runs that failed, by their status; sentences of the first."""
    codes = np.array([Status(int(own)).code for own in status], dtype=object)
    rows = []
    for code in dict.fromkeys(codes.tolist()):
        own = failed[codes == code]
        first = int(own[0])
        rows.append(Failure(code, len(own), first, sweep.outcome(first).sentence))
    rows.sort(key=lambda row: (-row.count, row.first))
    return Failures(tuple(rows), len(sweep))
