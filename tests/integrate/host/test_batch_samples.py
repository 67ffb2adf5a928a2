"""Samples in the loop: the bits of runs alone, however many lie in a step."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph

EIGHTH, FIFTH = ph.methods.DormandPrince8(1e-8), ph.methods.DormandPrince(1e-6)


@pytest.mark.parametrize(
    ("name", "method", "until", "samples"),
    [
        ("double_pendulum", EIGHTH, 2.0, 300),
        ("double_pendulum", FIFTH, -1.0, [0.0, -0.3, -0.3001, -1.0]),
        ("tennis_racket", EIGHTH, 5.0, 40),
        pytest.param("satellite", EIGHTH, 5.0, 40, marks=pytest.mark.long),
    ],
)
def test_samples_have_the_bits_of_runs_alone(name, method, until, samples):
    """Samples taken inside the loop of many runs are those of a run that halts."""
    start, draw = ph.models.start(name), np.random.default_rng(3)
    z = start.z + 0.2 * draw.normal(size=(9, len(start.z)))
    states = ph.States(start.system, 0.0, np.tile(start.q, (9, 1)), z)
    given = {"until": until, "method": method, "samples": samples}
    many = ph.sweep(start.system, states, **given)
    for k in range(9):
        alone = ph.sweep(start.system, states.part(slice(k, k + 1)), **given)
        np.testing.assert_array_equal(many.t[k], alone.t[0])
        np.testing.assert_array_equal(many.q[k], alone.q[0])
        np.testing.assert_array_equal(many.z[k], alone.z[0])
