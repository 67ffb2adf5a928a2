"""What methods step, where there is much of it."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.formulation.solve.ordering import FEW
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
