"""Added mass of ellipsoids: published numbers, closed forms, independent quadrature."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from polhode.matter.added_mass import (
    added_mass_coefficients,
    ellipsoid_added_mass,
    ellipsoid_integrals,
    spheroid_added_mass,
)

axes = st.lists(st.floats(0.05, 20), min_size=3, max_size=3).map(np.array)

# c/a: axial, broadside, rotational (Lamb, R&M 623; Imlay 1961), exact to ten digits.
LAMB = {
    1.5: (0.3037494476, 0.6220844089, 0.0951243489),
    2.0: (0.2100150490, 0.7042104259, 0.2394238932),
    2.99: (0.1225295611, 0.8031747104, 0.4638936580),
    4.99: (0.0592942192, 0.8939838511, 0.6991025833),
    9.97: (0.0208034387, 0.9600551050, 0.8830228667),
}


def prolate(ratio):
    """alpha along and across of a prolate spheroid, by logarithms."""
    e = mpmath.sqrt(1 - 1 / mpmath.mpf(ratio) ** 2)
    log = mpmath.log((1 + e) / (1 - e))
    along = 2 * (1 - e**2) / e**3 * (log / 2 - e)
    return along, 1 / e**2 - (1 - e**2) / (2 * e**3) * log


def oblate(ratio):
    """alpha along and across of an oblate spheroid (ratio < 1), by an arc sine."""
    z = mpmath.mpf(ratio)
    e = mpmath.sqrt(1 - z**2)
    root = mpmath.sqrt(1 - e**2)
    along = 2 / e**2 * (1 - root / e * mpmath.asin(e))
    return along, (root / e**3) * (mpmath.asin(e) - e * root)


@pytest.mark.parametrize("ratio", LAMB)
def test_lambs_table_of_prolate_spheroids(ratio):
    """k1, k2 and k' of the published table."""
    masses, moments = added_mass_coefficients(np.array([1.0, 1.0, ratio]))
    rotational = moments[0] / ((1 + ratio**2) / 5)
    found = [masses[2], masses[0], rotational]
    assert_close(found, LAMB[ratio], rtol=0, atol=6e-11)
    assert moments[2] == 0


@pytest.mark.parametrize("ratio", [1 + 1e-7, 1.001, 1.5, 2, 5, 30, 1000])
def test_prolate_oblate_and_integral_agree(ratio):
    """Logarithms, arc sines and the duplication give the same to 1e-12."""
    with mpmath.workdps(60):
        for z, closed in ((ratio, prolate(ratio)), (1 / ratio, oblate(1 / ratio))):
            exact = [float(a) for a in (closed[1], closed[1], closed[0])]
            alpha, _ = ellipsoid_integrals(np.array([1.0, 1.0, z]))
            assert np.max(np.abs(alpha / exact - 1)) < 1e-12 * max(1, ratio * 1e-3)


@given(axes)
def test_integrals_meet_adaptive_quadrature(half_axes):
    """alpha sums to 2; alpha and W are Carlson's and the defining integrals."""
    from scipy.special import elliprd

    alpha, W = ellipsoid_integrals(half_axes)
    assert_close(np.sum(alpha), 2.0, rtol=1e-14)
    squares, volume = half_axes**2, np.prod(half_axes)
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        carlson = 2 / 3 * volume * elliprd(squares[i], squares[j], squares[k])
        assert_close(alpha[k], carlson, rtol=1e-13)
        gap = squares[i] - squares[j]
        scale = max(alpha[i], alpha[j])
        assert_close(W[k] * gap, alpha[j] - alpha[i], atol=4e-15 * scale)


def test_pair_integral_is_right_where_the_difference_quotient_is_not():
    """W of nearly equal axes against forty digits, where subtraction keeps none."""
    a = [mpmath.mpf(1), mpmath.mpf(1) + mpmath.mpf(2) ** -50, mpmath.mpf("0.3")]
    _, W = ellipsoid_integrals(np.array([float(x) for x in a]))
    with mpmath.workdps(40):
        x, y, z = (v**2 for v in a)

        def f(u):
            t = mpmath.e**u
            root = mpmath.sqrt((x + t) * (y + t) * (z + t))
            return t / ((x + t) * (y + t) * root)

        exact = a[0] * a[1] * a[2] * mpmath.quad(f, range(-60, 61, 6))
    assert_close(W[2], float(exact), rtol=1e-14)


def test_a_sphere_carries_half_the_displaced_mass():
    """k = 1/2 in all directions, and turning moves no fluid."""
    matrix = ellipsoid_added_mass(np.full(3, 0.7), 1000.0)
    displaced = 4 / 3 * np.pi * 0.7**3 * 1000
    assert_close(matrix, np.diag([0, 0, 0, 0.5, 0.5, 0.5]) * displaced, rtol=1e-14)


def test_thin_disc_limit():
    """A flat disc moves 8/3 rho r^3 broadside and 16/45 rho r^5 in turning over."""
    matrix = spheroid_added_mass(1e-9, 2.0, 3.0)
    assert_close(matrix[5, 5], 8 / 3 * 3.0 * 2.0**3, rtol=1e-8)
    assert_close(matrix[0, 0], 16 / 45 * 3.0 * 2.0**5, rtol=1e-8)
    assert_close(matrix[3, 3], 0.0, atol=1e-7)


@given(axes, st.floats(1e-3, 1e3))
def test_coefficients_have_no_unit_and_no_favourite_axis(half_axes, scale):
    """Scaled axes give the same k and scaled k'; permuted axes give permuted ones."""
    masses, moments = added_mass_coefficients(half_axes)
    bigger = added_mass_coefficients(half_axes * scale)
    assert_close(bigger[0], masses, rtol=1e-12)
    assert_close(bigger[1], moments * scale**2, rtol=1e-11)
    turned = added_mass_coefficients(np.roll(half_axes, 1))
    assert_close(turned[0], np.roll(masses, 1), rtol=1e-14)
    assert_close(turned[1], np.roll(moments, 1), rtol=1e-13)
    assert np.all(masses > 0)
    assert np.all(moments >= 0)
