"""The recursions agree with the projections, and leave no structural zero behind."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode import X, Y
from polhode.formulation.recursive import articulated_body, composite_inertia
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


def cart_and_pendulum() -> ph.System:
    """A cart on rails, light or heavy, and a bar that hangs from it."""
    cart = ph.Body("cart", ph.solids.sphere(mass=ph.Parameter("m", 2.0), radius=1))
    bar = ph.Body("bar", ph.solids.rod(mass=0.5, length=1.0))
    rails = ph.Prismatic("rails", ph.World().origin, cart.origin, axis=X)
    hinge = ph.Revolute("hinge", cart.point(0, 0, -0.5), bar.point(0, 0, 0.5), axis=Y)
    return ph.System([rails, hinge], [ph.Weight(9.81)], name="cart")


def two_arms() -> ph.System:
    """Two bars, each on a hinge of its own: nothing couples them."""
    world = ph.World()
    bars = [ph.Body(word, ph.solids.rod(mass=1.0, length=1.0)) for word in "ab"]
    hinges = [
        ph.Revolute(bar.name + "'s", world.origin, bar.point(0, 0, 0.5), axis=axis)
        for bar, axis in zip(bars, (X, Y), strict=True)
    ]
    return ph.System(hinges, [ph.Weight(9.81)], name="arms")


@pytest.mark.parametrize(
    "system",
    [chain(1), chain(2), cart_and_pendulum(), two_arms()],
    ids=lambda s: s.name,
)
def test_small_trees_accelerate_alike_both_ways(system):
    """By the mass matrix, as they do, and by articulated bodies, as larger ones."""

    def both(q, z, table):
        ways = (composite_inertia, articulated_body)
        return [way.accelerations(system, 0.0, q, z, table) for way in ways]

    names = ["m"] if "m" in system.parameters else []
    n, rng = system.speeds, np.random.default_rng(5)
    program = ph.compile(both, np.zeros(n), np.zeros(n), dict.fromkeys(names, 1.0))
    for mass in (1e-6, 1.0, 1e6):
        for _ in range(20):
            q, z = rng.normal(size=(2, n))
            one, other = program(q, z, dict.fromkeys(names, mass))
            assert_close(one, other, rtol=1e-12, atol=1e-13 * np.max(np.abs(other)))
