r"""A top that sleeps on its tip until friction has taken too much of its spin.

           |  |  |   spin s      A about the tip across the axis, C along it
            \ | /                it sleeps while  C^2 s^2 > 4 A m g l
             \|/                 friction at the tip:  s falls as exp(-c t/C)
     ---------o-------- tip

Surprise: nothing warns of its waking. It stands as if nailed there while the spin
dies away; at the threshold the same small lean that it had all along begins to grow.
"""

from __future__ import annotations

import polhode as ph
from polhode.models import looks


def sleeping_top() -> ph.System:
    """A heavy top with friction c at its ball joint "tip", upright and spinning."""
    m, l, g = ph.Parameter("m", 1.0), ph.Parameter("l", 0.3), ph.Parameter("g", 9.81)
    A, C = ph.Parameter("A", 0.12), ph.Parameter("C", 0.05)
    top = ph.Body.from_inertia(
        "top",
        mass=m,
        centre=(0, 0, l),
        inertia=(A, A, C),
        about=(0, 0, 0),
        shapes=looks.top(height=0.3, radius=0.22),
    )
    tip = ph.Spherical("tip", ph.World().origin, top.origin)
    friction = ph.Damper(tip, ph.Parameter("c", 0.005))
    return ph.System([tip], [ph.Weight(g), friction], name="sleeping top")
