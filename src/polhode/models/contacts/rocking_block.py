r"""Housner's block: it rocks on its two lower corners.

       ____
      /   /      b, h   half its sides; tan(alpha) = b/h
     /   /       at every impact the other corner takes over
    /___/___

Surprise: nothing rebounds and nothing slides, and yet it rocks on and on: an impact
leaves 1 - 1.5 sin^2(alpha) of its speed. A slender block rocks longest, and the lower
it rocks the quicker.
"""

from __future__ import annotations

from math import atan2, cos, sin

import polhode as ph

B, H = 0.2, 0.6


def rocking_block() -> ph.System:
    """A block in a plane on two corners that grip: joint "plane", support "base"."""
    solid = ph.solids.box(mass=ph.Parameter("m", 1.0), x=2 * B, y=0.1, z=2 * H)
    block, world = ph.Body("block", solid), ph.World()
    plane = ph.Planar("plane", world.origin, block.origin, normal=-ph.Y)
    base = ph.Support(
        ph.surfaces.hull(block.origin, [(-B, 0, -H), (B, 0, -H)]),
        world.origin,
        friction=ph.Coulomb(10.0),
        name="base",
    )
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System([plane], [weight], supports=[base], name="rocking block")


def rocking_block_start() -> tuple[dict[str, tuple[float, ...]], dict[str, float]]:
    """Tilted by half of alpha about its right corner, which is at the origin."""
    tilt = atan2(B, H) / 2
    c, s = cos(tilt), sin(tilt)
    return {"plane": (-tilt, s * H - c * B, s * B + c * H)}, {}
