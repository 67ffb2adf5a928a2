"""Rows in a buffer are the rows that came, however they came and however it grew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polhode.integrate.field.dense_output import Steps, join_steps
from polhode.integrate.host import row_buffer
from polhode.integrate.host.row_buffer import RowBuffer


def rows(rng, count):
    """Some rows of three entries with two terms."""
    shapes = [(count,), (count, 3), (count, 3), (count, 2, 3)]
    return Steps(*map(rng.normal, [0.0] * 4, [1.0] * 4, shapes))


def same(one, other):
    """Bit for bit."""
    return all(map(np.array_equal, one, other))


@given(
    st.lists(st.integers(0, 40), min_size=1, max_size=12),
    st.sampled_from([0, 500, row_buffer.LARGE]),
    st.integers(0, 2**32 - 1),
)
def test_a_buffer_holds_what_came_side_by_side(counts, large, seed):
    """All rows or chosen ones, small or large, moved or not: their concatenation.

    Rows given out stay as they are while more come.
    """
    rng, came, given_out = np.random.default_rng(seed), [], []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_buffer, "LARGE", large)
        held = RowBuffer()
        for count in counts:
            part = rows(rng, count)
            chosen = np.flatnonzero(rng.random(count) < 0.7)
            if rng.random() < 0.5:
                held.append(part)
            else:
                held.append(part, chosen)
                part = Steps(*(column[chosen] for column in part))
            came.append(part)
            given_out.append((held.rows(), held.count))
        whole = join_steps(came)
        assert held.count == len(whole.t)
        assert held.bytes == sum(column.nbytes for column in whole)
        assert same(held.rows(), whole)
        assert same(held.rows(len(came[0].t)), join_steps([*came[1:], rows(rng, 0)]))
    for early, count in given_out:
        assert same(early, Steps(*(column[:count] for column in whole)))


def test_a_cleared_buffer_is_filled_again_in_its_place(monkeypatch):
    """Its room is used again: no new memory for the next part."""
    monkeypatch.setattr(row_buffer, "LARGE", 0)
    rng, held = np.random.default_rng(1), RowBuffer()
    for _ in range(2):
        held.append(rows(rng, 25))
    place = held.rows().x.ctypes.data
    held.clear()
    assert held.count == 0
    assert held.bytes == 0
    again = rows(rng, 40)
    held.append(again)
    assert same(held.rows(), again)
    assert held.rows().x.ctypes.data == place


def test_rows_that_come_at_once_are_not_moved():
    """A whole motion is saved from where it lies."""
    whole = rows(np.random.default_rng(4), int(row_buffer.LARGE // 8))
    held = RowBuffer()
    held.append(whole)
    assert held.rows() is whole


def test_few_rows_keep_no_room_that_is_not_theirs():
    """Ten thousand short motions take what their rows take."""
    rng, held = np.random.default_rng(2), RowBuffer()
    for _ in range(3):
        held.append(rows(rng, 100))
    assert all(column.base is None for column in held.rows())


def test_where_room_is_short_as_much_is_taken_as_there_is(monkeypatch):
    """Where eight times as much is refused, twice; then what is needed; then told."""
    monkeypatch.setattr(row_buffer, "LARGE", 0)
    rng, held, real = np.random.default_rng(3), RowBuffer(), np.empty
    for _ in range(2):
        held.append(rows(rng, 5))
    asked, few, many = [], rows(rng, 88), rows(rng, 200)

    def scarce(shape, dtype):
        asked.append(shape[0])
        if shape[0] > 200:
            raise MemoryError
        return real(shape, dtype)

    monkeypatch.setattr(row_buffer.np, "empty", scarce)
    held.append(few)
    assert asked[:2] == [784, 196]
    assert held.count == 98
    before = held.rows().x.copy()
    with pytest.raises(MemoryError):
        held.append(many)
    assert held.count == 98
    assert np.array_equal(held.rows().x, before)
