"""Shafts at an angle: Hooke's uneven speed, and joints that have none of it."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

BETA = 0.6


def pair(kind, *directions, beta=BETA):
    """Two shafts in bearings, the second at an angle in the plane of X and Z."""
    world = ph.World()
    bodies = [
        ph.Body(n, ph.solids.cylinder(mass=1, radius=0.1, length=0.5)) for n in "ab"
    ]
    c, s = np.cos(beta), np.sin(beta)
    tilt = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    joints = [
        ph.Revolute("one", world.origin, bodies[0].origin, axis=ph.Z),
        ph.Revolute("two", world.origin, bodies[1].origin, axis=ph.Z, first_axes=tilt),
    ]
    frames = [body.frame for body in bodies]
    row = kind(*frames, *directions)
    return ph.System(joints, [ph.Motor(joints[0], 1.0)], [row])


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.3, 2.2, 4.0])
def test_the_speed_ratio_of_hookes_joint(angle):
    """w2/w1 = cos b/(1 - sin^2 b cos^2 q), q from the plane of the shafts."""
    system = pair(ph.machines.HookeCoupling, ph.X, ph.Y)
    state = ph.assemble(system, one=angle, speeds={"one": 2.0}).state
    ratio = np.cos(BETA) / (1 - np.sin(BETA) ** 2 * np.cos(angle) ** 2)
    assert_close(state.speed("two") / 2.0, ratio, rtol=1e-10)


@pytest.mark.parametrize("angle", [0.0, 0.4, 2.2])
def test_constant_velocity(angle):
    """Equal angles and speeds at every angle of the shafts."""
    system = pair(ph.machines.ConstantVelocityCoupling, ph.Z)
    state = ph.assemble(system, one=angle, two=angle, speeds={"one": 2.0}).state
    assert_close([state["two"], state.speed("two")], [angle, 2.0], rtol=1e-10)


def test_power_goes_through():
    """An ideal coupling: the torque on the second shaft is that on the first over the
    ratio of speeds."""
    system = pair(ph.machines.HookeCoupling, ph.X, ph.Y)
    state = ph.assemble(system, one=0.4, speeds={"one": 2.0}).state
    A, _ = system.constraint_rows(0.0, state.q, state.z)
    assert_close(A @ state.z, [0.0], atol=1e-12)
    assert_close(
        -A[0, 0] / A[0, 1], state.speed("two") / state.speed("one"), rtol=1e-10
    )


@pytest.mark.parametrize("beta", [0.0, 0.5, 2.0, np.pi])
def test_shafts_whose_frames_do_not_lie_along_them(beta):
    """The second axis in its own frame: equal speeds, and no twist to begin with."""
    world = ph.World()
    solid = ph.solids.sphere(mass=1, radius=0.1)
    a, b = ph.Body("a", solid), ph.Body("b", solid)
    second = (np.cos(beta), np.sin(beta), 0.0)
    joints = [
        ph.Revolute("one", world.origin, a.origin, axis=ph.X),
        ph.Revolute("two", world.point(1, 0, 0), b.origin, axis=second),
    ]
    kind = ph.machines.ConstantVelocityCoupling
    row = kind(a.frame, b.frame, ph.X, second_axis=second)
    system = ph.System(joints, [], [row])
    turned = ph.assemble(system, one=0.7, two=0.7, speeds={"one": 3.0}).state
    assert_close([turned["two"], turned.speed("two")], [0.7, 3.0], rtol=1e-10)
    assert_close(ph.assemble(system, one=0.0).state["two"], 0.0, atol=1e-12)
