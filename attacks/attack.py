"""What an attack is: a number of tries, each of which either holds or fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Attack:
    """A kind of fault, tried many times.

    trial  makes the fault once with the given seed; returns None where the product
           held, and a sentence that says what went wrong where it did not
    """

    name: str
    tries: int
    trial: Callable[[int], str | None]

    def failures(self, tries: int) -> Iterator[str]:
        """What went wrong, with the seed that makes it happen again."""
        for seed in range(tries):
            try:
                found = self.trial(seed)
            except Exception as error:
                found = f"raised {type(error).__name__}: {error}"
            if found is not None:
                yield f"{self.name}, seed {seed}: {found}"
