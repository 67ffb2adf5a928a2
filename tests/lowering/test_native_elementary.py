"""Elementary functions as native code in lanes, against mpmath."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.elementary import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_functions_are_right_to_their_ulps(case):
    """Within the stated ulps of fifty digits, in lanes and alone the same bits."""
    check(case)
