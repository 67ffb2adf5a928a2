"""Floats, booleans and conversions element by element, against XLA."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.arithmetic import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_values_are_those_of_xla(case):
    """Bit by bit, or within the stated ulps; in lanes the same bits as alone."""
    check(case)
