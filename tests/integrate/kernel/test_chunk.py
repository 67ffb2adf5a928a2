"""Time in chunks: how a run is cut changes no bit of it."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.integrate.kernel import chunk


def test_a_run_in_short_chunks_has_the_same_bits(monkeypatch):
    """Wide states make chunks of fewer attempts; so may any other."""
    # The description of a program does not know that the library's constants changed.
    monkeypatch.setattr("polhode.lowering.compile.description_key", lambda *_: None)
    runs = []
    for least in (chunk.ATTEMPTS, 16):
        monkeypatch.setattr(chunk, "LEAST_ATTEMPTS", least)
        monkeypatch.setattr(chunk, "ELEMENTS", 0)
        start = ph.models.start("double_pendulum")
        runs.append(ph.simulate(start.system, start, until=3.0))
    assert len(runs[0]) > 100
    assert np.array_equal(runs[0].t, runs[1].t)
    assert np.array_equal(runs[0].steps.x, runs[1].steps.x)
    assert np.array_equal(runs[0].steps.dense, runs[1].steps.dense)


def test_chunks_are_shorter_where_states_are_wide():
    """So that a program does not grow with their product."""
    assert chunk.attempts_of(4, 1) == chunk.ATTEMPTS
    assert chunk.attempts_of(600, 1) == 18
    assert chunk.attempts_of(600, 1, chunk.IN_LOOPS) == 145
    assert chunk.attempts_of(10**6, 3) == chunk.LEAST_ATTEMPTS
