"""Bump stops: nothing inside, energy beyond, and no pull on the way back."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError


def slide(**options):
    """A mass on a rail."""
    mass = ph.Particle("mass", 2.0)
    origin = ph.World().origin
    return ph.Prismatic("slide", origin, mass.mass_centre, axis=ph.X, **options)


def test_it_acts_beyond_its_ends_only():
    """Of equal size at both, as k d^p, and its energy is the integral."""
    stop = ph.machines.BumpStop(slide(), 5e4, limits=(-0.1, 0.2), exponent=2.0)
    zero = np.zeros(1)
    for q, wanted in ((0.0, 0.0), (0.2, 0.0), (0.21, -5.0), (-0.12, 20.0)):
        assert_close(stop.effort(np.array([q]), zero), [wanted], atol=1e-9)
    assert_close(stop.energy(np.array([0.23])), 5e4 * 0.03**3 / 3, rtol=1e-12)


def test_a_mass_bounces_with_its_energy():
    """It comes back as fast as it went; pressed in by v sqrt(m/k)."""
    joint = slide(limits=(-1.0, 0.0))
    system = ph.System([joint], [ph.machines.BumpStop(joint, 800.0)])
    start = system.state(slide=-0.5, speeds={"slide": 1.0})
    motion = ph.simulate(system, start, until=0.8, rtol=1e-9)
    assert_close(motion.z[-1, 0], -1.0, rtol=1e-7)
    assert_close(motion.q[:, 0].max(), np.sqrt(2 / 800), rtol=2e-3)


def test_with_damping_it_loses_and_never_pulls():
    """On the way out the force falls to zero and stays there."""
    stop = ph.machines.BumpStop(slide(), 5e4, limits=(-np.inf, 0.0), damping=0.5)
    q = np.array([0.01])
    assert not stop.is_conservative
    assert_close(stop.effort(q, np.array([1.0])), [-750.0])
    assert_close(stop.effort(q, np.array([-4.0])), [0.0])


def test_a_stop_stands_at_an_end():
    """No ends, crossed ends and soft exponents are refused."""
    with pytest.raises(ModelError, match="stands at"):
        ph.machines.BumpStop(slide(), 1.0)
    with pytest.raises(ModelError, match="stands at"):
        ph.machines.BumpStop(slide(), 1.0, limits=(1.0, 0.0))
    with pytest.raises(ModelError, match="the exponent"):
        ph.machines.BumpStop(slide(), 1.0, limits=(-1, 1), exponent=0.5)
