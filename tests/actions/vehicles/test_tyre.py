"""Tyres: laws of slip, the load by compression, roads, and forces that only resist."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.actions.action import third_law_residual
from polhode.actions.motion_arrays import Poses, Twists, total
from polhode.errors import ModelError
from polhode.geometry.rotations import so3

V = ph.vehicles
LAWS = [
    V.LinearTyre(50e3, 70e3),
    V.FialaTyre(50e3, 70e3, 0.9),
    V.MagicFormula(12.0, 1.4, 0.2, 0.9, B_x=15.0),
]
WHEEL = ph.Body("wheel", ph.solids.disc(mass=20, radius=0.3, along=ph.Y))
WORLD = ph.World()


def tyre(law=LAWS[1], **options):
    """On a wheel of 0.3 m, upon the plane or a road."""
    given = {"stiffness": 2e5, **options}
    return V.Tyre(WHEEL.origin, WORLD.frame, 0.3, law, **given)


def rolling(height=0.29, spin=0.0, velocity=(10.0, 0.0, 0.0), turn=(0.0, 0.0, 0.0)):
    """Poses and twists of the wheel and of the still ground."""
    R = so3.exp(np.array(turn))
    axis = R @ np.array([0.0, 1.0, 0.0])
    poses = Poses(np.stack([R, np.eye(3)]), np.array([[0, 0, height], [0, 0, 0.0]]))
    zero = np.zeros(3)
    twists = Twists(np.stack([spin * axis, zero]), np.stack([np.array(velocity), zero]))
    return poses, twists


def force(tyre, *motion):
    """On the wheel."""
    return tyre.wrenches(*motion).forces[0]


def test_a_wheel_that_rolls_carries_its_load_only():
    """v = w r_loaded: no slip, and N = k d upwards."""
    for law in LAWS:
        found = force(tyre(law), *rolling(spin=10.0 / 0.29))
        assert_close(found, [0, 0, 2000.0], rtol=1e-9)


def test_in_the_air_there_is_nothing():
    """And no tyre pulls: a quick rebound takes the load away, not below zero."""
    assert_close(force(tyre(), *rolling(height=0.31)), np.zeros(3))
    leaving = rolling(spin=33.0, velocity=(10.0, 0.0, 5.0))
    assert_close(force(tyre(damping=1e4), *leaving)[2], 0.0)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_small_slip_is_linear_and_large_slip_is_friction(law):
    """Slopes at no slip, and mu N at the end; both along the slip."""
    h, N = 1e-7, 3000.0
    along, across = law.forces(h, 0.0, N)[0] / h, law.forces(0.0, h, N)[1] / h
    if isinstance(law, V.MagicFormula):
        assert_close(
            [along, across], [15 * 1.4 * 0.9 * N, -12 * 1.4 * 0.9 * N], rtol=1e-5
        )
        most = max(np.hypot(*law.forces(s, 0, N)) for s in np.linspace(0, 1, 400))
        assert_close(most, 0.9 * N, rtol=1e-4)
        return
    assert_close([along, across], [70e3, -50e3], rtol=1e-4)
    if isinstance(law, V.FialaTyre):
        for slip in ((3.0, 0.0), (0.0, 2.0), (1.0, -1.0)):
            assert_close(np.hypot(*law.forces(*slip, N)), 0.9 * N, rtol=1e-12)


def test_fialas_cubic_meets_friction_smoothly():
    """At s = 3 mu N the force is mu N and its slope zero."""
    law, N = LAWS[1], 3000.0
    edge = 3 * 0.9 * N / 50e3
    h = 1e-6
    low, at, high = (law.forces(0.0, edge + d, N)[1] for d in (-h, 0.0, h))
    assert_close([low, at, high], [-0.9 * N] * 3, rtol=1e-9)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
@pytest.mark.parametrize("seed", range(5))
def test_what_the_road_does_opposes_the_slip(law, seed):
    """The power of the force in the road on the sliding point is never above zero, and
    wheel and ground act on each other alone."""
    rng = np.random.default_rng(seed)
    one = tyre(law)
    motion = rolling(
        spin=rng.uniform(-60, 60),
        velocity=(*rng.uniform(-15, 15, 2), 0.0),
        turn=(0.1 * rng.normal(), 0.0, rng.normal()),
    )
    poses, twists = motion
    found, contact = one.wrenches(*motion), one.contact(poses)
    slide = twists.linear[0] + np.cross(twists.angular[0], contact.arm)
    F = found.forces[0]
    F = F - (F @ contact.normal) * contact.normal
    assert F @ slide < 0
    assert max(third_law_residual(one, *motion)) < 1e-14
    assert_close(total(poses, found)[1], np.zeros(3), atol=1e-9)


def test_a_driven_wheel_pushes_forwards_and_a_sliding_one_to_the_side():
    """Signs, as a driver knows them."""
    assert force(tyre(), *rolling(spin=50.0))[0] > 100  # spins up: ahead
    assert force(tyre(), *rolling(spin=20.0))[0] < -100  # brakes
    left = rolling(spin=10 / 0.29, velocity=(10.0, 1.0, 0.0))
    assert force(tyre(), *left)[1] < -100  # slides to the left: pushed to the right
    steered = rolling(spin=10 / 0.29, turn=(0, 0, 0.05))
    assert force(tyre(), *steered)[1] > 100  # steered to the left: pushed there


@pytest.mark.parametrize("law", LAWS, ids=["linear", "Fiala", "magic"])
def test_the_trail_aligns_the_wheel(law):
    """The force across acts behind the lowest point: M = -t F_l, half at `fade`.

    It turns a wheel that slides to the left towards the left, into its way; force and
    third law are those without it.
    """
    plain, trailing = tyre(law), tyre(law, trail=0.04, fade=0.1)
    for slide in (0.01, 0.1, 1.0):
        motion = rolling(spin=10.0 / 0.29, velocity=(10.0, slide, 0.0))
        without, found = plain.wrenches(*motion), trailing.wrenches(*motion)
        tangent = slide / np.hypot(10.0, V.Tyre.low_speed)
        moment = found.torques[0] - without.torques[0]
        trail = 0.04 / (1 + (tangent / 0.1) ** 2)
        assert_close(moment, [0, 0, -trail * without.forces[0][1]], rtol=1e-6)
        assert moment[2] > 0
        assert_close(found.forces, without.forces)
        assert max(third_law_residual(trailing, *motion)) < 1e-14
    with pytest.raises(ModelError, match="fades at 0"):
        tyre(trail=0.04, fade=0.0)


def test_a_road_of_hills():
    """On a slope the load is square to it; a table of heights does as a function."""
    slope = tyre(road=lambda x: 0.2 * x)
    n = np.array([-0.2, 0.0, 1.0]) / np.sqrt(1.04)
    poses, _ = rolling(height=0.29 * np.sqrt(1.04))
    still = Twists(np.zeros((2, 3)), np.zeros((2, 3)))
    assert_close(force(slope, poses, still), 2000.0 * n, rtol=1e-9)
    x = np.linspace(-5, 5, 101)
    table = ph.Table(x, 0.1 * np.sin(x), smooth="spline", name="road")
    hills = [tyre(road=table), tyre(road=lambda x: 0.1 * jnp.sin(x))]
    one, other = (force(h, *rolling(spin=33.0)) for h in hills)
    assert_close(one, other, rtol=1e-6)


def test_a_load_that_is_given_lifts_nothing():
    """For models in a plane: N for the slip, and no force out of the road."""
    flat = V.Tyre(WHEEL.origin, WORLD.frame, 0.3, LAWS[0], load=3000.0, spins=False)
    found = force(flat, *rolling(height=0.3, velocity=(10.0, 0.5, 0.0)))
    assert_close(found, [0.0, -50e3 * 0.5 / np.hypot(10, 0.3), 0.0], rtol=1e-9)


def test_what_is_no_tyre_is_refused():
    """No law, no load, roads of three numbers."""
    with pytest.raises(ModelError, match="has no law of tyres"):
        tyre(law=lambda s: s)
    with pytest.raises(ModelError, match="stiffness 0 N/m, load 0 N"):
        tyre(stiffness=0.0)
    with pytest.raises(ModelError, match="a road takes 3 numbers"):
        tyre(road=lambda x, y, t: x)
    with pytest.raises(ModelError, match="low_speed"):
        tyre(low_speed=0.0)
