"""Rows of steps, chosen as in an array."""

import numpy as np
import pytest

from polhode.errors import IntegrationError
from polhode.integrate.field.dense_output import Steps

ROWS = Steps(np.arange(4.0), np.ones((4, 2)), np.ones((4, 2)), np.zeros((4, 1, 2)))


def test_a_part_has_the_rows_that_are_chosen():
    """By a slice, by numbers, or by a truth for each row."""
    for key in (slice(1, 3), [1, 2], np.array([False, True, True, False])):
        np.testing.assert_array_equal(ROWS.part(key).t, [1.0, 2.0])


@pytest.mark.parametrize("key", [{3: None}, "x", [7], 1.5, [True]])
def test_what_chooses_no_rows_is_refused(key):
    """In words, with how many there are."""
    with pytest.raises(IntegrationError, match="chooses none of 4 steps"):
        ROWS.part(key)
