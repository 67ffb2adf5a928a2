"""The chains of the compiler's benchmark, and pendulums, described as systems."""

from __future__ import annotations

import numpy as np

import polhode as ph
from benchmarks.models.chain import GRAVITY, Chain


def chain_system(chain: Chain) -> ph.System:
    """The same links and hinges, coordinates and speeds as the hand-written chain."""
    before, hinges = ph.World().origin, []
    for k, axis in enumerate(chain.axes()):
        link = ph.Body.from_inertia(
            f"link {k}",
            mass=chain.mass,
            inertia=np.diag(chain.moments()),
            centre=tuple(chain.centre()),
        )
        hinges.append(ph.Revolute(f"h{k}", before, link.origin, axis=tuple(axis)))
        before = link.point(0, 0, -chain.length)
    return ph.System(hinges, [ph.Weight(GRAVITY)], name=f"chain of {chain.links}")


def planar_pendulum(links: int) -> ph.System:
    """Thin rods of unit mass and length, hinged in one plane, hanging at rest."""
    before, hinges = ph.World().origin, []
    for k in range(links):
        rod = ph.Body(f"rod {k}", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
        hinges.append(ph.Revolute(f"h{k}", before, rod.point(0, 0, 0.5), axis=ph.Y))
        before = rod.point(0, 0, -0.5)
    return ph.System(hinges, [ph.Weight(GRAVITY)], name=f"{links}-link pendulum")
