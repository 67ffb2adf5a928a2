r"""A disc on a shaft that leans against springs: its frequencies part as it spins.

          |  spin W                   A th'' + C W ph' + k th = 0
       ===|===   disc                 A ph'' - C W th' + k ph = 0
          |
        l |      shaft, leaning by    w = (+-C W + sqrt(C^2 W^2 + 4 A k)) / 2 A
          |      th and ph
          o      springs k            A, C: moments about the foot and about the shaft

Surprise: unbalance goes round with the rotor, and meets the forward frequency at
W = sqrt(k/(A - C)) only; a disc so flat and low that C > A never meets it, however fast
it spins.
"""

from __future__ import annotations

import polhode as ph


def rotor() -> ph.System:
    """Hinges "lean x" and "lean y" at the foot of the shaft, with springs, and "spin".

    The axle leans without mass of its own; the disc stands 0.25 m above the foot.
    """
    k, l = ph.Parameter("k", 2000.0), ph.Parameter("l", 0.25)
    cross = ph.Body.from_inertia("cross", mass=1e-3, inertia=(0, 0, 0))
    shaft = ph.Body("shaft", ph.solids.cylinder(mass=1e-3, radius=0.012, length=0.4))
    disc = ph.Body("disc", ph.solids.cylinder(mass=6.0, radius=0.15, length=0.03))
    lean_x = ph.Revolute("lean x", ph.World().origin, cross.origin, axis=ph.X)
    lean_y = ph.Revolute("lean y", cross.origin, shaft.point(0, 0, -0.2), axis=ph.Y)
    spin = ph.Revolute("spin", shaft.point(0, 0, l - 0.2), disc.origin, axis=ph.Z)
    springs = [ph.JointSpring(lean_x, k), ph.JointSpring(lean_y, k)]
    dampers = [ph.JointDamper(lean, 0.4) for lean in (lean_x, lean_y)]
    return ph.System([lean_x, lean_y, spin], [*springs, *dampers], name="rotor")
