"""Laws of functions of the motion, superposed motions and invariants of particles."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from finite import derivative
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, total
from polhode.actions.potentials.invariant import (
    inner_products,
    superposed,
    triple_products,
    with_reaction,
)
from polhode.actions.potentials.potential import Potential
from polhode.actions.potentials.raw_potential import RawPotential, rate_of_function
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross, vee
from strategies_actions import (
    generators,
    moved,
    random_poses,
    random_rotation,
    random_twists,
    turning,
)

PIVOT, SECOND, THIRD = Frame("pivot"), Frame("second"), Frame("third")


A = np.array([[1.0, 0.3, -0.2], [0.1, 2.0, 0.4], [0.7, -0.5, 1.5]])


def raw_law(a, b, t, k):
    """A function of absolute places, rotations and time."""
    lean = a.rotation @ jnp.asarray(A) @ b.rotation.T
    return k * a.position @ lean @ b.position + jnp.sin(2 * t) * b.position[1]


RAW = RawPotential((PIVOT, SECOND), raw_law, {"k": 1.3}, name="raw")


def random_motion(rng):
    turn = Poses(random_rotation(rng), rng.normal(size=3))
    return turn, Twists(rng.normal(size=3), rng.normal(size=3))


@pytest.mark.row("P-04")
@given(generators, st.floats(-2, 2))
def test_rate_of_a_function_of_the_motion_is_its_chain_rule(rng, t):
    """dW/dt = sum dW/dx.v + sum w_Q.w + dW/dt at fixed poses."""
    poses, twists = random_poses(rng, 2), random_twists(rng, 2)
    rate = rate_of_function(twists, RAW.slopes(poses, t))
    differences = derivative(
        lambda h: RAW.energy(moved(poses, twists, h), t + h), 0.0, 0.02
    )
    assert_close(rate, differences, rtol=1e-8, atol=1e-8)


@pytest.mark.row("P-05")
@given(generators)
def test_superposed_motion_moves_poses_and_twists_alike(rng):
    """The rates of S x + s and S Q along a motion are v+ and ax(Qdot+ Q+^T)."""
    poses, twists = random_poses(rng, 3), random_twists(rng, 3)
    turn, rate = random_motion(rng)

    def after(h):
        S = turning(rate.angular, h) @ turn.rotations
        now = Poses(S, turn.origins + h * rate.linear)
        return superposed(moved(poses, twists, h), twists, now, rate)[0]

    start, speeds = superposed(poses, twists, turn, rate)
    assert_close(after(0.0).origins, start.origins)
    slope = derivative(lambda h: after(h).origins, 0.0)
    assert_close(slope, speeds.linear, rtol=1e-9, atol=1e-9)
    turns = derivative(lambda h: after(h).rotations, 0.0)
    spin = vee(turns @ start.rotations.swapaxes(-1, -2))
    assert_close(spin, speeds.angular, rtol=1e-9, atol=1e-9)


@pytest.mark.row("P-05")
def test_superposed_motion_serves_whole_trajectories():
    """Leading axes are kept: a trajectory of poses moves as its members do."""
    rng = np.random.default_rng(0)
    many = [random_poses(rng, 2) for _ in range(4)]
    speeds = [random_twists(rng, 2) for _ in range(4)]
    turn, rate = random_motion(rng)
    track = Poses(*(np.stack(x) for x in zip(*many, strict=True)))
    flow = Twists(*(np.stack(x) for x in zip(*speeds, strict=True)))
    poses, twists = superposed(track, flow, turn, rate)
    one_pose, one_twist = superposed(many[2], speeds[2], turn, rate)
    assert_close(poses.origins[2], one_pose.origins)
    assert_close(twists.linear[2], one_twist.linear)


HANDED = Potential.of_particles(
    tuple(Frame(name) for name in "abcd"),
    lambda inner, triple: inner[0] * inner[3] + jnp.sin(inner[1]) + triple[0] ** 3,
    "handed",
)


@pytest.mark.row("P-12")
@given(generators)
def test_particles_depend_on_inner_and_triple_products(rng):
    """Turns keep both; a reflection flips triple products; forces sum to 0."""
    x, R = rng.normal(size=(5, 3)), random_rotation(rng)
    shifted = x @ R.T + rng.normal(size=3)
    assert_close(inner_products(shifted), inner_products(x), rtol=1e-12, atol=1e-13)
    assert_close(triple_products(shifted), triple_products(x), rtol=1e-12, atol=1e-13)
    mirrored = x * [1, 1, -1]
    assert_close(inner_products(mirrored), inner_products(x))
    assert_close(triple_products(mirrored), -triple_products(x))
    poses, twists = random_poses(rng, 4), random_twists(rng, 4)
    wrenches = HANDED.wrenches(poses, twists)
    moment, force = total(poses, wrenches)
    size = np.max(np.abs(wrenches.forces))
    assert_close(force, np.zeros(3), atol=1e-13 * size)
    assert_close(moment, np.zeros(3), atol=1e-12 * size)
    assert_close(wrenches.torques[1:], np.zeros((3, 3)), atol=1e-14)


@pytest.mark.row("P-28")
@given(generators)
def test_two_bodies_at_a_ball_joint_have_unequal_moments_about_their_centres(rng):
    """F_2 = -F_1, M_2 = -M_1 - (x_1 - x_2) x F_1: opposite at the joint only."""
    poses = random_poses(rng, 2)
    joint, force = rng.normal(size=(2, 3))
    arms = joint - poses.origins
    on_second = Wrenches(cross(arms[1], -force)[None], -force[None])
    torques, forces = with_reaction(poses, on_second)
    assert_close(forces[0], force)
    assert_close(torques[0], cross(arms[0], force), atol=1e-13)
    apart = poses.origins[0] - poses.origins[1]
    assert_close(torques[1], -torques[0] - cross(apart, forces[0]), atol=1e-13)
    gap = cross(apart, force)
    assert_close(torques[0] + torques[1], -gap, atol=1e-13)
    assert np.linalg.norm(gap) > 1e-9
