"""The pendulum of SUNDIALS, `examples/cvode/serial/cvPendulum_dns.c`: projection.

A unit pendulum in Cartesian coordinates whose period from the horizontal is 2 s: at
t = 30 s it is where it was.
"""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from held import bob_on_a_rod

G = 13.750371636040745654980191559621114395801712


def errors(method) -> tuple[float, float]:
    """After 15 periods: how far from the start, and by how much the rod is wrong."""
    system = bob_on_a_rod(G)
    start = system.state(bob=(1.0, 0.0, 0.0))
    end = ph.simulate(system, start, until=30.0, method=method).final.q
    return float(np.linalg.norm(end - start.q)), float(abs(end @ end - 1))


def test_projection_keeps_the_rod_and_the_swing():
    """Projected, the error follows the tolerance and the rod keeps its length."""
    for tolerance, limit in ((1e-6, 2e-4), (1e-9, 2e-7)):
        away, long = errors(ph.methods.DormandPrince(tolerance, tolerance))
        assert away < limit
        assert long < 1e-14


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_without_projection_the_pendulum_drifts(tolerance):
    """Left to drift, the same steps are worse by far, in the rod and in the swing."""
    way = ph.methods.DormandPrince(tolerance, tolerance)
    projected, bare = errors(way), errors(ph.methods.Unprojected(way))
    assert bare[1] > 1e3 * projected[1]
    assert bare[1] > tolerance
    assert bare[0] > 3 * projected[0]
