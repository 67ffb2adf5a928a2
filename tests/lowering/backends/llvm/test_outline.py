"""Blocks too long for one function are cut, and compute the same bits."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import polhode as ph
from polhode.lowering.backends import cache
from polhode.lowering.backends.llvm import outline


def long_function(x):
    """Some thousand operations, tables indexed by the data, sines with rare paths."""
    table = jnp.asarray(np.linspace(-1.0, 1.0, 40))
    total, sums = x, []
    for k in range(60):
        index = (jnp.abs(total[k % 4]) * 7 + k).astype(int) % 40
        total = jnp.sin(total * (1.0 + 0.01 * k)) + 0.3 * jnp.roll(total, 1)
        total = total + 0.01 * table[index] * jnp.outer(total, total).sum(0)
        sums.append(jnp.sum(total * total) - total[k % 4])
    return total, jnp.stack(sums)


def in_pieces(
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    part: int,
    lanes: int,
    function=long_function,
):
    monkeypatch.setattr(outline, "BLOCK_AT_MOST", most)
    monkeypatch.setattr(outline, "PART", part)
    monkeypatch.setattr(cache, "load", lambda name: None)  # code cut otherwise
    return ph.compile(function, np.zeros(4), batched=True, lanes=lanes, backend="llvm")


@pytest.mark.parametrize("lanes", [1, 4])
def test_cut_and_whole_give_the_same_bits(monkeypatch, lanes):
    """Cutting a block changes where values rest between operations, and no value."""
    x = np.random.default_rng(3).normal(size=(7, 4))
    whole = in_pieces(monkeypatch, 10**9, 10**9, lanes)(x)
    for part in (1, 7, 300):
        cut = in_pieces(monkeypatch, 50, part, lanes)(x)
        for a, b in zip(whole, cut, strict=True):
            assert a.tobytes() == b.tobytes()


def search(x):
    """A loop of unknown length whose body uses what its condition has computed."""

    def miss(y):
        for k in range(12):
            y = jnp.sin(y * (1.0 + 0.1 * k)) + 0.3 * jnp.roll(y, 1)
        return y

    def goes_on(carry):
        return (jnp.sum(miss(carry[0]) ** 2) > 1e-3) & (carry[1] < 9)

    def turn(carry):
        return carry[0] - 0.3 * miss(carry[0]), carry[1] + 1

    return lax.while_loop(goes_on, turn, (x, 0))


@pytest.mark.parametrize("lanes", [1, 4])
def test_what_a_condition_computes_reaches_the_body(monkeypatch, lanes):
    """Head and body of a loop share values: those of a head in pieces, too."""
    x = np.random.default_rng(5).normal(size=(7, 4))
    made = {
        most: in_pieces(monkeypatch, most, 7, lanes, search)(x) for most in (20, 10**9)
    }
    for a, b in zip(*made.values(), strict=True):
        assert a.tobytes() == b.tobytes()
