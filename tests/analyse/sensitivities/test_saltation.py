"""Derivatives through impacts, slips that stop, and contacts that open."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import AnalysisError

G = 9.81


def dropped(g: float = G, e: float = 0.8) -> ph.System:
    """A particle that falls along one line, on a floor."""
    ball, world = ph.Particle("ball", 1.0), ph.World()
    line = ph.Prismatic("z", world.origin, ball.mass_centre, axis=ph.Z)
    floor = ph.Support(ph.surfaces.point(ball.mass_centre), world.origin,
                       restitution=e, name="floor")  # fmt: skip
    return ph.System([line], [ph.Weight(g)], supports=[floor], name="ball")


@pytest.mark.row("D-03")
def test_the_derivatives_of_a_bounce():
    """From 1 m, e = 0.8, at 0.8 s: by height, restitution and gravity, to 16 digits."""
    system = dropped()
    motion = ph.simulate(system, system.state(z=1.0), until=0.8, rtol=1e-11)
    names = ["weight.gravity", "floor.restitution"]
    found = ph.sensitivity(motion, names)
    assert_close(motion.q[-1, 0], 0.63920356202082905, rtol=1e-12)
    expected = {
        "first z": 0.58920178101041452,
        "floor.restitution": 1.5435575344560161,
        "weight.gravity": 0.0050970215097262512,
    }
    for name, value in expected.items():
        assert_close(found[name][-1, 0], value, rtol=1e-12)
    # The saltation matrix itself: [[-e, 0], [(1 + e) g / |v|, -e]] of (z, v).
    k = int(np.flatnonzero(np.diff(motion.t) == 0)[0])
    jump = found.transition[k + 1] @ np.linalg.inv(found.transition[k])
    v = np.sqrt(2 * G)
    assert_close(jump, [[-0.8, 0], [1.8 * G / v, -0.8]], atol=1e-12)
    assert_close(jump[1, 0], 3.98650222626302, rtol=1e-12)
    back = ph.gradient(motion, lambda t, state: state["z"], names)
    for name in names:
        assert_close(back[name], expected[name], rtol=1e-12)
    early = ph.sensitivity(motion, names, times=[0.5])
    fell = 0.5 - np.sqrt(2 / G)  # since the bounce
    # dz/de = v t, with v = sqrt(2 g h) before it
    assert_close(early["floor.restitution"][-1, 0], v * fell, rtol=1e-10)


@pytest.mark.long
def test_a_wall_reflects_errors():
    """Without gravity, e = 1: d z(T) / d z_0 = -1."""
    system = dropped(0.0, 1.0)
    start = system.state(z=1.0, speeds={"z": -2.0})
    motion = ph.simulate(system, start, until=1.0)
    found = ph.sensitivity(motion)
    assert_close(found["first z"][-1], [-1.0, 0.0], atol=1e-12)
    assert_close(found["first speed of z"][-1], [-1.0, -1.0], atol=1e-12)


def thrown() -> ph.System:
    """A particle thrown along a floor with friction; bounces, slides and rests."""
    ball, world = ph.Particle("ball", 1.0), ph.World()
    floor = ph.Support(ph.surfaces.point(ball.mass_centre), world.origin,
                       friction=ph.Coulomb(0.3, 0.4), restitution=0.3,
                       name="floor")  # fmt: skip
    return ph.System([ball], [ph.Weight(G)], supports=[floor], name="thrown")


@pytest.mark.long
def test_bounces_that_slide_and_rest_agree_with_differences():
    """Impacts with friction, chatter that settles, a slip that stops."""
    system, h = thrown(), 1e-5
    names = ["floor.dynamic", "floor.restitution", "weight.gravity"]
    nominal = {"floor.dynamic": 0.3, "floor.restitution": 0.3, "weight.gravity": G}

    def at_end(until: float, **change: float) -> ph.results.Trajectory:
        start = system.state(ball=(0, 0, 0.05), speeds={"ball": (3.0, 0.5, 0)})
        return ph.simulate(system, start, until=until, rtol=1e-12, parameters=change)

    for until in (0.15, 1.2):  # between bounces, and at rest
        found = ph.sensitivity(at_end(until, **nominal), names)
        for name in names:
            up, down = (
                at_end(until, **{**nominal, name: nominal[name] + s * h}).q[-1]
                for s in (1, -1)
            )
            assert_close(found[name][-1, :3], (up - down) / (2 * h), atol=2e-6)


@pytest.mark.long
def test_what_grazes_or_begins_with_a_blow_is_told():
    """Derivatives there have no bound, or two sides."""
    system = dropped()
    start = system.state(z=0.0, speeds={"z": -1.0})
    motion = ph.simulate(system, start, until=0.1)
    with pytest.raises(AnalysisError, match="strikes where it begins"):
        ph.sensitivity(motion)
