r"""A four-bar linkage and a slider-crank: turning made into rocking, and into sliding.

          B______C                       B
         /        \                    /   `-._
      A o          o D              A o        `[C]====  guide along X
     crank, coupler, rocker        crank, rod, piston

Surprise: a planar loop of hinges is held three times over. Of the five equations that
close it in space only two are needed; the others hold if all axes are parallel, and
jam it if one is not.
"""

from __future__ import annotations

from typing import Any

import polhode as ph


def four_bar() -> ph.System:
    """Crank a, coupler b, rocker c, ground d: the crank turns all the way round.

    Hinges "A" to "D" along Y; "D" closes the loop by itself.
    """
    world, g = ph.World(), ph.Parameter("g", 9.81)
    lengths = {"a": 1.0, "b": 2.0, "c": 1.5, "d": 2.0}
    a, b, c, d = (ph.Parameter(name, length) for name, length in lengths.items())
    crank, coupler, rocker = _bar("crank", a), _bar("coupler", b), _bar("rocker", c)
    hinges = [
        ph.Revolute("A", world.origin, crank.origin, axis=ph.Y),
        ph.Revolute("B", crank.point(a, 0, 0), coupler.origin, axis=ph.Y),
        ph.Revolute("C", coupler.point(b, 0, 0), rocker.origin, axis=ph.Y),
        ph.Revolute("D", rocker.point(c, 0, 0), world.point(d, 0, 0), axis=ph.Y),
    ]
    return ph.System(hinges, [ph.Weight(g)], name="four-bar")


def slider_crank() -> ph.System:
    """A crank r, a rod l, a piston: "main", "big end", "guide"; "small end" closes it.

    Surprise: turned evenly, the crank throws its piston back from the far end harder
    than from the near one, (l + r)/(l - r) times, here twice. So no weight that turns
    with the crank can balance it.
    """
    world, r, l = ph.World(), ph.Parameter("r", 0.5), ph.Parameter("l", 1.5)
    crank, rod = _bar("crank", r), _bar("rod", l)
    piston = ph.Body("piston", ph.solids.box(mass=0.4, x=0.2, y=0.2, z=0.2))
    joints = [
        ph.Revolute("main", world.origin, crank.origin, axis=ph.Y),
        ph.Revolute("big end", crank.point(r, 0, 0), rod.origin, axis=ph.Y),
        ph.Prismatic("guide", world.origin, piston.origin, axis=ph.X),
        ph.Revolute("small end", rod.point(l, 0, 0), piston.origin, axis=ph.Y),
    ]
    return ph.System(joints, [ph.Weight(ph.Parameter("g", 9.81))], name="slider-crank")


def _bar(name: str, length: Any) -> ph.Body:
    """A rod of 1 kg/m from its origin along X."""
    rod = ph.solids.rod(mass=length, length=length, along=ph.X)
    return ph.Body(name, ph.solids.placed(rod, (length / 2, 0, 0)))
