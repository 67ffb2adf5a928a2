r"""A rotor in two gimbals: it keeps its direction while the frame is carried about.

        outer gimbal about Z, inner about X, rotor about Y
         _____
        |  _  |         a weight on the inner gimbal does not tip it over:
      --| (o) |--       it walks round, at  p = M / (C s)
        |_____|

Surprise: push it down and it moves sideways.
"""

from __future__ import annotations

from typing import Any

import polhode as ph


def gyroscope(load: float = 0.0) -> ph.System:
    """Hinges "outer", "inner" and "rotor" through one point; a weight on the inner one.

    `load` is the mass of a weight on the inner gimbal, 0.1 m out along the rotor.
    """
    frame = ph.Body("frame", ph.solids.ring(mass=0.4, radius=0.12, along=ph.Y))
    ring: Any = ph.solids.ring(mass=0.3, radius=0.1, along=ph.Z)
    if load:
        bob = ph.solids.placed(ph.solids.sphere(mass=load, radius=0.01), (0, 0.1, 0))
        ring = ph.solids.joined(ring=ring, bob=bob)
    gimbal = ph.Body("gimbal", ring)
    wheel = ph.solids.cylinder(mass=1.0, radius=0.06, length=0.02, along=ph.Y)
    rotor = ph.Body("wheel", wheel)
    hinges = [
        ph.Revolute("outer", ph.World().origin, frame.origin, axis=ph.Z),
        ph.Revolute("inner", frame.origin, gimbal.origin, axis=ph.X),
        ph.Revolute("rotor", gimbal.origin, rotor.origin, axis=ph.Y),
    ]
    return ph.System(hinges, [ph.Weight(9.81)], name="gyroscope in gimbals")
