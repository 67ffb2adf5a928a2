"""A joint as an equation holds what the joint holds, and obeys the third law."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.constraints.constraint import Placed
from polhode.constraints.loop import Loop
from polhode.double import doubled
from polhode.geometry.rotations import so3
from polhode.geometry.vector import skew
from polhode.system import numeric_constraints
from strategies_joints import OWN
from strategies_system import block, random_state

KINDS = [
    *(ph.Fixed, ph.Slider, ph.Prismatic, ph.Revolute, ph.Cylindrical),
    *(ph.Spherical, ph.Roller, ph.BallRoller, ph.Universal, ph.Planar, ph.Screw),
]
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


@cache
def joined(kind) -> ph.System:
    """Two free bodies and a joint between them as a constraint."""
    world, one, two = ph.World(), block("one"), block("two", 2.0)
    joint = kind(
        "joint", one.point(0.2, 0.1, 0), two.point(-0.3, 0, 0.2), **OWN.get(kind, {})
    )
    return ph.System(
        [
            ph.Free("first", world.origin, one.origin),
            ph.Free("second", world.origin, two.origin),
            joint,
        ]
    )


@cache
def differentiated(kind):
    """The rate of the joint's equation along velocities (2, 3) and (2, 3), traced."""
    import jax

    (joint,) = joined(kind).tree.loops

    def rate(R, p, w, v):
        def position(R, p):
            return Loop(joint).position(Placed(R, p, ()))

        return jax.jvp(position, (R, p), (skew(w) @ R, v))[1]

    return doubled(jax.vmap(rate, in_axes=(None, None, 0, 0), out_axes=1))


def rows_of(kind, state: ph.State) -> tuple[np.ndarray, np.ndarray]:
    """f and g (rows, bodies, 3): forces, and moments about places, in the world.

    Pi = sum f . v + sum g . w, by the rates of g along unit velocities.
    """
    R, p = joined(kind).poses(0, state.q)
    unit, still = np.eye(6).reshape(6, 2, 3), np.zeros((6, 2, 3))
    w, v = np.concatenate([still, unit]), np.concatenate([unit, still])
    columns = differentiated(kind)(R, p, w, v)
    f, g = columns[:, :6], columns[:, 6:]
    return f.reshape(-1, 2, 3), g.reshape(-1, 2, 3)


@pytest.mark.row("P-15")
@kinds
def test_rows_are_forces_and_moments_on_bodies(kind):
    """Each joint is K rows of v and w: as many as it holds, zero on what it lets go."""
    system = joined(kind)
    (joint,) = system.tree.loops
    state = random_state(system, np.random.default_rng(1))
    f, g = rows_of(kind, state)
    assert len(f) == 6 - joint.speeds
    flat = np.concatenate([f, g], axis=2).reshape(len(f), 12)
    assert np.linalg.matrix_rank(flat, tol=1e-9) == 6 - joint.speeds
    # The rows on the second body are wrenches that the joint can carry, and all.
    poses = system.poses(0, state.q)
    placed_rows = _about(joint, poses, f[:, 1], g[:, 1])
    R_FM, p = Loop(joint).pose(_placed(poses))
    B = joint.reaction(joint.coordinates_from(R_FM, p))
    assert np.linalg.matrix_rank(np.vstack([placed_rows, B.T]), tol=1e-8) == len(f)


def _placed(poses):
    return Placed(poses.rotations, poses.origins, ())


def _about(joint, poses, forces, moments):
    """[moment about Mo; force] in M's axes, from those about the body's origin."""
    R_CM, p_CoMo_C = joint.second_frame()
    R_WM = poses.rotations[1] @ R_CM
    arm = poses.rotations[1] @ p_CoMo_C
    about = moments - np.cross(arm, forces)
    return np.concatenate([about @ R_WM, forces @ R_WM], axis=1)


@pytest.mark.row("P-16")
@kinds
def test_rows_by_differentiation_are_the_hand_rows(kind):
    """Rows from the rate of g are B^T on the relative velocity, as one writes them."""
    system = joined(kind)
    (joint,) = system.tree.loops
    rng = np.random.default_rng(2)
    state = random_state(system, rng)
    f, g = rows_of(kind, state)
    poses = system.poses(0, state.q)
    R_FM, p = Loop(joint).pose(_placed(poses))
    B = joint.reaction(joint.coordinates_from(R_FM, p))
    for _ in range(5):
        twists = system.twists(0, state.q, rng.normal(size=12))
        Pi = np.einsum("rni,ni->r", f, twists.linear)
        Pi += np.einsum("rni,ni->r", g, twists.angular)
        assert_close(Pi, B.T @ _relative(joint, poses, twists), atol=1e-12)


def _relative(joint, poses, twists):
    """The velocity of M seen from F, about Mo in M's axes."""
    R_CM, p_CoMo_C = joint.second_frame()
    R_WM = poses.rotations[1] @ R_CM
    Mo = poses.origins[1] + poses.rotations[1] @ p_CoMo_C
    w = twists.angular[1] - twists.angular[0]
    v = [
        twists.linear[k] + np.cross(twists.angular[k], Mo - poses.origins[k])
        for k in (0, 1)
    ]
    return np.concatenate([R_WM.T @ w, R_WM.T @ (v[1] - v[0])])


@pytest.mark.row("P-17")
@kinds
def test_joints_between_two_bodies_are_invariant(kind):
    """sum f = 0, sum g + sum x x f = 0, and both turn with a superposed rotation."""
    system = joined(kind)
    rng = np.random.default_rng(3)
    state = random_state(system, rng)
    f, g = rows_of(kind, state)
    x = system.poses(0, state.q).origins
    assert_close(f.sum(axis=1), np.zeros((len(f), 3)), atol=1e-11)
    moments = (g + np.cross(x, f)).sum(axis=1)
    assert_close(moments, np.zeros((len(f), 3)), atol=1e-11)
    S, s = so3.exp(rng.normal(size=3)), rng.normal(size=3)
    f_plus, g_plus = rows_of(kind, superposed(system, state, S, s))
    assert_close(f_plus, f @ S.T, atol=1e-11)
    assert_close(g_plus, g @ S.T, atol=1e-11)


def superposed(system, state, S, s):
    """The same system carried along by a rigid displacement."""
    R, p = system.poses(0, state.q)
    parts = [
        joint.coordinates_from(S @ R[k], S @ p[k] + s)
        for k, joint in enumerate(system.joints)
    ]
    return ph.State(system, state.t, np.concatenate(parts), state.z)


@pytest.mark.row("P-17")
def test_a_joint_to_the_ground_without_the_ground_is_not_invariant():
    """Left to the body alone, the forces of a hinge to the ground do not cancel."""
    world, body = ph.World(), block("body")
    free = ph.Free("free", world.origin, body.origin)
    hinge = ph.Revolute("hinge", world.origin, body.point(0, 0, 0.3), axis=ph.Y)
    system = ph.System([free, hinge])
    state = random_state(system, np.random.default_rng(4))
    now = numeric_constraints.scene(system, 0.0, state.q)
    A = numeric_constraints.positions(system, now).slopes
    forces = A[:, 3:] @ now.poses.rotations[0].T
    assert np.max(np.abs(forces)) > 0.5

    def held(a, t):
        return a.position + a.rotation @ np.array([0, 0, 0.3])

    law = ph.Holonomic([body.frame], held, rows=("x", "y", "z"), name="held")
    report = ph.theory.audit_constraint(law)
    assert not report.is_invariant
    assert "the ground" in str(report)
    assert ph.theory.audit_constraint(Loop(hinge)).is_invariant


def test_size_of_a_row_does_not_depend_on_the_motions_that_are_left():
    """A loop's rows have their natural size even if the system cannot feel them."""
    world, body = ph.World(), block("body")
    one = ph.Revolute("one", world.origin, body.origin, axis=ph.Y)
    two = ph.Revolute("two", world.point(0, 1, 0), body.point(0, 1, 0), axis=ph.Y)
    system = ph.System([one, two])
    now = numeric_constraints.scene(system, 0.0, system.neutral())
    found = numeric_constraints.positions(system, now)
    assert_close(found.slopes, np.zeros((5, 1)), atol=1e-11)
    assert np.all(found.sizes > 0.5)
