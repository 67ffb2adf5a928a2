"""Celestial mechanics and spacecraft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import PRINTED, Answer, problem


def about_a_fixed_centre(mu: float) -> ph.System:
    """A particle "craft" of unit mass that a fixed centre attracts."""
    craft = ph.Particle("craft", 1.0)
    centre = ph.PointMass(ph.World().origin, 1.0, "centre")
    pull = ph.Gravitation((centre, ph.PointMass.of(craft)), mu)
    return ph.System([craft], [pull], name="two bodies")


@problem(sources.MELMAN, "keplerPropagatorTestData.h", digits=8, basis=PRINTED)
def kepler_ellipse_melman() -> Sequence[Answer]:
    """A day on an ellipse of eccentricity 0.1.

    μ = 3.986004415e14 m³/s², from (6.75e6, 0) m at (0, 8059.5973215) m/s: place and
    velocity after 86 400 s, limited by the eight digits of the printed velocity.
    """
    system = about_a_fixed_centre(3.986004415e14)
    start = system.state(craft=(6.75e6, 0, 0), speeds={"craft": (0, 8059.5973215, 0)})
    end = ph.simulate(system, start, until=86400.0, rtol=1e-12, samples=2).final
    return (
        Answer("place, m", np.array([-6.1318272067e6, 5.1974105627e6]), end.q[:2]),
        Answer("velocity, m/s", np.array([-4737.5063953, -4856.5484865]), end.z[:2]),
    )


@problem(sources.ODTBX, "keplerPropagatorTestData.h", digits=10, basis=PRINTED)
def kepler_ellipse_odtbx() -> Sequence[Answer]:
    """The true anomaly along an eccentric orbit.

    a = 42165.3431351313 km, e = 0.26248354351331, true anomaly 2.37248926702153 rad at
    the start, μ = 398600.4415 km³/s²: the anomaly every 8640 s, ten times.
    """
    mu, a, e = 398600.4415, 42165.3431351313, 0.26248354351331
    orbit = ph.formations.Orbit(mu, a * (1 - e * e), e, anomaly=2.37248926702153)
    system, (r, v) = about_a_fixed_centre(mu), orbit.state
    start = system.state(craft=r, speeds={"craft": v})
    t = 8640.0 * np.arange(1, 11)
    motion = ph.simulate(system, start, until=t[-1], rtol=1e-13, samples=t)
    found = np.arctan2(*motion["craft"].position.T[1::-1]) % (2 * np.pi)
    printed = np.array(
        [
            *(2.79722436211144, 3.18337407409023, 3.57400974200765, 4.01425565759545),
            *(4.57232665706546, 5.35956850972672, 0.137251905665217),
            *(1.14521863765007, 1.86433634881636, 2.38486787064101),
        ]
    )
    return (Answer("true anomaly, rad", printed, found, at=t),)


@problem(sources.GTOP, "keplerPropagatorTestData.h", digits=9, basis=PRINTED)
def kepler_hyperbola() -> Sequence[Answer]:
    """A hundred days on a hyperbola about the Sun.

    μ = 1.327e20 m³/s², from (1.5e11, 0) m at (0, 6e4) m/s: place and velocity
    after 100 days.
    """
    system = about_a_fixed_centre(1.327e20)
    start = system.state(craft=(1.5e11, 0, 0), speeds={"craft": (0, 6e4, 0)})
    end = ph.simulate(system, start, until=100 * 86400.0, rtol=1e-13, samples=2).final
    place = np.array([50369576778.98602, 453006898372.5074])
    velocity = np.array([-14654.13750690802, 46884.94068619227])
    return (
        Answer("place, m", place, end.q[:2]),
        Answer("velocity, m/s", velocity, end.z[:2]),
    )


@problem(sources.BASILISK, "test_orbitalMotion.cpp", digits=13, basis=PRINTED)
def elements_to_state() -> Sequence[Answer]:
    """Place and velocity from orbital elements.

    μ = 398600.436 km³/s², a = 7500 km, e = 0.5, i = 40°, Ω = 133°, ω = 113°, f = 123°.
    """
    a, e = 7500.0, 0.5
    angles = np.radians([40, 133, 113, 123])
    orbit = ph.formations.Orbit(398600.436, a * (1 - e * e), e, *angles)
    r, v = orbit.state
    place = np.array([6538.3506963942027, 186.7227227879431, -4119.3008399778619])
    speed = np.array([1.4414106130924005, 5.588901415902356, -4.0828931566657038])
    return Answer("place, km", place, r), Answer("velocity, km/s", speed, v)


@problem(sources.KEPLER, "the equation M = E - e sin E", digits=9)
def kepler_equation() -> Sequence[Answer]:
    """Where a planet is after a given time: Kepler's equation.

    a = 1, e = 0.6, μ = 1, from the pericentre: x = cos E - e, y = √(1 - e²) sin E with
    E - e sin E = t, at ten times of one revolution.
    """
    e = 0.6
    system = about_a_fixed_centre(1.0)
    start = system.state(
        craft=(1 - e, 0, 0), speeds={"craft": (0, np.sqrt((1 + e) / (1 - e)), 0)}
    )
    t = np.linspace(0, 2 * np.pi, 41)
    motion = ph.simulate(system, start, until=t[-1], rtol=1e-12, samples=t)
    E = np.array([brentq(lambda E, t=t: E - e * np.sin(E) - t, -1, 7) for t in t])
    x, y, _ = motion["craft"].position.T
    return (
        Answer("x", np.cos(E) - e, x, at=t),
        Answer("y", np.sqrt(1 - e * e) * np.sin(E), y, at=t),
    )


@problem(sources.NEWTON, "book I, proposition XLV", digits=7)
def newtons_apsides() -> Sequence[Answer]:
    """The apsidal angle of a nearly circular orbit is π/√(n + 3) for a force r^n.

    An attraction r^n with n = 0, 1 and -11/4, the first examples of the proposition:
    the angle from one apse to the next, from small radial oscillations of a circular
    orbit.
    """
    expected, found = [], []
    for n in (0.0, 1.0, -2.75):
        craft, world = ph.Particle("craft", 1.0), ph.World()

        def law(x: Any, v: Any, t: Any, n: Any = n) -> Any:
            return -x * (x @ x) ** ((n - 1) / 2)

        pull = ph.ForceLaw(craft.mass_centre, world.frame, law, name="pull")
        system = ph.System([craft], [pull], name="central force")
        form = ph.recursive(system)
        # Radius 1 and speed 1: the radial stiffness at a fixed angular momentum.
        h = 1e-4

        def radial(r: Any, form: Any = form, system: Any = system) -> Any:
            state = system.state(craft=(r, 0, 0), speeds={"craft": (0, 1 / r, 0)})
            return form.accelerations(state)[0] + 1 / r**3

        slope = 8 * (radial(1 + h) - radial(1 - h)) - radial(1 + 2 * h)
        slope = (slope + radial(1 - 2 * h)) / (12 * h)
        found.append(np.pi / np.sqrt(-slope))
        expected.append(np.pi / np.sqrt(n + 3))
    return (Answer("apsidal angle, rad", np.array(expected), np.array(found)),)


@problem(sources.CHENCINER, "initial conditions by Simó", digits=6, basis=PRINTED)
def figure_eight() -> Sequence[Answer]:
    """Three equal masses chase each other on a figure of eight.

    Places (0.97000436, -0.24308753), its opposite and the origin; the third moves at
    (-0.93240737, -0.86473146), the others at minus half of it. The period is
    6.32591398: after it all are back, as far as the eight printed digits go.
    """
    stars = [ph.Particle(name, 1.0) for name in "abc"]
    pull = ph.Gravitation([ph.PointMass.of(star) for star in stars], 1.0)
    system = ph.System(stars, [pull], name="figure eight")
    a, v = (
        np.array([0.97000436, -0.24308753, 0]),
        np.array([-0.93240737, -0.86473146, 0]),
    )
    start = system.state(
        {"a": a, "b": -a, "c": np.zeros(3)},
        speeds={"a": -v / 2, "b": -v / 2, "c": v},
    )
    end = ph.simulate(system, start, until=6.32591398, rtol=1e-12, samples=2).final
    return (
        Answer("places after a period", start.q, end.q),
        Answer("velocities after a period", start.z, end.z),
    )


@problem(sources.LAGRANGE, "the equilateral solution", digits=12)
def lagrange_triangle() -> Sequence[Answer]:
    """Three unequal masses turn as an equilateral triangle.

    Masses 1, 2, 3 with G = 1 at the corners of a triangle of side d turn about their
    mass centre at w² = M/d³: each is accelerated by -w² of its place.
    """
    masses, rate = np.array([1.0, 2.0, 3.0]), 1.3
    stars = [ph.Particle(n, m) for n, m in zip("abc", masses, strict=True)]
    pull = ph.Gravitation([ph.PointMass.of(star) for star in stars], 1.0)
    system = ph.System(stars, [pull], name="three bodies")
    corners = np.array([[0, 0, 0], [1, 0, 0], [0.5, np.sqrt(0.75), 0]])
    corners -= masses @ corners / masses.sum()
    places = corners * np.cbrt(masses.sum() / rate**2)
    state = system.state(dict(zip("abc", places, strict=True)))
    found = ph.recursive(system).accelerations(state)
    return (Answer("accelerations", -(rate**2) * places.ravel(), found),)


@problem(sources.GASCHEAU, "stability of the triangle; Routh 1875", digits=6)
def stability_of_the_triangle() -> Sequence[Answer]:
    """Lagrange's triangle falls apart at a rate that its masses give.

    s⁴ + w² s² + 27/4 k w⁴ = 0 with k = (m₁m₂ + m₂m₃ + m₃m₁)/M²; for masses 1, 2, 3 it
    grows, since 27 k > 1.
    """
    masses, rate = np.array([1.0, 2.0, 3.0]), 1.3
    stars = [ph.Particle(n, m) for n, m in zip("abc", masses, strict=True)]
    pull = ph.Gravitation([ph.PointMass.of(star) for star in stars], 1.0)
    system = ph.System(stars, [pull], name="three bodies")
    corners = np.array([[0, 0, 0], [1, 0, 0], [0.5, np.sqrt(0.75), 0]])
    corners -= masses @ corners / masses.sum()
    places = corners * np.cbrt(masses.sum() / rate**2)
    speeds = rate * np.cross([0, 0, 1], places)
    state = system.state(
        dict(zip("abc", places, strict=True)),
        speeds=dict(zip("abc", speeds, strict=True)),
    )
    values = ph.linearise(system, state).spectrum.values
    a, b, c = masses
    k = (a * b + b * c + c * a) / masses.sum() ** 2
    s = np.sqrt(rate**2 * (-1 + np.sqrt(1 - 27 * k + 0j)) / 2)
    s = s if s.real > 0 else -s
    return (Answer("growth rate, 1/s", s.real, np.max(values.real)),)


@problem(sources.EULER, "the collinear solution", digits=11)
def euler_line() -> Sequence[Answer]:
    """Three unequal masses turn as a straight line.

    With the ratio of distances from Euler's quintic (m₁+m₂) r⁵ + (3m₁+2m₂) r⁴ +
    (3m₁+m₂) r³ - (m₂+3m₃) r² - (2m₂+3m₃) r - (m₂+m₃) = 0 all accelerations are
    in one ratio to the places: here the three ratios, of masses 1, 2, 3.
    """
    a, b, c = masses = np.array([1.0, 2.0, 3.0])
    powers = [a + b, 3 * a + 2 * b, 3 * a + b, -b - 3 * c, -2 * b - 3 * c, -b - c]
    r = brentq(lambda r: np.polyval(powers, r), 0.1, 10, xtol=1e-15)
    x = np.array([0.0, 1.0, 1.0 + r])
    x -= masses @ x / masses.sum()
    stars = [ph.Particle(n, m) for n, m in zip("abc", masses, strict=True)]
    pull = ph.Gravitation([ph.PointMass.of(star) for star in stars], 1.0)
    system = ph.System(stars, [pull], name="three bodies")
    state = system.state({n: (x, 0, 0) for n, x in zip("abc", x, strict=True)})
    found = ph.recursive(system).accelerations(state)[::3] / x
    # Newton's law for the first alone gives the common ratio.
    ratio = (b + c / (1 + r) ** 2) / x[0]
    return (Answer("x''/x, 1/s²", np.full(3, ratio), found),)


@problem(sources.HAIRER, "section II.10 and the IVP test set", digits=9, basis=PRINTED)
def pleiades() -> Sequence[Answer]:
    """Seven stars in a plane with close encounters.

    Masses 1 to 7, G = 1; start and the places after 3 s as printed.
    """
    x, y = (3, 3, -1, -3, 2, -2, 2), (3, -3, 2, 0, 0, -4, 4)
    u, v = (0, 0, 0, 0, 0, 1.75, -1.5), (0, 0, 0, -1.25, 1, 0, 0)
    stars = [ph.Particle(f"star {k}", k) for k in range(1, 8)]
    pull = ph.Gravitation([ph.PointMass.of(star) for star in stars], 1.0)
    system = ph.System(stars, [pull], name="Pleiades")
    q, z = (np.stack([*pair, np.zeros(7)], 1).ravel() for pair in ((x, y), (u, v)))
    start = ph.State(system, 0.0, q, z)
    end = ph.simulate(system, start, until=3.0, rtol=1e-12, samples=2).final
    printed = [
        *(0.3706139143970502, -3.943437585517392),
        *(3.237284092057233, -3.271380973972550),
        *(-3.222559032418324, 5.225081843456543),
        *(0.6597091455775310, -2.590612434977470),
        *(0.3425581707156584, 1.198213693392275),
        *(1.562172101400631, -0.2429682344935824),
        *(-0.7003092922212495, 1.091449240428980),
    ]
    found = end.q.reshape(7, 3)[:, :2].ravel()
    return (Answer("places after 3 s", np.array(printed), found),)


@problem(sources.HAIRER, "section II.0, (0.1) and (0.2)", digits=6, basis=PRINTED)
def arenstorf_orbit() -> Sequence[Answer]:
    """A craft between the Earth and the Moon returns after one period.

    The restricted problem of three bodies, μ = 0.012277471: in axes that turn with the
    Moon, from (0.994, 0) at (0, -2.00158510637908252) the orbit closes after
    17.0652165601579626.
    """
    mu, T = 0.012277471, 17.0652165601579625588917206249
    x, v = 0.994, -2.00158510637908252240537862224
    world, craft = ph.World(), ph.Particle("craft", 1.0)
    bar = ph.Body.from_inertia("bar", mass=1.0, inertia=(1, 1, 1))
    axle = ph.Revolute("axle", world.origin, bar.origin, axis=ph.Z)
    own = ph.PointMass.of(craft)
    earth = ph.PointMass(bar.point(-mu, 0, 0), 1 - mu, "Earth")
    moon = ph.PointMass(bar.point(1 - mu, 0, 0), mu, "Moon")
    pulls = ph.Gravitation((earth, moon, own), 1.0)
    turned = ph.PrescribedMotion(axle, lambda t: 1.0 * t)
    system = ph.System([axle, craft], [pulls], [turned], name="restricted problem")
    start = system.state(craft=(x, 0, 0), speeds={"axle": 1.0, "craft": (0, v + x, 0)})
    end = ph.simulate(system, start, until=T, rtol=1e-13, samples=2).final
    turn = Rotation.from_rotvec([0, 0, -T])
    place = turn.apply(np.array(end["craft"]))
    return (Answer("place after a period", np.array([x, 0, 0]), place),)


@problem(
    sources.TUDAT, "unitTestClohessyWiltshirePropagator.cpp", digits=9, basis=PRINTED
)
def clohessy_wiltshire() -> Sequence[Answer]:
    """Relative motion about a circular orbit for half an hour.

    μ = 3.986004418e14 m³/s², radius 6.778137e6 m, start (45, 37, 12) m outwards, ahead
    and normal, (0.08, 0.03, 0.01) m/s: the linear relative state after 1800 s.
    """
    circle = ph.formations.Orbit(3.986004418e14, 6.778137e6, 0.0)
    near = ph.formations.relative_orbit(circle, until=1800.0)
    start = np.array([45, 37, 12, 0.08, 0.03, 0.01])
    found = near.transition(0.0, 1800.0) @ start
    place = np.array([380.6450080201250, -543.7424675454679, 2.509547637285142])
    rate = np.array([0.1541620605755606, -0.7294751390499470, -0.01662099488431618])
    return Answer("place, m", place, found[:3]), Answer("rate, m/s", rate, found[3:])


@problem(sources.TUDAT, "unitTestClohessyWiltshirePropagator.cpp", digits=7)
def closed_relative_ellipse() -> Sequence[Answer]:
    """A relative orbit without drift closes after one revolution.

    x' = n y/2 and y' = -2 n x: started at (34, 49, 17) m with z' = 0.04 m/s, the
    follower is back after the period of the leader's circular orbit.
    """
    mu, r = 3.986004418e14, 6.778137e6
    n = np.sqrt(mu / r**3)
    near = ph.formations.relative_orbit(ph.formations.Orbit(mu, r, 0.0))
    place = np.array([34.0, 49, 17])
    start = np.array([*place, n * place[1] / 2, -2 * n * place[0], 0.04])
    end = near.transition(0.0, 2 * np.pi / n) @ start
    return Answer("place, m", place, end[:3]), Answer("rate, m/s", start[3:], end[3:])


@problem(sources.CLOHESSY, "equations of relative motion", digits=10)
def hill_equations() -> Sequence[Answer]:
    """The matrix of relative motion about a circular orbit.

    x'' = 3 n² x + 2 n y', y'' = -2 n x', z'' = -n² z, with x outwards, y ahead and z
    normal to the orbit.
    """
    mu, r = 3.986004418e14, 7e6
    n = np.sqrt(mu / r**3)
    circle = ph.formations.Orbit(mu, r, 0.0)
    A = ph.formations.relative_orbit(circle, until=10.0).at(0.0).A
    expected = np.zeros((3, 6))
    expected[0, [0, 4]] = 3, 2
    expected[1, 3], expected[2, 2] = -2, -1
    units = np.array([n * n] * 3 + [n] * 3)
    return (Answer("rows of x'', y'', z'' in units of n", expected, A[3:] / units),)


@problem(sources.BASILISK, "test_gravityGradient.py", digits=8, basis=PRINTED)
def gravity_gradient_torque() -> Sequence[Answer]:
    """The torque of an uneven field on a satellite.

    J = (500, 800, 350) kg m² at r = (-2816801.60102349, 5248174.84691615,
    3677157.2646773) m, μ = 398600.436 km³/s², attitude in modified Rodrigues parameters
    (0.1, 0.2, -0.3).
    """
    r = np.array([-2816801.60102349, 5248174.84691615, 3677157.2646773])
    sigma = np.array([0.1, 0.2, -0.3])
    system = ph.models.start("satellite").system.with_({"mu": 3.98600436e14})
    (orbit,) = system.joints
    R = Rotation.from_mrp(sigma).as_matrix()
    state = ph.State(system, 0.0, orbit.coordinates_from(R, r), np.zeros(6))
    # At rest the torque is J times the angular acceleration.
    found = np.array([500, 800, 350]) * ph.recursive(system).accelerations(state)[:3]
    printed = np.array([-5.33757860e-05, 1.25550242e-04, 1.36185893e-04])
    return (Answer("torque, N m", printed, found),)


@problem(sources.HUGHES, "pitch libration in a circular orbit", digits=9)
def pitch_libration() -> Sequence[Answer]:
    """The pitch acceleration of a satellite under the gravity gradient.

    Turned by θ about the orbit's normal from its position with the axis 3 down:
    I₂ θ'' = -3 n² (I₁ - I₃) sin θ cos θ.
    """
    system = ph.models.start("satellite").system
    (orbit,) = system.joints
    r, J, pitch = 7e6, np.array([500.0, 800.0, 350.0]), 0.3
    mu = system.parameters["mu"]
    # Radius along Z, orbit in the XZ plane.
    R = Rotation.from_rotvec([0, pitch, 0]).as_matrix()
    n = np.sqrt(mu / r**3)
    speeds = np.array([0, n, 0, *(R.T @ [n * r, 0, 0])])
    q = orbit.coordinates_from(R, np.array([0, 0, r]))
    state = ph.State(system, 0.0, q, speeds)
    found = ph.recursive(system).accelerations(state)[1]
    expected = -3 * n**2 * (J[0] - J[2]) / J[1] * np.sin(pitch) * np.cos(pitch)
    return (Answer("θ'', rad/s²", expected, found),)


@problem(sources.NASA, "check case 1, simulation 04", digits=9, basis=PRINTED)
def dropped_sphere() -> Sequence[Answer]:
    """A sphere dropped from 30 000 ft above a turning, oblate Earth, without drag.

    Latitude 0, longitude 0, at rest relative to the Earth; μ = 3.986004418e14 m³/s²,
    rₑ = 6378137 m, J₂ = 0.00108262982, Earth rate 7.292115e-5 rad/s. After 30 s:
    altitude 15598.9043522 ft, velocities east and down.
    """
    mu, radius, J2 = 3.986004418e14, 6378137.0, 0.00108262982
    spin, foot = 7.292115e-5, 0.3048

    def energy(ball: Any) -> Any:
        x = ball.position
        square = x @ x
        r = jnp.sqrt(square)
        flat = J2 * radius**2 / square * (1.5 * x[2] ** 2 / square - 0.5)
        return -mu / r * (1 - flat)

    world, ball = ph.World(), ph.Particle("ball", 1.0)
    pull = ph.Potential((world.frame, ball.frame), energy, name="Earth")
    system = ph.System([ball], [pull], name="dropped sphere")
    x = radius + 30000 * foot
    start = system.state(ball=(x, 0, 0), speeds={"ball": (0, spin * x, 0)})
    end = ph.simulate(system, start, until=30.0, rtol=1e-13, samples=2).final
    r = np.linalg.norm(end.q)
    up = end.q / r
    east = np.array([-up[1], up[0], 0])
    v = end.z - np.cross([0, 0, spin], end.q)
    found = np.array([(r - radius), v @ east, -v @ up]) / foot
    printed = (15598.9043522, 2.10101108617, 960.293064507)
    names = ("altitude, ft", "east, ft/s", "down, ft/s")
    rows = zip(names, printed, found, strict=True)
    return [Answer(name, expected, value) for name, expected, value in rows]
