r"""A symmetric top spinning on its tip.

          \  |  /  spin          A about the tip across the axis, C along it
           \ | /                 steady precession p at the lean th:
            \|/                     A p^2 cos th - C s p + m g l = 0
     --------o-------- tip       s the spin along the axis

Surprise: fast enough, C^2 s^2 > 4 A m g l, it sleeps: it stands on its tip as if nailed
there, though its weight would tip it over at any lean.
"""

from __future__ import annotations

import polhode as ph
from polhode.models import looks


def heavy_top() -> ph.System:
    """A top of mass m, its centre at l above the tip, the ball joint "tip"."""
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
    return ph.System([tip], [ph.Weight(g)], name="heavy top")
