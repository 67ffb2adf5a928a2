r"""A disc on an axle hinged at O, rolling under a ceiling: a cone that rolls in place.

     O --------- d --------- A     ceiling z = 0       R = d sin a, C at d cos a of O
       `.   a             /|
          `.          R /  |       It th'' + m g b sin th = 0,  g along x
    axle     `.       /            It = m b^2 + Ix (b/R)^2 + Iz cos^2 a,  b = d cos^2 a
                `C  /              th: direction of OA seen from above

Surprise: one equation is too many. O and A are points of one rigid body, so neither can
move along OA by itself: the motion is unique, and how O and A share the force along OA
no measurement of the motion can tell.
"""

from __future__ import annotations

from math import cos, sin
from typing import Any

import polhode as ph
from polhode.models import looks


def rolling_cone(angle: float = 0.5, reach: float = 1.3) -> ph.System:
    """A disc of mass m whose rim rolls on the plane z = 0 from below, gravity along X.

    `angle` is a, between axle and plane, `reach` is d, from O to the contact. The joint
    is "O"; the rolling constraints are "rim contact" and "rim".
    """
    m, g = ph.Parameter("m", 1.7), ph.Parameter("g", 9.81)
    Ix, Iz = ph.Parameter("I_x", 0.35), ph.Parameter("I_z", 0.22)
    centre = (reach * cos(angle), 0.0, 0.0)
    side = reach * sin(angle)
    cone = looks.turned(
        [1e-4, side, 1e-4], [0.0, centre[0], centre[0]], along=(1, 0, 0)
    )
    disc = ph.Body.from_inertia(
        "disc", mass=m, inertia=(Ix, Iz, Iz), centre=centre, shapes=[cone]
    )
    world = ph.World()
    rim = ph.surfaces.disc(disc.point(*centre), side, axis=ph.X)
    ball = ph.Spherical("O", world.origin, disc.origin, second_axes=leaning(angle).T)
    rolling = ph.rolling(rim, world.origin, normal=-ph.Z, name="rim")
    return ph.System([ball], [ph.Weight(g, up=-ph.X)], rolling, name="rolling cone")


def leaning(angle: float) -> Any:
    """The axes x1, y1, z1 of axle and disc as columns, where th = 0."""
    import numpy as np

    c, s = cos(angle), sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
