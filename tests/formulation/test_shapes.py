"""Forms take and give arrays of the shapes that their kernels say."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import polhode as ph
from polhode.formulation.solve import equations_of_motion
from shapes import WrongShape, shapes_held

FORMS = ("gauss", "lagrange", "kane", "gibbs_appell", "newton_euler", "recursive")


@pytest.mark.parametrize("form", FORMS)
def test_a_form_has_its_shapes(form):
    """The accelerations of a closed loop, traced: rows, reactions and mass matrix."""
    system = ph.models.four_bar()
    state = ph.models.start("four_bar")
    with shapes_held("formulation", "joints", "geometry") as count:
        assert count > 100
        equations = getattr(ph, form)(system)
        core = equations.functions
        y = core.start(state.t, state.q, state.z, system.table({}))
        with jax.enable_x64(True):
            jax.eval_shape(
                lambda t, q, y: core.accelerations(t, q, y, system.table({})),
                *(np.asarray(x, float) for x in (state.t, state.q, y)),
            )


def test_rows_of_another_length_are_met():
    """Right-hand sides that do not belong to the rows."""
    natural = equations_of_motion.NaturalSizes(np.ones(2), np.ones(1))
    with (
        shapes_held("formulation"),
        pytest.raises(WrongShape, match="g of"),
        jax.enable_x64(True),
    ):
        equations_of_motion.solve_constrained(
            np.eye(2), np.ones(2), np.ones((1, 2)), np.ones(3), natural
        )
