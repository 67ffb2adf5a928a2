"""Springs and dampers by tables: as the laws whose data they hold."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.actions.action import power_of, third_law_residual
from polhode.actions.motion_arrays import Poses, Twists
from polhode.errors import ModelError

LINE = ph.Table([-1.0, 0.0, 1.0], [-40.0, 0.0, 40.0], beyond="extend", name="line")


def moving(seed):
    """Two bodies somewhere and moving."""
    rng = np.random.default_rng(seed)
    turns = np.stack([np.eye(3)] * 2)
    poses = Poses(turns, rng.uniform(-1, 1, (2, 3)))
    return poses, Twists(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))


def ends():
    """Points of two bodies."""
    a, b = (ph.Body(n, ph.solids.box(mass=1, x=0.1, y=0.2, z=0.3)) for n in "ab")
    return a.point(0.1, 0, 0.2), b.point(0, 0.3, 0)


@pytest.mark.parametrize("seed", range(3))
def test_a_straight_table_is_a_linear_element(seed):
    """The same wrenches and energy as ph.Spring and ph.Damper."""
    a, b = ends()
    poses, twists = moving(seed)
    pairs = [
        (ph.machines.SpringCurve(a, b, LINE, 0.4), ph.Spring(a, b, 40.0, 0.4)),
        (ph.machines.DamperCurve(a, b, LINE), ph.Damper(a, b, 40.0)),
    ]
    for curve, plain in pairs:
        one, other = (x.wrenches(poses, twists) for x in (curve, plain))
        assert_close(one.forces, other.forces, rtol=1e-12)
        assert_close(one.torques, other.torques, rtol=1e-12)
        assert max(third_law_residual(curve, poses, twists)) < 1e-14
    gap = pairs[0][0].energy(poses) - pairs[0][1].energy(poses)
    moved = Poses(poses.rotations, poses.origins + np.array([[0.3, 0, 0], [0, 0, 0]]))
    again = pairs[0][0].energy(moved) - pairs[0][1].energy(moved)
    assert_close(again, gap, rtol=1e-11)  # energies differ by a constant


def test_a_bent_spring_keeps_energy_and_a_damper_loses_it():
    """Power is minus the gain of the stored energy; a damper's is never above zero."""
    a, b = ends()
    x = np.linspace(-2, 2, 9)
    bent = ph.Table(
        x, 40 * x + 30 * x**3, smooth="spline", beyond="extend", name="bent"
    )
    spring = ph.machines.SpringCurve(a, b, bent, 0.4)
    damper = ph.machines.DamperCurve(a, b, bent)
    h = 1e-6
    for seed in range(4):
        poses, twists = moving(seed)
        twists = Twists(0 * twists.angular, twists.linear)
        ahead, back = (
            Poses(poses.rotations, poses.origins + s * h * twists.linear)
            for s in (1, -1)
        )
        rate = (spring.energy(ahead) - spring.energy(back)) / (2 * h)
        assert_close(power_of(spring, poses, twists), -rate, rtol=1e-6)
        assert power_of(damper, poses, twists) < 0


def test_along_a_joint():
    """Duffing's oscillator by a table keeps its energy."""
    mass = ph.Particle("mass", 1.0)
    joint = ph.Prismatic("slide", ph.World().origin, mass.mass_centre, axis=ph.X)
    x = np.linspace(-2, 2, 81)
    duffing = ph.Table(x, x + x**3, smooth="spline", name="f")
    system = ph.System([joint], [ph.machines.JointCurve(joint, duffing)])
    motion = ph.simulate(system, system.state(slide=1.0), until=10.0, rtol=1e-9)
    E = 0.5 * motion.z[:, 0] ** 2 + motion.q[:, 0] ** 2 / 2 + motion.q[:, 0] ** 4 / 4
    assert_close(E, 0.75 + 0 * E, rtol=1e-6)
    ledger = motion.ledger()
    assert np.max(np.abs(ledger.balance)) <= ledger.promise


def test_what_is_no_curve_is_refused():
    """Functions, tables of two variables, dampers that drive, both at once."""
    a, b = ends()
    mass = ph.Particle("mass", 1.0)
    joint = ph.Prismatic("slide", ph.World().origin, mass.mass_centre, axis=ph.X)
    with pytest.raises(ModelError, match="is no table of one variable"):
        ph.machines.SpringCurve(a, b, lambda x: x)
    with pytest.raises(ModelError, match="drives motion"):
        ph.machines.DamperCurve(a, b, ph.Table([-1, 1], [1, -1]))
    with pytest.raises(ModelError, match="no single curve"):
        ph.machines.JointCurve(joint, LINE, damper=LINE)
