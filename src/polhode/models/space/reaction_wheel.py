r"""A spacecraft that turns itself by turning a wheel inside it.

       _________
      |   _     |        (J + Jw) w' = -u + ...   in one axis:  J w' = -u
      |  (_)->u |        Jw (w + s)' = u          u the motor's couple on the wheel
      |_________|

Surprise: nothing outside is pushed, its angular momentum is zero throughout, and yet it
ends facing another way. A cat does it, too.
"""

from __future__ import annotations

import polhode as ph


def reaction_wheel() -> ph.System:
    """A free hub with a wheel along its Z: joints "free" and "wheel"; parameter u."""
    hub = ph.Body("hub", ph.solids.box(mass=80.0, x=0.8, y=0.7, z=1.0))
    disc = ph.Body("disc", ph.solids.cylinder(mass=4.0, radius=0.15, length=0.03))
    free = ph.Free("free", ph.World().origin, hub.origin)
    wheel = ph.Revolute("wheel", hub.point(0.1, 0, 0.2), disc.origin, axis=ph.Z)
    motor = ph.Motor(wheel, ph.Parameter("u", 0.05), name="motor")
    return ph.System([free, wheel], [motor], name="spacecraft with a reaction wheel")
