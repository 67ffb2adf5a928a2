"""Bodies about a fixed point: heavy ones with an integral more, one that may not spin.

Integrals of Kovalevskaya (1889) and of Goryachev and Chaplygin (1900), the nutation of
Lagrange's top, Suslov's problem (1902).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

C, PULL = 1.0, 1.4  # moment about the third axis, m g l


@cache
def top() -> ph.System:
    """Moments (A, A, C) about the fixed point, the mass centre at (e, 0, l)."""
    A, e, l = (ph.Parameter(n, v) for n, v in (("A", 2.0), ("e", 0.7), ("l", 0.0)))
    body = ph.Body.from_inertia(
        "top", mass=2.0 / 9.81, inertia=(A, A, C), centre=(e, 0, l), about=(0, 0, 0)
    )
    tip = ph.Spherical("tip", ph.World().origin, body.origin)
    return ph.System([tip], [ph.Weight(9.81)], name="top")


def spun(w, leaning: float, **parameters: float) -> ph.results.Trajectory:
    quaternion = {"qw": np.cos(leaning / 2), "qy": np.sin(leaning / 2)}
    start = top().state(tip=quaternion, speeds={"tip": w})
    return ph.simulate(top(), start, until=5.0, rtol=1e-11, parameters=parameters)


def up(motion: ph.results.Trajectory) -> np.ndarray:
    """The upward direction in the body's axes (n, 3)."""
    return motion["top"].orientation[:, 2, :]


def test_the_integral_of_kovalevskaya():
    """A = B = 2 C, centre across: |(w1 + i w2)^2 - (m g l/C)(g1 + i g2)|^2 is kept."""
    motion = spun((0.5, 1.0, 2.0), 1.3)
    w, g = motion.z, up(motion)

    def kept(sign):
        own = (w[:, 0] + 1j * w[:, 1]) ** 2
        return np.abs(own + sign * PULL / C * (g[:, 0] + 1j * g[:, 1])) ** 2

    assert np.ptp(kept(-1.0)) < 1e-8 * kept(-1.0)[0]
    assert np.ptp(kept(1.0)) > 0.1 * kept(1.0)[0]  # the other sign is no integral


def test_the_integral_of_goryachev_and_chaplygin():
    """A = B = 4 C without vertical momentum: w3 (w1^2 + w2^2) - (m g l/C) w1 g3."""
    motion = spun((0.7, 0.4, 0.0), 0.0, A=4.0)
    w, g = motion.z, up(motion)
    kept = w[:, 2] * (w[:, 0] ** 2 + w[:, 1] ** 2) - PULL / C * w[:, 0] * g[:, 2]
    assert np.ptp(kept) < 1e-8
    assert np.ptp(w[:, 0] * g[:, 2]) > 0.1


def test_the_top_of_lagrange_nods_between_its_bounds():
    """u1 = k - sqrt(k^2 - 2 k u0 + 1), k = C^2 s^2/(4 A m g l): from a cusp at u0.

    u is the cosine of its lean.
    """
    lean, spin, A = 0.5, 12.0, 2.0
    motion = spun((0.0, 0.0, spin), lean, e=0.0, l=0.7, A=A)
    u0, k = np.cos(lean), (C * spin) ** 2 / (4 * A * PULL)
    u1 = k - np.sqrt(k * k - 2 * k * u0 + 1)
    u = motion.resampled(np.linspace(0.0, 5.0, 20001))["top"].orientation[:, 2, 2]
    assert_close(np.max(u), u0, rtol=1e-9)
    assert_close(np.min(u), u1, rtol=1e-6)


@pytest.mark.long
def test_the_body_of_suslov_ends_in_a_steady_turn():
    """w3 = 0 held in the body: energy is kept, and I13 w1 + I23 w2 goes to zero."""
    I = np.array([[1.0, 0, -0.2], [0, 1.4, -0.3], [-0.2, -0.3, 1.6]])
    body = ph.Body.from_inertia("body", mass=1.0, inertia=I)
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    held = ph.VelocityRows([ball], lambda q, t: (np.array([0.0, 0, 1]), 0.0))
    system = ph.System([ball], constraints=[held], name="Suslov")
    motion = ph.simulate(
        system, system.state(speeds={"ball": (0.5, -1, 0)}), until=40.0
    )
    w = motion.z
    energy = I[0, 0] * w[:, 0] ** 2 + I[1, 1] * w[:, 1] ** 2
    assert np.ptp(energy) < 1e-8 * energy[0]
    assert np.max(np.abs(w[:, 2])) < 1e-12
    rest = I[0, 2] * w[:, 0] + I[1, 2] * w[:, 1]
    assert abs(rest[0]) > 0.1
    assert abs(rest[-1]) < 1e-6
