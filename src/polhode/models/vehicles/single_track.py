r"""A car in its plane: both wheels of an axle as one, tyres that slip sideways.

          x ahead                  a = 1.2 m, b = 1.5 m from the mass centre
       / front, steered by d
      |                            r = u d / (L + K u^2)         steady
      +  mass centre               K = m/L (b/C_f - a/C_r)       understeer gradient
      |
      | rear

Surprise: with tyres stiffer behind (K > 0) it turns less the faster it goes. With the
stiffness exchanged it needs no steering at all at one speed, and above it none helps.
"""

from __future__ import annotations

from typing import Any

import polhode as ph
from polhode.models.looks import car_in_plane, wheels_of_axle

AHEAD, BEHIND, HEIGHT = 1.2, 1.5, 0.3
GRAVITY = 9.81


def single_track(front: float = 80e3, rear: float = 110e3) -> ph.System:
    """Joints "plane" (turn, then x and y of the mass centre) and "steer", driven.

    `front` and `rear` are the cornering stiffnesses of the axles, N/rad.
    """
    world, mass = ph.World(), ph.Parameter("m", 1500.0)
    car = ph.Body.from_inertia(
        "car",
        mass=mass,
        inertia=(500.0, 2300.0, 2500.0),
        shapes=car_in_plane(AHEAD, BEHIND, HEIGHT),
    )
    hub = ph.Body(
        "hub",
        ph.solids.disc(mass=1e-3, radius=HEIGHT, along=ph.Y),
        shapes=wheels_of_axle(HEIGHT, 1.6),
    )
    plane = ph.Planar("plane", world.point(0, 0, HEIGHT), car.origin, normal=ph.Z)
    steer = ph.Revolute("steer", car.point(AHEAD, 0, 0), hub.origin, axis=ph.Z)
    load = GRAVITY * 1500.0 / (AHEAD + BEHIND)
    tyres = [
        _tyre("front", hub.origin, world, front, load * BEHIND),
        _tyre("rear", car.point(-BEHIND, 0, 0), world, rear, load * AHEAD),
    ]
    hands = ph.PrescribedMotion(steer, ph.Formula("0.02 + 0 * t"), name="hands")
    return ph.System([plane, steer], tyres, [hands], name="single-track car")


def _tyre(
    name: str, wheel: Any, world: ph.World, stiffness: float, load: float
) -> ph.vehicles.Tyre:
    """An axle that rolls freely and slips sideways."""
    law = ph.vehicles.LinearTyre(stiffness, name=f"{name} law")
    return ph.vehicles.Tyre(
        wheel, world.frame, HEIGHT, law, load=load, spins=False, name=name
    )
