r"""N four-bars in a row: one freedom through 2N + 1 bars, the benchmark of loops.

       B0___B1___B2___B3          uprights A_k B_k and couplers B_k B_k+1,
       |    |    |    |           all of length l and mass m, hinged along Y
       |    |    |    |
      A0   A1   A2   A3           z up, gravity down

Surprise: the whole row is one pendulum. All uprights stay parallel; only where they lie
flat can every loop choose between two ways on: the rank of the constraints falls by one
a loop, for an instant.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import polhode as ph


def four_bars(loops: int = 1) -> ph.System:
    """Parallelograms side by side that share their uprights.

    Joints "A0", "A1", ... turn the uprights, "B0", "B1", ... the couplers on them. A
    pin that closes a loop is kept in its plane alone: two equations rather than the
    five of a hinge, three of which the loop keeps by itself.
    """
    m, l = ph.Parameter("m", 1.0), ph.Parameter("l", 1.0)
    standing = ph.solids.placed(ph.solids.rod(mass=m, length=l), (0, 0, -l / 2))
    lying = ph.solids.placed(ph.solids.rod(mass=m, length=l, along=ph.X), (l / 2, 0, 0))
    world = ph.World()
    uprights = [ph.Body(f"upright {k}", standing) for k in range(loops + 1)]
    hinges, pins = [], []
    for k, upright in enumerate(uprights):
        foot = upright.point(0, 0, -l)
        hinges.append(ph.Revolute(f"A{k}", world.point(k * l, 0, 0), foot, axis=ph.Y))
    for k, (left, right) in enumerate(pairwise(uprights)):
        coupler = ph.Body(f"coupler {k}", lying)
        hinges.append(ph.Revolute(f"B{k}", left.origin, coupler.origin, axis=ph.Y))
        end, rows = coupler.point(l, 0, 0), ("x", "z")
        pins.append(ph.PointOn(end, right.frame, off, rows=rows, name=f"pin {k}"))
    gravity = ph.Weight(ph.Parameter("g", 9.81))
    name = f"row of {loops} four-bars" if loops > 1 else "parallelogram of bars"
    return ph.System(hinges, [gravity], pins, name=name)


def off(place: Any) -> Any:
    """How far a point is from the axis Y through the origin, along X and Z."""
    return place[::2]


def start(system: ph.System, speed: float = 1.0) -> ph.State:
    """Uprights upright, their tops moving along X at `speed` (the IFToMM benchmark)."""
    rate = speed / system.parameters["l"]
    turning = {j.name: rate if j.name[0] == "A" else -rate for j in system.joints}
    return system.state(speeds=turning)
