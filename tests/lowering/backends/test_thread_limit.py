"""Limits on threads: of a process, or of what is called inside a block."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum
from polhode.errors import CompileError, IntegrationError
from polhode.lowering.backends import runner, threads
from polhode.lowering.backends.thread_limit import at_most_threads, thread_limit


def test_the_inner_limit_holds(monkeypatch):
    """A block's before the process's, and the outer one again afterwards."""
    monkeypatch.delenv("POLHODE_THREADS", raising=False)
    assert thread_limit() is None
    monkeypatch.setenv("POLHODE_THREADS", "3")
    assert thread_limit() == 3
    assert runner.available_threads() <= 3
    with at_most_threads(1):
        assert thread_limit() == 1
        with at_most_threads(None):
            assert thread_limit() == 1
    assert thread_limit() == 3
    for wrong in ("0", "many", "-1", "1.5"):
        monkeypatch.setenv("POLHODE_THREADS", wrong)
        with pytest.raises(CompileError, match="not a number of threads"):
            thread_limit()


def test_a_sweep_takes_so_many_threads_and_gives_the_same_bits(monkeypatch):
    """Programs that were compiled before obey, too."""
    taken = []
    pool = threads.Pool.run

    def counted(self, frame, pieces, count):
        taken.append(count)
        return pool(self, frame, pieces, count)

    monkeypatch.setattr(threads.Pool, "run", counted)
    monkeypatch.setattr(runner, "available_cores", lambda: 2)
    system, rng = double_pendulum(), np.random.default_rng(1)
    system = ph.System(*system.given, name="again")
    states = ph.States(system, 0.0, *rng.uniform(-1, 1, (2, 400, 2)))
    two = ph.sweep(system, states, until=1.0)
    assert max(taken) == 2
    taken.clear()
    one = ph.sweep(system, states, until=1.0, threads=1)
    assert max(taken, default=1) == 1
    assert np.array_equal(one.q, two.q)
    for wrong in (0, 1.5, "two", True):
        with pytest.raises(IntegrationError, match="cannot take"):
            ph.sweep(system, states, until=1.0, threads=wrong)
