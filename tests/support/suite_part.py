"""A part of the tests that is the same for all time, whatever is added beside it.

A test belongs to the part that a digest of its file and case gives. Tests of one case
in one file go together, since they share what they compile.
"""

from __future__ import annotations

import hashlib
import re

import pytest


def part_of(nodeid: str, parts: int) -> int:
    """The part to which a test belongs, from 0."""
    function, _, case = nodeid.partition("[")
    key = f"{function.partition('::')[0]}[{case}" if case else function
    digest = hashlib.sha256(key.encode()).digest()
    return int.from_bytes(digest[:8], "big") % parts


def split(
    items: list[pytest.Item], part: str
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The tests of a part "K/N", and the others."""
    found = re.fullmatch(r"(\d+)/(\d+)", part)
    if found is None or not int(found[1]) < int(found[2]):
        raise pytest.UsageError(f"--part {part}: give K/N with K below N, as 0/4")
    chosen, parts = int(found[1]), int(found[2])
    own = [item for item in items if part_of(item.nodeid, parts) == chosen]
    rest = [item for item in items if part_of(item.nodeid, parts) != chosen]
    return own, rest
