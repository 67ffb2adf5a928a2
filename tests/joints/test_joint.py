"""The laws of all joints: what passes, what is held, and how they fit together."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.double import doubled
from polhode.geometry import se3
from polhode.geometry.vector import skew, vee
from polhode.joints.joint import freedoms, reaction_power
from strategies_geometry import generators
from strategies_joints import JOINTS, OTHER, joint_of, random_motion

family = pytest.mark.parametrize("joint", JOINTS, ids=lambda j: type(j).__name__)

HOLDING = [joint for joint in JOINTS if joint.speeds < 6]


@cache
def traced(joint):
    """Derivatives of a joint's answers, traced once: f(q, z, V)."""
    import jax

    def answers(q, z, V):
        moved = jax.jvp(joint.pose, (q,), (1.0 * joint.rates(q, z),))
        (R, p), _ = moved
        R, p = 1.0 * R, 1.0 * p
        slopes = R @ skew(V[:3]), R @ V[3:]
        value, rate = jax.jvp(joint.residual, (R, p), slopes)
        step, way = jax.jvp(lambda d: joint.local(q, d), (0.0 * z,), (z,))
        return {"moved": moved, "residual": (value, rate), "local": (step, way)}

    return doubled(answers)


@family
def test_the_frames_coincide_at_neutral(joint):
    """pose(neutral) = (1, 0)."""
    R_FM, p_FoMo_F = joint.pose(joint.neutral())
    assert_close(R_FM, np.eye(3), rtol=1e-15)
    assert_close(p_FoMo_F, np.zeros(3))


@family
@given(generators)
def test_the_twist_is_the_derivative_of_the_pose(joint, rng):
    """[w] = Rᵀ Ṙ and v = Rᵀ ṗ along q_dot = rates(q, z)."""
    q, z = random_motion(joint, rng)
    (R, _), (R_dot, p_dot) = traced(joint)(q, z, np.zeros(6))["moved"]
    moving = np.concatenate([vee(R.T @ R_dot), R.T @ p_dot])
    assert_close(joint.twist(q, z), moving, atol=1e-14 * (1 + np.abs(z).max(initial=0)))
    assert_close(freedoms(joint, q) @ z, joint.twist(q, z), atol=1e-14)


@family
@given(generators)
@pytest.mark.row("C-01")
def test_reactions_do_no_work(joint, rng):
    """P = (v₁ - v₂).F_on1 + (w₁ - w₂).M_on1 = 0 in every motion that it allows."""
    q, z = random_motion(joint, rng)
    V_first = rng.normal(size=6)
    V_second = V_first + joint.twist(q, z)
    wrench_on_first = -joint.reaction(q) @ rng.normal(size=6 - joint.speeds)
    power = reaction_power(V_first, V_second, wrench_on_first)
    scale = np.linalg.norm(wrench_on_first) * np.linalg.norm(joint.twist(q, z))
    assert abs(power) <= 1e-14 * (1 + scale)


@given(generators)
@pytest.mark.row("CV-06")
def test_joint_power_is_that_on_both_bodies(rng):
    """The work on the two bodies is that on the first, in its motion from the second.

    With the relative velocity of one list and the force of the other it has the wrong
    sign.
    """
    V_first, V_second, wrench_on_first = rng.normal(size=(3, 6))
    both = wrench_on_first @ V_first + (-wrench_on_first) @ V_second
    power = reaction_power(V_first, V_second, wrench_on_first)
    slipped = wrench_on_first @ (V_second - V_first)
    assert_close(power, both, atol=1e-13)
    assert abs(slipped - both) > abs(both)


@family
@given(generators)
@pytest.mark.row("C-02")
def test_each_blocked_freedom_has_its_reaction(joint, rng):
    """rank S + rank B = 6 and Bᵀ S = 0: reactions span what the motion leaves."""
    q, _ = random_motion(joint, rng)
    S, B = freedoms(joint, q), joint.reaction(q)
    assert S.shape == (6, joint.speeds)
    assert B.shape == (6, 6 - joint.speeds)
    assert_close(B.T @ S, np.zeros((6 - joint.speeds, joint.speeds)), atol=1e-14)
    assert np.linalg.cond(np.hstack([S, B])) < 1e3


# A joint as two joints with a massless link between: the coordinates of each part.
LINKS = {
    "Cylindrical": ("Revolute", "Prismatic", lambda q: (q[:1], q[1:])),
    "Universal": ("Revolute", "Second", lambda q: (q[:1], q[1:])),
    "Planar": ("Slider", "Revolute", lambda q: (q[1:], q[:1])),
    "Roller": ("Slider", "Second", lambda q: (q[1:], q[:1])),
    "BallRoller": ("Slider", "Spherical", lambda q: (q[4:], q[:4])),
    "Free": ("Translation", "Spherical", lambda q: (q[4:], q[:4])),
}


@pytest.mark.parametrize("kind", LINKS)
@given(generators)
@pytest.mark.row("C-02")
def test_a_massless_link_carries_what_both_its_joints_carry(kind, rng):
    """The link's balance: its two joints hold equal wrenches, those of the whole."""
    one, other, split = LINKS[kind]
    whole, first, second = (part(name) for name in (kind, one, other))
    q, _ = random_motion(whole, rng)
    q_first, q_second = split(q)
    X_LM = se3.displacement(*second.pose(q_second))
    X_FM = se3.displacement(*first.pose(q_first)) @ X_LM
    assert_close(X_FM, se3.displacement(*whole.pose(q)), rtol=1e-14)
    from_first = se3.coadjoint(se3.inverse(X_LM)) @ first.reaction(q_first)
    shared = common(from_first, second.reaction(q_second))
    assert_close(shared, projector(whole.reaction(q)), atol=1e-12)


def part(name):
    """A joint of a kind along the axis of all, or a hinge about the other axis."""
    from polhode.joints.revolute import Revolute

    if name != "Second":
        kinds = {type(joint).__name__: type(joint) for joint in JOINTS}
        return joint_of(kinds[name])
    seated = JOINTS[0]
    return Revolute("second", seated.first, seated.second, OTHER)


def projector(columns):
    """The orthogonal projector on the span of independent columns."""
    Q, _ = np.linalg.qr(columns)
    return Q @ Q.T


def common(one, other):
    """The projector on what two spans share: eigenvectors of eigenvalue 2."""
    values, vectors = np.linalg.eigh(projector(one) + projector(other))
    shared = vectors[:, values > 2 - 1e-9]
    return shared @ shared.T


@family
@given(generators)
def test_the_residual_vanishes_where_the_joint_allows_and_its_rate_is_the_reactions(
    joint, rng
):
    """residual(pose(q)) = 0, and along any twist V its rate is Bᵀ V."""
    q, z = random_motion(joint, rng)
    V = rng.normal(size=6)
    value, rate = traced(joint)(q, z, V)["residual"]
    assert_close(value, np.zeros(6 - joint.speeds), atol=1e-14)
    assert_close(rate, joint.reaction(q).T @ V, atol=1e-12)


@pytest.mark.parametrize("joint", HOLDING, ids=lambda j: type(j).__name__)
@given(generators)
def test_the_residual_vanishes_nowhere_else(joint, rng):
    """A pose moved off along what the joint holds, near or far, is seen as such."""
    q, _ = random_motion(joint, rng)
    off = joint.reaction(q) @ rng.normal(size=6 - joint.speeds)
    for size in (1e-6, 1e-2, 0.3):
        screw = size * off / np.linalg.norm(off)
        X = se3.displacement(*joint.pose(q)) @ se3.exp(screw)
        residual = joint.residual(se3.rotation_of(X), se3.translation_of(X))
        assert np.linalg.norm(residual) > 0.5 * size


@family
@given(generators)
def test_coordinates_come_back_from_the_pose(joint, rng):
    """coordinates_from(pose(q)) = q, a quaternion up to its sign."""
    q, _ = random_motion(joint, rng)
    back = joint.coordinates_from(*joint.pose(q))
    if joint.coordinates != joint.speeds:
        sign = np.sign(back[:4] @ q[:4])
        q = np.concatenate([sign * q[:4], q[4:]])
    assert_close(back, q, atol=1e-13)
    for one, other in zip(joint.pose(back), joint.pose(q), strict=True):
        assert_close(one, other, atol=1e-13)


@family
@given(generators)
def test_speeds_and_rates_are_inverse(joint, rng):
    """speeds_from(q, rates(q, z)) = z."""
    q, z = random_motion(joint, rng)
    assert_close(joint.speeds_from(q, joint.rates(q, z)), z, rtol=1e-14)


@family
@given(generators)
def test_a_small_step_goes_along_the_rates(joint, rng):
    """local(q, 0) = q with the derivative rates(q, .), and steps stay allowed."""
    q, z = random_motion(joint, rng)
    value, way = traced(joint)(q, z, np.zeros(6))["local"]
    assert_close(value, q, rtol=1e-15)
    assert_close(way, joint.rates(q, z), rtol=1e-14)
    far = joint.local(q, z)
    assert_close(joint.normalised(far), far, rtol=1e-14)


@family
def test_names_units_and_counts_agree(joint):
    """A name, a unit and a mark for each coordinate, a name and a unit a speed."""
    coordinates = (joint.coordinate_names, joint.units, joint.angles)
    assert {len(each) for each in coordinates} == {joint.coordinates}
    speeds = (joint.speed_names, joint.speed_units)
    assert {len(each) for each in speeds} == {joint.speeds}
    assert len(set(joint.coordinate_names)) == joint.coordinates
    assert len(set(joint.speed_names)) == joint.speeds
    assert all(name.startswith("joint") for name in joint.coordinate_names)


@family
@given(generators)
def test_a_whole_turn_of_an_angle_is_the_same_pose(joint, rng):
    """`angles` marks exactly the coordinates of which 2π makes no difference."""
    q, _ = random_motion(joint, rng)
    for k, (is_angle, unit) in enumerate(zip(joint.angles, joint.units, strict=True)):
        turned = q + 2 * np.pi * np.eye(joint.coordinates)[k]
        poses = zip(joint.pose(turned), joint.pose(q), strict=True)
        away = max(np.abs(one - other).max() for one, other in poses)
        assert (away < 1e-13) == is_angle
        assert unit == "rad" or not is_angle
