"""Elementary functions against mpmath: values, special values, coefficients."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from jax import lax

from chebyshev import interpolant
from elementary_points import COEFFICIENTS, LAWS, SPECIAL, mismatch, worst_ulps
from numpy_build import NumpyBuild, evaluated
from polhode.lowering.compile import compile
from polhode.lowering.elementary import ELEMENTARY
from polhode.lowering.ir.expand import Expander
from polhode.lowering.ir.graph import Graph

SPECIAL_PAIRS = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)


def bits(values: np.ndarray) -> np.ndarray:
    """What tells doubles apart, zeros of two signs included; all NaN are one."""
    return np.where(np.isnan(values), np.nan, values).view(np.int64)


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


@pytest.mark.parametrize("name", sorted(ELEMENTARY))
def test_native_code_computes_the_same_bits(name):
    """Compiled, in SIMD lanes or alone, a function is what its operations say."""
    law = LAWS[name]
    special = [SPECIAL] if law.arity == 1 else list(SPECIAL_PAIRS)
    args = [np.concatenate(pair) for pair in zip(law.points(), special, strict=True)]
    expected = evaluated(ELEMENTARY[name], *args)
    example = [0.5] * law.arity
    for lanes in (1, None):
        program = compile(
            getattr(lax, name), *example, backend="llvm", batched=True, lanes=lanes
        )
        assert np.array_equal(bits(program(*args)), bits(expected))


def test_sine_and_cosine_share_their_work():
    """Both cost little more than one of them: at most 45 operations on the way."""
    build = Expander(Graph())
    angle = build.graph.unique("load", "float64", ())
    ELEMENTARY["sin"](build, angle)
    alone = len(build.graph.top.table)
    ELEMENTARY["cos"](build, angle)
    assert len(build.graph.top.table) <= alone + 8
    counting = NumpyBuild()
    ELEMENTARY["sin"](counting, np.ones(1))
    assert counting.count <= 45
