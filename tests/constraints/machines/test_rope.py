"""Ropes over pulleys: Atwood's machines, tensions, and the length at any angle."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.constraints.constraint import Placed
from polhode.errors import ModelError
from polhode.system.rows import positions

G = 9.81
Y = ph.Y


def drop(name, carrier, body, x, z=0.0):
    """A vertical slide beside the origin of a carrier."""
    return ph.Prismatic(name, carrier.point(x, 0, z), body.mass_centre, axis=ph.Z)


def atwood(m1=2.0, m2=1.0, r=0.1):
    """Two blocks over a wheel that turns: five lines."""
    world, wheel = (
        ph.World(),
        ph.Body("wheel", ph.solids.disc(mass=3, radius=r, along=Y)),
    )
    one, two = ph.Particle("one", m1), ph.Particle("two", m2)
    axle = ph.Revolute("axle", world.origin, wheel.origin, axis=Y)
    slides = [drop("a", world, one, -r, -1), drop("b", world, two, r, -1)]
    way = [one.mass_centre, ph.machines.Pulley(axle, r), two.mass_centre]
    rope = ph.machines.Rope(way, 2 + np.pi * r)
    return ph.System([axle, *slides], [ph.Weight(G)], [rope])


def test_atwoods_machine():
    """a = (m1 - m2) g/(m1 + m2 + I/r^2), and both tensions m (g -+ a)."""
    system = atwood()
    state = system.rest()
    a = (2 - 1) * G / (2 + 1 + 1.5)
    form = ph.gauss(system)
    assert_close(form.accelerations(state), [-a / 0.1, -a, a], rtol=1e-12)
    tensions = -form.multipliers(state)
    assert_close(tensions, [2 * (G - a), 1 * (G + a)], rtol=1e-12)


def test_the_axle_carries_what_the_rope_pulls():
    """Its weight and both tensions: m g + T1 + T2, up."""
    system = atwood()
    form, state = ph.gauss(system), system.rest()
    tensions = -form.multipliers(state)
    found = form.reactions(state)["axle"].force
    assert_close(found, [0, 0, 3 * G + sum(tensions)], atol=1e-9)


def test_a_rope_that_slides_has_one_tension():
    """Round a fixed peg without friction: a = (m1 - m2) g/(m1 + m2)."""
    world = ph.World()
    one, two = ph.Particle("one", 2.0), ph.Particle("two", 1.0)
    peg = ph.machines.Pulley(world.origin, 0.1, axis=Y)
    slides = [drop("a", world, one, -0.1, -1), drop("b", world, two, 0.1, -1)]
    rope = ph.machines.Rope([one.mass_centre, peg, two.mass_centre], 2 + np.pi * 0.1)
    system = ph.System(slides, [ph.Weight(G)], [rope])
    form = ph.gauss(system)
    assert_close(form.accelerations(system.rest()), [-G / 3, G / 3], rtol=1e-12)
    assert_close(-form.multipliers(system.rest()), [2 * (G - G / 3)], rtol=1e-12)


def test_the_double_machine():
    """A second machine hangs on the first: Lagrange's two equations by hand."""
    m1, mp, m2, m3, r = 5.0, 0.7, 2.0, 1.0, 0.1
    world, block = (
        ph.World(),
        ph.Body("block", ph.solids.box(mass=mp, x=0.1, y=0.1, z=0.1)),
    )
    wheels = [
        ph.Body(n, ph.solids.disc(mass=0.6, radius=r, along=Y)) for n in ("w1", "w2")
    ]
    loads = [ph.Particle(f"m{k}", m) for k, m in ((1, m1), (2, m2), (3, m3))]
    axles = [
        ph.Revolute("axle 1", world.origin, wheels[0].origin, axis=Y),
        ph.Revolute("axle 2", block.origin, wheels[1].origin, axis=Y),
    ]
    slides = [
        drop("s1", world, loads[0], -r, -2),
        drop("sp", world, block, r, -1),
        drop("s2", world, loads[1], 0.0, -2),
        drop("s3", world, loads[2], 2 * r, -2),
    ]
    over = [ph.machines.Pulley(axle, r) for axle in axles]
    ropes = [
        ph.machines.Rope(
            [loads[0].mass_centre, over[0], block.origin], 3 + np.pi * r, name="one"
        ),
        ph.machines.Rope(
            [loads[1].mass_centre, over[1], loads[2].mass_centre],
            2 + np.pi * r,
            name="two",
        ),
    ]
    system = ph.System([*axles, *slides], [ph.Weight(G)], ropes)
    state = ph.assemble(system, s1=0.0, s2=0.0).state
    J = 0.3  # I/r^2 of a disc of 0.6 kg
    held = mp + 0.6  # the second wheel rides on the block
    M = np.array([[m1 + held + m2 + m3 + J, m3 - m2], [m3 - m2, m2 + m3 + J]])
    x, y = np.linalg.solve(M, -G * np.array([m1 - held - m2 - m3, m2 - m3]))
    found = dict(
        zip(system.speed_names, ph.gauss(system).accelerations(state), strict=True)
    )
    wanted = {"s1": x, "sp": -x, "s2": -x + y, "s3": -x - y}
    assert_close([found[k] for k in wanted], [*wanted.values()], rtol=1e-10)


def test_a_block_and_tackle_halves_the_force():
    """Under a loose pulley both strands carry: M at rest is held by M g/2."""
    world, r = ph.World(), 0.1
    load, weight = (
        ph.Body("load", ph.solids.box(mass=4, x=0.1, y=0.1, z=0.1)),
        ph.Particle("w", 2.0),
    )
    slides = [drop("load", world, load, 0.0, -1), drop("w", world, weight, 3 * r, -1)]
    under = ph.machines.Pulley(load.origin, r, axis=Y, side=-ph.Z, sense=-1)
    over = ph.machines.Pulley(world.point(2 * r, 0, 0), r, axis=Y)
    way = [world.point(-r, 0, 0), under, over, weight.mass_centre]
    rope = ph.machines.Rope(way, 3 + 2 * np.pi * r)
    system = ph.System(slides, [ph.Weight(G)], [rope])
    form = ph.gauss(system)
    assert_close(form.accelerations(system.rest()), [0, 0], atol=1e-12)
    assert_close(-form.multipliers(system.rest()), [2 * G], rtol=1e-12)


def test_the_length_of_a_belt_line_is_that_of_geometry():
    """Strands are tangents: sqrt(d^2 - r^2) to a point, and the arcs between them."""
    world, r = ph.World(), 0.3
    end = ph.Particle("end", 1.0)
    peg = ph.machines.Pulley(world.origin, r, axis=Y)
    rope = ph.machines.Rope([world.point(-1, 0, -1), peg, end.mass_centre], 3.0)
    for x, z in ((1.0, -1.0), (2.0, 0.5), (0.5, -2.0)):
        tail = np.array([x, 0.0, z])
        origins = np.stack([np.zeros(3), tail])
        placed = Placed(np.stack([np.eye(3)] * 2), origins, ())
        first, second = np.array([-1.0, -1.0]), np.array([x, z])
        d1, d2 = np.linalg.norm(first), np.linalg.norm(second)
        # The arc left over the top: a whole turn less what is below.
        between = np.arctan2(first[1], first[0]) - np.arctan2(second[1], second[0])
        above = (2 * np.pi + between) % (2 * np.pi)
        arc = above - np.arccos(r / d1) - np.arccos(r / d2)
        whole = np.sqrt(d1**2 - r**2) + np.sqrt(d2**2 - r**2) + r * arc
        assert_close(rope.position(placed), [whole - 3.0], rtol=1e-12)


def test_a_swinging_rope_keeps_its_length_and_its_energy():
    """A pendulum on a rope that runs over a wheel to a counterweight."""
    world, r = ph.World(), 0.1
    wheel = ph.Body("wheel", ph.solids.disc(mass=0.5, radius=r, along=Y))
    bob, other = ph.Particle("bob", 1.0), ph.Particle("other", 1.1)
    axle = ph.Revolute("axle", world.origin, wheel.origin, axis=Y)
    swing = ph.Translation("bob", world.origin, bob.mass_centre)
    slide = drop("slide", world, other, -r, -1.0)
    way = [other.mass_centre, ph.machines.Pulley(axle, r), bob.mass_centre]
    system = ph.System(
        [axle, swing, slide], [ph.Weight(G)], [ph.machines.Rope(way, 2.3)]
    )
    start = ph.assemble(system, bob=[0.6, 0.0, -0.9]).state
    motion = ph.simulate(system, start, until=1.0, rtol=1e-9)
    assert np.max(np.abs(positions(system, motion.t[-1], motion.q[-1]))) < 1e-7
    E = [ph.gauss(system).hamiltonian(motion.at(t)) for t in (0.0, 0.5, 1.0)]
    assert_close(E, [E[0]] * 3, rtol=1e-6)


def test_what_is_no_rope_is_refused():
    """A way without ends, no length, slack, and pulleys without an axle."""
    world, load = ph.World(), ph.Particle("load", 1.0)
    ends = [world.origin, load.mass_centre]
    with pytest.raises(ModelError, match="has no way"):
        ph.machines.Rope([world.origin], 1.0)
    with pytest.raises(ModelError, match="is 0 m"):
        ph.machines.Rope(ends, 0.0)
    with pytest.raises(ModelError, match="does not go slack"):
        ph.machines.Rope(ends, 1.0, restitution=0.5)
    with pytest.raises(ModelError, match="1 strands and 2 lengths"):
        ph.machines.Rope(ends, [1.0, 2.0])
    with pytest.raises(ModelError, match="has no axle"):
        ph.machines.Pulley(world.origin, 0.1)
    with pytest.raises(ModelError, match="along its axis"):
        ph.machines.Pulley(world.origin, 0.1, axis=ph.Z)
    with pytest.raises(ModelError, match="the sense of pulley"):
        ph.machines.Pulley(world.origin, 0.1, axis=Y, sense=0)
