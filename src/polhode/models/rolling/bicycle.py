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

WHEELBASE, TRAIL, TILT = 1.02, 0.08, pi / 10
REAR_RADIUS, FRONT_RADIUS = 0.3, 0.35


def bicycle() -> ph.System:
    """Frame "free", wheels "rear wheel" and "front wheel", fork "steer" (to the right).

    Lean is a turn about X, to the right, too.
    """
    world = ph.World()
    frame = _body("frame", 85.0, (9.2, 11.0, 2.8, -2.4), (0.3, 0.0, 0.9))
    fork = _body("fork", 4.0, (0.05892, 0.06, 0.00708, 0.00756), (0.9, 0.0, 0.7))
    rear = _body("rear", 2.0, (0.0603, 0.12, 0.0603, 0.0), (0.0, 0.0, 0.0))
    front = _body("front", 3.0, (0.1405, 0.28, 0.1405, 0.0), (0.0, 0.0, 0.0))
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


def _body(name: str, mass: float, moments: tuple[float, ...], centre: Any) -> ph.Body:
    """A body symmetric about its plane y = 0: moments xx, yy, zz and the entry xz."""
    xx, yy, zz, xz = moments
    inertia = [[xx, 0.0, xz], [0.0, yy, 0.0], [xz, 0.0, zz]]
    return ph.Body.from_inertia(name, mass=mass, inertia=inertia, centre=centre)
