"""Two bodies about each other: conics, and Kepler's laws."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.errors import StateError

MASSES = (3.0, 1.0)
MU = sum(MASSES)
# The speed across at distance 1, of which sqrt(2 mu) is that of escape.
KINDS = {
    "circle": np.sqrt(MU),
    "ellipse": 1.2 * np.sqrt(MU),
    "parabola": np.sqrt(2 * MU),
    "hyperbola": 1.7 * np.sqrt(MU),
}


@cache
def pair() -> ph.System:
    """Two particles that attract each other, the constant of gravitation being 1."""
    bodies = [ph.Particle(name, m) for name, m in zip("ab", MASSES, strict=True)]
    masses = [ph.PointMass.of(body) for body in bodies]
    return ph.System(bodies, [ph.Gravitation(masses, 1.0)], name="two bodies")


def start(speed: float) -> ph.State:
    """At distance 1, moving across in a tilted plane; the mass centre at rest."""
    share = MASSES[1] / MU, -MASSES[0] / MU
    r, v = np.array([1.0, 0.0, 0.0]), speed * np.array([0.0, 0.8, 0.6])
    places = {name: -part * r for name, part in zip("ab", share, strict=True)}
    speeds = {name: -part * v for name, part in zip("ab", share, strict=True)}
    return pair().state(places, speeds=speeds)


def moved(kind: str, until: float, rtol: float = 1e-13) -> ph.results.Trajectory:
    method = ph.methods.DormandPrince8(rtol=rtol)
    times = np.linspace(0, until, 201)
    return ph.simulate(
        pair(), start(KINDS[kind]), until=until, method=method, samples=times
    )


def relative(run: ph.results.Trajectory) -> tuple[np.ndarray, np.ndarray]:
    return run.q[:, 3:] - run.q[:, :3], run.z[:, 3:] - run.z[:, :3]


@pytest.mark.row("D-32")
@pytest.mark.parametrize("kind", KINDS)
def test_two_bodies_move_on_conics(kind):
    """r = p/(1 + e cos nu) with p = h^2/mu; E, h and the eccentricity vector hold.

    The motion of both bodies is that of one of reduced mass; its energy says the kind.
    """
    run = moved(kind, 6.0)
    r, v = relative(run)
    orbit = ph.formations.Orbit.from_state(r[0], v[0], MU)
    assert orbit.kind == kind
    near, ahead, up = orbit.axes
    distance = np.linalg.norm(r, axis=1)
    nu = np.arctan2(r @ ahead, r @ near)
    conic = orbit.parameter / (1 + orbit.eccentricity * np.cos(nu))
    assert np.max(np.abs(distance / conic - 1)) < 1e-9
    assert np.max(np.abs(r @ up)) < 1e-9
    h = np.cross(r, v)
    assert np.allclose(h, h[0], rtol=0, atol=1e-9)
    assert abs(np.linalg.norm(h[0]) ** 2 / MU - orbit.parameter) < 1e-12
    pull = np.cross(v, h) / MU - r / distance[:, None]
    assert np.allclose(pull, orbit.eccentricity * near, rtol=0, atol=1e-9)
    energy = np.sum(v * v, axis=1) / 2 - MU / distance
    assert np.allclose(energy, orbit.energy, rtol=0, atol=1e-9)
    assert np.sign(round(energy[0], 9)) == {"hyperbola": 1, "parabola": 0}.get(kind, -1)
    reduced = MASSES[0] * MASSES[1] / MU
    assert np.allclose(run.ledger().kinetic, reduced * np.sum(v * v, axis=1) / 2)


@pytest.mark.row("D-33")
def test_keplers_laws():
    """Both bodies on ellipses about the mass centre, equal areas, T^2 = 4 pi^2 a^3/mu.

    The sum of the distances from the two foci is 2 a.
    """
    r, v = relative(moved("ellipse", 0.1))
    orbit = ph.formations.Orbit.from_state(r[0], v[0], MU)
    run = moved("ellipse", orbit.period)
    r, v = relative(run)
    a = orbit.semi_major_axis
    assert abs(orbit.period**2 / a**3 / (4 * np.pi**2 / MU) - 1) < 1e-10
    assert np.allclose(run.q[-1], run.q[0], rtol=0, atol=1e-10)
    sums = sum(np.linalg.norm(r - focus, axis=1) for focus in orbit.foci)
    assert np.allclose(sums, 2 * a, rtol=1e-10)
    areas = np.linalg.norm(np.cross(r, v), axis=1) / 2
    assert np.allclose(areas, orbit.areal_velocity, rtol=1e-10)
    for k, share in ((0, MASSES[1] / MU), (1, MASSES[0] / MU)):
        own = run.q[:, 3 * k : 3 * k + 3]
        sign = -1 if k == 0 else 1
        sums = sum(np.linalg.norm(own - sign * share * f, axis=1) for f in orbit.foci)
        assert np.allclose(sums, 2 * a * share, rtol=1e-10)


@pytest.mark.parametrize("periods", [10, pytest.param(1000, marks=pytest.mark.long)])
def test_an_ellipse_closes_again_and_again(periods):
    """After many periods the place is the first one; its error grows as their square.

    A fixed step of a symplectic method keeps the energy in bounds as long.
    """
    r, v = relative(moved("ellipse", 0.1))
    orbit = ph.formations.Orbit.from_state(r[0], v[0], MU)
    run = moved("ellipse", periods * orbit.period)
    assert np.max(np.abs(run.q[-1] - run.q[0])) < 1e-11 * periods**2
    step = orbit.period / 200
    verlet = ph.methods.Composed(ph.methods.StormerVerlet(step), order=4)
    until = periods * orbit.period
    held = ph.simulate(pair(), start(KINDS["ellipse"]), until=until, method=verlet)
    balance = np.abs(held.ledger().balance)
    early = np.max(balance[: len(balance) // 10])
    assert np.max(balance) < 1.5 * early + 1e-12
    assert early < 1e-4


@pytest.mark.parametrize("tilt", [0.0, 1e-3, 1.2, np.pi])
@pytest.mark.parametrize("eccentricity", [0.0, 1e-6, 0.3, 1.0, 2.5])
def test_elements_and_states_are_the_same(eccentricity, tilt):
    """A state gives elements that give the state, where angles have no origin too."""
    orbit = ph.formations.Orbit(2.0, 1.5, eccentricity, tilt, 0.4, -0.9, 0.7)
    r, v = orbit.state
    again = ph.formations.Orbit.from_state(r, v, 2.0)
    assert np.allclose(again.state, (r, v), rtol=0, atol=1e-10)
    assert abs(again.eccentricity - eccentricity) < 1e-10
    assert abs(np.linalg.norm(v) ** 2 / 2 - 2.0 / np.linalg.norm(r) - orbit.energy) < (
        1e-12
    )


def test_what_is_no_orbit_is_refused():
    """Falls along a line, elements below zero, places beyond the asymptotes."""
    for r, v in [
        ((0, 0, 0), (1, 0, 0)),
        ((1, 0, 0), (0, 0, 0)),
        ((1, 0, 0), (2, 0, 0)),
    ]:
        with pytest.raises(StateError, match=r"are on no orbit"):
            ph.formations.Orbit.from_state(r, v, 1.0)
    with pytest.raises(StateError, match=r"eccentricity = -0\.1"):
        ph.formations.Orbit(1.0, 1.0, -0.1)
    with pytest.raises(StateError, match=r"parameter = -2"):
        ph.formations.Orbit(1.0, -2.0, 0.1)
    with pytest.raises(StateError, match=r"no place at anomaly 3 rad"):
        ph.formations.Orbit(1.0, 1.0, 2.0, anomaly=3.0)
    with pytest.raises(StateError, match=r"cannot have mu = nan"):
        ph.formations.Orbit(np.nan, 1.0, 0.1)
