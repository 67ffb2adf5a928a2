"""Loops in turn change one array where nobody looks at what was before."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from polhode.lowering.ir.prepare import Prepared
from polhode.lowering.ir.schedule import find_live
from polhode.lowering.ir.strided_views import roots_of
from polhode.lowering.trace.trace import closed_jaxpr, double_precision

SIZE = 200  # elements: they lie in memory and are not named one by one


def changed(x, amount):
    return lax.fori_loop(0, SIZE - 1, lambda i, a: a.at[i].add(amount * a[i + 1]), x)


def copies(function):
    """How often an array in memory is copied from another."""
    with double_precision():
        jaxpr = closed_jaxpr(function, np.arange(SIZE, dtype=float))[0]
    program = Prepared(jaxpr, "zeros").program
    nodes = find_live(roots_of(program.outputs)).nodes
    sources = [node.data[1].source for node in nodes if node.op == "copy_all"]
    return sum(source is not None and source.kind == "memory" for source in sources)


@pytest.mark.parametrize("loops", [2, 5])
def test_loops_in_turn_work_in_one_place(loops):
    """However many there are, the array is copied once, from the argument."""

    def function(x):
        for k in range(loops):
            x = changed(x, 0.1 * k + 0.1)
        return x

    assert copies(function) == 0


def test_what_is_asked_again_is_kept():
    """A loop that begins with an array which another asks for has a copy of its own."""

    def function(x):
        first = changed(x, 0.5)
        second = changed(first, 0.25)
        return second + lax.fori_loop(0, SIZE, lambda i, s: 0.5 * s + first[i], 0.0)

    def two_from_one(x):
        first = changed(x, 0.5)
        return changed(first, 0.25), changed(first, 0.75)

    assert copies(function) == 1
    assert copies(two_from_one) == 1


def test_what_is_given_back_is_kept():
    """An output is stored when all has run."""

    def function(x):
        first = changed(x, 0.5)
        return first, jnp.sum(changed(first, 0.25)[:3])

    assert copies(function) == 1
