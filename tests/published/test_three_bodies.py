"""Three bodies that keep their figure, and seven stars.

Euler (1767): a line; Lagrange (1772): a triangle of equal sides; Routh (1875): its
stability. The stars are the problem Pleiades of Hairer, Nørsett and Wanner, with the
end values of the test set for IVP solvers (Mazzia and Magherini).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

MASSES = np.array([1.0, 2.0, 3.0])


@cache
def three() -> ph.System:
    """Masses 1, 2 and 3, G = 1."""
    stars = [ph.Particle(n, m) for n, m in zip("abc", MASSES, strict=True)]
    pull = ph.Gravitation([ph.PointMass.of(star) for star in stars], 1.0)
    return ph.System(stars, [pull], name="three bodies")


def triangle(rate: float) -> np.ndarray:
    """Places (3, 3) about the mass centre: sides d with rate^2 = M/d^3."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0.5, np.sqrt(0.75), 0]])
    corners = corners - MASSES @ corners / MASSES.sum()
    return corners * np.cbrt(MASSES.sum() / rate**2)


def turning(places: np.ndarray, rate: float) -> ph.State:
    speeds = rate * np.cross([0, 0, 1], places)
    return three().state(
        dict(zip("abc", places, strict=True)),
        speeds=dict(zip("abc", speeds, strict=True)),
    )


def test_the_triangle_of_lagrange_and_its_rates():
    """s^4 + w^2 s^2 + 27/4 k w^4 = 0, k = sum m_i m_j/M^2: it falls if 27 k > 1."""
    rate = 1.3
    state = turning(triangle(rate), rate)
    pulls = ph.recursive(three()).accelerations(state).reshape(3, 3)
    assert_close(pulls, -(rate**2) * triangle(rate), rtol=1e-12)
    a, b, c = MASSES
    k = (a * b + b * c + c * a) / MASSES.sum() ** 2
    squares = rate**2 * (-1 + np.array([1, -1]) * np.sqrt(1 - 27 * k + 0j)) / 2
    verdict = ph.stability(three(), state)
    values = verdict.spectrum.values
    for s in np.sqrt(squares):
        assert np.min(np.abs(values - s)) < 1e-7 * abs(s)
    # That the whole drifts, and that modes meet at its rate, does not hide the fall.
    assert verdict.verdict == "unstable"
    assert "grows e-fold every" in verdict.reason
    assert_close(verdict.numbers["abscissa"], np.max(np.sqrt(squares).real), rtol=1e-7)


@pytest.mark.long
def test_three_bodies_turn_as_one():
    """A turn of all carries particles: Euler's line is found and is unstable."""
    assert "turn z" in ph.symmetries(three())
    near = three().state(a=(-1.5, 0, 0), b=(0, 0, 0), c=(1.2, 0, 0))
    found = ph.steady_motions(three(), {"turn z": 1.0}, near, starts=1)[0]
    x = found.state.q.reshape(3, 3)[:, 0]
    # Euler's equation of the fifth degree in the ratio of distances.
    a, b, c = MASSES
    r = (x[2] - x[1]) / (x[1] - x[0])
    powers = (a + b, 3 * a + 2 * b, 3 * a + b, -b - 3 * c, -2 * b - 3 * c, -b - c)
    assert_close(np.polyval(powers, r), 0.0, atol=1e-9)
    assert found.stability().verdict == "unstable"


@pytest.mark.long
def test_seven_stars_end_where_they_should():
    """Masses 1 to 7 in a plane, close encounters on the way; after 3 the printed end.

    Halving the exponent of the tolerance moves the end away.
    """
    x, y = (3, 3, -1, -3, 2, -2, 2), (3, -3, 2, 0, 0, -4, 4)
    u, v = (0, 0, 0, 0, 0, 1.75, -1.5), (0, 0, 0, -1.25, 1, 0, 0)
    stars = [ph.Particle(f"star {k}", k) for k in range(1, 8)]
    pull = ph.Gravitation([ph.PointMass.of(star) for star in stars], 1.0)
    system = ph.System(stars, [pull], name="Pleiades")
    flat = np.zeros(7)
    start = ph.State(
        system,
        0.0,
        np.stack([x, y, flat], 1).ravel(),
        np.stack([u, v, flat], 1).ravel(),
    )
    ends = [(0.3706139143970502, -3.943437585517392)]
    ends += [(3.237284092057233, -3.271380973972550)]
    ends += [(-3.222559032418324, 5.225081843456543)]
    ends += [(0.6597091455775310, -2.590612434977470)]
    ends += [(0.3425581707156584, 1.198213693392275)]
    ends += [(1.562172101400631, -0.2429682344935824)]
    ends += [(-0.7003092922212495, 1.091449240428980)]
    misses = []
    for rtol in (1e-9, 1e-12):
        end = ph.simulate(system, start, until=3.0, rtol=rtol, samples=2).final
        misses.append(np.max(np.abs(end.q.reshape(7, 3)[:, :2] - ends)))
    assert misses[1] < 1e-9
    assert misses[0] > 10 * misses[1]
