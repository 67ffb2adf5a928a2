"""Every model of the gallery runs, is audited, and has forms that agree."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.cli.audit import _findings
from polhode.models import GALLERY

pytestmark = pytest.mark.long
LARGE = 12  # speeds, beyond which some forms take minutes to compile


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_runs_and_its_ledger_balances(name):
    """A second from its start: all numbers finite, no joule lost, constraints kept."""
    start = ph.models.start(name)
    motion = ph.simulate(start.system, start, until=float(start.t) + 1.0)
    assert motion.outcome.is_complete
    assert np.all(np.isfinite(motion.q))
    assert np.all(np.isfinite(motion.z))
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    if motion.system.constraints:
        assert ledger.position_miss.max() < 1e-9
        assert ledger.velocity_miss.max() < 1e-9


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_is_invariant(name):
    """Actions and constraints name every body that they are about."""
    assert all(finding["is_invariant"] for finding in _findings(GALLERY[name]()))


@pytest.mark.parametrize("name", GALLERY)
def test_the_forms_of_a_model_agree(name):
    """In accelerations and after a short motion; of a large one, those that are quick.

    Every form is there or says why it does not apply.
    """
    system = GALLERY[name]()
    large = system.speeds > LARGE
    table = ph.compare(system, seconds=100.0 if large else np.inf)
    assert table.worst < 1e-7
    assert len(table.applied) >= (1 if large else 5)
    assert large or not table.left_out
