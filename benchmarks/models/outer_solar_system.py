"""The Sun and five planets, as Hairer, Lubich and Wanner print them (GNI, I.2.4).

Lengths in astronomical units, times in years of 365 days, masses in suns.
"""

from __future__ import annotations

import numpy as np

import polhode as ph

NAMES = ("sun", "jupiter", "saturn", "uranus", "neptune", "pluto")
DAYS = 365.0
GRAVITATION = 0.01720209895**2 * DAYS**2
MASSES = np.array(
    [1.00000597682, 1 / 1047.355, 1 / 3501.6, 1 / 22869.0, 1 / 19314.0, 7.4074074e-09]
)
PLACES = np.array(
    [
        [-4.06428567034226e-3, -6.08813756435987e-3, -1.66162304225834e-6],
        [3.40546614227466, 3.62978190075864, 3.42386261766577e-2],
        [6.60801554403466, 6.38084674585064, -1.36145963724542e-1],
        [11.1636331405597, 16.0373479057256, 3.61783279369958e-1],
        [-30.1777243405203, 1.91155314998064, -1.53887595621042e-1],
        [-21.3858977531573, 32.0719104739886, 2.49245689556096],
    ]
)
SPEEDS = DAYS * np.array(
    [
        [6.69048890636161e-6, -6.33922479583593e-6, -3.13202145590767e-9],
        [-5.59797969310664e-3, 5.51815399480116e-3, -2.66711392865591e-6],
        [-4.17354020307064e-3, 3.99723751748116e-3, 1.67206320571441e-5],
        [-3.25884806151064e-3, 2.06438412905916e-3, -2.17699042180559e-5],
        [-2.17471785045538e-4, -3.11361111025884e-3, 3.58344705491441e-5],
        [-1.76936577252484e-3, -2.06720938381724e-3, 6.58091931493844e-4],
    ]
)


def system() -> ph.System:
    """Six particles that attract one another."""
    balls = [ph.Particle(n, float(m)) for n, m in zip(NAMES, MASSES, strict=True)]
    masses = [
        ph.PointMass(ball.mass_centre, float(m))
        for ball, m in zip(balls, MASSES, strict=True)
    ]
    return ph.System(balls, [ph.Gravitation(masses, GRAVITATION)], name="outer planets")
