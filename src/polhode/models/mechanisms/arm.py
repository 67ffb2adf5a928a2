r"""A robot arm of seven links on hinges: as many freedoms as a human arm has.

     base   j1   j2   j3   j4   j5   j6   j7
      o---|Z|--|Y|--|Z|--|Y|--|Z|--|Y|--|Z|---> tip       axes of the hinges at rest

Surprise: a hand needs six freedoms to be anywhere in any attitude, and the arm has
seven: with the hand held still the elbow still moves.
"""

from __future__ import annotations

import polhode as ph

LENGTHS = (0.34, 0.20, 0.20, 0.20, 0.20, 0.19, 0.12)
MASSES = (4.0, 4.0, 3.0, 2.7, 1.7, 1.6, 0.3)


def arm() -> ph.System:
    """Seven links, standing up at rest; hinges "j1" to "j7" along Z and Y by turns."""
    before, hinges = ph.World().origin, []
    for k, (length, mass) in enumerate(zip(LENGTHS, MASSES, strict=True), start=1):
        tube = ph.solids.cylinder(mass=mass, radius=0.06, length=length)
        # Motors sit beside the axis: no link is balanced on its hinge.
        link = ph.Body(f"link {k}", ph.solids.placed(tube, (0.01, 0.02, length / 2)))
        axis = ph.Z if k % 2 else ph.Y
        hinges.append(ph.Revolute(f"j{k}", before, link.origin, axis=axis))
        before = link.point(0, 0, length)
    return ph.System(hinges, [ph.Weight(9.81)], name="seven-link arm")
