r"""A ladder that slides down between a smooth wall and a smooth floor.

    |\
    | \        l   its length; it stands at 60 degrees and is let go
    |  \
    |___\____

Surprise: it leaves the wall at two thirds of the height at which it began, whatever its
length and weight, and then falls flat with its foot running away.
"""

from __future__ import annotations

from math import cos, pi, sin

import polhode as ph

LENGTH = 2.0


def ladder() -> ph.System:
    """A rod in a plane, supports "floor" and "wall", and "top" where it falls flat."""
    solid = ph.solids.rod(mass=ph.Parameter("m", 5.0), length=LENGTH)
    rod, world = ph.Body("ladder", solid), ph.World()
    plane = ph.Planar("plane", world.origin, rod.origin, normal=-ph.Y)
    foot, top = (ph.surfaces.point(rod.point(0, 0, s * LENGTH / 2)) for s in (-1, 1))
    supports = [
        ph.Support(foot, world.origin, name="floor"),
        ph.Support(top, world.origin, normal=ph.X, name="wall"),
        ph.Support(top, world.origin, name="top"),
    ]
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System([plane], [weight], supports=supports, name="ladder")


def ladder_start() -> tuple[dict[str, tuple[float, ...]], dict[str, tuple[float, ...]]]:
    """At 60 degrees from the floor, at rest against both."""
    theta, half = pi / 3, LENGTH / 2
    return {"plane": (pi / 2 - theta, half * cos(theta), half * sin(theta))}, {}
