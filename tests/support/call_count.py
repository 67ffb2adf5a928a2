"""How much work something is: calls of functions, the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Callable


def count_calls(job: Callable[[], object]) -> int:
    """Calls of functions of Python and of C that a job makes."""
    count = 0

    def see(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        job()
    finally:
        sys.setprofile(before)
    return count
