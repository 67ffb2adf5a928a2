r"""A ball that is thrown and bounces until it slides.

    o
     \      _           h   height it falls from
      \   /   \   _     e   restitution: it leaves with e of the speed it came with
    ___\_/_____\_/_\/\__

Surprise: it bounces without end, and yet is done after sqrt(2 h/g) (1 + e)/(1 - e): an
infinity of bounces in a finite time. The run finds where they end, and goes on.
"""

from __future__ import annotations

import polhode as ph


def bouncing_ball() -> ph.System:
    """A particle of mass m over a smooth floor, support "floor"."""
    ball, world = ph.Particle("ball", ph.Parameter("m", 0.2)), ph.World()
    floor = ph.Support(
        ph.surfaces.point(ball.mass_centre),
        world.origin,
        restitution=ph.Parameter("e", 0.7),
        name="floor",
    )
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System([ball], [weight], supports=[floor], name="bouncing ball")
