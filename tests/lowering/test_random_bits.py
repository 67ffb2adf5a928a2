"""Random bits, against JAX."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.random_bits import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_random_bits_are_those_of_jax(case):
    """Word by word the same, whatever carries, chooses or indexes the keys."""
    check(case)


@pytest.mark.parametrize(
    "case",
    [c for c in CASES if "carried" in c.name or "scanned" in c.name],
    ids=lambda case: case.name,
)
def test_loops_carry_and_scan_over_keys(case):
    """In a loop that is kept, keys are two words each, in registers or in memory."""
    check(case, unroll=0)
