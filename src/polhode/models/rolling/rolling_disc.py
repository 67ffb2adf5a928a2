r"""A thin disc that rolls on a plane without slipping: a coin.

        ___
      /     \         body's axes: Y along its axle, X and Z in its plane
     |   o   |        q = (yaw about z, lean about x, roll about y)
      \_____/
     ----P--------->  it touches at P, which does not slip

Surprise: it is stable without any control, if it rolls faster than sqrt(g/(3 r)) in
turns of radians a second; and a coin that falls spins up without end.
"""

from __future__ import annotations

import polhode as ph


def rolling_disc() -> ph.System:
    """A uniform disc of mass m and radius r, free but for the ground: joint "free"."""
    m, r = ph.Parameter("m", 3.43), 0.26
    disc = ph.Body("disc", ph.solids.disc(mass=m, radius=r, along=ph.Y))
    world = ph.World()
    free = ph.Free("free", world.point(0, 0, r), disc.origin)
    ground = ph.rolling(ph.surfaces.disc(disc.origin, r, axis=ph.Y), world.origin)
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System([free], [weight], ground, name="rolling disc")
