"""Every model of the gallery runs, is audited, and has forms that agree."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from polhode.formulation.registry import FORMULATIONS
from polhode.models import GALLERY

pytestmark = pytest.mark.long
OPERATIONS = 1_000_000  # as traced, of a model's forms: some have minutes of them each


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_runs_and_its_ledger_balances(name):
    """A second from its start: all numbers finite, no joule lost, constraints kept."""
    start = ph.models.start(name)
    motion = ph.simulate(start.system, start, until=float(start.t) + 1.0)
    assert motion.outcome.is_complete
    assert np.all(np.isfinite(motion.q))
    assert np.all(np.isfinite(motion.z))
    ledger = motion.ledger()
    assert np.any(np.ptp(motion.q, axis=0) > 0)
    assert np.max(np.abs(ledger.balance)) <= ledger.promise
    if motion.system.constraints:
        assert ledger.constraint_violation.max() < 1e-9
        assert ledger.velocity_miss.max() < 1e-9


@pytest.mark.parametrize("name", GALLERY)
def test_a_model_passes_its_audit(name):
    """Actions and constraints name all their bodies, and all that acts is answered."""
    found = ph.audit(GALLERY[name]())
    assert found.is_sound, found


@pytest.mark.parametrize("name", GALLERY)
def test_the_forms_of_a_model_agree(name):
    """In accelerations and after a short motion; forms too many to make are named.

    Every form is compared, says why it does not apply, or is left out by name.
    """
    table = ph.compare(GALLERY[name](), operations=OPERATIONS)
    assert table.worst < 1e-7
    assert len(table.applied) >= 2
    assert len(table.rows) + len(table.left_out) == len(FORMULATIONS)
