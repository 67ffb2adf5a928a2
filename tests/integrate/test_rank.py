"""The rank of constraints along a motion."""

from __future__ import annotations

import numpy as np

import polhode as ph
from polhode.integrate.rank import rank_along
from polhode.models.four_bars import four_bars, start


def test_a_parallelogram_that_lies_flat_loses_a_row_for_an_instant():
    """Uprights fall from upright to flat: there the rank changes, and is reported."""
    system = four_bars(1)
    motion = ph.simulate(system, start(system), until=1.2)
    found = rank_along(motion)
    assert found.rank == 2
    assert len(found.times) >= 1
    state = motion.at(found.times[0])
    lean = np.asarray(state.q)[0]
    assert abs(abs(lean) - np.pi / 2) < 1e-3
    assert found.margins.max() > 0.5


def test_a_swing_far_from_flat_keeps_its_rank():
    """Near upright, for a short time, nothing is lost."""
    system = four_bars(1)
    motion = ph.simulate(system, start(system), until=0.3)
    found = rank_along(motion)
    assert found.times == ()
    assert set(found.ranks) == {2}
