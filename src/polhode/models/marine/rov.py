r"""A remotely operated vehicle with six thrusters, by Fossen's six equations.

       ______________        x ahead, y to the left, z up; origin at the centre of
      |   o      o   |       buoyancy, the mass centre 2 cm below it
      |   vertical   |
      |/ four, at 45\|       M nu' + C(nu) nu + D(nu) nu + g(eta) = tau

Surprise: pushed ahead and a little to the side it turns broadside on. Water moves more
easily round its front than round its flank, and that alone makes the moment (Munk's).

Numbers of a BlueROV2 after C.-J. Wu, 6-DoF modelling and control of a remotely operated
vehicle, Flinders University 2018.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np

import polhode as ph
from polhode.models import looks

MASS, INERTIA, LOW = 11.5, 0.16, 0.02
GRAVITY, DENSITY, BUOYANCY = 9.82, 1000.0, 114.8
ADDED = (0.12, 0.12, 0.12, 5.5, 12.7, 14.57)
LINEAR = (0.07, 0.07, 0.07, 4.03, 6.22, 5.18)
QUADRATIC = (1.55, 1.55, 1.55, 18.18, 21.66, 36.99)
# N s^2/rad^2, and the place and the direction of each thruster.
THRUST = 4e-4
AT_45 = 1 / sqrt(2.0)
THRUSTERS = {
    "front right": ((0.156, -0.111, 0.0), (AT_45, AT_45, 0.0)),
    "front left": ((0.156, 0.111, 0.0), (AT_45, -AT_45, 0.0)),
    "rear right": ((-0.156, -0.111, 0.0), (-AT_45, AT_45, 0.0)),
    "rear left": ((-0.156, 0.111, 0.0), (-AT_45, -AT_45, 0.0)),
    "right": ((0.0, -0.218, 0.0), (0.0, 0.0, 1.0)),
    "left": ((0.0, 0.218, 0.0), (0.0, 0.0, 1.0)),
}


def rov() -> ph.System:
    """The craft "free" in still water; propellers "front right", ..., "left".

    Each takes its speed in rad/s, forwards and backwards, as an input of its name.
    """
    world = ph.World()
    turning = (INERTIA, INERTIA, INERTIA)
    dry = ph.Body.from_inertia(
        "hull", mass=MASS, inertia=turning, centre=(0.0, 0.0, -LOW)
    )
    matter: Any = dry.matter
    craft = ph.Body(
        "craft",
        ph.marine.with_added_mass(matter, np.diag(ADDED)),
        shapes=looks.vehicle_under_water(THRUSTERS.values()),
    )
    volume = BUOYANCY / (DENSITY * GRAVITY)
    actions: list[Any] = [
        ph.Weight(GRAVITY),
        ph.marine.Buoyancy(craft.origin, world.frame, volume, DENSITY, GRAVITY),
        ph.marine.HydrodynamicDrag(craft.origin, world.frame, LINEAR, QUADRATIC),
        *(
            ph.marine.Propeller(
                craft.point(*at), way, THRUST, limit=100 * pi, name=name
            )
            for name, (at, way) in THRUSTERS.items()
        ),
    ]
    return ph.System([ph.Free("free", world.origin, craft.origin)], actions, name="rov")
