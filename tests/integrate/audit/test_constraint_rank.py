"""The rank of constraints along a motion."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

import overconstrained as over
import polhode as ph
from polhode.errors import NumericalWarning
from polhode.integrate.audit.constraint_rank import rank_along
from polhode.models.mechanisms.four_bars import four_bars, start


@cache
def bars() -> ph.System:
    """One parallelogram, compiled once."""
    return four_bars(1)


def test_a_parallelogram_that_lies_flat_loses_a_row_for_an_instant():
    """Uprights fall from upright to flat: there the rank changes, and is reported."""
    system = bars()
    motion = ph.simulate(system, start(system), until=1.2)
    found = rank_along(motion)
    assert found.rank == 2
    assert len(found.times) >= 1
    state = motion.at(found.times[0])
    lean = np.asarray(state.q)[0]
    assert abs(abs(lean) - np.pi / 2) < 1e-3
    assert found.margins.max() > 0.5


def test_a_motion_that_ends_flat_ends_with_a_row_less():
    """The ledger has the rank at both ends, and its table shows what was lost."""
    system = bars()
    flat = ph.Event("flat", lambda t, state: state["A0"] - np.pi / 2, terminal=True)
    motion = ph.simulate(system, start(system), until=2.0, events=flat)
    ledger = motion.ledger()
    assert ledger.ranks == (2, 1)
    assert re.search(r"rank of constraints +2 +1 +-1", repr(ledger))
    sampled = ph.simulate(system, start(system), until=1.2, samples=7)
    assert rank_along(sampled).times == ()


def test_a_swing_far_from_flat_keeps_its_rank():
    """Near upright, for a short time, nothing is lost."""
    system = bars()
    motion = ph.simulate(system, start(system), until=0.3)
    found = rank_along(motion)
    assert found.times == ()
    assert set(found.ranks) == {2}


@cache
def turning() -> tuple[ph.System, ph.State]:
    """Bennett's ring, of five closing rows two count, and a start that moves."""
    system = over.ring(over.bennett())
    return system, ph.assemble(system, {}, speeds={"1": 1.0}).state


def test_a_ring_that_drifts_open_keeps_its_rank():
    """Without projection repeated rows come apart: they are no more rows for that."""
    system, start = turning()
    loose = ph.methods.Unprojected(ph.methods.RungeKutta4(step=0.02))
    motion = ph.simulate(system, start, until=1.0, method=loose)
    with pytest.warns(NumericalWarning, match="energy of 'ring' is out of balance"):
        ledger = motion.ledger()
    assert ledger.constraint_violation.max() > 1e-7
    assert ledger.ranks == (2, 2)
    found = rank_along(motion)
    assert (set(found.ranks), found.times) == ({2}, ())
    assert ph.mobility(system, motion.final).freedoms == 1


def test_a_ring_that_is_kept_closed_is_not_warned_of():
    """Three of its five equations are redundant, and nothing is out of balance."""
    system, start = turning()
    ledger = ph.simulate(system, start, until=1.0, rtol=1e-6).ledger()
    assert ledger.ranks == (2, 2)
    assert 0 < np.max(np.abs(ledger.balance)) < ledger.promise < 0.1 * ledger.scale
