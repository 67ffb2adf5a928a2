"""Events that come with the models: limits of joints, the surface of a planet."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.errors import IntegrationError, NumericalWarning

G = 9.81


@cache
def limited() -> ph.System:
    """A pendulum between stops."""
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8, along=ph.Z))
    ends = ph.World().origin, rod.point(0, 0, 0.4)
    hinge = ph.Revolute("hinge", *ends, axis=ph.Y, limits=(-0.5, 2.0))
    return ph.System([hinge], [ph.Weight(G)], name="limited")


def test_joints_meet_their_limits():
    """Each finite limit is an event; a start beyond one is refused with the excess."""
    system = limited()
    events = ph.limit_events(system, terminal=True)
    motion = ph.simulate(system, system.state(hinge=1.5), until=5.0, events=events)
    assert motion.final["hinge"] == pytest.approx(-0.5, abs=1e-12)
    assert motion.events[0].name == "hinge at its lower limit"
    with (
        pytest.warns(NumericalWarning, match="begins beyond a limit"),
        pytest.raises(IntegrationError, match=r"'hinge at its upper.* passed by 0\.1"),
    ):
        ph.simulate(system, system.state(hinge=2.1), until=5.0, events=events)


def test_a_spacecraft_stops_at_the_surface():
    """It comes down when Kepler says, and cannot start below."""
    mu, R = 3.986004418e14, 6378137.0
    world, craft = ph.World(), ph.Particle("craft", 100.0)
    pull = ph.CentralForce(
        craft.mass_centre, world.origin, lambda r, rate, t: -mu * 100.0 / r**2
    )
    system = ph.System([craft], [pull], name="orbit")
    a, e = 0.75e7, 0.2
    far, slow = a * (1 + e), np.sqrt(mu / a * (1 - e) / (1 + e))
    start = system.state({"craft": (far, 0, 0)}, speeds={"craft": (0, slow, 0)})
    ground = ph.surface_event(system, "craft", R)
    motion = ph.simulate(system, start, until=1e5, events=ground)
    anomaly = np.arccos((1 - R / a) / e)
    passed = (2 * np.pi - anomaly) - e * np.sin(2 * np.pi - anomaly)
    after = 2 * np.pi - passed  # from the perigee back to the surface, as mean anomaly
    exact = np.sqrt(a**3 / mu) * (np.pi - after)
    assert motion.outcome.code == "EVENT"
    assert motion.t[-1] == pytest.approx(exact, rel=3e-9)
    assert np.linalg.norm(motion.final.q) == pytest.approx(R, rel=1e-12)
    low = system.state({"craft": (R - 1e4, 0, 0)}, speeds={"craft": (0, slow, 0)})
    with pytest.raises(IntegrationError, match="at the surface' has passed by 10000"):
        ph.simulate(system, low, until=1e5, events=ground)
