"""What the door of `compile` refuses, and the words it uses."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import polhode as ph
from polhode.errors import ArgumentError


@pytest.mark.parametrize("wrong", [3, [3], ("q", 1)])
def test_names_of_arguments_are_texts(wrong):
    """`vary` and `batched` list names; anything else is refused with the names."""
    for role in ("vary", "batched"):
        with pytest.raises(ArgumentError, match="not a list of names") as refusal:
            ph.compile(lambda q: 2 * q, 1.0, **{role: wrong})
        assert "'q'" in str(refusal.value)


def test_a_masked_array_keeps_its_mask_to_itself():
    """What is behind a mask is no number to compute with."""
    masked = np.ma.masked_less(np.array([1.0, -1.0]), 0)
    with pytest.raises(ArgumentError, match="masked array"):
        ph.compile(lambda q: q.sum(), masked)


def test_bytes_in_another_order_are_named_so():
    """A big-endian array on a little-endian machine is refused for what it is."""
    foreign = np.ones(3).astype(np.dtype(float).newbyteorder("S"))
    with pytest.raises(ArgumentError, match="another order"):
        ph.compile(lambda q: q.sum(), foreign)


def test_arrays_that_change_places_run_on_xla_with_the_line():
    """A rolled loop that swaps long arrays is not native, and its report says where."""

    def swap(a, b):
        def body(i, pair):
            a, b = pair
            return b.at[i].set(1.0), a

        return jax.lax.fori_loop(0, 100, body, (a, b))

    program = ph.compile(swap, np.zeros(100), np.ones(100))
    assert program.report().backend == "xla"
    assert "test_doors.py" in program.report().reason
    a, b = program(np.zeros(100), np.ones(100))
    assert a.sum() + b.sum() == 150.0
