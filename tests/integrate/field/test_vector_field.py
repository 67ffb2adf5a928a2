"""What methods step, where there is much of it."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.formulation.solve.ordering import FEW
from polhode.integrate.field.vector_field import field_of
from polhode.lowering.compile import compile
from polhode.models.mechanisms.four_bars import four_bars, start
from polhode.system.rolled import size


@pytest.mark.parametrize(
    "loops", [10, pytest.param(40, marks=pytest.mark.long)], ids=str
)
def test_a_long_row_of_four_bars_moves_as_one_pendulum(monkeypatch, loops):
    """All uprights stay parallel, and the loops closed, where solves are ordered."""
    # Such rows are loops over tables; others of as many unknowns are not.
    monkeypatch.setattr(size, "COUPLED_UNKNOWNS", 1000)
    system = four_bars(loops)
    assert system.speeds + len(system.row_names) > FEW
    motion = ph.simulate(system, start(system), until=0.5)
    ledger = motion.ledger()
    turns = [system.edge(f"A{k}").q.start for k in range(loops + 1)]
    assert np.ptp(motion.q[:, turns], axis=1).max() < 1e-9
    assert ledger.constraint_violation.max() < 1e-10
    assert np.ptp(ledger.energy) < 1e-8 * np.ptp(ledger.kinetic)


def test_a_projection_of_some_loops_is_written_once():
    """Code of a step that asks it twice, each with Newton's steps, is no longer."""
    system = four_bars(5)
    field, state = field_of(ph.recursive(system), {}), start(system)
    x = np.concatenate([state.q, state.z])

    def operations(times: int) -> int:
        def projected(x):
            for _ in range(times):
                x = field.projected(0.0, x).x
            return x

        return compile(projected, x, lanes=1).report().operations

    once = operations(1)
    assert operations(2) < 1.1 * once
    # Two matrices: one for places, one for speeds, each as long as an acceleration.
    of = field.accelerations
    n = system.coordinates
    slope = compile(lambda x: of(0.0, x[:n], x[n:]), x, lanes=1)
    assert once < 3 * slope.report().operations
