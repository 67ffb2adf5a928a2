"""Random bits, against JAX."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.random_bits import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_random_bits_are_those_of_jax(case):
    """Word by word the same, whatever carries, chooses or indexes the keys."""
    check(case)
