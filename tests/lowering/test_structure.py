"""Structural primitives, against XLA."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.structure import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_elements_lie_where_xla_puts_them(case):
    """Moving elements changes no bit of them, empty and 0-d arrays included."""
    check(case)
