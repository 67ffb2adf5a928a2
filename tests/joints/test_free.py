"""No joint at all."""

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.geometry import se3
from polhode.matter.momentum import spatial_momentum_rate
from strategies_geometry import generators
from strategies_joints import random_motion


def bodies(rng):
    """A leader and a follower of different inertia."""
    return [
        ph.Body.from_inertia(
            name, mass=rng.uniform(1, 2), inertia=rng.uniform(1, 1.9, 3)
        )
        for name in ("leader", "follower")
    ]


@given(generators)
@pytest.mark.row("C-12")
def test_a_free_joint_changes_no_acceleration(rng):
    """A follower hung on a leader by a free joint moves as if it were not.

    In the speeds (V of the leader, z of the joint) the equations are coupled; solved,
    they give Newton's and Euler's acceleration of each body by itself.
    """
    leader, follower = bodies(rng)
    joint = ph.Free("virtual", leader.origin, follower.origin)
    q, z = random_motion(joint, rng)
    V_leader, *wrenches = rng.normal(size=(3, 6))

    def follower_twist(coordinates, V, speeds):
        X_FM = se3.displacement(*joint.pose(coordinates))
        return se3.adjoint(se3.inverse(X_FM)) @ V + joint.twist(coordinates, speeds)

    J = np.eye(12)
    J[6:, :6] = se3.adjoint(se3.inverse(se3.displacement(*joint.pose(q))))
    V = [V_leader, follower_twist(q, V_leader, z)]
    M = np.zeros((12, 12))
    M[:6, :6], M[6:, 6:] = leader.spatial_inertia(), follower.spatial_inertia()
    still = np.zeros(6)
    bias = [spatial_momentum_rate(M[:6, :6], V[0], still)]
    bias += [spatial_momentum_rate(M[6:, 6:], V[1], still)]
    free = np.concatenate(wrenches) - np.concatenate(bias)

    # What the follower's twist gains without accelerations, along q_dot = rates(q, z).
    drift = derivative(
        lambda t: follower_twist(joint.local(q, z * t), V_leader, z), 0.0
    )
    gain = np.concatenate([still, drift])
    z_dot = np.linalg.solve(J.T @ M @ J, J.T @ (free - M @ gain))

    def later(t):
        moved = joint.local(q, z * t)
        return follower_twist(moved, V_leader + z_dot[:6] * t, z + z_dot[6:] * t)

    alone = np.linalg.solve(M, free)
    scale = 1 + np.abs(alone).max()
    assert_close(z_dot[:6], alone[:6], atol=1e-9 * scale)
    assert_close(derivative(later, 0.0), alone[6:], atol=1e-9 * scale)


def test_a_free_joint_holds_nothing():
    """Six freedoms, no reaction and no residual at any pose."""
    leader, follower = bodies(np.random.default_rng(1))
    joint = ph.Free("virtual", leader.origin, follower.origin)
    q = joint.neutral()
    assert joint.speeds == 6
    assert joint.reaction(q).shape == (6, 0)
    assert joint.residual(*joint.pose(q)).shape == (0,)
