"""Whipple's bicycle linearised from its bodies and wheels: Meijaard and others (2007).

M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer); Proc. R. Soc. A 463, 1955.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq

import polhode as ph
from closeness import assert_close
from polhode.models.rolling.bicycle import riding

M = [[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]
K0 = [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]]
K2 = [[0, 76.59734589573222], [0, 2.65431523794604]]
C1 = [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]
# v: castering, capsize, weave (real and imaginary parts; two real ones at rest)
EIGENVALUES = {
    0: (-5.530943717653936, -3.131643247906556, 3.131643247906556, 5.530943717653936),
    1: (
        *(-7.110080146374406, -3.134231250665784),
        3.526961709900692 + 0.807740275199311j,
    ),
    2: (
        *(-8.67387984831737, -3.071586456415142),
        2.682345175127454 + 1.680662965906759j,
    ),
    3: (
        *(-10.351014672459222, -2.633661372536652),
        1.706756056639736 + 2.315824473843246j,
    ),
    4: (
        *(-12.158614265764431, -1.429444273613257),
        0.413253315211239 + 3.079108186032058j,
    ),
    5: (
        *(-14.078389692798238, -0.322866429004089),
        -0.775341882195843 + 4.464867713788228j,
    ),
    6: (
        *(-16.085371230980275, -0.004066900769703),
        -1.526444865841421 + 5.876730605987091j,
    ),
    7: (
        *(-18.157884661252012, 0.102681705747663),
        -2.138756442583638 + 7.195259133298055j,
    ),
    8: (
        *(-20.279408943945644, 0.143278797657128),
        -2.693486835810955 + 8.460379713969346j,
    ),
    9: (
        *(-22.43788559040857, 0.157901840309171),
        -3.216754022524913 + 9.69377351531783j,
    ),
    10: (
        *(-24.624596350173977, 0.161053386531714),
        -3.720168404372875 + 10.906811394762883j,
    ),
}
WEAVE, CAPSIZE = 4.29238253634111, 6.02426201538837
KEPT = ("free.wx", "steer", "rear wheel")


@cache
def bicycle() -> ph.System:
    return ph.models.bicycle()


@cache
def linear(speed: float) -> ph.results.Linear:
    return ph.linearise(bicycle(), riding(bicycle(), speed), independent=KEPT)


def complete(values) -> np.ndarray:
    """Conjugates added, in order."""
    pairs = [v.conjugate() for v in values if np.iscomplex(v)]
    return np.sort_complex(np.array([*values, *pairs], complex))


def test_the_matrices_of_the_benchmark_come_from_the_bodies():
    """M, C1, K0 and K2 of lean and steer, from three speeds, to all printed digits."""
    rest, slow, fast = (linear(v).parts.of("free.wx", "steer") for v in (0, 2, 7))
    assert_close(rest.mass, M, rtol=1e-14)
    assert_close(fast.mass, M, rtol=1e-14)
    assert_close(slow.velocity / 2, C1, rtol=1e-13)
    assert_close(fast.velocity / 7, C1, rtol=1e-13)
    assert_close(rest.velocity, np.zeros((2, 2)), atol=1e-12)
    assert_close(rest.place / 9.81, K0, rtol=1e-13)
    assert_close((slow.place - rest.place) / 2**2, K2, rtol=1e-12)
    assert_close((fast.place - rest.place) / 7**2, K2, rtol=1e-12)


@pytest.mark.parametrize("speed", EIGENVALUES)
def test_the_eigenvalues_at_every_printed_speed(speed):
    """Weave, capsize and castering; all else of the ride is neutral: zeros."""
    spectrum = linear(speed).spectrum
    assert spectrum.zeros == 6
    found, expected = np.sort_complex(spectrum.values), complete(EIGENVALUES[speed])
    assert_close(found.real, expected.real, rtol=1e-12)
    assert_close(found.imag, expected.imag, atol=1e-11)


def test_the_speeds_between_which_it_rides_by_itself():
    """Weave ends at 4.292 m/s and capsize begins at 6.024 m/s, as printed."""

    def weave(v):
        values = linear(v).spectrum.values
        return np.max(values[np.abs(values.imag) > 1e-3].real)

    def capsize(v):
        """The product of all four; where it is zero a real one changes its sign."""
        return np.linalg.det(linear(v).parts.of("free.wx", "steer").place)

    assert abs(brentq(weave, 4.0, 4.6, xtol=1e-13) - WEAVE) < 1e-12
    assert abs(brentq(capsize, 5.8, 6.3, xtol=1e-13) - CAPSIZE) < 1e-11
    verdicts = [linear(v).stability().verdict for v in (4.2, 5.0, 6.1)]
    assert verdicts == ["unstable", "stable but for drift", "unstable"]


def test_the_ride_is_named_by_its_joints():
    """Speeds that are kept come first; forward motion is felt by neither of the two."""
    found = linear(5.0)
    assert found.speeds == KEPT
    assert found.coordinates[:3] == KEPT
    assert_close(found.parts.place[2], np.zeros(3), atol=1e-9)
    assert_close(found.parts.velocity[:2, 2], np.zeros(2), atol=1e-9)
    assert_close(found.parts.others, np.zeros((3, 4)), atol=1e-9)
    with pytest.raises(ph.PolhodeError, match="cannot be the independent speeds"):
        ph.linearise(bicycle(), riding(bicycle(), 5.0), independent=("steer",))
