"""The errors of one file while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import final

from polhode.files.issues import MOST, Issue, Lines, Spot, Way, path_text, refusal
from polhode.files.source_positions import offsets_of


@final
@dataclass(frozen=True)
class Report:
    """The errors found so far in one file. Reading goes on after each."""

    path: Path
    text: str = field(repr=False, default="")
    issues: list[Issue] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        """Whether enough was found to tell: nothing more is looked for."""
        return len(self.issues) >= MOST

    def add(self, path: Way, text: str, *, is_unsafe: bool = False) -> None:
        """Note an error at a value, or at the nearest thing above it that is there."""
        if self.is_full:
            return
        words = f"{path_text(path)}{text}"
        self.issues.append(Issue(self.spot(path), words, is_unsafe))

    def spot(self, path: Way) -> Spot:
        """Where a value is, or what holds it."""
        while path and path not in self._offsets:
            path = path[:-1]
        return self._lines.spot(self._offsets.get(path, 0))

    def raise_all(self) -> None:
        """Raise one error that tells all, if there is any."""
        if self.issues:
            raise refusal(self.path, self.issues)

    @cached_property
    def _offsets(self) -> dict[Way, int]:
        return offsets_of(self.text)

    @cached_property
    def _lines(self) -> Lines:
        return Lines(self.text)
