"""Elementary functions against mpmath: values, special values, coefficients."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from chebyshev import interpolant
from elementary_points import COEFFICIENTS, LAWS, SPECIAL, mismatch, worst_ulps
from numpy_build import NumpyBuild, evaluated
from polhode.lowering.elementary import ELEMENTARY

SPECIAL_PAIRS = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)


def test_every_function_is_tested():
    """No elementary function escapes the comparison with mpmath."""
    assert set(LAWS) == set(ELEMENTARY)


@pytest.mark.parametrize("name", sorted(ELEMENTARY))
def test_values_are_right_to_a_few_units_of_the_last_place(name):
    """Over the whole range of doubles the error is at most the stated ulps."""
    law = LAWS[name]
    args = law.points()
    got = evaluated(ELEMENTARY[name], *args)
    worst, where = worst_ulps(got, law.exact, args)
    assert worst <= law.ulps, f"{name}{where}: {worst:.3f} ulp"


@pytest.mark.parametrize("name", sorted(ELEMENTARY))
def test_special_values_are_those_of_c99(name):
    """Zeros keep their signs; infinities, NaN and poles are as NumPy has them."""
    law = LAWS[name]
    args = [SPECIAL] if law.arity == 1 else list(SPECIAL_PAIRS)
    got = evaluated(ELEMENTARY[name], *args)
    with np.errstate(all="ignore"):
        expected = law.special(*args)
    assert not mismatch(got, expected, args, law.ulps)


@pytest.mark.parametrize("name", sorted(COEFFICIENTS))
def test_coefficients_follow_from_their_recipe(name):
    """Each table of coefficients is its function's interpolant, rounded."""
    table, function, low, high = COEFFICIENTS[name]
    with mpmath.workdps(80):
        assert list(table) == interpolant(function, low(), high(), len(table))


def test_sine_and_cosine_together_are_quick():
    """On the usual path a sine costs at most 45 operations, its cosine included."""
    build = NumpyBuild()
    ELEMENTARY["sin"](build, np.ones(1))
    assert build.count <= 45
