r"""A free body of three different moments: it flips as it spins.

         _____
        (     )====    J1 < J2 < J3;  spin about the middle axis is unstable
         `````

Surprise: thrown with a spin about its middle axis a racket makes half a turn about its
handle before it is caught, however carefully it is thrown.
"""

from __future__ import annotations

import polhode as ph


def tennis_racket() -> ph.System:
    """A free body with moments J_1 < J_2 < J_3 along X, Y and Z: joint "free"."""
    J = [ph.Parameter(f"J_{k}", float(k)) for k in (1, 2, 3)]
    racket = ph.Body.from_inertia("racket", mass=ph.Parameter("m", 1.0), inertia=J)
    free = ph.Free("free", ph.World().origin, racket.origin)
    return ph.System([free], name="tennis racket")
