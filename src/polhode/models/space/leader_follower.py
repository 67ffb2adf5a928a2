r"""Leader and follower round the Earth, 200 m apart, kept so by a linear law.

               x outwards
                ^
     200 m      |             x'' - 2 n y' - 3 n^2 x = fx
   o. . . . . . L---> y       y'' + 2 n x'           = fy
   F            ahead         z'' + n^2 z            = fz

Surprise: pushed outwards, a follower ends up ahead or behind, and to catch up with its
leader it must brake. The oblate Earth pulls on both almost alike: to stay together
costs a ten-millionth of their weight.
"""

from __future__ import annotations

from typing import Any

import polhode as ph

AXIS = 7.0e6
INCLINATION = 0.9


def leader_follower() -> ph.System:
    """Two craft in the field of the Earth to J2; the follower has jets."""
    world = ph.World()
    craft = [ph.Particle(name, 150.0) for name in ("leader", "follower")]
    joints = [ph.Translation(c.name, world.origin, c.mass_centre) for c in craft]
    pull = ph.space.ZonalGravity(
        craft, world.origin, zonals=ph.space.EARTH.zonals[:1], name="Earth"
    )
    jets = ph.Motor(joints[1], 0.0, name="jets")
    return ph.System(joints, [pull, jets], name="leader and follower")


def leader_follower_start() -> tuple[dict[str, Any], dict[str, Any]]:
    """Both on one circle, the follower 1 km behind and 300 m below."""
    import numpy as np

    orbit = ph.formations.Orbit(
        mu=ph.space.EARTH.mu, parameter=AXIS, eccentricity=0.0, inclination=INCLINATION
    )
    r, v = orbit.state
    frame = ph.space.rtn(r, v)
    there = r + frame @ np.array([-300.0, -1000.0, 100.0])
    return {"leader": r, "follower": there}, {"leader": v, "follower": v}


def leader_follower_inputs(system: ph.System) -> dict[str, Any]:
    """A linear quadratic law after Hill's equations, to 200 m behind."""
    n = (ph.space.EARTH.mu / AXIS**3) ** 0.5
    # A metre costs as much as 3 mm/s, or as 10 micrometres by second squared.
    Q = [1.0] * 3 + [1e5] * 3
    gain = ph.linear_quadratic(ph.formations.hill(n), Q, [1e10] * 3)
    where = (0.0, -200.0, 0.0)
    return ph.formations.formation_keeping(system, "leader", "follower", gain, where)
