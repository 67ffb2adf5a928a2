r"""A cube thrown flat over a rough floor.

      ____  -> v
     |    |          a   its side
     |____|          mu  friction of its four lower corners
    --------------

Surprise: it slides v^2/(2 mu g) and never tips, for mu < 1, though friction presses its
front: the front corners carry (1 + mu)/2 of the weight. With mu = 1.1 it goes over.
"""

from __future__ import annotations

import polhode as ph

SIDE = 0.1


def thrown_cube() -> ph.System:
    """A free cube of mass m on its lower corners: joint "free", support "base"."""
    solid = ph.solids.box(mass=ph.Parameter("m", 1.0), x=SIDE, y=SIDE, z=SIDE)
    cube, world, half = ph.Body("cube", solid), ph.World(), SIDE / 2
    free = ph.Free("free", world.point(0, 0, half), cube.origin)
    corners = [(x, y, -half) for x in (-half, half) for y in (-half, half)]
    base = ph.Support(
        ph.surfaces.hull(cube.origin, corners),
        world.origin,
        friction=ph.Coulomb(0.5),
        name="base",
    )
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System([free], [weight], supports=[base], name="thrown cube")
