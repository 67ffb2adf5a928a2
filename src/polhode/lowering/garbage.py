"""Fewer collections of garbage while a program is made.

Traces and scalar programs are hundreds of thousands of small objects that live until
the code is written. Python would walk them all again and again, which takes a sixth of
the time; a collection each half a million objects keeps the memory of what the fixpoint
of a loop throws away.
"""

from __future__ import annotations

import gc
import threading
from types import TracebackType
from typing import final

OBJECTS = 500_000  # made, and not thrown away, between two collections


@final
class RareCollections:
    """A context; those of other threads and around it count, and the last restores."""

    _lock = threading.Lock()
    _inside = 0
    _before = gc.get_threshold()

    def __enter__(self) -> None:
        kind = RareCollections
        with kind._lock:
            if kind._inside == 0:
                kind._before = gc.get_threshold()
                # A threshold of zero is the user's way to have no collections at all.
                if 0 < kind._before[0] < OBJECTS:
                    gc.set_threshold(OBJECTS, *kind._before[1:])
            kind._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        own = RareCollections
        with own._lock:
            own._inside -= 1
            if own._inside == 0:
                gc.set_threshold(*own._before)
