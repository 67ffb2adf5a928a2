"""Pages that say what is in scope and which form to choose say it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.formulation.registry import FORMULATIONS

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.row("D-22")
def test_the_scope_page_leaves_continua_out():
    """Only rigid resultants of continuous media enter; a page says so."""
    page = " ".join((DOCS / "scope.md").read_text().split())
    assert "Continuous media are outside" in page
    assert "only the resultant force and moment on a rigid body enter" in page
    assert "Deformable bodies are approximated by lumps" in page


@pytest.mark.row("L-24")
def test_the_page_of_forms_names_them_and_the_choice_is_automatic():
    """II for few freedoms without reactions, I for generic models; trees run fast."""
    page = (DOCS / "choosing-a-form.md").read_text()
    for word in ("first kind", "second kind", "reactions", "generic"):
        assert word in page
    for function in FORMULATIONS.values():
        name = getattr(function, "__name__", "")
        if hasattr(ph, name):
            assert f"ph.{name}" in page, name
    ball = ph.Particle("ball", 1.0)
    system = ph.System([ball], [ph.Weight(9.81)], name="fall")
    motion = ph.simulate(system, system.state(), until=0.1)
    assert motion.equations.name == "recursive"
    assert np.isclose(motion.final.q[2], -9.81 * 0.005)
