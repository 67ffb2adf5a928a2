"""A box on a plane, for contact on all kinds of machine."""

from __future__ import annotations

import numpy as np

import polhode as ph
from benchmarks.models.lying_humanoid import FRICTION

SIDE, STEP = 0.1, 5e-3


def box() -> ph.State:
    """A box on a plane, with eight corners that may touch."""
    body = ph.Body("box", ph.solids.box(mass=1.0, x=SIDE, y=SIDE, z=SIDE))
    skin = ph.surfaces.box(body.origin, (SIDE, SIDE, SIDE))
    rest = ph.Support(
        skin, ph.World().origin, friction=ph.Coulomb(FRICTION), name="rest"
    )
    system = ph.System([body], [ph.Weight(9.81)], supports=[rest], name="box")
    q = system.neutral()
    q[-1] = SIDE / 2
    return ph.State(system, 0.0, q, np.zeros(6))
