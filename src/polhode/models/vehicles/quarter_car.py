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


def quarter_car() -> ph.System:
    """Slides "road", "tyre" and "suspension", one on the other, from where it rests."""
    world = ph.World()
    road, wheel = (
        ph.Particle("road", 1.0),
        ph.Particle("wheel", ph.Parameter("m_u", 40)),
    )
    body = ph.Particle("body", ph.Parameter("m_s", 300.0))
    slides = [
        ph.Prismatic("road", world.origin, road.mass_centre, axis=ph.Z),
        ph.Prismatic("tyre", road.mass_centre, wheel.mass_centre, axis=ph.Z),
        ph.Prismatic("suspension", wheel.mass_centre, body.mass_centre, axis=ph.Z),
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
    return ph.System(slides, actions, [bumps], name="quarter_car")
