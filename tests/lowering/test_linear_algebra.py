"""Factorisations and solves, against LAPACK through XLA."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.linear_algebra import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_factorisations_are_those_of_lapack(case):
    """The same pivots and signs; NaN where there is no factor; values to rounding."""
    check(case)
