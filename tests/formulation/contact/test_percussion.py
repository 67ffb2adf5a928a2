"""Percussions: dQ = I, and joints, loops and supports that answer with impulses."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.errors import ModelError


def hung_rod() -> tuple[ph.System, ph.Body]:
    rod = ph.Body("rod", ph.solids.rod(mass=3.0, length=1.0))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    return ph.System([hinge]), rod


@pytest.mark.row("D-02")
def test_a_hinge_answers_as_momentum_needs():
    """Struck at its end, the rod's momentum is the blow and the hinge's impulse."""
    system, rod = hung_rod()
    blow = ph.percussion(system.state(), rod.point(0, 0, -0.5), (1.0, 0, 0))
    # I omega = P l about the hinge; turning about +Y moves the low end to -x.
    omega = blow.after.z[0]
    assert_close(abs(omega), 1.0 * 1.0 / (3.0 * 1.0 / 3.0), rtol=1e-12)
    momentum = 3.0 * 0.5 * abs(omega)
    force = blow.joints["hinge"][3:]
    assert_close(np.linalg.norm(force), momentum - 1.0, rtol=1e-9)
    assert_close(blow.energy, 0.5 * omega**2, rtol=1e-12)  # I = m l^2/3 = 1
    with pytest.raises(ModelError, match="moves nothing"):
        ph.percussion(system.state(), ph.World().origin, (1.0, 0, 0))


@pytest.mark.row("D-02")
@pytest.mark.row("D-03")
def test_a_floor_answers_a_blow_from_above():
    """A body pressed onto its support gets nothing; aslant it slides by the cone."""
    body = ph.Body("body", ph.solids.sphere(mass=2.0, radius=0.1))
    world = ph.World()
    rail = ph.Planar("rail", world.origin, body.origin, normal=ph.Y)
    foot = ph.Support(ph.surfaces.point(body.origin), world.origin,
                      friction=ph.Coulomb(0.25), name="foot")  # fmt: skip
    system = ph.System([rail], supports=[foot])
    down = ph.percussion(system.state(), body.origin, (0, 0, -4.0))
    assert_close(down.after.z, np.zeros(3), atol=1e-12)
    assert_close(down.impulses["foot"], [0, 0, 4.0], atol=1e-12)
    aslant = ph.percussion(system.state(), body.origin, (3.0, 0, -4.0))
    assert_close(aslant.impulses["foot"], [-1.0, 0, 4.0], atol=1e-12)
    assert_close(aslant.after.speed("rail")[1:], [0, 1.0], atol=1e-12)
