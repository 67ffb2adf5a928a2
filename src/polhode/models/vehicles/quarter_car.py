r"""A quarter of a car: body, wheel and tyre above a road that moves under it.

     [ body  m_s ]
       |k_s  |c_s   suspension, with buffers at its ends
     ( wheel m_u )
         |k_t       tyre
     ----+----      road, 0.02 sin(8 t)

Surprise: at sqrt(k_t/m_u), where the wheel hops, the body shakes alike on any spring
and any damper: m_s s'' = k_t r there.
"""

from __future__ import annotations

import polhode as ph

RADIUS, ABOVE = 0.3, 0.75  # m: of the wheel; its centre below that of the body


def quarter_car() -> ph.System:
    """Slides "road", "tyre" and "suspension", one on the other, from where it rests."""
    world, make = ph.World(), ph.solids
    road = ph.Body("road", make.box(mass=1.0, x=1.4, y=0.7, z=0.06))
    wheel = ph.Body(
        "wheel", make.disc(mass=ph.Parameter("m_u", 40), radius=RADIUS, along=ph.Y)
    )
    body = ph.Body(
        "body", make.box(mass=ph.Parameter("m_s", 300.0), x=1.5, y=0.7, z=0.35)
    )
    above = wheel.point(0, 0, ABOVE)
    slides = [
        ph.Prismatic("road", world.origin, road.origin, axis=ph.Z),
        ph.Prismatic("tyre", road.point(0, 0, RADIUS), wheel.origin, axis=ph.Z),
        ph.Prismatic("suspension", above, body.origin, axis=ph.Z),
    ]
    _, tyre, suspension = slides
    actions = [
        ph.JointSpring(tyre, ph.Parameter("k_t", 180e3)),
        ph.JointSpring(suspension, ph.Parameter("k_s", 18e3)),
        ph.JointDamper(suspension, ph.Parameter("c_s", 1200.0)),
        ph.machines.BumpStop(suspension, 4e6, limits=(-0.06, 0.06), exponent=2.0),
    ]
    bumps = ph.PrescribedMotion(
        slides[0], ph.Formula("0.02 * sin(8 * t)"), name="bumps"
    )
    return ph.System(slides, actions, [bumps], name="quarter car")
