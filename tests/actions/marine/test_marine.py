"""Water: buoyancy about a centre, drag by coefficients, propellers."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.actions.action import power_of, third_law_residual
from polhode.actions.motion_arrays import Poses, Twists
from polhode.errors import ModelError
from polhode.geometry.rotations import so3

CRAFT = ph.Body("craft", ph.solids.box(mass=10, x=0.4, y=0.3, z=0.2))
WORLD = ph.World()


def moving(seed):
    """The craft, turned and moving in a world that rests."""
    rng = np.random.default_rng(seed)
    turns = np.stack([so3.exp(rng.normal(size=3)), np.eye(3)])
    poses = Poses(turns, np.stack([rng.normal(size=3), np.zeros(3)]))
    zero = np.zeros(3)
    angular = np.stack([rng.normal(size=3), zero])
    return poses, Twists(angular, np.stack([rng.normal(size=3), zero]))


def test_a_craft_rights_itself_about_its_centre_of_buoyancy():
    """Neutral, the centre h above the mass centre: the moment is -m g h sin(roll)."""
    I = CRAFT.moments().inertia[0, 0]
    lift = ph.marine.Buoyancy(CRAFT.point(0, 0, 0.05), WORLD.frame, 0.01)
    hinge = ph.Revolute("roll", WORLD.origin, CRAFT.origin, axis=ph.X)
    system = ph.System([hinge], [ph.Weight(9.81), lift])
    a = ph.gauss(system).accelerations(system.state(roll=0.3))
    assert_close(a, [-10 * 9.81 * 0.05 * np.sin(0.3) / I], rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_buoyancy_is_a_weight_upwards(seed):
    """Its power is the loss of its energy, and the water feels the opposite."""
    lift = ph.marine.Buoyancy(CRAFT.point(0.1, 0, 0.05), WORLD.frame, 0.012)
    poses, twists = moving(seed)
    h = 1e-6
    ends = []
    for s in (h, -h):
        turned = so3.exp(s * twists.angular) @ poses.rotations
        ends.append(lift.energy(Poses(turned, poses.origins + s * twists.linear)))
    assert_close(
        power_of(lift, poses, twists), -(ends[0] - ends[1]) / (2 * h), rtol=1e-7
    )
    assert max(third_law_residual(lift, poses, twists)) < 1e-14


@pytest.mark.parametrize("seed", range(4))
def test_drag_takes_power_and_follows_the_current(seed):
    """Never above zero in still water; nothing on a craft that drifts along."""
    linear, quadratic = [0.1, 0.2, 0.3, 4, 5, 6], [1, 1, 2, 10, 20, 30]
    at = CRAFT.point(0.1, 0, 0)
    drag = ph.marine.HydrodynamicDrag(at, WORLD.frame, linear, quadratic)
    poses, twists = moving(seed)
    assert power_of(drag, poses, twists) < 0
    assert max(third_law_residual(drag, poses, twists)) < 1e-14
    flow = np.array([0.4, -0.3, 0.2])
    running = ph.marine.HydrodynamicDrag(at, WORLD.frame, linear, current=flow)
    drift = Twists(np.zeros((2, 3)), np.stack([flow, np.zeros(3)]))
    assert_close(running.wrenches(poses, drift).forces, np.zeros((2, 3)), atol=1e-14)


def test_terminal_speed():
    """Driven by F along x it settles where a u + b u^2 = F."""
    drag = ph.marine.HydrodynamicDrag(
        CRAFT.origin, WORLD.frame, [0, 0, 0, 4.0, 0, 0], [0, 0, 0, 18.0, 0, 0]
    )
    screw = ph.marine.Propeller(CRAFT.origin, ph.X, 1e-3, 200.0)
    slide = ph.Prismatic("x", WORLD.origin, CRAFT.origin, axis=ph.X)
    system = ph.System([slide], [drag, screw])
    motion = ph.simulate(system, system.rest(), until=20.0, rtol=1e-9)
    u = (-4 + np.sqrt(16 + 4 * 18 * 40.0)) / 36
    assert_close(motion.z[-1], [u], rtol=1e-7)


def test_a_propeller_pushes_both_ways_and_twists_back():
    """k n |n| along, -j n |n| about; speeds are cut to the limit."""
    screw = ph.marine.Propeller(
        CRAFT.point(0, 0.2, 0), ph.X, 1e-3, torque=2e-5, limit=100.0, name="screw"
    )
    poses, twists = moving(0)
    poses = Poses(np.stack([np.eye(3)]), poses.origins[:1])
    for n in (50.0, -50.0, 300.0):
        cut = np.clip(n, -100, 100)
        found = screw.wrenches(poses, twists, table={"screw": n})
        F = 1e-3 * cut * abs(cut)
        assert_close(found.forces[0], [F, 0, 0], rtol=1e-12)
        assert_close(
            found.torques[0], [-2e-5 * cut * abs(cut), 0, -0.2 * F], rtol=1e-12
        )


def test_wrong_water_is_refused():
    """Five coefficients, a drag that drives, a limit of nothing."""
    with pytest.raises(ModelError, match="has 5 numbers"):
        ph.marine.HydrodynamicDrag(CRAFT.origin, WORLD.frame, [1] * 5)
    with pytest.raises(ModelError, match="is negative"):
        ph.marine.HydrodynamicDrag(CRAFT.origin, WORLD.frame, [-1] + [0] * 5)
    with pytest.raises(ModelError, match="the limit"):
        ph.marine.Propeller(CRAFT.origin, ph.X, 1.0, limit=0.0)
