"""Machines whose stability or frequencies textbooks know in closed form.

Ziegler 1952; Den Hartog, Mechanical Vibrations (shimmy, shafts that whirl); Rao,
Mechanical Vibrations (example of an automobile); Vyshnegradsky 1876; Klingel, Carter.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G = 9.81


def lump(name: str, mass: float, moment: float = 0.0, centre=(0.0, 0.0, 0.0)):
    moments = (moment, moment, moment)
    return ph.Body.from_inertia(name, mass=mass, inertia=moments, centre=centre)


def assert_one(values, others, rtol: float) -> None:
    """The same eigenvalues, in whatever order."""
    a, b = np.sort_complex(values), np.sort_complex(others)
    np.testing.assert_allclose(a, b, rtol=0, atol=rtol * np.max(np.abs(b)))


def test_an_automobile_bounces_and_pitches():
    """1000 kg on 18 and 22 kN/m: 5.8593 and 9.4341 rad/s, as printed, in balance."""
    m, gyration, ahead, behind, front, rear = 1e3, 0.9, 1.0, 1.5, 18e3, 22e3
    world = ph.World()
    car = ph.Body.from_inertia("car", mass=m, inertia=(400.0, m * gyration**2, 900.0))
    body = ph.Planar("body", world.point(0, 0, 1.0), car.origin, normal=ph.Y)
    # Pressed by their shares of the weight, springs are one metre long.
    shares = m * G * np.array([behind, ahead]) / (ahead + behind)
    rows = zip((ahead, -behind), (front, rear), shares, strict=True)
    springs = [
        ph.Spring(world.point(x, 0, 0), car.point(x, 0, 0), k, 1.0 + F / k, name=f"{x}")
        for x, k, F in rows
    ]
    system = ph.System([body], [ph.Weight(G), *springs], name="car")
    assert ph.questions.is_equilibrium(system.rest())
    modes = ph.linearise(system).modes()
    swings = modes.eigenvalues.imag > 0
    assert_close(modes.frequencies[swings], [5.8593, 9.4341], atol=5e-5)
    # How far it bounces for each radian that it pitches: printed -2.6461 and 0.3061.
    ratios = modes.shapes[swings][:, 1] / modes.shapes[swings][:, 0]
    assert_close(np.sort(np.abs(ratios)), [0.3061, 2.6461], atol=5e-5)
    assert ratios[0] * ratios[1] < 0


def column(load: float, damping: float) -> ph.System:
    """Two links on springs c = 1, masses 2 and 1, l = 1, pressed along the last."""
    first, last = lump("first", 2.0, 0.0, (0, 0, 1)), lump("last", 1.0, 0.0, (0, 0, 1))
    foot = ph.Revolute("foot", ph.World().origin, first.origin, axis=ph.Y)
    knee = ph.Revolute("knee", first.point(0, 0, 1), last.origin, axis=ph.Y)
    push = ph.theory.Vector((0, 0, -load), last.frame)
    springs = [ph.JointSpring(foot, 1.0), ph.JointSpring(knee, 1.0)]
    dampers = [ph.JointDamper(joint, damping) for joint in (foot, knee) if damping]
    follower = ph.AppliedForce(last.point(0, 0, 1), push)
    return ph.System([foot, knee], [*springs, *dampers, follower], name="column")


@pytest.mark.long
@pytest.mark.parametrize(
    ("edge", "damping", "calm"),
    [
        (3.5 - np.sqrt(2.0), 0.0, "stable to first order"),
        (41 / 28, 1e-3, "asymptotically stable"),
    ],
)
def test_damping_makes_the_column_of_ziegler_flutter_sooner(edge, damping, calm):
    """Pushed along: flutter at (7/2 - sqrt 2) c/l, with a trace of damping at 41/28."""
    below = ph.stability(column(0.999 * edge, damping))
    above = ph.stability(column(1.001 * edge, damping))
    assert (below.verdict, above.verdict) == (calm, "unstable")
    assert "swinging" in above.reason
    assert "Circulatory" in above.reason


@pytest.mark.parametrize(
    ("share", "sign"), [(0.98, -1.0), pytest.param(1.02, 1.0, marks=pytest.mark.long)]
)
def test_a_castor_shimmies_if_its_inertia_is_large(share, sign):
    """Towed on a springy pin it is calm while I < m b (a - b), whatever its speed.

    (I + m (a-b)^2) s^3 + m (a-b) V s^2 + a^2 k s + a k V = 0, no damper anywhere.
    """
    a, b, V, k, m = 0.5, 0.2, 3.0, 50.0, 2.0
    inertia = share * m * b * (a - b)
    tow, pin = lump("tow", 1e3, 1.0), lump("pin", 1e-9, 1e-9)
    wheel = lump("wheel", m, inertia, (-b, 0, 0))
    rail = ph.Prismatic("rail", ph.World().origin, tow.origin, axis=ph.X)
    side = ph.Prismatic("side", tow.origin, pin.origin, axis=ph.Y)
    king = ph.Revolute("king", pin.origin, wheel.origin, axis=ph.Z)

    def no_slip(x, y, turn, t):
        s, c = jnp.sin(turn[0]), jnp.cos(turn[0])
        return jnp.stack([-s, c, 0 * s - a]), 0.0

    joints = [rail, side, king]
    row = ph.VelocityRows(joints, no_slip, rows=("tyre",), name="tyre")
    system = ph.System(joints, [ph.JointSpring(side, k)], [row], name="castor")
    found = ph.linearise(system, system.state(speeds={"rail": V})).spectrum
    cubic = (inertia + m * (a - b) ** 2, m * (a - b) * V, a * a * k, a * k * V)
    assert_one(found.values, np.roots(cubic), 1e-7)
    assert np.sign(found.abscissa) == sign


@pytest.mark.long
@pytest.mark.parametrize(("share", "is_calm"), [(0.98, True), (1.02, False)])
def test_a_shaft_that_damps_itself_whirls_above_its_edge(share, is_calm):
    """W = w0 (1 + ce/ci): damping that turns along, against one that stands still."""
    k, m, inner, outer = 400.0, 1.0, 0.6, 0.9
    W = share * np.sqrt(k / m) * (1 + outer / inner)
    world, shaft, disc = ph.World(), lump("shaft", 0.1, 0.01), lump("disc", m, 0.02)
    axle = ph.Revolute("axle", world.origin, shaft.origin, axis=ph.Z)
    bend = ph.Translation("bend", shaft.origin, disc.origin)
    air = ph.ForceLaw(disc.origin, world.frame, lambda x, v, t: -outer * v)
    actions = [ph.JointSpring(bend, (k,) * 3), ph.JointDamper(bend, (inner,) * 3), air]
    system = ph.System([axle, bend], actions, name="rotor")
    found = ph.stability(system, system.state(speeds={"axle": W}))
    assert (found.verdict != "unstable") == is_calm
    # Seen from the shaft, the forward whirl at w0 goes round at w0 - W.
    slow = found.spectrum.values[np.argmax(found.spectrum.values.real)]
    assert_close(abs(slow.imag), W - np.sqrt(k / m), rtol=1e-3)


@pytest.mark.long
def test_an_engine_hunts_if_its_governor_acts_too_strongly():
    """Gain above b w (J S^2 + m l^2 sin^2 2th)/(m l^2 sin 2th): Vyshnegradsky."""
    J, m, l, b, lean = 0.4, 0.5, 0.3, 0.02, 0.8
    hub, ball = lump("hub", 1.0, J), lump("ball", m, 0.0, (0, 0, -l))
    axle = ph.Revolute("axle", ph.World().origin, hub.origin, axis=ph.Z)
    arm = ph.Revolute("arm", hub.origin, ball.origin, axis=ph.Y)
    motor = ph.Motor(axle, 0.0, name="engine")
    actions = [ph.Weight(G), ph.JointDamper(arm, b), motor]
    system = ph.System([axle, arm], actions, name="governor")
    leans = (lambda t, q, z: q[1] - lean,)
    every = ph.steady_motions(system, {"axle": None}, where=leans, starts=8)
    steady = next(each for each in every if each.rates["axle"] > 0)
    W = np.sqrt(G / (l * np.cos(lean)))
    assert_close(steady.rates["axle"], W, rtol=1e-9)
    asked = {"inputs": ["engine"], "outputs": ["arm"]}
    found = ph.linearise(system, steady.state, **asked).matrices
    S, S2 = np.sin(lean), np.sin(2 * lean)
    whole, beta = J + m * l**2 * S**2, b / (m * l**2)
    stiff = W**2 * (whole * S**2 + m * l**2 * S2**2)
    edge = beta * stiff / (W * S2)
    for gain, sign in ((0.99 * edge, -1), (1.01 * edge, 1)):
        values = np.linalg.eigvals(found.A - gain * found.B @ found.C)
        moving = values[np.abs(values) > 1e-9]
        cubic = (whole, whole * beta, stiff, W * S2 * gain)
        assert_one(moving, np.roots(cubic), 1e-8)
        assert np.sign(np.max(moving.real)) == sign


@pytest.mark.long
def test_a_wheelset_hunts_above_its_speed():
    """Creep couples sway and yaw: calm below the speed of Carter's matrices."""
    m, I, b, r, cone, f = 1200.0, 900.0, 0.75, 0.45, 0.05, 2e6
    across, around = 1e6, 5e5  # springs to the bogie

    def matrices(V):
        D = np.diag([2 * f * b**2 / V, 2 * f / V])
        return D, np.array([[around, 2 * f * cone * b / r], [-2 * f, across]])

    def system(V):
        D, K = matrices(V)
        axle = lump("axle", m, I)
        track = ph.Planar("track", ph.World().origin, axle.origin, normal=ph.Z)

        def creep(t, q, z):
            yaw, sway = -D @ jnp.stack([z[0], z[2]]) - K @ jnp.stack([q[0], q[2]])
            return jnp.stack([yaw, 0 * yaw, sway])

        return ph.System([track], [ph.Motor(track, creep, name="creep")])

    speed = 68.00259062422725
    for share, sign in ((0.99, -1), (1.01, 1)):
        V = share * speed
        found = ph.linearise(system(V))
        D, K = (np.diag([1 / I, 1 / m]) @ each for each in matrices(V))
        A = np.block([[np.zeros((2, 2)), np.eye(2)], [-K, -D]])
        assert_one(found.spectrum.values, np.linalg.eigvals(A), 1e-8)
        assert np.sign(found.spectrum.abscissa) == sign
        assert found.parts.has("circulatory")


@pytest.mark.long
def test_a_gyrocompass_swings_about_north():
    """w^2 = C s W cos(latitude)/A: a day against a thousand turns a second."""
    A, C, spin, day, latitude = 0.02, 0.03, 1000.0, 7.292e-5, 0.6
    up = np.array([np.cos(latitude), 0, np.sin(latitude)])
    north = np.array([-np.sin(latitude), 0, np.cos(latitude)])
    earth, ring = lump("earth", 1.0, 1.0), lump("ring", 1e-6, 1e-9)
    moments = A * np.eye(3) + (C - A) * np.outer(north, north)
    rotor = ph.Body.from_inertia("rotor", mass=1.0, inertia=moments)
    pole = ph.Revolute("pole", ph.World().origin, earth.origin, axis=ph.Z)
    heading = ph.Revolute("heading", earth.origin, ring.origin, axis=up)
    axle = ph.Revolute("axle", ring.origin, rotor.origin, axis=north)
    turned = ph.PrescribedMotion(pole, lambda t: day * t)
    system = ph.System([pole, heading, axle], [], [turned], name="gyrocompass")
    every = ph.steady_motions(system, {"pole": day, "axle": spin}, starts=8)
    assert every.arrived > 4  # though a day is all but nothing beside the spin
    found = {round(abs(float(each.state["heading"])), 5): each for each in every}
    assert set(found) == {0.0, 3.14159}
    verdict = found[0.0].stability()
    assert verdict.verdict == "stable"
    assert found[3.14159].stability().verdict == "unstable"
    rate = np.sqrt(C * spin * day * np.cos(latitude) / A)
    assert_close(np.max(verdict.spectrum.values.imag), rate, rtol=1e-6)


@pytest.mark.long
def test_a_rattleback_spun_the_other_way_does_the_opposite():
    """Time turned back is the other spin: s(-W) = -s(W), so one of both must grow."""
    stone = ph.models.rattleback()

    def values(W):
        spun = stone.state(speeds={"free": (0, 0, W, 0, 0, 0)})
        return ph.linearise(stone, spun).spectrum.values

    one, other = values(5.0), values(-5.0)
    assert_one(one, -other, 1e-8)
    assert max(one.real) > 0.5
    assert max(other.real) > 8.0


@pytest.mark.long
@pytest.mark.parametrize(
    ("masses", "verdict"),
    [
        ((1.0, 0.6, 0.3), "unstable"),
        ((1.0, 0.02, 0.01), "gyroscopically stabilised"),
    ],
)
def test_the_triangle_of_lagrange_keeps_if_one_mass_rules(masses, verdict):
    """(m1 m2 + m2 m3 + m3 m1)/M^2 < 1/27 (Gascheau); its side is (G M/W^2)^(1/3)."""
    W, whole = 1.3, sum(masses)
    stars = [ph.Particle(f"star {k}", mass) for k, mass in enumerate(masses)]
    pull = ph.Gravitation([ph.PointMass.of(star) for star in stars], 1.0)
    system = ph.System(stars, [pull], name="triangle")
    side = (whole / W**2) ** (1 / 3)
    corners = side * np.array([[0, 0, 0], [1.1, 0, 0], [0.5, 0.8, 0]])
    near = ph.State(system, 0.0, corners.ravel(), np.zeros(9))
    found = ph.steady_motions(system, {"turn z": W}, near, starts=1)[0]
    places = found.state.q.reshape(3, 3)
    assert_close(np.linalg.norm(places - np.roll(places, 1, 0), axis=1), [side] * 3)
    assert found.stability().verdict == verdict
