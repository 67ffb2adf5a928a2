"""Gravity of planets: fields, the motions they are known by, and digits far away."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies

import polhode as ph
from closeness import assert_close
from polhode.actions.action import third_law_residual
from polhode.actions.motion_arrays import Poses, Twists
from polhode.actions.space import harmonics
from polhode.actions.space.gravity_gradient import gradient_force, gradient_torque
from polhode.actions.space.third_body import third_body_acceleration
from polhode.actions.space.zonal_gravity import zonal_acceleration, zonal_potential
from polhode.double import doubled
from polhode.geometry.rotations import so3

SEEDS = strategies.integers(0, 2**32 - 1)
EARTH = ph.space.EARTH
J2, J3 = EARTH.zonals[:2]
PLACE = 7.0e6 * np.array([0.6, 0.48, 0.64])
YEAR = 365.2421897 * 86400


def direction(rng):
    """A random unit vector."""
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


# ------------------------------------------------------------------------ fields


@given(seed=SEEDS)
@settings(max_examples=25)
def test_a_zonal_field_is_the_slope_of_its_potential(seed):
    """g = -grad phi, J2 to J6, also at the poles."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(1.1, 5) * direction(rng) * (rng.random(3) > 0.2)
    x = x if np.any(x) else np.array([0, 0, 2.0])
    numbers = 1.0, 1.0, rng.normal(size=5)
    h = 1e-5 * np.linalg.norm(x) * np.eye(3)
    slope = [
        (zonal_potential(x + e, *numbers) - zonal_potential(x - e, *numbers))
        / (2 * e.sum())
        for e in h
    ]
    g = zonal_acceleration(x, *numbers)
    assert_close(-np.array(slope), g, rtol=1e-7)


def coefficients(degree, seed=0):
    """Random C and S of a size such as those of a planet, falling as 1/n^2."""
    rng = np.random.default_rng(seed)
    n = np.arange(degree + 1.0)[:, None]
    scale = 1e-2 / np.maximum(n, 1) ** 2
    C, S = (np.tril(scale * rng.normal(size=(degree + 1, degree + 1))) for _ in "CS")
    S[:, 0] = 0.0
    return C, S


@cache
def field_of(degree):
    """R grad U and U of such coefficients, as functions of x for R = 1."""
    tables = harmonics.harmonic_tables(*coefficients(degree))
    gradient = doubled(lambda x: harmonics.harmonic_gradient(x, 1.0, tables))
    return gradient, doubled(lambda x: harmonics.harmonic_sum(x, 1.0, tables))


def test_harmonics_are_those_of_scipy_at_degree_70():
    """The sum over all degrees and orders, by another library's functions."""
    from scipy.special import sph_harm_y

    C, S = coefficients(70)
    x = np.array([0.6, -0.7, 0.5])
    r = np.linalg.norm(x)
    n, m = (part.ravel() for part in np.mgrid[0:71, 0:71])
    inside = (m <= n) & (n > 0)
    n, m = n[inside], m[inside]
    Y = sph_harm_y(n, m, np.arccos(x[2] / r), np.arctan2(x[1], x[0]))
    Y = Y * np.sqrt(4 * np.pi * np.where(m > 0, 2, 1)) * (-1.0) ** m
    wanted = np.sum(r ** -(n + 1.0) * (C[n, m] * Y.real + S[n, m] * Y.imag))
    assert abs(field_of(70)[1](x) - wanted) < 1e-12 * abs(wanted)


@pytest.mark.parametrize("x", [(0, 0, 1.2), (0, 0, -1.2), (1e-9, 0, 1.2), (1, 1, 0.2)])
def test_harmonics_of_degree_70_have_their_slope_at_the_poles(x):
    """Nothing is divided by the distance from the axis."""
    gradient, potential = field_of(70)
    x = np.array(x, float)
    steps = 1e-6 * np.eye(3)
    slope = [(potential(x + e) - potential(x - e)) / 2e-6 for e in steps]
    assert_close(gradient(x), slope, rtol=1e-7)


def test_a_field_of_degree_70_is_one_short_loop():
    """The program does not grow with the degree."""
    found = []
    for degree in (3, 70):
        C, S = coefficients(degree)
        craft = ph.Particle("craft", 3.0)
        action = ph.space.HarmonicGravity(craft, ph.World().origin, C, S)
        program = ph.compile(lambda x, a=action: a.field(x, 0.1), PLACE, unroll=0)
        assert_close(program(PLACE), action.field(PLACE, 0.1), rtol=1e-13)
        found.append(program.report())
    assert found[0].operations == found[1].operations < 100
    assert found[1].loops == 1


def test_zonals_are_harmonics_of_order_zero():
    """C_n0 = -J_n/sqrt(2 n + 1), and a field without orders does not turn."""
    C = np.zeros((7, 7))
    n = np.arange(2, 7)
    C[n, 0] = -np.array(EARTH.zonals) / np.sqrt(2 * n + 1)
    craft, centre = ph.Particle("craft", 3.0), ph.World().origin
    one = ph.space.ZonalGravity(craft, centre)
    other = ph.space.HarmonicGravity(craft, centre, C, 0 * C)
    for t in (0.0, 1234.5):
        assert_close(one.field(PLACE, t), other.field(PLACE, t), rtol=1e-14)


def test_a_field_turns_with_its_planet():
    """Half a turn later the field is that of the place half a turn back."""
    C, S = coefficients(4)
    craft, centre = ph.Particle("craft", 3.0), ph.World().origin
    action = ph.space.HarmonicGravity(craft, centre, C, S, rate=0.1, angle=0.3)
    back = np.array([-1, -1, 1.0])
    later = action.field(PLACE, np.pi / 0.1)
    assert_close(later, back * action.field(back * PLACE, 0.0), rtol=1e-12)
    assert not np.allclose(later, action.field(PLACE, 0.0), rtol=1e-4)


@pytest.mark.parametrize("C", [[[0, 1], [1, 2]], [[0], [1]], np.zeros((3, 2)), "C"])
def test_tables_that_do_not_fit_are_refused(C):
    """Two square tables of one size, in words."""
    craft = ph.Particle("craft", 3.0)
    S = np.zeros((3, 3))
    with pytest.raises(ph.PolhodeError, match="coefficients of 'gravity' have shapes"):
        ph.space.HarmonicGravity(craft, ph.World().origin, C, S)


@pytest.mark.row("S-12")
@given(seed=SEEDS)
@settings(max_examples=20)
def test_a_third_body_is_the_difference_of_two_pulls(seed):
    """Against forty digits: of the Moon's pull a fiftieth is left."""
    import mpmath

    rng = np.random.default_rng(seed)
    x, s = 7e6 * direction(rng), 3.8e8 * direction(rng)
    with mpmath.workdps(40):
        there = [mpmath.mpf(e) for e in s]
        apart = [a - mpmath.mpf(b) for a, b in zip(there, x, strict=True)]
        cubes = [mpmath.sqrt(sum(e * e for e in each)) ** 3 for each in (apart, there)]
        pairs = zip(apart, there, strict=True)
        wanted = [float(a / cubes[0] - b / cubes[1]) for a, b in pairs]
    assert_close(third_body_acceleration(x, s, 1.0), wanted, rtol=1e-14)


# ---------------------------------------------------------------- bodies of a size


@pytest.mark.row("S-12")
def test_gravity_gradient_is_the_pull_on_particles_to_its_order():
    """Force and torque of a cloud; twice as far off the error is a sixteenth."""
    rng = np.random.default_rng(4)
    masses, at = rng.uniform(1, 2, 12), rng.normal(size=(12, 3))
    at -= masses @ at / masses.sum()
    I = np.einsum(
        "k,kij->ij", masses, [(p @ p) * np.eye(3) - np.outer(p, p) for p in at]
    )
    e, errors = direction(rng), []
    for r in (50.0, 100.0):
        places = r * e + at
        forces = (
            -masses[:, None] * places / np.linalg.norm(places, axis=1)[:, None] ** 3
        )
        torque = np.cross(at, forces).sum(0)
        force = forces.sum(0) + masses.sum() * e / r**2
        found = gradient_torque(r * e, I, 1.0), gradient_force(r * e, I, 1.0)
        errors.append(
            [np.linalg.norm(torque - found[0]), np.linalg.norm(force - found[1])]
        )
        assert errors[-1][0] < 0.2 * np.linalg.norm(torque)
    ratio = np.array(errors[0]) / errors[1]
    assert np.all(ratio > [13, 26])
    assert np.all(ratio < [20, 40])


@pytest.mark.row("S-12")
def test_a_body_that_is_aligned_feels_no_torque():
    """Along a principal axis, and for a ball everywhere."""
    I = np.diag([2.0, 3.0, 4.0])
    for axis in np.eye(3):
        assert not np.any(gradient_torque(5 * axis, I, 1.0))
    assert np.max(np.abs(gradient_torque(PLACE, 7.0 * np.eye(3), 1e20))) < 1e-14


def craft(origin=(0.0, 0.0, 0.0)):
    """A craft whose frame is not at its mass centre."""
    inertia = (903.1, 1107.3, 1301.7)
    return ph.Body.from_inertia("craft", mass=1003.7, inertia=inertia, centre=origin)


def moving_poses(rng, place=PLACE):
    """A craft in orbit, then the world at rest."""
    R = np.stack([so3.exp(rng.normal(size=3)), np.eye(3)])
    poses = Poses(R, np.stack([place, np.zeros(3)]))
    v = 7.5e3 * direction(rng)
    return poses, Twists(np.stack([v * 1e-6, 0 * v]), np.stack([v, 0 * v]))


GRAVITIES = {
    "zonal": lambda c, o: ph.space.ZonalGravity(c, o),
    "harmonic": lambda c, o: ph.space.HarmonicGravity(c, o, *coefficients(5)),
    "gradient": lambda c, o: ph.space.GravityGradient(c, o),
    "third body": lambda c, o: ph.space.ThirdBody(c, o, 4.9e12, (1e8, 2e8, 3e8)),
}


@pytest.mark.row("S-12")
@pytest.mark.parametrize("name", GRAVITIES)
def test_gravity_has_its_third_law_and_its_digits_far_away(name):
    """Opposites on the planet; moments about the mass centre do not know 7000 km."""
    centre = (0.31, -0.22, 0.43)
    action = GRAVITIES[name](craft(centre), ph.World().origin)
    poses, twists = moving_poses(np.random.default_rng(3))
    assert max(third_law_residual(action, poses, twists)) < 1e-15
    torque, force = (part[0] for part in action.wrenches(poses, twists))
    about_centre = torque - np.cross(poses.rotations[0] @ centre, force)
    bare = GRAVITIES[name](craft(), ph.World().origin)
    shifted = poses.origins[0] + poses.rotations[0] @ centre
    there = Poses(poses.rotations, np.stack([shifted, np.zeros(3)]))
    wanted = bare.wrenches(there, twists)[0][0]
    scale = np.linalg.norm(force) * np.linalg.norm(centre)
    assert np.max(np.abs(about_centre - wanted)) < 1e-15 * scale + 1e-14 * np.max(
        np.abs(wanted)
    )


@pytest.mark.parametrize("name", GRAVITIES)
def test_gravity_is_invariant_with_its_planet(name):
    """Moved and turned together, craft and planet have the same energy and forces."""
    craft = ph.Body.from_inertia("craft", mass=3.0, inertia=(0.5, 0.6, 0.7))
    planet = ph.Body.from_inertia("planet", mass=9.0, inertia=(5.0, 6.0, 7.0))
    action = GRAVITIES[name](craft, planet.origin)
    assert ph.theory.audit_invariance(action).is_invariant


# --------------------------------------------------------------------- orbits


@cache
def zonal_system():
    """A particle round the Earth with J2 and J3, compiled once for all orbits."""
    craft = ph.Particle("craft", 500.0)
    pull = ph.space.ZonalGravity(craft, ph.World().origin, zonals=(J2, J3))
    return ph.System([craft], [pull], name="orbit")


def orbits(count, **elements):
    """Places and velocities of a motion over so many periods, and its times."""
    orbit = ph.formations.Orbit(mu=EARTH.mu, **elements)
    r, v = orbit.state
    system, until = zonal_system(), count * orbit.period
    start = system.state({"craft": r}, speeds={"craft": v})
    method = ph.methods.DormandPrince8(rtol=1e-11)
    samples = np.linspace(0, until, 200 * count + 1)
    motion = ph.simulate(system, start, until=until, method=method, samples=samples)
    return motion.t, motion.q, motion.z


def node_rate(t, r, v):
    """The mean rate of the rising node, rad/s."""
    h = np.cross(r, v)
    node = np.unwrap(np.arctan2(h[:, 0], -h[:, 1]))
    return (node[-1] - node[0]) / (t[-1] - t[0])


@pytest.mark.row("S-12")
def test_the_node_turns_at_the_rate_of_J2():
    """-3/2 n J2 (R/p)^2 cos i, to the order of J2."""
    a, i = 7.2e6, 0.9
    found = node_rate(*orbits(8, parameter=a, eccentricity=0.0, inclination=i))
    n = np.sqrt(EARTH.mu / a**3)
    wanted = -1.5 * n * J2 * (EARTH.radius / a) ** 2 * np.cos(i)
    assert abs(found / wanted - 1) < 1e-2


@pytest.mark.row("S-12")
def test_a_sun_synchronous_orbit_turns_once_a_year():
    """At the inclination of the closed form, 98.2 degrees at 700 km."""
    a = EARTH.radius + 700e3
    n = np.sqrt(EARTH.mu / a**3)
    rate = 2 * np.pi / YEAR
    cosine = -2 * rate * a**2 / (3 * n * J2 * EARTH.radius**2)
    assert abs(np.degrees(np.arccos(cosine)) - 98.19) < 0.01
    orbit = {"parameter": a, "eccentricity": 0.0, "inclination": np.arccos(cosine)}
    assert abs(node_rate(*orbits(8, **orbit)) / rate - 1) < 1e-2


def mean_eccentricity(r, v, rows):
    """The eccentricity vector over some rows, along the node and ahead of it."""
    r, v = r[rows], v[rows]
    h = np.cross(r, v)
    e = np.cross(v, h) / EARTH.mu - r / np.linalg.norm(r, axis=1)[:, None]
    node = np.stack([-h[:, 1], h[:, 0], 0 * h[:, 0]], axis=1)
    node /= np.linalg.norm(node, axis=1)[:, None]
    ahead = np.cross(h, node) / np.linalg.norm(h, axis=1)[:, None]
    return np.array([np.sum(e * node, 1).mean(), np.sum(e * ahead, 1).mean()])


@pytest.mark.row("S-12")
def test_the_frozen_orbit_is_where_no_perigee_turns():
    """The mean eccentricity vector goes round -J3/(2 J2) R/a sin i at a known rate.

    Two orbits give the centre of their circles: there an orbit is frozen.
    """
    a, i, count = 7.0e6, np.radians(98.0), 16
    frozen = -J3 / (2 * J2) * EARTH.radius / a * np.sin(i)
    means, drifts = [], []
    for place in (np.pi / 2, -np.pi / 2):
        orbit = {"parameter": a, "eccentricity": frozen, "periapsis": place}
        t, r, v = orbits(count, inclination=i, anomaly=-place, **orbit)
        ends = slice(0, 200), slice(200 * (count - 1), 200 * count)
        first, last = (mean_eccentricity(r, v, rows) for rows in ends)
        means.append((first + last) / 2)
        drifts.append((last - first) / (t[-1] * (count - 1) / count))
    quarter = np.array([[0.0, -1.0], [1.0, 0.0]])
    apart = quarter @ (means[0] - means[1])
    rate = (drifts[0] - drifts[1]) @ apart / (apart @ apart)
    n = np.sqrt(EARTH.mu / a**3)
    wanted = 0.75 * n * J2 * (EARTH.radius / a) ** 2 * (5 * np.cos(i) ** 2 - 1)
    assert abs(rate / wanted - 1) < 0.02
    centre = means[0] + quarter @ drifts[0] / rate
    assert np.linalg.norm(centre - [0, frozen]) < 0.03 * frozen


def test_gravity_reads_as_a_formula():
    """mu, radius, J2 and the mass by their names."""
    ball = ph.Particle("ball", 2.0)
    pull = ph.space.ZonalGravity(ball, ph.World().origin, zonals=[J2])
    text = str(ph.lagrange(ph.System([ball], [pull])).read())
    for word in ("gravity_mu", "gravity_radius**2", "gravity_J2", "ball_mass"):
        assert word in text
