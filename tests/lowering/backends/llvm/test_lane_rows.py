"""What lanes write at places of their own is what each writes alone."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from polhode.lowering.backends import cache
from polhode.lowering.backends.llvm import lane_rows
from polhode.lowering.compile import compile

ROWS, RUNS = 40, 21  # more than a whole number of lanes


def rows_of(width, kind):
    """Rows of a run: in each turn as many places on as its own numbers say."""

    def function(start, steps, size):
        def goes_on(carry):
            k, place, _ = carry
            return (k < ROWS) & (place < size)

        def turn(carry):
            k, place, rows = carry
            value = (jnp.arange(width) + 10 * place + start).astype(kind)
            rows = lax.dynamic_update_slice(rows, value[None], (place, 0))
            return k + 1, place + steps[k], rows

        rows = jnp.zeros((ROWS, width), kind)
        none = jnp.zeros((), np.int64)
        _, place, rows = lax.while_loop(goes_on, turn, (none, start, rows))
        rows = lax.while_loop(
            lambda carry: carry[0] < 1,
            lambda carry: (
                carry[0] + 1,
                lax.dynamic_update_slice(carry[1], -carry[1][start][None], (start, 0)),
            ),
            (none, rows),
        )[1]
        return place, rows

    return function


def given(seed):
    rng = np.random.default_rng(seed)
    start = rng.integers(0, 9, RUNS)
    return start, rng.integers(1, 4, (RUNS, 65)), rng.integers(10, ROWS + 1, RUNS)


def by_numpy(width, start, steps, size):
    rows, k, place = np.zeros((ROWS, width)), 0, start
    while k < ROWS and place < size:
        rows[place] = np.arange(width) + 10 * place + start
        k, place = k + 1, place + steps[k]
    rows[start] *= -1
    return place, rows


@pytest.mark.parametrize("kind", ["float64", "int64", "int32"])
@pytest.mark.parametrize("width", [2, 4, 5, 7])
def test_rows_at_own_places(width, kind):
    """Each lane writes its own rows, and finds them as NumPy does."""
    arrays = given(width)
    program = compile(rows_of(width, kind), *(a[0] for a in arrays), batched=True)
    place, rows = program(*arrays)
    alone = [by_numpy(width, *(a[k] for a in arrays)) for k in range(RUNS)]
    np.testing.assert_array_equal(place, [each for each, _ in alone])
    np.testing.assert_array_equal(rows, [each for _, each in alone])


def test_such_rows_lie_lane_by_lane(monkeypatch):
    """The tests above are about such buffers: one is found."""
    found = []
    apart = lane_rows.apart_buffers

    def seen(*arguments):
        found.append(apart(*arguments))
        return found[-1]

    monkeypatch.setattr(lane_rows, "apart_buffers", seen)
    monkeypatch.setattr(cache, "load", lambda name: None)
    arrays = given(0)
    function = rows_of(4, "float64")
    program = compile(function, *(a[0] for a in arrays), batched=True, lanes=4)
    program(*arrays)
    assert {(b.size, row) for b, row in found[-1].items()} == {(4 * ROWS, 4)}
