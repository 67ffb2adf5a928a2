"""The four-bar linkage of SymPy's tests of joints."""

from __future__ import annotations

import numpy as np

import polhode as ph
from closeness import assert_close

LENGTHS, DENSITY = (0.13, 0.24, 0.21, 0.34), 997.0
ANGLES = (2.1, 0.6655470375077588, 2.527408138024188)
RATES = (0.2, -0.17963733938852067, 0.1309060540601612)


def linkage() -> ph.System:
    """Links 2 to 4 on pins along Z; the end of link 4 is on the far end of link 1."""
    world, joints = ph.World(), []
    before = world.origin
    for k, length in enumerate(LENGTHS[1:], start=2):
        rod = ph.solids.rod(density=DENSITY, length=length, along=ph.X)
        link = ph.Body(f"link {k}", ph.solids.placed(rod, (length / 2, 0, 0)))
        joints.append(ph.Revolute(f"q{k - 1}", before, link.origin, axis=ph.Z))
        before = link.point(length, 0, 0)
    away = np.array([LENGTHS[0], 0])
    pin = ph.PointOn(
        before, world.frame, lambda x: x[:2] + away, rows=("x", "y"), name="pin"
    )
    return ph.System(joints, constraints=[pin], name="four-bar")


def test_the_four_bar_has_the_printed_equations():
    """Kane's equation of the free speed, and the two rows that bind the others."""
    system = linkage()
    where = dict(zip(("q1", "q2", "q3"), ANGLES, strict=True))
    moving = dict(zip(("q1", "q2", "q3"), RATES, strict=True))
    state = system.state(where, speeds=moving)
    form = ph.gauss(system)
    M, bias = form.mass_matrix(state), form.bias(state)
    A, right = form.rows(state)
    assert_close(A[0], [0, 0.2071702479957077, 0.2842917573033711], rtol=1e-9)
    row = [-0.13, -0.008836934896046506, 0.1864891330060847]
    assert_close(A[1], row, rtol=1e-9)
    assert_close(right, [-0.00066022608181, 0.001813559741243], rtol=1e-8)
    # The speeds u2, u3 follow u1: u = G u1.
    G = np.array([1.0, *(-np.linalg.solve(A[:, 1:], A[:, 0]))])
    expected = [34.52709815256506, 7.003948798374735, -4.939690970641498]
    assert_close(G @ M, expected, rtol=1e-9)
    assert_close(-G @ bias, -0.031211821321648, rtol=1e-8)
    u_dot = form.accelerations(state)
    assert_close(G @ M @ u_dot, -0.031211821321648, rtol=1e-8)
