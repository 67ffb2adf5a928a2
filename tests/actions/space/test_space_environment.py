"""Air, sunlight, magnetism and chance around a planet, by the laws they obey."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings, strategies

import polhode as ph
from closeness import assert_close
from polhode.actions.action import evaluate, third_law_residual
from polhode.actions.motion_arrays import Poses, Twists
from polhode.geometry.rotations import quaternion, so3

SEEDS = strategies.integers(0, 2**32 - 1)
EARTH = ph.space.EARTH
AU = 149_597_870_700.0
CRAFT = ph.Body("craft", ph.solids.box(mass=80.0, x=0.5, y=0.6, z=1.5))
CENTRE = ph.World().origin


def direction(rng):
    """A random unit vector."""
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def in_orbit(rng, height=400e3):
    """A craft that turns and flies at some height, then the world at rest."""
    R = np.stack([so3.exp(rng.normal(size=3)), np.eye(3)])
    x = (EARTH.radius + height) * direction(rng)
    v, w = 7.7e3 * direction(rng), rng.normal(size=3)
    poses = Poses(R, np.stack([x, 0 * x]))
    return poses, Twists(np.stack([w, 0 * w]), np.stack([v, 0 * v]))


# ------------------------------------------------------------------------- air


AIRS = {
    "exponential": ph.space.ExponentialAtmosphere(3.7e-12, 400e3, 58.5e3),
    "table": ph.space.EARTH_AIR,
    "law": lambda height, t: 1e-11 * (1 + 0.1 * height / 1e5) + 0.0 * t,
}
DRAGS = {
    name: ph.space.AtmosphericDrag(CRAFT.point(0.1, 0, -0.2), CENTRE, 2.2, 0.9, air)
    for name, air in AIRS.items()
}


@pytest.mark.row("S-12")
@pytest.mark.parametrize("air", AIRS)
@given(seed=SEEDS)
@settings(max_examples=8)
def test_drag_takes_power_from_motion_through_the_air(air, seed):
    """F . u <= 0 for u before the air; opposite on the planet."""
    rng = np.random.default_rng(seed)
    poses, twists = in_orbit(rng, rng.uniform(200e3, 900e3))
    drag = DRAGS[air]
    torques, forces = drag.wrenches(poses, twists)
    arm = poses.rotations[0] @ [0.1, 0, -0.2]
    point = poses.origins[0] + arm
    v = twists.linear[0] + np.cross(twists.angular[0], arm)
    u = v - np.cross([0, 0, EARTH.rate], point)
    assert forces[0] @ u <= 0
    assert_close(np.cross(forces[0], u), np.zeros(3), atol=1e-13 * abs(forces[0] @ u))
    assert_close(torques[0], np.cross(arm, forces[0]))
    assert max(third_law_residual(drag, poses, twists)) < 1e-14


def test_what_turns_with_the_air_feels_none():
    """A craft at rest before the turning Earth."""
    poses, _ = in_orbit(np.random.default_rng(1))
    w = np.array([0, 0, EARTH.rate])
    drag = ph.space.AtmosphericDrag(CRAFT.origin, CENTRE, 2.2, 0.9)
    v = np.cross(w, poses.origins[0])
    moving = Twists(np.stack([w, 0 * w]), np.stack([v, 0 * v]))
    assert not np.any(drag.wrenches(poses, moving).forces)


def test_air_and_light_are_finite_at_the_centre_of_the_planet():
    """Where states begin before they are set: no warning, no infinity."""
    poses = Poses(np.stack([np.eye(3)] * 2), np.zeros((2, 3)))
    moving = Twists(np.zeros((2, 3)), np.array([[0, 7e3, 0], [0, 0, 0.0]]))
    light = ph.space.SolarPressure(CRAFT.origin, CENTRE, (AU, 0, 0), 1.3, 4.0)
    thin = ph.space.ExponentialAtmosphere(1.2, 0.0, 7e3)
    for action in (
        ph.space.AtmosphericDrag(CRAFT.origin, CENTRE, 2.2, 0.9),
        ph.space.AtmosphericDrag(CRAFT.origin, CENTRE, 2.2, 0.9, thin),
        light,
    ):
        assert np.all(np.isfinite(action.wrenches(poses, moving).forces))
    assert light.light(np.zeros(3)) == 0.0


def test_a_table_of_air_is_exponential_between_and_beyond_its_rows():
    """Through its rows, monotone, and with the last scale height above."""
    air = ph.space.EARTH_AIR
    for h, rho in zip(air.heights, air.densities, strict=True):
        assert abs(air.at(h) / rho - 1) < 1e-12
    assert abs(air.at(450e3) - 1.585e-12) < 1e-24
    assert abs(air.at(425e3) ** 2 / (air.at(400e3) * air.at(450e3)) - 1) < 1e-12
    assert 0 < air.at(1500e3) < air.at(1000e3)


# -------------------------------------------------------------------- sunlight


@pytest.mark.row("S-12")
@pytest.mark.parametrize("beta", [0.0, 0.6, 1.1])
def test_the_part_of_a_circle_in_shadow_is_that_of_the_closed_form(beta):
    """arccos(sqrt(h^2 + 2 R h)/((R + h) cos beta))/pi, for a Sun far away."""
    a, sun = EARTH.radius + 500e3, 1e6 * AU * np.array([np.cos(beta), 0, np.sin(beta)])
    angle = (np.arange(200_000) + 0.5) * 2 * np.pi / 200_000
    circle = a * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    light = ph.space.sunlit_fraction(circle, sun, EARTH.radius, 1.0)
    cosine = np.sqrt(a**2 - EARTH.radius**2) / (a * np.cos(beta))
    wanted = np.arccos(cosine) / np.pi if cosine < 1 else 0.0
    assert abs(np.mean(light == 0) - wanted) < 2e-5


def test_penumbra_leads_from_light_to_umbra():
    """Monotone and continuous, half where the planet's edge halves the Sun."""
    sun = np.array([AU, 0, 0])
    across = np.linspace(EARTH.radius - 60e3, EARTH.radius + 60e3, 4001)
    places = np.stack([-7e6 + 0 * across, across, 0 * across], axis=1)
    light = ph.space.sunlit_fraction(places, sun, EARTH.radius, ph.space.SUN.radius)
    assert light[0] == 0
    assert light[-1] == 1
    assert np.all(np.diff(light) >= -1e-12)
    assert np.max(np.diff(light)) < 2e-3
    # 2 x 0.2667 degrees of Sun over the 9800 km from edge to shadow.
    width = across[light < 1][-1] - across[light > 0][0]
    assert abs(width / (7e6 * 2 * ph.space.SUN.radius / AU) - 1) < 0.01
    far = np.array([-1.6e9, 0.0, 0.0])  # beyond the umbra the Sun is a ring
    ring = ph.space.sunlit_fraction(far, sun, EARTH.radius, ph.space.SUN.radius)
    sizes = EARTH.radius / 1.6e9, ph.space.SUN.radius / (AU + 1.6e9)
    assert abs(ring - (1 - (sizes[0] / sizes[1]) ** 2)) < 1e-4


@pytest.mark.row("S-12")
def test_sunlight_pushes_away_from_the_sun_and_not_in_shadow():
    """P C A at one astronomical unit, a quarter at two, nothing behind the Earth."""
    found = []
    for factor, x in ((1.0, 7e6), (2.0, 7e6), (1.0, -7e6)):
        light = ph.space.SolarPressure(
            CRAFT.origin, CENTRE, (factor * AU, 0, 0), 1.3, 4.0
        )
        poses = Poses(np.stack([np.eye(3)] * 2), np.array([[x, 0, 0], [0, 0, 0]]))
        still = Twists(np.zeros((2, 3)), np.zeros((2, 3)))
        found.append(light.wrenches(poses, still).forces[0])
    assert_close(found[0], [-1361 / 299792458 * 1.3 * 4, 0, 0], rtol=1e-4)
    assert_close(found[1], found[0] / 4, rtol=1e-4)
    assert not np.any(found[2])


# ----------------------------------------------------------------------- times


@pytest.mark.parametrize("e", [0.0, 0.3, 0.7, 0.95])
def test_a_keplerian_ephemeris_is_its_orbit(e):
    """At all anomalies the place of the conic at that time; areas are even."""
    orbit = {"mu": 4e14, "parameter": 8e6, "eccentricity": e, "inclination": 0.7}
    start = ph.formations.Orbit(**orbit, node=0.3, periapsis=1.1, anomaly=0.4)
    moon = ph.space.KeplerianEphemeris.of(start, t=50.0)
    assert_close(moon.at(50.0), start.state[0], rtol=1e-12)
    h = 1e-3
    v = (moon.at(50.0 + h) - moon.at(50.0 - h)) / (2 * h)
    assert_close(v, start.state[1], rtol=1e-6)
    t = np.linspace(0, 3 * start.period, 301)
    r = np.stack([moon.at(each) for each in t])
    assert_close(r[100:], r[:-100], rtol=1e-9)
    shape = np.einsum("ij,ij->i", r, r) ** 0.5
    nearest, farthest = 8e6 / (1 + e), 8e6 / (1 - e)
    assert np.all(shape > nearest * (1 - 1e-12))
    assert np.all(shape < farthest * (1 + 1e-12))
    assert_close(r @ ph.space.perifocal(start)[:, 2], 0 * t, atol=1e-5)


def test_a_table_of_places_goes_through_its_rows_and_ends_with_them():
    """Between rows an ellipse to a millionth; beyond them no force, in words."""
    moon = ph.space.KeplerianEphemeris(4.04e14, 3.844e8, 0.05, 0.4)
    times = np.linspace(0, 86400.0, 25)
    places = np.stack([moon.at(t) for t in times])
    speeds = np.stack([(moon.at(t + 1) - moon.at(t - 1)) / 2 for t in times])
    table = ph.space.TableEphemeris(times, places, speeds)
    assert np.array_equal(table.at(times[7]), places[7])
    for t in (1000.0, 40000.0, 86399.0):
        assert_close(table.at(t), moon.at(t), rtol=1e-9)
    assert_close(
        ph.space.TableEphemeris(times, places).at(4e4), moon.at(4e4), rtol=1e-6
    )
    action = ph.space.ThirdBody(CRAFT, CENTRE, 4.9e12, table, name="Moon")
    poses, twists = in_orbit(np.random.default_rng(1))
    assert np.all(np.isfinite(evaluate(action, poses, twists, 86400.0).forces))
    with pytest.raises(ph.PolhodeError, match="'Moon' gives no force on 'craft'"):
        evaluate(action, poses, twists, 86401.0)
    with pytest.raises(ph.PolhodeError, match="Times rise"):
        ph.space.TableEphemeris(times[::-1], places)


def test_the_sun_is_where_almanacs_say():
    """Over the equator at the equinox, over a tropic at the solstice; 1 au away."""
    for date, declination in (
        ("2026-03-20T14:46:00", 0.0),
        ("2026-06-21T08:25:00", 23.436),
        ("2026-12-21T20:50:00", -23.436),
    ):
        sun = ph.space.Epoch(date).sun.at(0.0)
        found = np.degrees(np.arcsin(sun[2] / np.linalg.norm(sun)))
        assert abs(found - declination) < 0.02, date
    epoch = ph.space.Epoch("2026-01-03T17:15:00")  # perihelion, 0.98330 au
    assert abs(np.linalg.norm(epoch.sun.at(0.0)) / AU - 0.98330) < 1e-4
    assert epoch.seconds("2026-01-04T17:15:00") == 86400.0
    with pytest.raises(ph.PolhodeError, match="an epoch cannot be 'soon'"):
        ph.space.Epoch("soon")


def test_the_moon_is_where_meeus_finds_it():
    """12 April 1992 at midnight: 133.1627 and -3.2291 degrees, 368410 km."""
    moon = ph.space.Epoch("1992-04-11T23:59:00").moon.at(0.0)
    tilt = np.radians(23.4392911)
    turn = np.array([[1, 0, 0], [0, np.cos(tilt), np.sin(tilt)]])
    x, y = turn @ moon
    z = -np.sin(tilt) * moon[1] + np.cos(tilt) * moon[2]
    r = np.linalg.norm(moon)
    assert abs(np.degrees(np.arctan2(y, x)) - 133.1627) < 0.1
    assert abs(np.degrees(np.arcsin(z / r)) + 3.2291) < 0.1
    assert abs(r - 368.410e6) < 1e6


def test_the_earth_turns_as_its_rate_says():
    """The angle of an epoch a day later is that of the rate, and a frame's inverse."""
    one, other = ph.space.Epoch("2026-03-20T00:00"), ph.space.Epoch("2026-03-21T00:00")
    turned = (other.angle - one.angle) % (2 * np.pi)
    assert abs(turned - (EARTH.rate * 86400) % (2 * np.pi)) < 1e-6
    R = ph.space.rotating(86400.0, angle=one.angle)
    assert_close(R, ph.space.rotating(0.0, angle=other.angle), atol=1e-6)


@given(seed=SEEDS)
@settings(max_examples=10)
def test_local_frames_are_right_handed_and_agree(seed):
    """Columns are unit and across; LVLH is RTN with its axes named otherwise."""
    rng = np.random.default_rng(seed)
    r, v = 7e6 * direction(rng), 7e3 * direction(rng)
    R, L = ph.space.rtn(r, v), ph.space.lvlh(r, v)
    for frame in (R, L):
        assert_close(frame.T @ frame, np.eye(3), rtol=1e-14)
        assert abs(np.linalg.det(frame) - 1) < 1e-14
    assert_close(L, np.stack([R[:, 1], -R[:, 2], -R[:, 0]], axis=1), rtol=1e-14)
    assert abs((R.T @ v)[2]) < 1e-9
    h = 1e-3
    later = ph.space.rtn(r + h * v, v)
    w = (later - R) @ R.T / h
    spin = np.array([w[2, 1] - w[1, 2], w[0, 2] - w[2, 0], w[1, 0] - w[0, 1]]) / 2
    assert_close(spin, ph.space.local_rate(r, v), rtol=1e-5)


# ------------------------------------------------------------------- magnetism


def test_a_dipole_is_the_first_degree_of_the_harmonics():
    """B0^2 = g10^2 + g11^2 + h11^2, and the pole is against them."""
    g10, g11, h11 = -29404.8e-9, -1450.9e-9, 4652.5e-9
    B0 = np.sqrt(g10**2 + g11**2 + h11**2)
    g, h = [[0, 0], [g10, g11]], [[0, 0], [0, h11]]
    dipole = ph.space.DipoleField(
        strength=B0, tilt=np.arccos(-g10 / B0), longitude=np.arctan2(-h11, -g11)
    )
    table = ph.space.HarmonicField(g, h)
    for t in (0.0, 5000.0):
        x = np.array([3e6, -5e6, 4e6])
        assert_close(dipole.at(x, t), table.at(x, t), rtol=1e-12)
    assert abs(B0 - ph.space.EARTH_FIELD.strength.value) < 2e-9


@pytest.mark.row("S-12")
def test_a_moment_along_the_field_feels_no_torque():
    """m x B: none along B, |m| |B| across, and the planet feels the opposite."""
    poses, twists = in_orbit(np.random.default_rng(2))
    bare = ph.space.MagneticTorque(CRAFT.origin, CENTRE)
    B = poses.rotations[0].T @ bare.field_at(poses)[0]
    assert 1e-5 < np.linalg.norm(B) < 7e-5
    across = np.cross(B, [1.0, 0, 0])
    for m, size in ((B, 0.0), (across, np.linalg.norm(across) * np.linalg.norm(B))):
        action = ph.space.MagneticTorque(CRAFT.origin, CENTRE, moment=m)
        torque = action.wrenches(poses, twists).torques[0]
        assert abs(np.linalg.norm(torque) - size) < 1e-12 * np.linalg.norm(B) ** 2
        assert max(third_law_residual(action, poses, twists)) < 1e-14


@cache
def tumbling():
    """A craft at rest over the Earth that turns: rods of 10 A m^2 each."""
    world = ph.World()
    craft = ph.Body.from_inertia("craft", mass=50.0, inertia=(2.0, 2.5, 3.0))
    rods = ph.space.MagneticTorque(craft.origin, world.origin, limit=10.0, name="rods")
    pull = ph.space.ZonalGravity(craft, world.origin, zonals=())
    return ph.System([craft], [rods, pull], name="tumbling")


def test_magnetic_detumbling_settles():
    """m = -k dB/dt: in an orbit and a half a tumble falls to turning with the field."""
    system = tumbling()
    orbit = {"parameter": 6.9e6, "eccentricity": 0.0, "inclination": 1.2}
    r, v = ph.formations.Orbit(mu=EARTH.mu, **orbit).state
    place = dict(zip("xyz", r, strict=True)) | {"qw": 1.0}
    start = system.state({"craft": place}, speeds={"craft": (0.05, -0.04, 0.06, *v)})
    laws = ph.space.detumbling(system, "rods", gain=3e6)
    method = ph.methods.DormandPrince(rtol=1e-6)
    motion = ph.simulate(system, start, until=9000.0, inputs=laws, method=method)
    spin = np.linalg.norm(motion.z[:, :3], axis=1)
    kinetic = motion.z[:, :3] ** 2 @ [2.0, 2.5, 3.0]
    # Twice the rate of the orbit is how fast the field itself turns.
    assert spin[-1] < 0.003
    assert kinetic[-1] < 3e-3 * kinetic[0]


def test_rods_that_are_not_there_are_refused():
    """By name, with those there are."""
    with pytest.raises(ph.PolhodeError, match="no torque rods 'rod'"):
        ph.space.detumbling(tumbling(), "rod", gain=1e5)


# ---------------------------------------------------------------------- chance


def test_a_random_load_is_the_same_for_a_seed_and_has_its_spectrum():
    """Deviation and correlation time over many seeds; another seed is another load."""
    poses = Poses(np.eye(3)[None], np.zeros((1, 3)))
    still = Twists(np.zeros((1, 3)), np.zeros((1, 3)))

    def load(seed, t):
        action = ph.space.RandomLoad(
            CRAFT.origin, force=2.0, torque=0.5, time=30.0, seed=seed
        )
        return np.concatenate([each[0] for each in action.wrenches(poses, still, t)])

    assert np.array_equal(load(3, 7.0), load(3, 7.0))
    assert not np.any(load(3, 7.0) == load(4, 7.0))
    first = np.stack([load(k, 100.0) for k in range(1500)])
    later = np.stack([load(k, 130.0) for k in range(1500)])
    assert_close(first.std(axis=0), [0.5] * 3 + [2.0] * 3, rtol=0.07)
    assert np.max(np.abs(first.mean(axis=0))) < 0.2
    decay = (first * later).mean(axis=0) / first.var(axis=0)
    assert abs(decay.mean() - np.exp(-1)) < 0.05


# ------------------------------------------------------------------- thrusters


def test_a_thruster_gives_its_level_in_pulses_or_as_a_mean():
    """The mean over a period is the level; below the least pulse it is silent."""
    poses = Poses(np.eye(3)[None], np.zeros((1, 3)))
    still = Twists(np.zeros((1, 3)), np.zeros((1, 3)))
    jet = ph.space.Thruster(
        CRAFT.point(0, 0.3, 0), ph.X, 2.0, period=0.5, minimum_on=0.02
    )
    t = (np.arange(5000) + 0.5) / 1000
    for level, mean in ((0.3, 0.3), (0.05, 0.05), (0.03, 0.0), (1.7, 1.0), (-1, 0.0)):
        table = {"thruster": level}
        forces = [jet.wrenches(poses, still, each, table).forces[0, 0] for each in t]
        assert abs(np.mean(forces) - 2.0 * mean) < 1e-12
        assert set(forces) <= {0.0, 2.0}
    whole = ph.space.Thruster(CRAFT.point(0, 0.3, 0), 2 * np.eye(3)[0], 2.0, 0.3)
    torques, forces = whole.wrenches(poses, still, 0.1)
    assert_close(forces[0], [0.6, 0, 0])
    assert_close(torques[0], [0, 0, -0.18])
    with pytest.raises(ph.PolhodeError, match="the shortest pulse fits"):
        ph.space.Thruster(CRAFT.origin, ph.X, 2.0, period=0.1, minimum_on=0.2)


# ---------------------------------------------------------------- libration


@cache
def hanging():
    """A long craft in a round field with its gradient."""
    world = ph.World()
    craft = ph.Body.from_inertia("craft", mass=700.0, inertia=(450.0, 500.0, 100.0))
    pull = ph.space.ZonalGravity(craft, world.origin, zonals=())
    uneven = ph.space.GravityGradient(craft, world.origin)
    return ph.System([craft], [pull, uneven], name="hanging")


def rates_of(angles, dt, count):
    """The rates of `count` cosines whose sums some even samples are, by prediction."""
    columns = []
    for k in range(count):
        sides = [
            y[count + k : len(y) - count + k] + y[count - k : len(y) - count - k]
            for y in angles
        ]
        side = np.concatenate(sides)
        columns.append(side / (2 if k == 0 else 1))
    wanted = np.concatenate([y[2 * count :] + y[: len(y) - 2 * count] for y in angles])
    c, *_ = np.linalg.lstsq(np.stack(columns, axis=1), wanted, rcond=None)
    # 2 cos(2 w) = c1 2 cos(w) + c0 for two; 2 cos(w) = c0 for one.
    if count == 1:
        cosines = np.array([c[0] / 2])
    else:
        cosines = np.roots([4.0, -2 * c[1], -2 - c[0]])
    return np.sort(np.arccos(np.real(cosines)) / dt)


def test_a_long_craft_librates_at_its_known_rates():
    """Pitch n sqrt(3 (Ix - Iz)/Iy); roll and yaw by their equation of second degree."""
    system = hanging()
    a = 7.0e6
    n = np.sqrt(EARTH.mu / a**3)
    r, v = np.array([a, 0, 0]), np.array([0, n * a, 0])
    L = ph.space.lvlh(r, v)
    tilt = so3.exp(np.array([1e-4, 2e-4, -1.5e-4]))
    turned = quaternion.from_matrix(L @ tilt)
    q = dict(zip(("qw", "qx", "qy", "qz"), turned, strict=True))
    spin = tilt.T @ np.array([0, -n, 0])
    start = system.state(
        {"craft": q | dict(zip("xyz", r, strict=True))},
        speeds={"craft": (*spin, *((L @ tilt).T @ v))},
    )
    t = np.linspace(0, 1.5 * 2 * np.pi / n, 61)
    method = ph.methods.DormandPrince8(rtol=1e-12)
    motion = ph.simulate(system, start, until=t[-1], samples=t, method=method)
    seen = motion["craft"]
    local = ph.space.lvlh(seen.position, seen.velocity)
    turn = np.swapaxes(local, 1, 2) @ seen.orientation
    roll, pitch, yaw = turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]
    Ix, Iy, Iz = 450.0, 500.0, 100.0
    wanted = n * np.sqrt(3 * (Ix - Iz) / Iy)
    assert abs(rates_of([pitch], t[1], 1)[0] / wanted - 1) < 1e-4
    kR, kY = (Iy - Iz) / Ix, (Iy - Ix) / Iz
    squares = np.roots([1.0, -(1 + 3 * kR + kR * kY), 4 * kR * kY])
    found = rates_of([roll, yaw], t[1], 2)
    assert_close(found, n * np.sort(np.sqrt(squares)), rtol=1e-3)
