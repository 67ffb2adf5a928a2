r"""Bricard's ring: six rods, six hinges, closed. It ought to be rigid, and it turns.

        (0,1,1)----(0,0,1)
        /               \          six edges of a cube in a ring; each hinge is
    (0,1,0)          (1,0,1)       square to both of its rods
        \               /
        (1,1,0)----(1,0,0)

Surprise: count it. Five rods have 5 speeds once five hinges hold them, and the sixth
takes 5: no motion is left. But its axes are placed so that one equation repeats the
others, and the ring turns itself inside out.
"""

from __future__ import annotations

import polhode as ph

CORNERS = ((1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1), (1, 0, 1))


def bricard() -> ph.System:
    """Five rods and the ground in a ring of hinges "1" to "6"; the last closes it."""
    axes = ph.X, ph.Z, ph.Y, ph.X, ph.Z, ph.Y
    world = ph.World()
    before, hinges = world.point(*CORNERS[1]), []
    for k in range(1, 6):
        here, there = CORNERS[k], CORNERS[(k + 1) % 6]
        way = [b - a for a, b in zip(here, there, strict=True)]
        rod = ph.solids.rod(mass=1.0, length=1.0, along=way)
        middle = [w / 2 for w in way]
        body = ph.Body(f"rod {k}", ph.solids.placed(rod, middle))
        hinges.append(ph.Revolute(str(k), before, body.origin, axis=axes[k]))
        before = body.point(way[0], way[1], way[2])
    hinges.append(ph.Revolute("6", before, world.point(*CORNERS[0]), axis=axes[0]))
    return ph.System(hinges, [ph.Weight(9.81)], name="Bricard's ring")
