"""Motions with supports, to the digits of closed forms and of published runs.

Bouncing ball, particle off a sphere, ladder, falling rod (Cross 2006), incline, belt,
thrown cube, billiard ball, Housner's block, rimless wheel (Tedrake), dry oscillator
(Siconos), stick and slip on a belt, impacting stick (Siconos).
"""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G = 9.81
RTOL = 1e-11


def particle(up=ph.Z, *, g: float = G, stiffness: float = 0.0, **law) -> ph.System:
    """A particle of 1 kg on a plane, perhaps with a spring to the origin."""
    ball, world = ph.Particle("ball", 1.0), ph.World()
    on = ph.Support(ph.surfaces.point(ball.mass_centre), world.origin,
                    name="floor", **law)  # fmt: skip
    actions = [ph.Weight(g, up=up)]
    if stiffness:
        actions.append(ph.Spring(ball.mass_centre, world.origin, stiffness))
    return ph.System([ball], actions, supports=[on])


def run(system: ph.System, state: ph.State, until: float, **more):
    motion = ph.simulate(system, state, until=until, rtol=RTOL, **more)
    assert motion.outcome.is_complete
    ledger = motion.ledger()
    worst = float(np.max(np.abs(ledger.balance)))
    assert worst <= max(ledger.promise, 1e-13), (worst, ledger.promise)
    assert ledger.promises.least_push >= -1e-9
    return motion


@pytest.mark.row("C-08")
@pytest.mark.row("D-03")
def test_a_ball_bounces_until_it_rests():
    """h = 1, e = 0.5: times of impacts, all energy lost, and then N = m g."""
    system = particle(restitution=0.5)
    motion = run(system, system.state(ball=(0, 0, 1)), 2.0)
    t = np.array([hit.t for hit in motion["floor"].impacts])
    expected = [0.451523640985730904, 0.903047281971461809]
    assert_close(t[:2], expected, atol=1e-13)
    assert_close(t[[4, 9]], [1.29813046783397635, 1.3528071587345922], atol=1e-12)
    assert_close(motion.events.t[-1], 1.35457092295719271, atol=5e-9)
    assert motion.events[-1].kind == "slides"
    assert motion.events[-2].kind == "settles"
    floor = motion["floor"]
    assert floor.status[-1, 0] == "slides"  # a smooth floor holds nothing
    assert_close(floor.push[-1, 0], G, rtol=1e-12)
    work = motion.ledger().work
    lost = work["impacts of floor"][-1]
    assert_close(lost, -G, rtol=1e-9)


@pytest.mark.row("C-08")
def test_a_particle_leaves_a_sphere():
    """From rest at 0.1 rad: cos = (2/3) cos 0.1, and where it strikes the plane."""
    ball, world = ph.Particle("ball", 1.0), ph.World()
    point = ph.surfaces.point(ball.mass_centre)
    dome = ph.Support(point, ph.surfaces.sphere(world.origin, 1.0), name="dome")
    plane = ph.Support(point, world.point(0, 0, -1), name="plane")
    system = ph.System([ball], [ph.Weight(G)], supports=[dome, plane])
    motion = run(system, system.state(ball=(np.sin(0.1), 0, np.cos(0.1))), 1.4)
    off = motion.events["dome"][0]
    assert off.kind == "opens"
    x, _, z = off.before.q
    assert_close(np.arctan2(x, z), 0.845528201856860743, atol=1e-9)
    assert_close(off.t, 0.907110111046269434, atol=1e-9)
    assert_close(np.linalg.norm(off.before.z), 2.55094634222640765, atol=1e-9)
    down = motion.events["plane"][0]
    assert_close(down.before.q[0], 1.45799169000674679, atol=1e-9)
    assert_close(down.t - off.t, 0.419393353325718504, atol=1e-9)


def rod_in_plane(length: float, supports, *, g: float = G) -> ph.System:
    """A rod of 1 kg that moves in the plane of x and z; its angle is from +z to -x."""
    rod, world = ph.Body("rod", ph.solids.rod(mass=1.0, length=length)), ph.World()
    plane = ph.Planar("plane", world.origin, rod.origin, normal=-ph.Y)
    return ph.System([plane], [ph.Weight(g)], supports=supports(rod, world))


@pytest.mark.row("C-08")
def test_a_smooth_ladder_leaves_the_wall():
    """From 60 degrees: at 2/3 of its height, with the speeds of the closed form."""

    def ends(rod, world):
        foot, top = rod.point(0, 0, -1), rod.point(0, 0, 1)
        return [ph.Support(ph.surfaces.point(foot), world.origin, name="ground"),
                ph.Support(ph.surfaces.point(top), world.origin, normal=ph.X,
                           name="wall")]  # fmt: skip

    system = rod_in_plane(2.0, ends)
    theta = np.radians(60)
    start = system.state(plane=(np.pi / 2 - theta, np.cos(theta), np.sin(theta)))
    flat = 0.686139515733025448
    motion = run(system, start, flat)
    off = motion.events["wall"][0]
    assert_close(np.pi / 2 - off.before.q[0], 0.615479708670387341, atol=1e-9)
    assert_close(off.t, 0.459662826377380991, atol=1e-9)
    assert_close(off.before.z[0], 2.06103241254539021, atol=1e-9)
    assert_close(motion.z[-1, 1], 1.18993761819162486, atol=1e-9)
    # It lies flat with its speed of turning, its foot where the closed form has it.
    assert_close(motion.q[-1, 0], np.pi / 2, atol=1e-9)
    assert_close(motion.z[-1, 0], 3.4178355965870194, atol=1e-8)
    assert_close(motion.q[-1, 1] + 1.0, 2.08598971323550612, atol=1e-9)
    assert motion["wall"].status[-1, 0] == "open"
    assert motion["ground"].status[-1, 0] == "slides"


@cache
def rod_on_its_foot() -> ph.System:
    """A rod whose end is on a rough floor; its friction is given by the runs."""

    def foot(rod, world):
        point = ph.surfaces.point(rod.point(0, 0, -0.5))
        law = ph.Coulomb(0.5)
        return [ph.Support(point, world.origin, friction=law, name="foot")]

    return rod_in_plane(1.0, foot)


@pytest.mark.row("C-09")
@pytest.mark.parametrize(
    ("mu", "angle", "rate"),
    [
        (0.2, 0.270862085606801581, 0.330723783864738617),
        (0.5, 0.9071847157544685, 1.0733601560888439),
    ],
)
def test_a_rod_that_falls_on_a_rough_floor_slips(mu, angle, rate):
    """mu = 0.2 slips backward early, mu = 0.5 forward late (Cross 2006)."""
    system, rough = rod_on_its_foot(), {"foot.dynamic": mu, "foot.static": mu}
    a = 0.01  # with the speed that it has there when it falls from upright
    w = np.sqrt(3 * G * (1 - np.cos(a)))
    speeds = (-w, 0.5 * w * np.cos(a), -0.5 * w * np.sin(a))
    start = system.state(plane=(-a, 0.5 * np.sin(a), 0.5 * np.cos(a)),
                         speeds={"plane": speeds})  # fmt: skip
    motion = run(system, start, 1.2, parameters=rough)
    slip = motion.events["foot"][0]
    assert slip.kind == "slides"
    assert_close(-slip.before.q[0], angle, atol=1e-9)
    assert_close(-slip.before.z[0] * np.sqrt(1 / G), rate, atol=1e-9)
    later = motion.at(slip.t + 0.01)
    forward = later.z[1] - 0.5 * -later.z[0] * np.cos(later.q[0])
    assert np.sign(forward) == (-1 if mu == 0.2 else 1)


@pytest.mark.row("C-09")
def test_a_falling_rod_asks_most_of_friction_at_cos_9_11():
    """|F|/N is greatest there, 15 sqrt(10)/128 = 0.370579413300981953."""
    system, rough = rod_on_its_foot(), {"foot.dynamic": 0.5, "foot.static": 0.5}

    def share(a):
        w = np.sqrt(3 * G * (1 - np.cos(a)))
        speeds = (-w, 0.5 * w * np.cos(a), -0.5 * w * np.sin(a))
        place = (-a, 0.5 * np.sin(a), 0.5 * np.cos(a))
        state = system.state(plane=place, speeds={"plane": speeds})
        (mode,) = ph.contact_modes(state, table=rough)
        assert mode.status["foot"] == "sticks"
        return np.linalg.norm(mode.friction["foot"]) / mode.push["foot"]

    most = np.arccos(9 / 11)
    around = [share(most + d) for d in (-1e-3, 0.0, 1e-3)]
    assert_close(around[1], 15 * np.sqrt(10) / 128, rtol=1e-13)
    assert max(around[0], around[2]) < around[1]


@pytest.mark.row("C-09")
@pytest.mark.row("C-10")
def test_a_block_on_a_slope_sticks_or_slides():
    """tan a = 0.5: mu = 0.5000001 rests for ever, 0.4999999 slides 1.579e-5 m."""
    a = np.arctan(0.5)
    system = particle((-np.sin(a), 0, np.cos(a)), friction=ph.Coulomb(0.5000001))
    more = {"floor.dynamic": 0.5000001, "floor.static": 0.5000001}
    still = run(system, system.state(), 6.0, parameters=more)
    assert not np.any(still.z)
    assert not np.any(still.q)
    assert still["floor"].status[-1, 0] == "sticks"
    less = {"floor.dynamic": 0.4999999, "floor.static": 0.4999999}
    loose = run(system, system.state(), 6.0, parameters=less)
    assert_close(loose.q[-1, 0], 1.5793795342e-5, rtol=1e-9)
    up = run(system, system.state(speeds={"ball": (-1.0, 0, 0)}), 1.0, parameters=more)
    stop = 1.0 / (G * (np.sin(a) + 0.5000001 * np.cos(a)))
    assert [e.kind for e in up.events] == ["sticks"]
    assert_close(up.events.t, [stop], rtol=1e-12)


@pytest.mark.row("C-10")
@pytest.mark.row("K-23")
def test_a_block_put_on_a_belt():
    """v = 2, mu = 0.25: it slips 0.8155 s; the belt's work is 4 J, half of it heat."""
    system = particle(friction=ph.Coulomb(0.25), belt=(2.0, 0, 0))
    motion = run(system, system.state(), 2.0)
    assert_close(motion.events.t, [0.815494393476044852], rtol=1e-13)
    work = motion.ledger().work
    assert_close(work["belt of floor"][-1], 4.0, rtol=1e-12)
    assert_close(work["friction of floor"][-1], -2.0, rtol=1e-12)


@pytest.mark.long  # four corners take half a minute to compile
@pytest.mark.row("C-10")
def test_a_thrown_cube_slides_and_does_not_tip():
    """6 m/s, mu = 0.5: 3.669725 m in 1.223242 s; the front carries 0.75 of it."""
    cube = ph.Body("cube", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    corners = [(x, y, -0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]
    base = ph.Support(ph.surfaces.hull(cube.origin, corners), ph.World().origin,
                      friction=ph.Coulomb(0.5), name="base")  # fmt: skip
    system = ph.System([cube], [ph.Weight(G)], supports=[base])
    start = system.state(cube={"z": 0.05}, speeds={"cube": (0, 0, 0, 6, 0, 0)})
    motion = run(system, start, 1.5)
    place = motion["cube"].position
    assert_close(place[-1], [3.66972477064220183, 0, 0.05], rtol=1e-12)
    assert_close(motion.events.t, [1.22324159021406728] * 4, rtol=1e-12)
    assert np.max(np.abs(place[:, 2] - 0.05)) < 1e-14
    front = motion["base"].push[1, 2:].sum()
    assert_close(front / G, 0.75, rtol=1e-9)
    assert np.max(np.abs(motion.z[-1])) < 1e-15
    nearly = {"base.dynamic": 0.99, "base.static": 0.99}
    slides = ph.simulate(system, start, until=1.0, parameters=nearly)
    assert_close(slides["cube"].position[-1], [36 / (2 * 0.99 * G), 0, 0.05], rtol=1e-9)
    assert np.ptp(slides["cube"].position[:, 2]) < 1e-12
    tips = ph.simulate(system, start, until=0.05, parameters={
        "base.dynamic": 1.1, "base.static": 1.1})  # fmt: skip
    assert tips["cube"].position[-1, 2] > 0.0501


RADIUS = 0.0286


@cache
def ball_on_cloth() -> ph.System:
    """A billiard ball, compiled once."""
    ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=RADIUS))
    cloth = ph.Support(ph.surfaces.sphere(ball.origin, RADIUS), ph.World().origin,
                       friction=ph.Coulomb(0.2), name="cloth")  # fmt: skip
    return ph.System([ball], [ph.Weight(G)], supports=[cloth])


@pytest.mark.row("C-11")
@pytest.mark.parametrize(
    ("spin", "t", "v", "x"),
    [
        (0.0, 0.291247997670016019, 10 / 7, 0.499282281720027461),
        (-150.0, 0.915974952672200379, 0.202857142857142857, 1.00888098358609499),
    ],
)
def test_a_billiard_ball_slides_and_then_rolls(spin, t, v, x):
    """It rolls after 2 v/(7 mu g), at 5/7 of its speed; backspin delays it."""
    system = ball_on_cloth()
    start = system.state(ball={"z": RADIUS}, speeds={"ball": (0, spin, 0, 2.0, 0, 0)})
    motion = run(system, start, 1.0)
    (rolls,) = motion.events
    assert_close(rolls.t, t, atol=3e-9)
    assert_close(np.linalg.norm(rolls.before.z[3:]), v, atol=3e-9)
    assert_close(motion.at(t).q[4], x, atol=3e-9)
    assert motion["cloth"].status[-1, 0] == "rolls"


@pytest.mark.long
@pytest.mark.row("C-11")
@pytest.mark.parametrize(("shape", "kept"), [("hoop", 1 / 2), ("cylinder", 2 / 3)])
def test_hoop_and_cylinder_roll_at_their_share(shape, kept):
    """v_0/(1 + I/(m r^2)), after v_0 I/(mu g (m r^2 + I))."""
    r, mu = 0.1, 0.2
    hoop = ph.solids.ring(mass=2.0, radius=r, along=ph.Y)
    full = ph.solids.cylinder(mass=2.0, radius=r, length=0.1, along=ph.Y)
    wheel = ph.Body("wheel", hoop if shape == "hoop" else full)
    world = ph.World()
    plane = ph.Planar("plane", world.origin, wheel.origin, normal=-ph.Y)
    rest = ph.Support(ph.surfaces.sphere(wheel.origin, r), world.origin,
                      friction=ph.Coulomb(mu), name="rest")  # fmt: skip
    system = ph.System([plane], [ph.Weight(G)], supports=[rest])
    start = system.state(plane=(0, 0, r), speeds={"plane": (0, 2.0, 0)})
    motion = run(system, start, 1.0)
    assert_close(abs(motion.z[-1, 1]), 2.0 * kept, rtol=1e-9)
    assert_close(motion.events.t, [2.0 * (1 - kept) / (mu * G)], rtol=1e-9)


@pytest.mark.row("D-03")
def test_housners_block_rocks():
    """Two corners, e = 0, much friction: speeds fall by 0.85 at every impact."""
    b, h = 0.2, 0.6  # half sides
    block, world = ph.Body("block", ph.solids.box(mass=1.0, x=0.4, y=0.1, z=1.2)), None
    world = ph.World()
    plane = ph.Planar("plane", world.origin, block.origin, normal=-ph.Y)
    corners = ph.surfaces.hull(block.origin, [(-b, 0, -h), (b, 0, -h)])
    base = ph.Support(corners, world.origin, friction=ph.Coulomb(10.0), name="base")
    system = ph.System([plane], [ph.Weight(G)], supports=[base])
    theta = np.arctan2(b, h) / 2
    c, s = np.cos(theta), np.sin(theta)
    place = (-(c * b - s * h), s * b + c * h)  # the right corner at the origin
    motion = run(system, system.state(plane=(-theta, *place)), 1.8)
    hits = motion["base"].impacts
    expected = [0.387295076314793118, 0.94306967883223288, 1.37710063085841576,
                1.72784217548405716]  # fmt: skip
    assert_close([hit.t for hit in hits], expected, atol=1e-9)
    touches = [e for e in motion.events if e.kind == "touches"]
    rates = [(e.before.z[0], e.after.z[0]) for e in touches]
    assert_close(abs(rates[0][0]), 0.945266502964855888, atol=1e-9)
    assert_close([after / before for before, after in rates], [0.85] * 4, rtol=1e-9)
    amplitudes = [
        np.max(np.abs(motion.resampled(np.linspace(*ends, 20_001)).q[:, 0]))
        for ends in itertools.pairwise(expected)
    ]
    told = [0.104205747660337254, 0.0710163253245568066, 0.0494971949469004962]
    assert_close(amplitudes, told, atol=1e-8)


HUB = 1e-3  # m: the hub is nearly a point


def rimless_wheel():
    """Half of the angle between spokes, the slope, the wheel, and starts of it.

    It stands on a spoke that has just struck; its rate is about +Y.
    """
    a, gamma = np.pi / 8, 0.08
    wheel, world = ph.Body("wheel", ph.solids.sphere(mass=1.0, radius=HUB)), ph.World()
    plane = ph.Planar("plane", world.origin, wheel.origin, normal=ph.Y)
    spokes = [(np.sin(2 * a * k), 0, -np.cos(2 * a * k)) for k in (-1, 0, 1)]
    rim = ph.Support(ph.surfaces.hull(wheel.origin, spokes), world.origin,
                     friction=ph.Coulomb(10.0), name="rim")  # fmt: skip
    up = (-np.sin(gamma), 0, np.cos(gamma))
    system = ph.System([plane], [ph.Weight(G, up=up)], supports=[rim])

    def start_at(rate, spoke):
        x, _, z = spokes[spoke]
        return _on_spoke(system, spokes[spoke], np.arctan2(x, -z) - a, rate)

    return a, gamma, system, start_at


@pytest.mark.long
@pytest.mark.row("D-03")
@pytest.mark.parametrize(("more", "way"), [(1e-5, 1), (-1e-5, -1)])
def test_a_rimless_wheel_passes_the_top_or_falls_back(more, way):
    """sqrt(2 g (1 - cos(a - gamma))/l) takes it there: a little more takes it on."""
    a, gamma, system, start_at = rimless_wheel()
    rate = np.sqrt(2 * G * (1 - np.cos(a - gamma)))
    assert_close(rate, 0.975416874393111636, rtol=1e-12)
    motion = run(system, start_at(rate * (1 + more), 1), 5.0)
    first = next(e for e in motion.events if e.kind == "touches")
    assert np.sign(first.before.z[0]) == way


@pytest.mark.long  # of the quick suite is Housner's block, by the same impacts
@pytest.mark.row("D-03")
def test_a_rimless_wheel_walks_its_limit_cycle():
    """n = 8, gamma = 0.08: it repeats its rate after each step, to the closed form."""
    a, gamma, system, start_at = rimless_wheel()
    inertia = 0.4 * HUB**2
    keep = (np.cos(2 * a) + inertia) / (1 + inertia)
    gain = 4 * G * np.sin(a) * np.sin(gamma) / (1 + inertia)
    rate = keep * np.sqrt(gain / (1 - keep**2))
    assert_close(rate, 1.09546283964765683, rtol=1e-6)
    motion = run(system, start_at(rate, 0), 2.2)
    hits = [e for e in motion.events if e.kind == "touches"]
    assert len(hits) == 2
    assert_close(hits[0].t, 1.03454981142, atol=3e-6)
    assert_close(hits[1].t, 2 * hits[0].t, rtol=1e-8)
    assert_close([e.after.z[0] for e in hits], [rate, rate], rtol=1e-8)


def _on_spoke(system, spoke, turn, rate):
    """The hub above a foot at the origin, turning about it at a rate about +Y."""
    x, _, z = spoke
    c, s = np.cos(turn), np.sin(turn)
    foot = np.array([c * x + s * z, -s * x + c * z])  # from the hub
    hub = -foot
    v = rate * np.array([hub[1], -hub[0]])
    return system.state(plane=(turn, hub[1], hub[0]),
                        speeds={"plane": (rate, v[1], v[0])})  # fmt: skip


@pytest.mark.long
@pytest.mark.row("C-10")
def test_a_dry_oscillator_comes_to_rest_aside():
    """m = k = F = 1 from 12 m at 6 m/s: turns, and rests at 0.682178936723646846."""
    system = particle(g=1.0, stiffness=1.0, friction=ph.Coulomb(1.0))
    start = system.state(ball=(12, 0, 0), speeds={"ball": (6, 0, 0)})
    motion = run(system, start, 25.0)
    assert motion.events[-1].kind == "sticks"
    assert_close(motion.q[-1, 0], 0.682178936723646846, atol=1e-8)
    assert_close(motion.events.t[-1], 22.4235563506990905, atol=1e-8)
    ends = [motion.q[:, 0].max(), motion.q[:, 0].min()]  # located, so they are rows
    assert_close(ends, [13.31782106, -11.31782106], atol=1e-8)


@pytest.mark.row("C-09")
def test_stick_and_slip_on_a_belt():
    """k = 10, v = 0.1, static 4 N, dynamic 3 N: 2 s of sticking, 1.187 s of slip."""
    law = ph.Coulomb(dynamic=0.3, static=0.4)
    system = particle(g=10.0, stiffness=10.0, friction=law, belt=(0.1, 0, 0))
    start = system.state(ball=(0.3, 0, 0), speeds={"ball": (0.1, 0, 0)})
    motion = run(system, start, 7.5)
    kinds = [e.kind for e in motion.events]
    assert kinds[:4] == ["slides", "sticks", "slides", "sticks"]
    t = motion.events.t
    assert_close(t[1] - t[0], 1.18716564304768797, atol=1e-9)
    assert_close(t[2] - t[1], 2.0, atol=1e-9)
    assert_close(motion.at(t[0]).q[0], 0.4, atol=1e-9)
    x = motion.resampled(np.linspace(t[1], t[3], 100_001)).q[:, 0]
    ends = [0.195119115182984845, 0.404880884817015155]
    assert_close([x.min(), x.max()], ends, atol=1e-9)
    work = motion.ledger().work
    one, other = np.searchsorted(motion.t, [t[1], t[3]])
    heat = work["friction of floor"][other] - work["friction of floor"][one]
    assert_close(heat, -0.956149692914306392, rtol=1e-7)


@pytest.mark.row("D-03")
def test_siconos_stick_by_stronges_law():
    """The first impact at 0.060274 s, u+ and the energy lost with e = 1, mu = 0.01."""

    def tip(rod, world):
        point = ph.surfaces.point(rod.point(0, 0, -0.5))
        law = {"friction": ph.Coulomb(0.01), "restitution": ph.contact.Stronge(1.0)}
        return [ph.Support(point, world.origin, name="tip", **law)]

    system = rod_in_plane(1.0, tip, g=10.0)
    height = 0.5 * np.cos(np.pi / 4) + 0.01
    start = system.state(plane=(np.pi / 4, 0, height),
                         speeds={"plane": (0.1, -0.5, 0.1)})  # fmt: skip
    motion = run(system, start, 0.1)
    (hit,) = motion["tip"].impacts
    assert_close(hit.t, 0.060274089093, atol=1e-11)
    after = motion.events[0].after.z
    assert_close(after, [1.68505094, -0.49759223, -0.13375135], atol=2e-8)
    assert_close(hit.push + hit.friction, -7.389e-4, rtol=1e-4)
    assert abs(hit.push) < 1e-15  # e = 1: the push gives all of it back
