"""Bushings: forces are slopes of the energy at any angle, and obey the third law."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.actions.action import power_of, third_law_residual
from polhode.actions.motion_arrays import Poses, Twists
from polhode.errors import ModelError
from polhode.geometry.rotations import so3

K = np.diag([30.0, 40, 50, 600, 700, 800]) + 5.0
C = np.diag([0.3, 0.4, 0.5, 6, 7, 8]) + 0.1


def pair():
    """Two blocks."""
    return [ph.Body(n, ph.solids.box(mass=1, x=0.1, y=0.2, z=0.3)) for n in "ab"]


def moving(seed, angle=1.0):
    """Two bodies somewhere, turned and moving."""
    rng = np.random.default_rng(seed)
    turns = so3.exp(angle * rng.uniform(-1, 1, (2, 3)))
    poses = Poses(turns, rng.uniform(-1, 1, (2, 3)))
    return poses, Twists(rng.normal(size=(2, 3)), rng.normal(size=(2, 3)))


def later(poses, twists, h):
    """The poses a short time on."""
    turned = so3.exp(h * twists.angular) @ poses.rotations
    return Poses(turned, poses.origins + h * twists.linear)


@pytest.mark.parametrize("seed", range(4))
def test_power_is_the_loss_of_energy(seed):
    """At large angles too, where small-angle rubber would gain or lose energy."""
    a, b = pair()
    rubber = ph.machines.Bushing(a.point(0.1, 0, 0.2), b.point(0, 0.3, 0), K)
    poses, twists = moving(seed)
    h = 1e-5
    gained = rubber.energy(later(poses, twists, h)) - rubber.energy(
        later(poses, twists, -h)
    )
    assert rubber.is_conservative
    assert_close(power_of(rubber, poses, twists), -gained / (2 * h), rtol=1e-7)


@pytest.mark.parametrize("seed", range(3))
def test_the_third_law_and_the_loss_of_a_damper(seed):
    """Wrenches cancel with their moments; damping never feeds, and rest has none."""
    a, b = pair()
    rubber = ph.machines.Bushing(a.point(0.1, 0, 0.2), b.origin, K, C)
    poses, twists = moving(seed)
    assert max(third_law_residual(rubber, poses, twists)) < 1e-14
    only = ph.machines.Bushing(a.origin, b.origin, [0.0] * 6, C)
    assert power_of(only, poses, twists) < 0
    w, v = np.array([0.3, -0.2, 0.5]), np.array([1.0, 2.0, 3.0])
    together = Twists(np.stack([w, w]), v + np.cross(w, poses.origins))
    assert_close(power_of(only, poses, together), 0.0, atol=1e-12)
    assert not rubber.is_conservative


def test_small_deflections_are_hookes_law():
    """Six frequencies of a block on a diagonal bushing: sqrt(k/m), sqrt(k/I)."""
    block = ph.Body("block", ph.solids.box(mass=2.0, x=0.1, y=0.2, z=0.3))
    k = [3.0, 4.0, 5.0, 60.0, 70.0, 80.0]
    rubber = ph.machines.Bushing(block.origin, ph.World().origin, k)
    system = ph.System([block], [rubber])
    I = np.diag(block.moments().inertia)
    found = np.sort(
        np.unique(np.abs(ph.linearise(system).modes().frequencies).round(9))
    )
    wanted = np.sort(np.sqrt([*(np.array(k[:3]) / I), *(np.array(k[3:]) / 2)]))
    assert_close(found, wanted, rtol=1e-8)
    F = np.array(k[3:]) * 1e-3
    (joint,) = system.joints
    at = system.state({joint.name: {"qw": 1.0, "x": 1e-3, "y": 1e-3, "z": 1e-3}})
    force = system.wrenches(0.0, at.q, at.z)["bushing"].forces[0]
    assert_close(force, -F, rtol=1e-12)


def test_matrices_that_are_no_rubber_are_refused():
    """Not symmetric, driving motion, or of another size."""
    a, b = pair()
    skew = K.copy()
    skew[0, 1] += 1
    with pytest.raises(ModelError, match="is not symmetric"):
        ph.machines.Bushing(a.origin, b.origin, skew)
    with pytest.raises(ModelError, match="has the eigenvalue -1"):
        ph.machines.Bushing(a.origin, b.origin, [-1, 1, 1, 1, 1, 1])
    with pytest.raises(ModelError, match="neither six numbers"):
        ph.machines.Bushing(a.origin, b.origin, [1, 2, 3])
