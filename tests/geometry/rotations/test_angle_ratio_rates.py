"""The derivatives of the angle ratios, against mpmath on both sides of the seam."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from closeness import EPSILON
from polhode.geometry.rotations import angle_ratio_rates

EXACT = {
    "versine_ratio_rate": lambda a: (a * mpmath.sin(a) / 2 + mpmath.cos(a) - 1) / a**4,
    "sine_defect_ratio_rate": lambda a: (
        (3 * mpmath.sin(a) - 2 * a - a * mpmath.cos(a)) / (2 * a**5)
    ),
    "cotangent_defect_ratio_rate": lambda a: (
        ((a / 2 / mpmath.sin(a / 2)) ** 2 + a / 2 * mpmath.cot(a / 2) - 2) / (2 * a**4)
    ),
}


@pytest.mark.parametrize("name", EXACT)
def test_ratios_hold_their_digits(name):
    """Relative error below 60 ulp from 1e-6 to pi, across the change of branch."""
    kernel = getattr(angle_ratio_rates, name)
    grid = np.concatenate([np.geomspace(1e-6, 3.1, 60), [1.999999, 2.0, 2.000001]])
    with mpmath.workdps(80):
        for angle in grid:
            x = angle**2
            exact = EXACT[name](mpmath.sqrt(mpmath.mpf(x)))
            error = abs((mpmath.mpf(float(kernel(x))) - exact) / exact)
            assert error < 60 * EPSILON, angle


def test_limits_at_zero():
    """-1/24, -1/120 and 1/720, also where the square of the angle underflows."""
    assert float(angle_ratio_rates.versine_ratio_rate(np.array(0.0))) == -1 / 24
    assert float(angle_ratio_rates.sine_defect_ratio_rate(np.array(0.0))) == -1 / 120
    limit = float(angle_ratio_rates.cotangent_defect_ratio_rate(np.array(0.0)))
    assert limit == 1 / 720
