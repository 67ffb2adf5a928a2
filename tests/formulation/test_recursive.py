"""The recursions agree with the projections, and leave no structural zero behind."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode import X, Y
from strategies_system import random_state, topology


def chain(links: int) -> ph.System:
    """Equal thin bars that hang from each other, hinge axes Y and X by turns."""
    before, joints = ph.World().origin, []
    for k in range(links):
        link = ph.Body.from_inertia(
            f"link{k}", mass=1.0, inertia=[0.25 / 12, 0.25 / 12, 1e-3], centre=(0, 0, 0)
        )
        top = link.point(0, 0, 0.25)
        joints.append(ph.Revolute(f"j{k}", before, top, axis=(Y, X)[k % 2]))
        before = link.point(0, 0, -0.25)
    return ph.System(joints, [ph.Weight(9.81)], name="chain")


@pytest.mark.parametrize("name", ["reversed_arm", "floating_chain", "four_bar"])
def test_composite_inertias_make_the_mass_matrix(name):
    """M, bias and force by walks along the tree are those by Jacobians."""
    state = random_state(topology(name), np.random.default_rng(2))
    walked, projected = ph.recursive(state.system), ph.gauss(state.system)
    for word in ("mass_matrix", "bias", "force"):
        expected = getattr(projected, word)(state)
        scale = 1e-13 * np.max(np.abs(projected.bias(state)))
        assert_close(getattr(walked, word)(state), expected, rtol=1e-12, atol=scale)


@pytest.mark.long
def test_seven_links_cost_what_a_careful_hand_writes():
    """Zeros and ones of hinges and offsets vanish: a dense recursion by hand has 1519.

    Each link more costs the same: the number of operations grows with the links.
    """
    costs = {}
    for links in (6, 7, 8):
        system = chain(links)
        core, q = ph.recursive(system).functions, np.full(links, 0.3)

        def z_dot(q, z, core=core):
            return core.accelerations(0.0, q, z, {})[0]

        costs[links] = ph.compile(z_dot, q, q).report().operations
    assert costs[7] <= 1200
    assert abs((costs[8] - costs[7]) - (costs[7] - costs[6])) <= 10
