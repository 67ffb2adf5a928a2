r"""A boat-shaped stone that will turn one way only, rolling without slipping.

        ____________
       (            )        half an ellipsoid, lying on its round side; its masses are
        `-._____.-'          turned a little against its shape
     ---------P----------

Surprise: spun the wrong way it begins to rattle, stops, and turns back, though there is
no friction that takes its energy and nothing that pushes it round.
"""

from __future__ import annotations

import polhode as ph

HALF_AXES = (0.2, 0.03, 0.02)


def rattleback(skew: float = 0.05) -> ph.System:
    """A solid of ellipsoidal shape on the plane z = 0: joint "free".

    `skew` is the product of inertia about the vertical over its greatest moment.
    """
    x, y, z = HALF_AXES
    a, b, c = 2e-4, 1.6e-3, 1.7e-3
    product = -skew * c
    inertia = [[a, product, 0.0], [product, b, 0.0], [0.0, 0.0, c]]
    look = ph.Shape("ellipsoid", {"x": x, "y": y, "z": z})
    stone = ph.Body.from_inertia(
        "stone", mass=1.0, inertia=inertia, centre=(0.0, 0.0, -z / 4), shapes=[look]
    )
    world = ph.World()
    free = ph.Free("free", world.point(0, 0, z), stone.origin)
    shape = ph.surfaces.ellipsoid(stone.origin, (x, y, z))
    ground = ph.rolling(shape, world.origin, name="ground")
    return ph.System([free], [ph.Weight(9.81)], ground, name="rattleback")
