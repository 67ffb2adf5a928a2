r"""A billiard ball, struck low: it slides forward, spins back, and rolls.

       ___
      / w \  -> v      w < 0   backspin
      \_<-/            it slides until v = r w, and then rolls
    -----P---------

Surprise: how rough the cloth is does not matter for where it ends: it always rolls with
(5 v + 2 r w)/7 of what it began with. Struck low enough, it comes back.
"""

from __future__ import annotations

import polhode as ph

RADIUS = 0.0286


def billiard_ball() -> ph.System:
    """A free ball of mass m on a cloth: joint "free", support "cloth"."""
    solid = ph.solids.sphere(mass=ph.Parameter("m", 0.17), radius=RADIUS)
    ball, world = ph.Body("ball", solid), ph.World()
    free = ph.Free("free", world.point(0, 0, RADIUS), ball.origin)
    cloth = ph.Support(
        ph.surfaces.sphere(ball.origin, RADIUS),
        world.origin,
        friction=ph.Coulomb(0.2),
        name="cloth",
    )
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System([free], [weight], supports=[cloth], name="billiard ball")
