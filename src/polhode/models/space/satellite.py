r"""Satellites in an uneven field: a rigid one, a dumb-bell, two on a tether.

          O Earth                  tau = 3 mu/r^3  (r^ x J r^)
            \  r
             [  ]  satellite       the near end is pulled more than the far one

Surprise: a long satellite hangs in orbit like a pendulum, one end always down, and
swings at sqrt(3) times the rate of its orbit. The Moon does.
"""

from __future__ import annotations

import polhode as ph
from polhode.models import looks

MU = 3.986004418e14


# MacCullagh: the energy of a body in the field of a point, to second order in its size;
# ALONG are the squares of
# the place along the body's axes.
RR = "(x ** 2 + y ** 2 + z ** 2)"
ALONG = [f"(R_1{k} * x + R_2{k} * y + R_3{k} * z) ** 2" for k in (1, 2, 3)]
MACCULLAGH = (
    f"-mu * m / sqrt({RR}) - mu / (2 * {RR} ** 1.5) * (Jx + Jy + Jz"
    f" - 3 * (Jx * {ALONG[0]} + Jy * {ALONG[1]} + Jz * {ALONG[2]}) / {RR})"
)


def satellite() -> ph.System:
    """A rigid body in the field of the Earth, to second order: joint "orbit".

    V = -mu m/r - mu/(2 r^3) (tr J - 3 r^ J r^) (MacCullagh)
    """
    moments = [
        ph.Parameter(f"J_{k}", v) for k, v in zip("xyz", (500, 800, 350), strict=True)
    ]
    m = ph.Parameter("m", 700.0)
    body = ph.Body.from_inertia(
        "satellite", mass=m, inertia=moments, shapes=looks.craft(2.0)
    )
    world = ph.World()
    free = ph.Free("orbit", world.origin, body.origin)
    names = dict(zip(("Jx", "Jy", "Jz"), moments, strict=True))
    constants = {"mu": ph.Parameter("mu", MU), "m": m, **names}
    law = ph.Formula(MACCULLAGH, ph.Potential.PLACEMENT, constants=constants)
    pull = ph.Potential((world.frame, body.frame), law, name="gravity")
    return ph.System([free], [pull], name="satellite")


def dumbbell_satellite() -> ph.System:
    """Two balls on a massless rod of 100 m, each pulled by the Earth: joint "orbit".

    Surprise: it falls freely and weighs nothing, and yet its rod is under tension. One
    end down it is 3/2 m n^2 l, with n the rate of the orbit: the pull of the tides.
    """
    world = ph.World()
    m, l = ph.Parameter("m", 50.0), ph.Parameter("l", 100.0)
    ball = m * l**2 / 2
    bell = ph.Body.from_inertia(
        "bell", mass=2 * m, inertia=(ball, ball, 0.1), shapes=looks.dumbbell(50.0, 12.0)
    )
    free = ph.Free("orbit", world.origin, bell.origin)
    masses = (
        ph.PointMass(world.origin, ph.Parameter("M", 5.9722e24)),
        ph.PointMass(bell.point(0, 0, l / 2), m),
        ph.PointMass(bell.point(0, 0, -l / 2), m),
    )
    return ph.System([free], [ph.Gravitation(masses)], name="dumb-bell satellite")


def tethered_pair() -> ph.System:
    """Two craft on a tether of length l that stays taut as they turn about each other.

    Particles "one" and "two". Surprise: reel it in and they turn faster, and the work
    of reeling is all in their speed.
    """
    one = ph.Particle("one", ph.Parameter("m_1", 300.0))
    two = ph.Particle("two", ph.Parameter("m_2", 100.0))
    ends = one.mass_centre, two.mass_centre
    tether = ph.Distance(*ends, ph.Parameter("l", 20.0), name="tether")
    return ph.System([one, two], constraints=[tether], name="tethered pair")
