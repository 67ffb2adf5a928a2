"""Random programs with nested control flow and mixed shapes and types, against XLA."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowering_cases import Case, check
from random_programs import as_function, blocks

RANDOM = np.random.default_rng(11)
ARGUMENTS = (
    RANDOM.uniform(-1, 1, 5),
    RANDOM.uniform(-1, 1, (5, 3)),
    np.array([0, 3, -7, 12, 101]),
)


@settings(max_examples=30)
@given(blocks(0, most=12), st.sampled_from(["zeros", "ieee"]))
def test_straight_programs_give_what_xla_gives(block, fold):
    """Arithmetic, indices, sorting and selections on floats, integers, booleans."""
    check(Case("straight", as_function(block), ARGUMENTS, rtol=1e-12), fold=fold)


@settings(max_examples=15)
@given(blocks(2), st.sampled_from([0, 2000]))
def test_nested_programs_give_what_xla_gives(block, unroll):
    """Loops, branches, maps and derivatives inside each other, lanes apart."""
    check(Case("nested", as_function(block), ARGUMENTS, rtol=1e-10), unroll=unroll)


@pytest.mark.long
@settings(max_examples=400)
@given(blocks(0, most=12), st.sampled_from(["zeros", "ieee"]))
def test_many_straight_programs_give_what_xla_gives(block, fold):
    """The same law over many more programs."""
    check(Case("straight", as_function(block), ARGUMENTS, rtol=1e-12), fold=fold)


@pytest.mark.long
@settings(max_examples=200)
@given(blocks(2), st.sampled_from([0, 2000]))
def test_many_nested_programs_give_what_xla_gives(block, unroll):
    """The same law over many more programs."""
    check(Case("nested", as_function(block), ARGUMENTS, rtol=1e-10), unroll=unroll)
