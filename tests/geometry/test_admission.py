"""What the doors of all nouns let in."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from closeness import assert_close
from polhode.errors import StateError
from polhode.geometry.admission import admit, is_traced


@pytest.mark.parametrize(
    "given",
    [
        [1, 2, 3],
        (1.0, 2, 3.0),
        np.array([1, 2, 3]),
        np.array([1, 2, 3], dtype=np.float32),
        np.array([9, 1, 2, 3], dtype=float)[1:],
        jnp.array([1.0, 2.0, 3.0]),
    ],
)
def test_numbers_of_any_kind_become_one_kind(given):
    """Lists, integers, float32 and views become read-only float64, copied."""
    column = admit(given, (3,), "a column")
    assert column.dtype == np.float64
    assert not column.flags.writeable
    assert not np.shares_memory(column, np.asarray(given))
    assert_close(column, [1.0, 2.0, 3.0], rtol=0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1, 2], r"a column has shape \(2,\), expected \(3,\)"),
        (3.0, r"a column has shape \(\), expected \(3,\)"),
        ([1, 2, np.inf], "a column is not finite: "),
        ([1, 2, 3j], "a column is not made of real numbers"),
        ([True, False, True], "a column is not made of real numbers"),
        (["1", "2", "3"], "a column is not made of real numbers"),
        ([1, [2], 3], "a column is not made of real numbers"),
        (None, "a column is not made of real numbers"),
    ],
)
def test_what_is_no_column_is_refused(given, words):
    """Wrong shapes, values that are not finite, and what is no number at all."""
    with pytest.raises(StateError, match=words):
        admit(given, (3,), "a column")


def test_traced_numbers_pass_by_their_shape():
    """Under jit only the shape is known: it is still checked, lists are stacked."""
    seen = []

    def door(x):
        seen.append(is_traced(x))
        column = admit([x, 0.0, 2 * x], (3,), "a column")
        matrix = admit([[x, 0.0], [0.0, x]], (2, 2), "a matrix")
        return column.sum() + matrix.sum()

    with jax.enable_x64(True):
        assert_close(jax.jit(door)(1.5), 7.5)
        with pytest.raises(StateError, match=r"a column has shape \(2,\)"):
            jax.jit(lambda x: admit([x, x], (3,), "a column"))(1.0)
    assert seen == [True]
