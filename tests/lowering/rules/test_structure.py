"""Structural primitives, against XLA."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.long_arrays import CASES as LONG
from lowering_cases.structure import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_elements_lie_where_xla_puts_them(case):
    """Moving elements changes no bit of them, empty and 0-d arrays included."""
    check(case)


@pytest.mark.parametrize("case", LONG, ids=lambda case: case.name)
def test_long_arrays_are_computed_as_short_ones(case):
    """A loop over the elements gives what straight code gives."""
    check(case)
