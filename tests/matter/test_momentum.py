"""Momentum and angular momentum of a rigid body, and their rates, by particles."""

import numpy as np
import pytest
from hypothesis import given, settings

from closeness import assert_close
from finite import derivative
from polhode.errors import FrameMismatch
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.twist import Twist
from polhode.geometry.vector import Dyadic, Vector
from polhode.matter import momentum as law
from polhode.matter.inertia import Inertia, placed, spatial, transport
from polhode.matter.spread import static_moment
from strategies_geometry import Motion, columns, generators
from strategies_matter import oracle_of, oracles, random_cloud


@pytest.mark.row("I-05")
@given(oracles())
def test_momentum_from_any_body_point(oracle):
    """Q = m v_Q + S_Q w is the sum of the particles' momenta."""
    for k in range(3):
        r = oracle.centre - oracle.x[k]
        ours = law.linear_momentum(oracle.mass, r, oracle.v[k], oracle.w)
        assert_close(ours, oracle.momentum(), rtol=1e-11)
        S = static_moment(oracle.mass, r)
        assert_close(oracle.mass * oracle.v[k] + S @ oracle.w, ours, rtol=1e-12)


@pytest.mark.row("I-07")
@given(oracles(), columns)
def test_angular_momentum_about_any_pole(oracle, pole):
    """L_Q = S_Q^T v_Q + I_Q w, and L_H = L_Q + (Q - H) x Q."""
    Q, r = oracle.x[0], oracle.r_QG
    I_Q = oracle.inertia(Q)
    L_Q = law.angular_momentum(oracle.mass, r, I_Q, oracle.v[0], oracle.w)
    assert_close(L_Q, oracle.angular_momentum(Q), rtol=1e-11)
    S = static_moment(oracle.mass, r)
    assert_close(S.T @ oracle.v[0] + I_Q @ oracle.w, L_Q, rtol=1e-12)
    p = law.linear_momentum(oracle.mass, r, oracle.v[0], oracle.w)
    L_H = law.shift_angular_momentum(L_Q, p, Q - pole)
    truth = oracle.angular_momentum(pole)
    scale = np.max(np.abs(L_Q)) + np.max(np.abs(p)) * np.max(np.abs(Q - pole))
    assert_close(L_H, truth, atol=1e-11 * scale)


@pytest.mark.row("I-16")
@given(oracles())
def test_rates_of_momenta_are_force_and_moment(oracle):
    """Qdot = sum m a, and Ldot_Q by the product rule over the particles."""
    Q, r, w, alpha = oracle.x[0], oracle.r_QG, oracle.w, oracle.alpha
    v_Q, a_Q, m = oracle.v[0], oracle.a[0], oracle.mass
    p_dot = law.linear_momentum_rate(m, r, w, a_Q, alpha)
    assert_close(p_dot, oracle.force(), rtol=1e-10)
    L_dot = law.angular_momentum_rate(
        m, r, oracle.inertia(Q), v_Q=v_Q, w=w, a_Q=a_Q, alpha=alpha
    )
    # d/dt sum (P - Q) x m v = sum (v - v_Q) x m v + sum (P - Q) x m a
    truth = -np.cross(v_Q, oracle.momentum()) + oracle.moment(Q)
    assert_close(
        L_dot, truth, rtol=1e-10, atol=1e-10 * np.max(np.abs(oracle.moment(Q)))
    )


@pytest.mark.row("I-16", "I-17")
@settings(max_examples=20)
@given(generators)
def test_rates_are_the_derivatives_of_momenta_in_time(rng):
    """Momenta of the particles, differentiated in time, are the rates, poles moving."""
    motion, cloud = Motion.random(rng), random_cloud(rng, 6)
    swing = rng.normal(size=(3, 3))
    t0 = float(rng.uniform(-0.5, 0.5))

    def pole(t):
        return swing[0] + swing[1] * t + swing[2] * t**2

    def quantities(t):
        o = oracle_of(motion, cloud, float(t))
        return np.concatenate(
            [
                o.momentum(),
                o.angular_momentum(o.x[0]),
                o.angular_momentum(pole(t)),
                o.angular_momentum(o.centre),
            ]
        )

    p_dot, L_Q_dot, L_H_dot, L_G_dot = derivative(quantities, t0).reshape(4, 3)
    o = oracle_of(motion, cloud, t0)
    Q, r, m, I_Q = o.x[0], o.r_QG, o.mass, o.inertia(o.x[0])
    v_Q, w, a_Q, alpha = o.v[0], o.w, o.a[0], o.alpha
    scale = {"atol": 1e-8 * (1 + np.max(np.abs(o.a)) * m * np.max(np.abs(o.x)))}
    ours = law.linear_momentum_rate(m, r, w, a_Q, alpha)
    assert_close(ours, p_dot, **scale)
    at_Q = law.angular_momentum_rate(m, r, I_Q, v_Q=v_Q, w=w, a_Q=a_Q, alpha=alpha)
    assert_close(at_Q, L_Q_dot, **scale)
    v_H = swing[1] + 2 * swing[2] * t0
    p = law.linear_momentum(m, r, v_Q, w)
    at_H = law.shift_angular_momentum_rate(at_Q, p, ours, Q - pole(t0), v_Q - v_H)
    assert_close(at_H, L_H_dot, **scale)
    I_G = o.inertia(o.centre)
    assert_close(law.central_angular_momentum_rate(I_G, w, alpha), L_G_dot, **scale)


@pytest.mark.row("I-17")
@given(oracles())
def test_about_the_mass_centre_translation_and_rotation_part(oracle):
    """Q = m v_G, L_G = I_G w and Ldot_G = I_G alpha + w x I_G w."""
    G, w, alpha = oracle.centre, oracle.w, oracle.alpha
    v_G = oracle.momentum() / oracle.mass
    zero = np.zeros(3)
    assert_close(law.linear_momentum(oracle.mass, zero, v_G, w), oracle.momentum())
    I_G = oracle.inertia(G)
    scale = np.max(np.abs(oracle.masses @ np.abs(oracle.v))) * np.max(np.abs(oracle.x))
    fast = law.central_angular_momentum(I_G, w)
    assert_close(fast, oracle.angular_momentum(G), atol=1e-12 * scale)
    general = law.angular_momentum_rate(
        oracle.mass, zero, I_G, v_Q=v_G, w=w, a_Q=oracle.a[0], alpha=alpha
    )
    rate = law.central_angular_momentum_rate(I_G, w, alpha)
    assert_close(general, rate, rtol=1e-13)
    force = np.max(np.abs(oracle.masses @ np.abs(oracle.a))) * np.max(np.abs(oracle.x))
    assert_close(rate, oracle.moment(G), atol=1e-11 * force)


@pytest.mark.row("CV-12")
@settings(max_examples=20)
@given(generators)
def test_a_moving_pole_needs_absolute_velocities(rng):
    """dL_H/dt + v_H x Q = M_H with absolute velocities; with relative ones it fails."""
    motion, cloud = Motion.random(rng), random_cloud(rng, 6)
    swing = rng.normal(size=(3, 3))
    t0 = 0.3

    def pole(t):
        return swing[0] + swing[1] * t + swing[2] * t**2

    def both(t):
        o = oracle_of(motion, cloud, float(t))
        v_H = swing[1] + 2 * swing[2] * t
        relative = o.masses @ np.cross(o.x - pole(t), o.v - v_H)
        return np.stack([o.angular_momentum(pole(t)), relative])

    absolute, relative = derivative(both, t0)
    o = oracle_of(motion, cloud, t0)
    v_H = swing[1] + 2 * swing[2] * t0
    truth = o.moment(pole(t0))
    add = np.cross(v_H, o.momentum())
    scale = np.max(np.abs(truth)) + np.max(np.abs(add))
    assert_close(absolute + add, truth, atol=1e-8 * scale)
    assert np.max(np.abs(relative + add - truth)) > 1e-4 * scale


@given(generators)
def test_the_noun_agrees_with_the_particles(rng):
    """momentum_of(inertia, twist), placed in the world, is the particles' momentum."""
    world, body = Frame("world"), Frame("body")
    motion, cloud = Motion.random(rng), random_cloud(rng)
    o = oracle_of(motion, cloud, 0.4)
    pose = Pose(Rotation(o.R, body, world), o.x[0] - o.R @ o.body[0])
    Q = Point(body, o.body[0])
    inertia = placed(Inertia.of_points(cloud.masses, cloud.positions, Q), pose)
    twist = Twist(
        angular=o.w,
        linear=o.v[0],
        of=body,
        seen_from=world,
        point=inertia.point,
        frame=world,
    )
    found = law.momentum_of(inertia, twist)
    pole = Point(world, rng.normal(size=3), "pole")
    there = found.at(pole)
    scale = o.mass * np.max(np.abs(o.v)) * (1 + np.max(np.abs(o.x)))
    assert_close(there.linear.components, o.momentum(), atol=1e-12 * scale)
    assert_close(
        there.angular.components,
        o.angular_momentum(pole.coordinates),
        atol=1e-11 * scale,
    )
    double = found + there
    assert_close(double.linear.components, 2 * o.momentum(), atol=1e-11 * scale)
    wrong = transport(inertia, inertia.centre)
    with pytest.raises(FrameMismatch):
        law.momentum_of(wrong, twist)


def moving(body, world, point):
    """A twist of a body written in the world, about a point."""
    return Twist(
        angular=[1, 2, 3],
        linear=[0, 1, 0],
        of=body,
        seen_from=world,
        point=point,
        frame=world,
    )


def test_the_inertia_of_one_body_has_no_twist_of_another():
    """Momentum and energy are of one body: written in one frame is not enough."""
    world, rod, disc = Frame("world"), Frame("rod"), Frame("disc")
    here = Pose(Rotation(np.eye(3), rod, world), np.zeros(3))
    own = Inertia.of_points([1, 2], [[0, 0, 0], [1, 0, 0]], Point.origin(rod))
    inertia = placed(own, here)
    assert inertia.of is rod
    fitting = moving(rod, world, inertia.point)
    assert law.momentum_of(inertia, fitting).of is rod
    assert spatial(inertia).kinetic_energy(fitting) > 0
    other = moving(disc, world, inertia.point)
    with pytest.raises(FrameMismatch, match=r"inertia of 'rod'.*twist of 'disc'"):
        law.momentum_of(inertia, other)
    with pytest.raises(FrameMismatch, match=r"inertia of 'rod'.*twist of 'disc'"):
        spatial(inertia).kinetic_energy(other)


def test_an_inertia_in_other_axes_says_of_which_body_it_is():
    """`of` names the body where the numbers are already along the world's axes."""
    world, rod = Frame("world"), Frame("rod")
    centre = Point.origin(world)
    dyadic = Dyadic(np.eye(3), world)
    twist = moving(rod, world, centre)
    assert law.momentum_of(Inertia(2.0, centre, dyadic, centre, of=rod), twist)
    with pytest.raises(FrameMismatch, match="of=rod"):
        law.momentum_of(Inertia(2.0, centre, dyadic, centre), twist)


def test_momenta_of_other_bodies_or_observers_are_not_compared():
    """Equal numbers of two bodies, or before two observers, are not one momentum."""
    world, ship, rod, disc = (Frame(name) for name in ("world", "ship", "rod", "disc"))

    def found(of, seen_from):
        numbers = Vector([1, 2, 3], world)
        pole = Point.origin(world)
        return law.Momentum(
            linear=numbers, angular=numbers, pole=pole, of=of, seen_from=seen_from
        )

    assert found(rod, world).is_close(found(rod, world))
    for other in (found(disc, world), found(rod, ship)):
        with pytest.raises(FrameMismatch, match="compare"):
            found(rod, world).is_close(other)
