r"""A car with four wheels: suspended, steered after Ackermann, on tyres that slip.

      FL ==+== FR      kingpins of the front wheels turn together so that all axles
           |           meet in one point of the rear axle's line
           +  body     each wheel: a carrier that slides up and down on spring and
           |           damper, a wheel that turns on it, a tyre by the Magic Formula
      RL ==+== RR

Surprise: nothing says which way to lean. It rolls outwards in a bend because its mass
centre is above the road, and the inner tyres then carry less, though no rule says so.
"""

from __future__ import annotations

from math import atan, tan
from typing import Any

import polhode as ph
from polhode.models.looks import car_shell

HALF_BASE, HALF_TRACK, RADIUS, CENTRE = 1.3, 0.75, 0.3, 0.55
BODY, CARRIER, WHEEL, GRAVITY = 1200.0, 15.0, 20.0, 9.81
SPRING, TYRE = 25e3, 200e3
SPEED = 15.0
CORNERS = {"FL": (1, 1), "FR": (1, -1), "RL": (-1, 1), "RR": (-1, -1)}
# How far a tyre is pressed in at rest: a quarter of all that stands on it.
PRESSED = GRAVITY * (BODY / 4 + CARRIER + WHEEL) / TYRE


def car(steer: str = "0.03 + 0 * t") -> ph.System:
    """Body "free"; of every corner "slide FL", "wheel FL"; in front "kingpin FL".

    `steer` is the angle of the left kingpin, a formula of t.
    """
    world = ph.World()
    box = ph.solids.box(mass=BODY, x=3.6, y=1.5, z=0.9)
    body = ph.Body("body", box, shapes=car_shell(3.6, 1.2, 0.9, CENTRE))
    law = ph.vehicles.MagicFormula(10.0, 1.5, 0.3, 0.95, name="rubber")
    joints: list[Any] = [ph.Free("free", world.origin, body.origin)]
    actions: list[Any] = [ph.Weight(GRAVITY)]
    pins = {}
    for name, (ahead, left) in CORNERS.items():
        carrier = _part(f"carrier {name}", CARRIER if ahead < 0 else CARRIER / 2)
        at = body.point(ahead * HALF_BASE, left * HALF_TRACK, RADIUS - CENTRE)
        slide = ph.Prismatic(f"slide {name}", at, carrier.origin, axis=ph.Z)
        joints.append(slide)
        if ahead > 0:
            hub = _part(f"hub {name}", CARRIER / 2)
            ends = carrier.origin, hub.origin
            pins[name] = ph.Revolute(f"kingpin {name}", *ends, axis=ph.Z)
            joints.append(pins[name])
            carrier = hub
        rim = ph.solids.disc(mass=WHEEL, radius=RADIUS, along=ph.Y)
        wheel = ph.Body(f"rim {name}", rim)
        joints.append(
            ph.Revolute(f"wheel {name}", carrier.origin, wheel.origin, axis=ph.Y)
        )
        actions += [
            # At rest the slide stands at 0: the spring carries a quarter of the body.
            ph.JointSpring(slide, SPRING, rest=-GRAVITY * BODY / 4 / SPRING),
            ph.JointDamper(slide, 2000.0),
            ph.vehicles.Tyre(
                *(wheel.origin, world.frame, RADIUS, law),
                stiffness=TYRE,
                damping=100.0,
                name=f"tyre {name}",
            ),
        ]
    base = {"wheelbase": 2 * HALF_BASE, "track": 2 * HALF_TRACK}
    rods = ph.vehicles.Ackermann(pins["FL"], pins["FR"], **base, name="tie rods")
    hands = ph.PrescribedMotion(pins["FL"], ph.Formula(steer), name="hands")
    return ph.System(joints, actions, [rods, hands], name="car")


def car_start() -> tuple[dict[str, Any], dict[str, Any]]:
    """Straight ahead at 15 m/s, on its springs, the wheels already turned in."""
    left = 0.03
    right = atan(1 / (1 / tan(left) + HALF_TRACK / HALF_BASE))  # cot differs by w/L
    spins = {f"wheel {name}": SPEED / RADIUS for name in CORNERS}
    where: dict[str, Any] = {"free": {"qw": 1.0, "z": CENTRE - PRESSED}}
    where |= {"kingpin FL": left, "kingpin FR": right}
    return where, {"free": (0.0, 0.0, 0.0, SPEED, 0.0, 0.0), **spins}


def _part(name: str, mass: float) -> ph.Body:
    return ph.Body(name, ph.solids.sphere(mass=mass, radius=0.1))
