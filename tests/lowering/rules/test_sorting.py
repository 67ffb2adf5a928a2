"""Sorting, against XLA."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.sorting import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_order_is_that_of_xla(case):
    """Ties keep their order, zeros are equal, NaN comes last."""
    check(case)
