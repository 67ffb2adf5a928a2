"""What acts on a system: forces by action, energies, mixed bodies and particles."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.errors import ModelError
from polhode.geometry.rotations import so3
from reckoning import reckon, turned
from strategies_system import TOPOLOGIES, block, random_state, topology

names = pytest.mark.parametrize("name", TOPOLOGIES)


@names
def test_conservative_forces_are_the_slope_of_the_energy(name):
    """The power of what is stored is the loss of V, along any motion."""
    system = topology(name)
    state = random_state(system, np.random.default_rng(1))
    t, q, z = state.t, state.q, state.z
    V = system.body_twists(t, q, z)
    stored = system.applied(t, q, z) - system.nonconservative_wrenches(t, q, z)

    def energy(s):
        return system.potential_energy(t, system.local(q, s * z))

    assert_close(np.sum(stored * V), -derivative(energy, 0.0), rtol=1e-8, atol=1e-8)


def test_actions_are_told_apart():
    """Each action's wrenches by its name; their sum, in bodies' axes, is `applied`."""
    system = topology("cart_pendulum")
    state = random_state(system, np.random.default_rng(2))
    found = system.wrenches(0, state.q, state.z)
    assert set(found) == {"weight", "spring", "damper"}
    R = system.poses(0, state.q).rotations
    forces = sum(w.forces for w in found.values())
    applied = system.applied(0, state.q, state.z)
    assert_close(np.einsum("nij,nj->ni", R, applied[:, 3:]), forces, atol=1e-12)
    lost = system.nonconservative_wrenches(0, state.q, state.z)
    damping = np.einsum("nij,nj->ni", R, lost[:, 3:])
    assert_close(damping, found["damper"].forces, atol=1e-13)
    assert np.max(np.abs(damping)) > 1e-3


def test_weight_acts_on_everything_with_mass():
    """Bodies and particles alike fall with g."""
    system = topology("particles")
    weights = system.wrenches(0, system.rest().q, np.zeros(9))["weight"].forces
    assert_close(weights[:, 2], [-9.81, -19.62, -4.905])


def test_efforts_along_joints_act_on_both_bodies():
    """Power of each law is tau . z; between two bodies the wrenches cancel."""
    system = topology("sprung_arm")
    state = random_state(system, np.random.default_rng(5))
    found = system.wrenches(state.t, state.q, state.z)
    assert set(found) == {"weight", "spring of one", "damper of two", "motor of one"}
    w, v = system.twists(state.t, state.q, state.z)
    for action in system.actions[1:]:
        edge = system.edge(action.joint.name)
        q, z = state.q[edge.q], state.z[edge.z]
        torques, forces = found[action.name]
        power = np.sum(torques * w + forces * v)
        assert_close(power, action.effort(q, z, state.t) @ z, rtol=1e-10)
    torques, forces = found["damper of two"]
    places = system.poses(state.t, state.q).origins
    assert_close(forces.sum(axis=0), np.zeros(3), atol=1e-12)
    moment = (torques + np.cross(places, forces)).sum(axis=0)
    assert_close(moment, np.zeros(3), atol=1e-12)


def test_a_law_belongs_to_a_joint_of_the_system():
    """A damper on a namesake of the joint is refused."""
    rod = block("rod")
    hinge = ph.Revolute("hinge", ph.World().origin, rod.origin, axis=ph.Y)
    twin = ph.Revolute("hinge", hinge.first, hinge.second, axis=ph.Y)
    with pytest.raises(ModelError, match="on another joint named 'hinge'"):
        ph.System([hinge], [ph.Damper(twin, 1.0)])


@pytest.mark.row("P-01")
def test_a_body_pulled_at_its_centre_is_a_particle():
    """Mixed systems: for central forces the spread of a body's mass does not matter.

    A rock in place of a particle of the same mass: the same forces, energies and
    accelerations of places, whatever the rock's orientation and spin.
    """
    by_point = orbiting(ph.Particle("moon", 1.3))
    rock = ph.Body.from_inertia("moon", mass=1.3, inertia=(0.3, 0.2, 0.15))
    by_body = orbiting(rock)
    assert (by_point.speeds, by_body.speeds) == (3 + 3 + 6, 3 + 6 + 6)
    rng = np.random.default_rng(3)
    for _ in range(5):
        (x, y, u, v, spin), turn = rng.normal(size=(5, 3)), so3.exp(rng.normal(size=3))
        rotation = ph.Rotation(turn, of=rock.frame, seen_from=by_body.tree.world.frame)
        one = by_point.state(planet=x, moon=y, speeds={"planet": u, "moon": v})
        two = by_body.state(
            planet=x,
            moon=ph.theory.Pose(rotation, y),
            speeds={"planet": u, "moon": [*spin, *turn.T @ v]},
        )
        same_forces(one, two)
        a_body = reckon(two).bodies[1]
        # The body's own axes turn: d/dt of components and w x v make the acceleration.
        a = turn @ (a_body[3:] + np.cross(spin, turn.T @ v))
        assert_close(a, reckon(one).bodies[1, 3:], rtol=1e-9)


def orbiting(moon) -> ph.System:
    """A planet, a moon that is a body or a particle, and a ship, tied and pulling."""
    planet, ship = ph.Particle("planet", 3.0), block("ship", 2.0)
    centre = moon.mass_centre
    spring = ph.Spring(centre, planet.mass_centre, 20.0, 0.5, name="spring")
    other = ph.Spring(centre, ship.point(0.3, 0, 0), 5.0, name="other")
    pull = ph.Gravitation([ph.PointMass.of(m) for m in (planet, moon)], 2.0)
    return ph.System([planet, moon, ship], [spring, other, pull])


def same_forces(one: ph.State, two: ph.State) -> None:
    """Forces on all, and no moment on the moon."""
    for name in ("spring", "other", "gravitation"):
        a = one.system.wrenches(0, one.q, one.z)[name]
        b = two.system.wrenches(0, two.q, two.z)[name]
        assert_close(a.forces, b.forces, rtol=1e-12)
        assert_close(b.torques[1], np.zeros(3), atol=1e-12)
    energies = [s.system.potential_energy(0, s.q) for s in (one, two)]
    assert_close(*energies)


@pytest.mark.row("P-19")
def test_the_unit_length_of_a_quaternion_is_no_constraint():
    """Ball joint by quaternion and by three hinges: same freedoms, same reactions."""
    top, world = block("top"), ph.World()
    seat = top.point(0, 0, 0.4)
    ball = ph.System(
        [ph.Spherical("ball", world.origin, seat)], [ph.Weight(9.81)], name="ball"
    )
    rings = [ph.Body.from_inertia(n, mass=0.0, inertia=(0.0, 0.0, 0.0)) for n in "ab"]
    gimbal = ph.System(
        [
            ph.Revolute("yaw", world.origin, rings[0].origin, axis=ph.Z),
            ph.Revolute("pitch", rings[0].origin, rings[1].origin, axis=ph.Y),
            ph.Revolute("roll", rings[1].origin, seat, axis=ph.X),
        ],
        [ph.Weight(9.81)],
        name="gimbal",
    )
    assert ph.mobility(ball).by_rank == ph.mobility(gimbal).by_rank == 3
    assert (ball.coordinates, gimbal.coordinates) == (4, 3)
    assert ball.row_names == gimbal.row_names == ()
    rng = np.random.default_rng(4)
    for _ in range(20):
        euler = random_state(gimbal, rng)
        R = gimbal.poses(0, euler.q).rotations[2]
        w = gimbal.body_twists(0, euler.q, euler.z)[2, :3]
        turn = ph.Rotation(R, of=top.frame, seen_from=world.frame)
        state = ball.state(ball=turn, speeds={"ball": w})
        one, two = reckon(state).bodies[0], reckon(euler).bodies[2]
        assert_close(one, two, rtol=1e-9)
        reactions = [_reaction(s, k) for s, k in ((state, 0), (euler, 2))]
        assert_close(reactions[0], reactions[1], rtol=1e-9)


def _reaction(state, k):
    """What holds the body besides its weight: [moment about its origin; force]."""
    system = state.system
    V = system.body_twists(0, state.q, state.z)[k : k + 1]
    M = system.inertias()[k]
    balance = M @ reckon(state).bodies[k] + turned(V, V @ M)[0]
    return balance - system.applied(0, state.q, state.z)[k]
