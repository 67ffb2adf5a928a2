r"""n equal rods hung one on another: a chain.

      o h1
      |
      o h2       n rods of mass m/n and length l/n each
      :
      o hn

Surprise: with many links the slowest swing does not take the time of a pendulum of half
the length, but 2 pi sqrt(l/g) / 1.2024: Bessel's function J0 was found here.
"""

from __future__ import annotations

import polhode as ph


def chain_pendulum(links: int = 10) -> ph.System:
    """A chain of total mass m and length l, of rods on hinges "h1", "h2", ..."""
    if not isinstance(links, int) or links < 1:
        raise ph.errors.ModelError(
            f"a chain cannot have {links!r} links.",
            "Its mass and length are shared among them.",
            "Give a whole number, 1 or more.",
        )
    m, l = ph.Parameter("m", 1.0) / links, ph.Parameter("l", 1.0) / links
    before, hinges = ph.World().origin, []
    for k in range(1, links + 1):
        rod = ph.Body(f"rod {k}", ph.solids.rod(mass=m, length=l))
        hinges.append(ph.Revolute(f"h{k}", before, rod.point(0, 0, l / 2), axis=-ph.Y))
        before = rod.point(0, 0, -l / 2)
    weight = ph.Weight(ph.Parameter("g", 9.81))
    return ph.System(hinges, [weight], name=f"chain of {links} rods")
