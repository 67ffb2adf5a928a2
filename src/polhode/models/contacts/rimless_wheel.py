r"""A wheel without a rim, walking down a slope on its spokes.

       \ | /
     __ \|/ __        eight spokes of length 1, nearly all mass in the hub
        /|\           each step pivots about one foot until the next strikes
    ___/_|_\____

Surprise: without a motor it finds its speed by itself: an error of a step is cos^2 of
the angle between two spokes, here one half, at the next. It is the simplest walker.
"""

from __future__ import annotations

from math import cos, pi, sin

import polhode as ph
from polhode.models import looks

SPOKES = 8
ANGLE = 2 * pi / SPOKES  # between two of them
SLOPE = 0.08
HUB = 1e-3  # radius


def rimless_wheel() -> ph.System:
    """A hub with eight feet in a plane on a slope: joint "plane", support "feet"."""
    solid = ph.solids.sphere(mass=ph.Parameter("m", 1.0), radius=HUB)
    turns = [ANGLE * k for k in range(SPOKES)]
    ends = [(sin(turned), 0, -cos(turned)) for turned in turns]
    spokes = [looks.bar((0, 0, 0), end, 0.03) for end in ends]
    wheel, world = ph.Body("wheel", solid, shapes=spokes), ph.World()
    plane = ph.Planar("plane", world.origin, wheel.origin, normal=-ph.Y)
    feet = ph.Support(
        ph.surfaces.hull(wheel.origin, ends),
        world.origin,
        normal=(sin(SLOPE), 0, cos(SLOPE)),
        friction=ph.Coulomb(10.0),
        name="feet",
    )
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System([plane], [weight], supports=[feet], name="rimless wheel")


def rimless_wheel_start() -> tuple[
    dict[str, tuple[float, ...]], dict[str, tuple[float, ...]]
]:
    """Its first foot has just struck at the origin; it turns at 1.5 rad/s."""
    # Coordinates turn the other way round than the wheel goes.
    behind, rate = SLOPE - ANGLE / 2, 1.5
    hub = (sin(behind), cos(behind))
    return (
        {"plane": (-behind, *hub)},
        {"plane": (-rate, rate * hub[1], -rate * hub[0])},
    )
