r"""Whipple's bicycle: two wheels that roll, a frame with its rider, a fork that steers.

              o rider          x forward, y to the left, z up; origin under the
         ____/_____            rear wheel
        /   /      \\  fork     steer axis through (w + c, 0, 0), leaning back by 18
      (o)--'       (o)         degrees: it meets the ground c ahead of the contact
     ---+-----------+--+--
        0           w  w+c

Surprise: between 4.3 and 6.0 m/s it rides by itself. Nothing but rolling holds it up,
and below or above these speeds nothing does.

Benchmark of Meijaard, Papadopoulos, Ruina and Schwab, Proc. R. Soc. A 463 (2007) 1955.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

import polhode as ph
from polhode.models import looks

WHEELBASE, TRAIL, TILT = 1.02, 0.08, pi / 10
REAR_RADIUS, FRONT_RADIUS = 0.3, 0.35

# What is seen: tubes from hub to saddle and head, a rider, a fork with its handlebar.
HUB, PEDALS, SADDLE = (0, 0, 0.3), (0.42, 0, 0.28), (0.26, 0, 0.85)
NECK, HANDS = (0.86, 0, 0.78), (0.78, 0, 0.98)
FRAME = [
    *(looks.bar(a, b, 0.016) for a, b in ((HUB, PEDALS), (PEDALS, SADDLE))),
    *(looks.bar(a, b, 0.018) for a, b in ((HUB, (0.3, 0, 0.74)), (PEDALS, NECK))),
    looks.bar((0.3, 0, 0.74), NECK, 0.018),
    looks.bar(SADDLE, (0.45, 0, 1.3), 0.11),
    looks.bar((0.5, 0, 1.42), (0.5, 0, 1.52), 0.09),
    *(looks.bar((0.45, y, 1.25), (0.78, y, 1.0), 0.035) for y in (-0.15, 0.15)),
    *(looks.bar((0.28, y, 0.86), (0.55, y, 0.6), 0.055) for y in (-0.09, 0.09)),
    *(looks.bar((0.55, y, 0.6), (0.42, y, 0.22), 0.045) for y in (-0.09, 0.09)),
]
FORK = [
    *(
        looks.bar((0.88, y, 0.74), (WHEELBASE, y, FRONT_RADIUS), 0.014)
        for y in (-0.05, 0.05)
    ),
    looks.bar((0.88, -0.05, 0.74), (0.88, 0.05, 0.74), 0.016),
    looks.bar((0.88, 0, 0.74), HANDS, 0.016),
    looks.bar((0.78, -0.24, 0.98), (0.78, 0.24, 0.98), 0.014),
]


def bicycle() -> ph.System:
    """Frame "free", wheels "rear wheel" and "front wheel", fork "steer" (to the right).

    Lean is a turn about X, to the right, too.
    """
    world = ph.World()
    frame = _body("frame", 85.0, (9.2, 11.0, 2.8, -2.4), (0.3, 0.0, 0.9), FRAME)
    fork = _body("fork", 4.0, (0.05892, 0.06, 0.00708, 0.00756), (0.9, 0.0, 0.7), FORK)
    wheels = [looks.tyre(r, (0, 1, 0)) for r in (REAR_RADIUS, FRONT_RADIUS)]
    rear = _body("rear", 2.0, (0.0603, 0.12, 0.0603, 0.0), (0.0, 0.0, 0.0), wheels[0])
    front = _body("front", 3.0, (0.1405, 0.28, 0.1405, 0.0), (0, 0, 0), wheels[1])
    head, down = (WHEELBASE + TRAIL, 0, 0), (sin(TILT), 0.0, -cos(TILT))
    hub = fork.point(WHEELBASE, 0, FRONT_RADIUS)
    joints = [
        ph.Free("free", world.origin, frame.origin),
        ph.Revolute(
            "rear wheel", frame.point(0, 0, REAR_RADIUS), rear.origin, axis=ph.Y
        ),
        ph.Revolute("steer", frame.point(*head), fork.point(*head), axis=down),
        ph.Revolute("front wheel", hub, front.origin, axis=ph.Y),
    ]
    rims = [
        ("rear tyre", ph.surfaces.disc(rear.origin, REAR_RADIUS, axis=ph.Y)),
        ("front tyre", ph.surfaces.disc(front.origin, FRONT_RADIUS, axis=ph.Y)),
    ]
    rolling = [
        c for name, rim in rims for c in ph.rolling(rim, world.origin, name=name)
    ]
    return ph.System(joints, [ph.Weight(9.81)], rolling, name="bicycle")


def riding(system: ph.System, speed: float = 4.6) -> ph.State:
    """Upright and straight ahead."""
    spins = {"rear wheel": speed / REAR_RADIUS, "front wheel": speed / FRONT_RADIUS}
    return system.state(speeds={"free": (0, 0, 0, speed, 0, 0), **spins})


def _body(
    name: str, mass: float, moments: tuple[float, ...], centre: Any, shapes: Any
) -> ph.Body:
    """A body symmetric about its plane y = 0: moments xx, yy, zz and the entry xz."""
    xx, yy, zz, xz = moments
    inertia = [[xx, 0.0, xz], [0.0, yy, 0.0], [xz, 0.0, zz]]
    return ph.Body.from_inertia(
        name, mass=mass, inertia=inertia, centre=centre, shapes=shapes
    )
