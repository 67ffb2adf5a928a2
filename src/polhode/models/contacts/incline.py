r"""A block that is pushed up a slope, stops, and stays or comes back.

          __
         /  /\    a   angle of the slope, its tangent is 1/2
     \  /__/ /    mu  friction: it stays where it stops while mu_s >= tan a
      \ \__\/
       \_______

Surprise: weight and size of the block do not matter, and no patience helps: with a
friction of 0.5000001 it rests for ever, with 0.4999999 it goes.
"""

from __future__ import annotations

from math import atan, cos, sin

import polhode as ph

SLOPE = atan(0.5)
LENGTH, HEIGHT = 0.2, 0.1
# Out of the slope, and up along it.
OUT = (sin(SLOPE), 0.0, cos(SLOPE))
UP = (-cos(SLOPE), 0.0, sin(SLOPE))


def incline() -> ph.System:
    """A block that slides in a plane, on two corners: joint "plane", support "base"."""
    solid = ph.solids.box(mass=ph.Parameter("m", 1.0), x=LENGTH, y=0.1, z=HEIGHT)
    block, world = ph.Body("block", solid), ph.World()
    plane = ph.Planar("plane", world.origin, block.origin, normal=-ph.Y)
    ends = [(-LENGTH / 2, 0, -HEIGHT / 2), (LENGTH / 2, 0, -HEIGHT / 2)]
    base = ph.Support(
        ph.surfaces.hull(block.origin, ends),
        world.origin,
        normal=OUT,
        friction=ph.Coulomb(dynamic=0.4, static=0.55),
        name="base",
    )
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System([plane], [weight], supports=[base], name="block on an incline")


def incline_start() -> tuple[
    dict[str, tuple[float, ...]], dict[str, tuple[float, ...]]
]:
    """On the slope, going up it at 2 m/s."""
    place = (-SLOPE, OUT[0] * HEIGHT / 2, OUT[2] * HEIGHT / 2)
    return {"plane": place}, {"plane": (0.0, 2 * UP[0], 2 * UP[2])}
