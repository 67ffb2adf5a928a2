r"""A bob on a rod that may swing in any direction.

        o-----> a cross of two hinges: about Y, then about X of the rod
       /|
      / | l
     o           m: it keeps its angular momentum about the vertical

Surprise: swung in an ellipse it does not close it: the ellipse turns in the direction
of the motion, by 3/8 of its area over l^2 in radians each time round.
"""

from __future__ import annotations

import polhode as ph


def spherical_pendulum() -> ph.System:
    """A bob m on a massless rod l hung from a cross, "cross.first" and "cross.second".

    The cross locks only where the rod is level, along its second axis.
    """
    m, l, g = ph.Parameter("m", 1.0), ph.Parameter("l", 1.0), ph.Parameter("g", 9.81)
    bob = ph.Body.from_inertia("bob", mass=m, inertia=(0, 0, 0))
    top = bob.point(0, 0, l)
    ends = ph.World().origin, top
    cross = ph.Universal("cross", *ends, axis=ph.Y, second_axis=ph.X)
    return ph.System([cross], [ph.Weight(g)], name="spherical pendulum")
