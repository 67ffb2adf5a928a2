"""Integers of every width, against XLA."""

from __future__ import annotations

import pytest

from lowering_cases import check
from lowering_cases.integers import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_integers_are_those_of_xla(case):
    """Wrapping, division by zero and wide shifts are as XLA defines them."""
    check(case)
