"""A chain of links written with dense 6x6 blocks: what the compiler makes of it."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from benchmarks.models.chain import Chain, forward_dynamics

import polhode as ph
from closeness import assert_close
from polhode.lowering.trace.trace import double_precision


def compiled(links: int) -> tuple[ph.results.Program, tuple, np.ndarray]:
    """Accelerations of a chain, a state of it, and what XLA gives there."""
    chain, source = Chain(links), np.random.default_rng(links)
    state = tuple(0.3 * source.normal(size=(3, links)))

    def accelerations(q, v, tau):
        return forward_dynamics(chain, q, v, tau)

    with double_precision():
        theirs = np.asarray(jax.jit(accelerations)(*state))
    return ph.compile(accelerations, *state, backend="llvm"), state, theirs


def test_structural_zeros_of_dense_blocks_vanish():
    """Seven links of dense 6x6 code fold to what one would write by hand."""
    program, state, theirs = compiled(7)
    assert program.report().operations_before <= 2300
    assert_close(program(*state), theirs, rtol=1e-10)


@pytest.mark.timeout(120)
def test_a_thousand_links_stay_loops_and_compile_in_seconds():
    """Code does not grow with the number of links."""
    program, state, theirs = compiled(1000)
    report = program.report()
    assert report.loops >= 3
    assert report.operations_before <= 2300
    assert report.compile_seconds < 20  # 1.3 s on a quiet machine
    assert_close(program(*state), theirs, rtol=1e-7)
