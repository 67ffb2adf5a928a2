r"""An ellipsoid in a fluid without friction: Kirchhoff's problem.

        _______
      /         \  -> v         the fluid that makes way adds to the inertia, more
      \_________/               across the body than along it: momentum is not along v

Surprise: thrown lengthwise it turns broadside on. Momentum p = M v keeps its direction
while v does not, and v x p is a moment: Munk's.
"""

from __future__ import annotations

import polhode as ph


def ellipsoid_in_fluid() -> ph.System:
    """Half axes 0.3, 0.2, 0.1 m, as heavy as the water displaced: joint "free"."""
    density = 1000.0
    hull = ph.solids.ellipsoid(x=0.3, y=0.2, z=0.1, density=density)
    body = ph.Body("body", ph.marine.submerged(hull, fluid_density=density))
    free = ph.Free("free", ph.World().origin, body.origin)
    return ph.System([free], name="ellipsoid in a fluid")
