"""Short problems of the textbooks, each with its closed form.

Falling chimney and ladder: Routh; the swinging Atwood machine that can be integrated:
Tufillaro (1986); Hooke's joint; the isochronous cycloid: Huygens (1673).
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

G = 9.81


@pytest.mark.parametrize("share", [0.25, 1 / 3])
def test_a_falling_chimney_breaks_at_a_third(share):
    """The moment inside it is m g l sin th x (1 - x)^2/4: largest at x = 1/3."""
    L, world = 20.0, ph.World()
    pieces = []
    for name, length in (("foot", L * share), ("head", L * (1 - share))):
        rod = ph.solids.rod(density=1.5, length=length)
        pieces.append(ph.Body(name, ph.solids.placed(rod, (0, 0, length / 2))))
    foot, head = pieces
    hinge = ph.Revolute("hinge", world.origin, foot.origin, axis=ph.Y)
    weld = ph.Fixed("weld", foot.point(0, 0, L * share), head.origin)
    system = ph.System([hinge, weld], [ph.Weight(G)], name="chimney")
    torque = ph.recursive(system).reactions(system.state(hinge=0.6))["weld"].torque
    expected = 1.5 * L * G * L * np.sin(0.6) * share * (1 - share) ** 2 / 4
    assert_close(np.abs(torque), [0, expected, 0], rtol=1e-10)


def test_the_joint_of_hooke_turns_unevenly():
    """w2/w1 = cos b/(1 - sin^2 b cos^2 th), th from the plane of the two shafts."""
    b, world = np.radians(30), ph.World()
    axis = np.array([np.sin(b), 0, np.cos(b)])
    one, two = (
        ph.Body(n, ph.solids.cylinder(mass=1, radius=0.1, length=1)) for n in "ab"
    )
    turn = ph.Revolute("in", world.origin, one.origin, axis=ph.Z)
    cross = ph.Universal("cross", one.origin, two.origin, axis=ph.X, second_axis=ph.Y)
    out = ph.Revolute("out", world.origin, two.origin, axis=axis)
    system = ph.System([turn, cross, out], name="shafts")
    assert ph.mobility(system).by_rank == 1
    for th in (0.0, 0.4, 1.5, 2.5):
        state = ph.assemble(system, {"in": th}, speeds={"in": 2.0}).state
        w = system.twists(0.0, state.q, state.z).angular[1]
        ratio = np.cos(b) / (1 - (np.sin(b) * np.cos(th)) ** 2)
        assert_close(w, 2.0 * ratio * axis, rtol=1e-9, atol=1e-9)


@pytest.mark.long
def test_a_bead_on_a_cycloid_keeps_time():
    """4 pi sqrt(a/g), however far it swings."""
    a, bead = 0.3, ph.Particle("bead", 1.0)

    def place(q):
        s = q[0]
        return jnp.eye(3), a * jnp.stack([s + jnp.sin(s), 0 * s, 1 - jnp.cos(s)])

    wire = ph.UserJoint(
        "wire", ph.World().origin, bead.mass_centre, place, names=("s",), kinds=("rad",)
    )
    system = ph.System([wire], [ph.Weight(G)], name="cycloid")
    starts = [system.state(wire=s) for s in (0.1, 1.0, 2.5)]
    motions = ph.simulate(system, starts, until=4 * np.pi * np.sqrt(a / G), rtol=1e-10)
    for start, motion in zip(starts, motions, strict=True):
        assert_close(motion.final["wire"], start["wire"], rtol=1e-7)


@pytest.mark.long
def test_a_ladder_leaves_the_wall_at_two_thirds_of_its_height():
    """The wall's push is zero, and about to pull, where sin = 2/3 of where it began."""
    l, world = 2.0, ph.World()
    ladder = ph.Body("ladder", ph.solids.rod(mass=3, length=l, along=ph.X))
    plane = ph.Planar("plane", world.origin, ladder.origin, normal=ph.Y)
    head, foot = ladder.point(-l / 2, 0, 0), ladder.point(l / 2, 0, 0)
    wall = ph.PointOn(head, world.frame, lambda x: x[0], name="wall")
    floor = ph.PointOn(foot, world.frame, lambda x: x[2], name="floor")
    system = ph.System([plane], [ph.Weight(G)], [wall, floor], name="ladder")
    th = np.radians(70)
    start = system.state(plane=(th, l / 2 * np.sin(th), l / 2 * np.cos(th)))
    form = ph.recursive(system)
    leaves = ph.Event(
        "leaves", lambda t, state: form.multipliers(state)[0], -1, terminal=True
    )
    motion = ph.simulate(system, start, until=2.0, rtol=1e-10, events=leaves)
    assert motion.events["leaves"].t.shape == (1,)
    assert_close(np.sin(motion.final["plane"][0]), 2 / 3 * np.sin(th), rtol=1e-8)


@pytest.mark.long
def test_the_swinging_machine_of_atwood_can_be_integrated_at_three_to_one():
    """r^2 th' (r' cos - r th'/2 sin) + g r^2 sin cos^2 of th/2 is kept at M = 3 m."""
    world, M, m = ph.World(), ph.Particle("M", 3.0), ph.Particle("m", 1.0)
    heavy = ph.Prismatic("heavy", world.origin, M.mass_centre, axis=ph.Z)
    string = ph.Holonomic(
        [M.frame, m.frame],
        lambda a, b, t: jnp.linalg.norm(b.position) - a.position[2] - 3.0,
        name="string",
    )
    free = ph.Translation("free", world.origin, m.mass_centre)
    flat = ph.PointOn(m.mass_centre, world.frame, lambda x: x[1], name="plane")
    system = ph.System([heavy, free], [ph.Weight(G)], [string, flat], name="Atwood")
    lean = 1.2
    start = system.state(heavy=-2.0, free=(np.sin(lean), 0, -np.cos(lean)))
    motion = ph.simulate(system, start, until=4.0, rtol=1e-10)
    (x, _, z), (u, _, w) = motion["m"].position.T, motion["m"].velocity.T
    r, th = np.hypot(x, z), np.unwrap(np.arctan2(x, -z))
    r_dot, th_dot = (x * u + z * w) / r, (u * np.cos(th) + w * np.sin(th)) / r
    s, c = np.sin(th / 2), np.cos(th / 2)
    kept = r**2 * th_dot * (r_dot * c - r * th_dot / 2 * s) + G * r**2 * s * c**2
    assert np.ptp(kept) < 1e-6 * abs(kept[0])
    assert np.ptp(G * r**2 * s * c**2) > 0.1
