"""Every function of the list at every special value, against XLA."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from special_functions import BINARY, Program, differences, programs

EVERY = {program.name: program for program in programs()}
SAMPLE = ("signbit", "copysign", "mod", "floor_divide", "arctan2", "var", "nansum",
          "cholesky", "solve", "bend of root")  # fmt: skip


@pytest.mark.parametrize("fold", ["ieee", "zeros"])
@pytest.mark.parametrize("name", SAMPLE)
def test_special_values_give_what_xla_gives_or_what_the_page_says(name, fold):
    """Differences beyond the page's are none."""
    assert differences(EVERY[name], fold, batch=128) == []


@pytest.mark.long
@pytest.mark.parametrize("fold", ["ieee", "zeros"])
def test_all_functions_give_what_xla_gives_or_what_the_page_says(fold):
    """The whole list."""
    faults = [fault for each in programs() for fault in differences(each, fold)]
    assert faults == []


@pytest.mark.parametrize("name", ["maximum", "minimum", "arctan2", "copysign", "mod"])
def test_what_is_folded_has_the_bits_of_what_is_computed(name):
    """Zeros of both signs as constants, and as arguments."""
    law = BINARY[name]
    computed = ph.compile(law, 0.0, 0.0)
    for a in (0.0, -0.0, 1.0):
        for b in (0.0, -0.0, -1.0):
            folded = ph.compile(law, a, b, vary=[])()
            assert np.array_equal(folded, computed(a, b), equal_nan=True)
            assert np.signbit(folded) == np.signbit(computed(a, b)) or np.isnan(folded)


def test_a_difference_is_found():
    """The list compares: a function that is another under XLA fails."""
    calls = iter([0.0, 1.0, 2.0, 3.0])
    wrong = Program(
        "odd", lambda x: x + next(calls), [(np.float64(1.0),), (np.float64(2.0),)]
    )
    assert len(differences(wrong, "ieee")) == 2
