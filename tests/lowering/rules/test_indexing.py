"""Slices, gather and scatter, against XLA."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.indexing import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_out_of_bounds_obeys_the_mode(case):
    """Inside, wrapped or past the ends: what JAX's mode says, never memory outside."""
    check(case)
