r"""Two rods, one hung on the other: the simplest mechanism that no one can predict.

      o shoulder
       \  m1, l1
        o elbow          angles: of the upper rod from straight down, and of the lower
         \  m2, l2       rod on the upper one
          \

Surprise: two that start a hair's breadth apart part company within seconds, though each
obeys Newton to the last digit.
"""

from __future__ import annotations

import polhode as ph


def double_pendulum() -> ph.System:
    """Two thin rods on parallel hinges, "shoulder" and "elbow"."""
    m1, l1 = ph.Parameter("m_1", 1.0), ph.Parameter("l_1", 1.0)
    m2, l2 = ph.Parameter("m_2", 0.7), ph.Parameter("l_2", 0.8)
    upper = ph.Body("upper", ph.solids.rod(mass=m1, length=l1))
    lower = ph.Body("lower", ph.solids.rod(mass=m2, length=l2))
    top, end = upper.point(0, 0, l1 / 2), upper.point(0, 0, -l1 / 2)
    hinges = [
        ph.Revolute("shoulder", ph.World().origin, top, axis=-ph.Y),
        ph.Revolute("elbow", end, lower.point(0, 0, l2 / 2), axis=-ph.Y),
    ]
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System(hinges, [weight], name="double pendulum")
