r"""A rod on a hinge, swinging under its weight.

        hinge o -------> x
              |\
              | \            th = hinge angle from straight down, towards +x
              |th\           m l^2/3 th'' + m g l/2 sin th = 0
              z   \ rod

Surprise: the further it swings the longer it takes, and from standing on its head it
never comes down at all.
"""

from __future__ import annotations

import polhode as ph


def pendulum(mass: float = 1.2, length: float = 0.8) -> ph.System:
    """A thin uniform rod of mass m and length l, hung by its end at "hinge"."""
    m, l = ph.Parameter("m", mass), ph.Parameter("l", length)
    rod = ph.Body("rod", ph.solids.rod(mass=m, length=l))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, l / 2), axis=-ph.Y)
    return ph.System([hinge], [ph.Weight(ph.Parameter("g", 9.81))], name="pendulum")
