"""Poses, velocities and energies of trees against independent reckonings."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.geometry.vector import vee
from polhode.matter.cloud import Cloud
from polhode.system import kinematics
from strategies_geometry import generators
from strategies_joints import JOINTS
from strategies_matter import random_cloud
from strategies_system import TOPOLOGIES, block, random_state, topology

names = pytest.mark.parametrize("name", TOPOLOGIES)


def some_states(name: str, count: int = 3) -> list[ph.State]:
    rng = np.random.default_rng(len(name))
    return [random_state(topology(name), rng) for _ in range(count)]


@names
def test_velocities_are_the_rates_of_poses(name):
    """w and v of every body follow from differentiating its pose along the motion."""
    system = topology(name)
    for state in some_states(name):

        def poses(s, state=state):
            return system.poses(0, system.local(state.q, s * state.z))

        R = poses(0.0).rotations
        R_dot = derivative(lambda s: poses(s).rotations, 0.0)
        p_dot = derivative(lambda s: poses(s).origins, 0.0)
        twists = system.twists(state.t, state.q, state.z)
        assert_close(twists.linear, p_dot, rtol=1e-9, atol=1e-9)
        assert_close(
            twists.angular, vee(R_dot @ R.swapaxes(1, 2)), rtol=1e-9, atol=1e-9
        )


@names
def test_velocities_are_linear_in_speeds(name):
    """V(a z + b y) = a V(z) + b V(y), and V = J z."""
    system = topology(name)
    one, other = some_states(name, 2)
    q, z, y = one.q, one.z, other.z
    mixed = system.body_twists(0, q, 2.0 * z - 3.0 * y)
    parts = 2 * system.body_twists(0, q, z) - 3 * system.body_twists(0, q, y)
    assert_close(mixed, parts, rtol=1e-12, atol=1e-14)
    assert_close(system.jacobians(0, q) @ z, system.body_twists(0, q, z), atol=1e-14)


@names
def test_the_axes_in_which_velocities_are_written(name):
    """Rotated into the world, a body's own components are the world's."""
    system = topology(name)
    (state,) = some_states(name, 1)
    R = system.poses(0, state.q).rotations
    V = system.body_twists(0, state.q, state.z)
    twists = system.twists(0, state.q, state.z)
    assert_close(np.einsum("nij,nj->ni", R, V[:, :3]), twists.angular, atol=1e-14)
    assert_close(np.einsum("nij,nj->ni", R, V[:, 3:]), twists.linear, atol=1e-14)


@names
def test_speeds_are_found_again_from_rates(name):
    """speeds_from(rates(z)) = z, and `local` leaves with the rates."""
    system = topology(name)
    for state in some_states(name):
        q_dot = system.rates(0, state.q, state.z)
        assert_close(system.speeds_from(0, state.q, q_dot), state.z, atol=1e-13)
        away = derivative(lambda s: system.local(state.q, s * state.z), 0.0)  # noqa: B023
        assert_close(away, q_dot, rtol=1e-9, atol=1e-9)


def test_poses_are_those_of_the_nouns():
    """A chain of `Pose` nouns, joint by joint, places the last link of an arm."""
    system = topology("arm")
    (state,) = some_states("arm", 1)
    world = system.tree.world
    pose = ph.theory.Pose.identity(of=ph.theory.Frame("start"), seen_from=world.frame)
    for edge in system.tree.edges:
        joint, body = edge.joint, system.bodies[edge.child]
        seat = joint.first_frame({})[1]
        turn = ph.Rotation.from_axis_angle(
            joint.axis, state.q[edge.q][0], of=body.frame, seen_from=pose.of
        )
        pose = pose @ ph.theory.Pose(
            turn, seat - turn.matrix @ joint.second.coordinates
        )
    found = system.poses(0, state.q)
    assert_close(found.rotations[-1], pose.rotation.matrix)
    assert_close(found.origins[-1], pose.origin)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)
def test_a_joint_walked_backwards_is_its_inverse(joint):
    """Body to world or world to body: poses are inverse, energies the same."""
    if not joint.speeds:
        pytest.skip("a weld does not move")
    body, world = joint.second.frame.owner, joint.first.frame.owner
    turned = replace(
        joint,
        first=body.point(-0.1, 0.2, 0.25),
        second=world.point(0.1, 0.2, 0.3),
        first_axes=joint.second_axes,
        second_axes=joint.first_axes,
        limits=None,
    )
    system = ph.System([turned], name="backwards")
    rng = np.random.default_rng(1)
    state = random_state(system, rng)
    pose = system.poses(0, state.q)
    R_FM, p_FoMo_F = turned.pose(state.q)
    R_BF, p_B = turned.first_frame()
    R_CM, p_C = turned.second_frame()
    # From the world's own point back to the body's.
    R_CB = R_CM @ (R_BF @ R_FM).T
    assert_close(pose.rotations[0], R_CB)
    assert_close(pose.origins[0], p_C - R_CB @ (p_B + R_BF @ p_FoMo_F), atol=1e-14)


def test_the_root_of_a_floating_chain_does_not_matter():
    """Carried by one body or by another, the same motion has the same energy."""
    hub, pod = block("hub", 3.0), block("pod")
    hinge = ph.Universal(
        "hinge",
        hub.point(0.5, 0, 0),
        pod.point(-0.3, 0, 0),
        axis=ph.Y,
        second_axis=ph.Z,
    )
    world = ph.World()
    by_hub = ph.System([ph.Free("root", world.origin, hub.origin), hinge])
    by_pod = ph.System([ph.Free("root", world.origin, pod.origin), hinge])
    state = random_state(by_hub, np.random.default_rng(2))
    R, p = by_hub.poses(0, state.q)
    w, v = by_hub.twists(0, state.q, state.z)
    root = by_pod.joints[0].coordinates_from(R[1], p[1])
    q = np.concatenate([root, state["hinge"]])
    same = by_pod.poses(0, q)
    assert_close(same.rotations[::-1], R, atol=1e-13)
    assert_close(same.origins[::-1], p, atol=1e-13)
    speeds = np.concatenate([R[1].T @ w[1], R[1].T @ v[1], state.speed("hinge")])
    moved = by_pod.twists(0, q, speeds)
    assert_close(moved.angular[::-1], w, atol=1e-12)
    assert_close(moved.linear[::-1], v, atol=1e-12)
    energy = by_hub.kinetic_energy(0, state.q, state.z)
    assert_close(by_pod.kinetic_energy(0, q, speeds), energy, rtol=1e-11)


@given(generators)
def test_energy_is_that_of_the_particles(rng):
    """T of a tree of clouds is the sum of m v^2/2, v by differentiating places."""
    clouds = [random_cloud(rng, 6) for _ in range(2)]
    system = _tree_of_clouds(clouds)
    state = random_state(system, rng)

    def places(s):
        R, p = system.poses(0, system.local(state.q, s * state.z))
        return np.concatenate(
            [c.positions @ R[k].T + p[k] for k, c in enumerate(clouds)]
        )

    masses = np.concatenate([cloud.masses for cloud in clouds])
    v = derivative(places, 0.0)
    kinetic = system.kinetic_energy(0, state.q, state.z)
    assert_close(kinetic, masses @ np.sum(v**2, 1) / 2, rtol=1e-9)
    height = masses @ places(0.0)[:, 2] * 9.81
    assert_close(system.potential_energy(0, state.q), height, rtol=1e-12, atol=1e-11)


def _tree_of_clouds(clouds: list[Cloud]) -> ph.System:
    one, two = (ph.Body(f"cloud{k}", cloud) for k, cloud in enumerate(clouds))
    free = ph.Free("free", ph.World().origin, one.point(0.1, 0.2, 0.3))
    sleeve = ph.Cylindrical("sleeve", one.origin, two.point(1, 0, 0), axis=(1, 2, 2))
    return ph.System([free, sleeve], [ph.Weight(9.81)])


def test_reckoning_is_the_same_inside_a_trace():
    """NumPy outside and JAX inside give the same numbers, batched too."""
    import jax

    system = topology("floating_chain")
    states = some_states("floating_chain", 4)
    q, z = np.stack([s.q for s in states]), np.stack([s.z for s in states])

    def everything(q, z):
        return (
            system.poses(0.0, q),
            system.body_twists(0.0, q, z),
            system.applied(0.0, q, z),
            system.kinetic_energy(0.0, q, z) + system.potential_energy(0.0, q),
            system.mass_matrix(0.0, q),
        )

    with jax.enable_x64(True):
        traced = jax.jit(jax.vmap(everything))(q, z)
    for k, state in enumerate(states):
        here = jax.tree.leaves(everything(state.q, state.z))
        for a, b in zip(jax.tree.leaves(traced), here, strict=True):
            assert_close(a[k], b, rtol=1e-12, atol=1e-13)


def test_structural_zeros_stay_zeros():
    """A planar chain's velocities compile to few operations: the rest is nothing."""
    system = topology("double_pendulum")
    q, z = np.array([0.3, -0.4]), np.array([1.0, 2.0])

    def velocities(q, z):
        return system.body_twists(0.0, q, z)

    program = ph.compile(velocities, q, z)
    found = program(q, z)
    assert_close(found, velocities(q, z))
    assert np.count_nonzero(found) == 5  # w_y twice, v_x twice, v_z of the lower rod
    assert program.report().operations < 25


def test_places_of_the_walk():
    """`placement` and `subspace` of an edge make up poses and Jacobians."""
    system = topology("reversed_arm")
    (state,) = some_states("reversed_arm", 1)
    table = system.table()
    R, p = np.eye(3), np.zeros(3)
    for edge in system.tree.edges:
        step = kinematics.placement(edge, state.q, table)
        R, p = R @ step[0], p + R @ step[1]
    assert_close(system.poses(0, state.q).rotations[-1], R)
    assert_close(system.poses(0, state.q).origins[-1], p)
    last = kinematics.subspace(system.tree.edges[-1], state.q, table)
    assert_close(system.jacobians(0, state.q)[-1][:, -1:], last)
