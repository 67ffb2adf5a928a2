r"""A bob on a massless rod whose hinge a driver moves along the ground.

    driver --> [H]-------> x     l th'' + g sin th + xH'' cos th = 0
                 \               rod pulls T = m (l th'^2 + g cos th - xH'' sin th)
               l  \ th           dE/dt = -T sin th xH'
                   o bob, m

Surprise: a hinge that accelerates steadily at a is a leaning gravity: the rod hangs at
tan th = -a/g as if that were down, and swings about it at sqrt(g^2 + a^2)/l.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polhode as ph

SWAY = ph.Formula("0.3 * sin(2 * t)")  # x_H


def moving_hinge_pendulum(motion: Callable[[Any], Any] = SWAY) -> ph.System:
    """A pendulum hung on a carriage whose place x_H = motion(t) is prescribed.

    Joints: "track" (the carriage) and "hinge" (th); the constraint is "driver".
    """
    m, l = ph.Parameter("m", 1.1), ph.Parameter("l", 0.7)
    carriage = ph.Particle("carriage", ph.Parameter("m_H", 1.0))
    bob = ph.Body.from_inertia("bob", mass=m, inertia=(0, 0, 0))
    track = ph.Prismatic("track", ph.World().origin, carriage.mass_centre, axis=ph.X)
    hinge = ph.Revolute("hinge", carriage.mass_centre, bob.point(0, 0, l), axis=-ph.Y)
    driver = ph.PrescribedMotion(track, motion, name="driver")
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System([track, hinge], [weight], [driver], name="moving-hinge pendulum")
