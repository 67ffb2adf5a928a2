"""Reductions, running reductions and dot products, against XLA."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lowering_cases import check, compiled
from lowering_cases.reduction import CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_reductions_are_those_of_xla(case):
    """Whole, along axes or running: within rounding; extremes and NaN exactly."""
    check(case)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 11, 12, 13, 40])
def test_sums_of_whole_numbers_are_exact(length):
    """However a sum is dealt to chains, every term enters once."""
    terms = 2.0 ** np.arange(length)
    assert compiled(jnp.sum, terms)(terms) == 2.0**length - 1
    product = compiled(jnp.dot, terms, terms)(terms, np.ones(length))
    assert_array_equal(product, 2.0**length - 1)
