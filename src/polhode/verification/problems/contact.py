"""Supports: blocks that tip, balls that skid, bodies that bounce, leave and strike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq

import polhode as ph
from polhode.verification import sources
from polhode.verification.problem import Answer, problem

G = 9.81


def in_the_plane(body: ph.Body, world: ph.World) -> ph.Planar:
    """Coordinates (turn from Z to X reversed, X, Z) of a body in the vertical plane."""
    return ph.Planar("plane", world.origin, body.origin, normal=-ph.Y)


def on_a_slope(angle: float) -> ph.Weight:
    """Weight before axes that lie in the slope: X points down it, Z out of it."""
    return ph.Weight(G, up=(-np.sin(angle), 0.0, np.cos(angle)))


@problem(sources.MERIAM, "chapter 6, a block that tips on a rough incline", digits=9)
def block_that_tips() -> Sequence[Answer]:
    """A slender block on a rough incline turns over its lower edge.

    Half sides b = 0.1 m and h = 0.3 m, on tan α = 0.4 > b/h with μ = 0.9: it tips about
    the edge with 3 g (h sin α - b cos α)/(4 (b² + h²)), and the other edge leaves.
    """
    b, h, slope = 0.1, 0.3, np.arctan(0.4)
    world = ph.World()
    block = ph.Body("block", ph.solids.box(mass=2.0, x=2 * b, y=0.1, z=2 * h))
    edges = ph.surfaces.hull(block.origin, [(-b, 0, -h), (b, 0, -h)])
    base = ph.Support(edges, world.origin, friction=ph.Coulomb(0.9), name="base")
    plane = in_the_plane(block, world)
    system = ph.System([plane], [on_a_slope(slope)], supports=[base], name="block")
    (mode,) = ph.contact_modes(system.state(plane=(0, 0, h)))
    turn = 0.75 * G * (h * np.sin(slope) - b * np.cos(slope)) / (b * b + h * h)
    return (
        Answer("acceleration, rad/s²", turn, abs(mode.accelerations[0])),
        # The edge is h below the centre and b ahead of it, and is at rest.
        Answer("of the centre, m/s²", [h * turn, b * turn], mode.accelerations[1:]),
    )


@problem(sources.CORIOLIS, "a ball struck off its centre: the parabola", digits=8)
def ball_with_side() -> Sequence[Answer]:
    """A ball that skids goes along a parabola, then rolls on in a straight line.

    The slip u = v + ω × (-R k) keeps its direction and ends at t = 2 |u|/(7 μ g); until
    then the ball is pushed by μ g against it. It then rolls at v - 2 u/7, while its
    spin about the vertical stays.
    """
    R, mu = 0.03, 0.25
    v, spin = np.array([1.0, 0.3, 0.0]), np.array([60.0, -30.0, 20.0])
    world, ball = ph.World(), ph.Body("ball", ph.solids.sphere(mass=0.2, radius=R))
    cloth = ph.Support(
        ph.surfaces.sphere(ball.origin, R),
        world.origin,
        friction=ph.Coulomb(mu),
        name="cloth",
    )
    system = ph.System([ball], [ph.Weight(G)], supports=[cloth], name="ball with side")
    start = system.state(ball={"z": R}, speeds={"ball": (*spin, *v)})
    motion = ph.simulate(system, start, until=1.0, rtol=1e-11)
    slip = v + np.cross(spin, [0, 0, -R])
    lasts, rolls = 2 * np.linalg.norm(slip) / (7 * mu * G), v - 2 / 7 * slip
    place = (v + rolls) / 2 * lasts + rolls * (1.0 - lasts)
    path = motion["ball"]
    return (
        Answer("end of the slip, s", lasts, motion.events[0].t),
        Answer("velocity, m/s", rolls, path.velocity[-1], size=1.0),
        Answer("place, m", place[:2], path.position[-1, :2]),
        Answer("spin upright, rad/s", spin[2], path.angular_velocity[-1, 2]),
    )


@problem(sources.GARWIN, "a ball with spin that bounces", digits=10)
def ball_with_spin_bounces() -> Sequence[Answer]:
    """A ball that falls with spin jumps sideways, as far as friction goes.

    It slides through the blow where 2 R w/7 > μ (1 + e) v and leaves with μ (1 + e) v;
    else it grips, and leaves with 2 R w/7. R = 0.05 m, w = 100 rad/s, v = 3 m/s,
    e = 0.7, μ = 0.05 and 0.6.
    """
    R, e, w, v = 0.05, 0.7, 100.0, 3.0
    expected, found = [], []
    for mu in (0.05, 0.6):
        world, ball = ph.World(), ph.Body("ball", ph.solids.sphere(mass=0.1, radius=R))
        floor = ph.Support(
            ph.surfaces.sphere(ball.origin, R),
            world.origin,
            friction=ph.Coulomb(mu),
            restitution=e,
            name="floor",
        )
        system = ph.System([ball], [ph.Weight(G)], supports=[floor], name="spun ball")
        speeds = {"ball": (0, w, 0, 0, 0, -v)}
        after = ph.impact(system.state(ball={"z": R}, speeds=speeds)).after
        across = min(mu * (1 + e) * v, 2 / 7 * R * w)
        expected.append([w - 2.5 * across / R, across, e * v])
        found.append(after.speed("ball")[[1, 3, 5]])
    return (Answer("ω and v after, rad/s, m/s", expected, np.array(found)),)


@problem(sources.ROUTH_ELEMENTARY, "a rod that strikes a smooth plane", digits=11)
def rod_strikes_the_floor() -> Sequence[Answer]:
    """A rod that lands on one end gives part of its fall to its turn.

    It falls at v = 2 m/s, a = 0.3 from the level, on a smooth floor with e = 0.5. With
    c = (l/2) cos a and k² = l²/12 the blow is m (1 + e) v/(1 + c²/k²).
    """
    m, l, a, v, e = 1.3, 1.0, 0.3, 2.0, 0.5
    world, rod = ph.World(), ph.Body("rod", ph.solids.rod(mass=m, length=l, along=ph.X))
    ends = ph.surfaces.hull(rod.origin, [(-l / 2, 0, 0), (l / 2, 0, 0)])
    floor = ph.Support(ends, world.origin, restitution=e, name="floor")
    plane = in_the_plane(rod, world)
    system = ph.System([plane], [ph.Weight(G)], supports=[floor], name="falling rod")
    low = (a, 0, l / 2 * np.sin(a))
    struck = ph.impact(system.state(plane=low, speeds={"plane": (0, 0, -v)}))
    arm, k2 = l / 2 * np.cos(a), l * l / 12
    blow = m * (1 + e) * v / (1 + arm**2 / k2)
    spin, across, up = struck.after.speed("plane")
    expected = [blow * arm / (m * k2), 0.0, blow / m - v]
    return (Answer("spin and v after", expected, [abs(spin), across, up]),)


@problem(sources.IRODOV, "part 1, a ball that bounces down a smooth incline", digits=8)
def ball_bounces_down_an_incline() -> Sequence[Answer]:
    """An elastic ball bounces down an incline in equal times and growing leaps.

    Dropped from h = 0.7 m (along the plumb line) on the slope α = 0.2, its first leap
    is 8 h sin α and the n-th is n times as long.
    """
    h, slope = 0.7, 0.2
    world, ball = ph.World(), ph.Particle("ball", 1.0)
    face = ph.Support(
        ph.surfaces.point(ball.mass_centre), world.origin, restitution=1.0, name="face"
    )
    system = ph.System([ball], [on_a_slope(slope)], supports=[face], name="leaps")
    above = h * np.array([-np.sin(slope), 0.0, np.cos(slope)])
    first = np.sqrt(2 * h / G)
    motion = ph.simulate(system, system.state(ball=above), until=8.0 * first)
    blows = motion["face"].impacts
    where = [motion.at(blow.t)["ball"][0] for blow in blows]
    n = np.arange(len(blows))
    leaps = 8 * h * np.sin(slope) * n * (n + 1) / 2
    return (
        Answer("blows, s", first * (1 + 2 * n), [blow.t for blow in blows]),
        Answer("where, m", leaps, where),
    )


@problem(sources.IRODOV, "part 1, a spun cylinder in a corner", digits=8)
def spun_cylinder_in_a_corner() -> Sequence[Answer]:
    """A spun cylinder that is set into a corner rubs on both walls until it stops.

    With friction k the walls push m g/(1 + k²) and k m g/(1 + k²), and it makes
    (1 + k²) ω² R/(8 π k (1 + k) g) turns; R = 0.2 m, ω = 40 rad/s, k = 0.3.
    """
    m, R, w, k = 2.0, 0.2, 40.0, 0.3
    solid = ph.solids.cylinder(mass=m, radius=R, length=0.3, along=ph.Y)
    world, cylinder = ph.World(), ph.Body("cylinder", solid)
    side = ph.surfaces.sphere(cylinder.origin, R)
    floor, wall = (
        ph.Support(side, world.point(*at), normal=n, friction=ph.Coulomb(k), name=name)
        for name, at, n in (("floor", (0, 0, 0), ph.Z), ("wall", (R, 0, 0), -ph.X))
    )
    system = ph.System(
        [in_the_plane(cylinder, world)],
        [ph.Weight(G)],
        supports=[floor, wall],
        name="corner",
    )
    start = system.state(plane=(0, 0, R), speeds={"plane": (-w, 0, 0)})
    motion = ph.simulate(system, start, until=10.0)
    turns = (1 + k * k) * w**2 * R / (8 * np.pi * k * (1 + k) * G)
    push = m * G / (1 + k * k)
    pushes = [motion[name].push[0, 0] for name in ("floor", "wall")]
    return (
        Answer("turns", turns, abs(motion.q[-1, 0]) / (2 * np.pi)),
        Answer("pushes, N", [push, k * push], pushes),
    )


@problem(sources.ROUTH_ELEMENTARY, "a sphere that rolls down a sphere", digits=8)
def ball_slips_on_a_ball() -> Sequence[Answer]:
    """A ball that rolls off a fixed one slips before it leaves.

    It begins at rest at 0.3 rad from the top. While it rolls, the push is
    m g (17 cos θ - 10 cos 0.3)/7 and the friction 2 m g sin θ/7: with μ = 0.3 it slips
    where they are in this ratio.
    """
    R, r, first, mu = 1.0, 0.1, 0.3, 0.3
    world, ball = ph.World(), ph.Body("ball", ph.solids.sphere(mass=1.0, radius=r))
    touch = ph.Support(
        ph.surfaces.sphere(ball.origin, r),
        ph.surfaces.sphere(world.origin, R),
        friction=ph.Coulomb(mu),
        name="touch",
    )
    system = ph.System([ball], [ph.Weight(G)], supports=[touch], name="ball on ball")
    x, z = (R + r) * np.sin(first), (R + r) * np.cos(first)
    start = system.state(ball={"x": x, "z": z})
    motion = ph.simulate(system, start, until=0.8, rtol=1e-11)

    def excess(lean: float) -> float:
        push = 17 * np.cos(lean) - 10 * np.cos(first)
        return float(2 * np.sin(lean) - mu * push)

    lean = brentq(excess, first, 1.2, xtol=1e-14)
    slips = motion.at(motion.events[0].t)
    x, _, z = slips["ball"][-3:]
    speed = np.sqrt(10 / 7 * G * (R + r) * (np.cos(first) - np.cos(lean)))
    return (
        Answer("θ at the slip, rad", lean, np.arctan2(x, z)),
        Answer("speed there, m/s", speed, np.linalg.norm(slips.speed("ball")[3:])),
    )


@problem(sources.MERIAM, "chapter 3, a block on a wedge that is free", digits=9)
def block_on_a_rough_wedge() -> Sequence[Answer]:
    """A wedge runs from under a block that rubs down its face.

    N = m g cos α/(1 + m sin α (sin α - μ cos α)/M) and the wedge goes with
    N (sin α - μ cos α)/M; α = 0.5, M = 3 kg, m = 1 kg, μ = 0 and 0.2.
    """
    slope, M, m = 0.5, 3.0, 1.0
    s, c = np.sin(slope), np.cos(slope)
    expected, found = [], []
    for mu in (0.0, 0.2):
        world, block = ph.World(), ph.Particle("block", m)
        wedge = ph.Body("wedge", ph.solids.box(mass=M, x=1.0, y=0.3, z=0.3))
        rail = ph.Prismatic("rail", world.origin, wedge.origin, axis=ph.X)
        face = ph.Support(
            ph.surfaces.point(block.mass_centre),
            wedge.origin,
            normal=(-s, 0, c),
            friction=ph.Coulomb(mu),
            name="face",
        )
        system = ph.System([rail, block], [ph.Weight(G)], supports=[face], name="wedge")
        motion = ph.simulate(system, system.state(), until=0.5)
        push = m * G * c / (1 + m * s * (s - mu * c) / M)
        expected.append([push, 0.5 * push * (s - mu * c) / M])
        found.append([motion["face"].push[-1, 0], motion["wedge"].velocity[-1, 0]])
    return (Answer("push, N, and speed, m/s", np.array(expected), np.array(found)),)


@problem(sources.MERIAM, "chapter 2, a coin on a turntable that starts", digits=8)
def coin_on_a_turntable() -> Sequence[Answer]:
    """A coin flies off a turntable that goes faster and faster.

    At r = 0.4 m on a table with the steady angular acceleration α = 0.5 rad/s², it
    holds until r² (α² + α⁴ t⁴) = μ² g².
    """
    r, alpha, mu = 0.4, 0.5, 0.3
    world, coin = ph.World(), ph.Particle("coin", 0.01)
    table = ph.Body("table", ph.solids.disc(mass=1.0, radius=1.0))
    axle = ph.Revolute("axle", world.origin, table.origin, axis=ph.Z)
    turns = ph.PrescribedMotion(axle, lambda t: alpha * t * t / 2)
    rest = ph.Support(
        ph.surfaces.point(coin.mass_centre),
        table.origin,
        friction=ph.Coulomb(mu),
        name="rest",
    )
    system = ph.System(
        [axle, coin], [ph.Weight(G)], [turns], supports=[rest], name="coin"
    )
    motion = ph.simulate(system, system.state(coin=(r, 0, 0)), until=6.0, rtol=1e-10)
    slips = ((mu * G / r) ** 2 - alpha**2) ** 0.25 / alpha
    return (Answer("slips at, s", slips, motion.events[0].t),)


@problem(sources.MERIAM, "chapter 3, a follower that leaves its cam", digits=9)
def follower_leaves_its_cam() -> Sequence[Answer]:
    """A follower leaves an eccentric that turns too fast for its weight.

    It rides on a disc whose centre is e = 20 mm off the shaft, at e sin ωt with
    ω = 25 rad/s: it is pushed by m (g - e ω² sin ωt), and leaves where that is zero.
    """
    e, R, w, m = 0.02, 0.1, 25.0, 0.7
    world, follower = ph.World(), ph.Particle("follower", m)
    solid = ph.solids.cylinder(mass=1.0, radius=R, length=0.05, along=ph.Y)
    cam = ph.Body("cam", solid)
    shaft = ph.Revolute("shaft", world.origin, cam.point(-e, 0, 0), axis=ph.Y)
    guide = ph.Prismatic("guide", world.origin, follower.mass_centre, axis=ph.Z)
    turns = ph.PrescribedMotion(shaft, lambda t: -w * t)
    flat = ph.Support(
        ph.surfaces.sphere(cam.origin, R),
        follower.mass_centre,
        normal=-ph.Z,
        name="flat",
    )
    system = ph.System(
        [shaft, guide], [ph.Weight(G)], [turns], supports=[flat], name="cam"
    )
    start = system.state(guide=R, speeds={"shaft": -w, "guide": e * w})
    motion = ph.simulate(system, start, until=0.06, rtol=1e-11)
    leaves = np.arcsin(G / (e * w * w)) / w
    return (
        Answer("leaves at, s", leaves, motion.events[0].t),
        Answer("push at first, N", m * G, motion["flat"].push[0, 0]),
    )


@problem(sources.MERIAM, "chapter 6, a cube that trips over a ledge", digits=10)
def cube_trips_over_a_ledge() -> Sequence[Answer]:
    """A cube that slides into a low ledge turns about its edge with 3v/(4s).

    On a smooth floor at v = 1 m/s, side s = 0.2 m, the ledge without rebound: five
    eighths of the energy are lost in the blow.
    """
    s, v, m = 0.2, 1.0, 1.5
    world, cube = ph.World(), ph.Body("cube", ph.solids.box(mass=m, x=s, y=s, z=s))
    a = s / 2
    edges = ph.surfaces.hull(cube.origin, [(-a, 0, -a), (a, 0, -a)])
    floor = ph.Support(edges, world.origin, name="floor")
    tip = ph.surfaces.point(cube.point(a, 0, -a))
    ledge = ph.Support(tip, world.point(a, 0, 0), normal=-ph.X, name="ledge")
    plane = in_the_plane(cube, world)
    system = ph.System([plane], [ph.Weight(G)], supports=[floor, ledge], name="cube")
    start = system.state(plane=(0, 0, a), speeds={"plane": (0, v, 0)})
    spin, across, up = ph.impact(start).after.speed("plane")
    kept = (m * (across**2 + up**2) + m * s**2 / 6 * spin**2) / (m * v**2)
    return (
        Answer("ω, rad/s", 3 * v / (4 * s), abs(spin)),
        Answer("energy kept", 3 / 8, kept),
    )


@problem(sources.ROUTH_ELEMENTARY, "the centre of percussion", digits=10)
def rod_strikes_a_peg() -> Sequence[Answer]:
    """A hanging rod that swings against a peg does not shake its hinge at 2l/3.

    With the peg at the depth d and e = 0.6, the rod at w before turns back with e w;
    the peg gives m l² (1 + e) w/(3 d), the hinge m (1 + e) w (l/2 - l²/(3 d)).
    """
    m, l, e, w = 1.2, 1.0, 0.6, 1.7
    expected, found = [], []
    for d in (2 * l / 3, l):
        world = ph.World()
        rod = ph.Body("rod", ph.solids.rod(mass=m, length=l, along=ph.Z))
        hinge = ph.Revolute("hinge", world.origin, rod.point(0, 0, l / 2), axis=ph.Y)
        struck = ph.surfaces.point(rod.point(0, 0, l / 2 - d))
        peg = ph.Support(struck, world.origin, normal=ph.X, restitution=e, name="peg")
        system = ph.System([hinge], [ph.Weight(G)], supports=[peg], name="rod")
        blow = ph.impact(system.state(speeds={"hinge": w}))
        expected.append([e * w, m * (1 + e) * w * (l / 2 - l * l / (3 * d))])
        # Moments before forces: the force along X, against the peg's.
        found.append([-float(blow.after.speed("hinge")), blow.joints["hinge"][3]])
    return (Answer("ω, rad/s, and blow, N s", np.array(expected), np.array(found)),)
