"""Equations that textbooks print, and what they say of reactions."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode import Y, Z
from polhode.formulation.registry import FORMULATIONS
from strategies_system import topology

FORMS = ("recursive", "Gauss", "Lagrange, second kind", "Kane", "Hamilton")


@pytest.fixture(scope="module")
def pendulum():
    rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8, along=Z))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.4), axis=Y)
    return ph.System([hinge], [ph.Weight(9.81)], name="pendulum")


@pytest.fixture(scope="module")
def cart_pole():
    world = ph.World()
    cart = ph.Body("cart", ph.solids.box(mass=2.0, x=0.4, y=0.2, z=0.1))
    bob = ph.Particle("bob", 0.5)
    track = ph.Prismatic("track", world.origin, cart.origin, axis=ph.X)
    rod = ph.Body.from_inertia("rod", mass=1e-9, inertia=[0, 0, 0], centre=(0, 0, 0))
    pivot = ph.Revolute("pivot", cart.origin, rod.origin, axis=Y)
    weld = ph.Fixed("weld", rod.point(0, 0, 0.6), bob.mass_centre)
    return ph.System([track, pivot, weld], [ph.Weight(9.81)], name="cart-pole")


def double_pendulum():
    """Massless rods of lengths 1.1 and 0.7 with bobs of 1.3 and 0.4 kg."""
    world, joints, before = ph.World(), [], None
    for k, (mass, length) in enumerate([(1.3, 1.1), (0.4, 0.7)]):
        rod = ph.Body.from_inertia(
            f"rod{k}", mass=mass, inertia=[0, 0, 0], centre=(0, 0, -length)
        )
        start = world.origin if before is None else before
        joints.append(ph.Revolute(f"j{k}", start, rod.origin, axis=Y))
        before = rod.point(0, 0, -length)
    return ph.System(joints, [ph.Weight(9.81)], name="double pendulum")


@pytest.mark.parametrize("form", FORMS)
def test_the_pendulum(pendulum, form):
    """(m l^2/3) a = -m g (l/2) sin q for a rod on a hinge at its end."""
    equations = FORMULATIONS[form](pendulum)
    state = pendulum.state(hinge=0.7, speeds={"hinge": 1.5})
    expected = -1.5 * 9.81 / 0.8 * np.sin(0.7)
    assert_close(equations.body_accelerations(state)[0, 1], expected, rtol=1e-14)


@pytest.mark.parametrize("form", ["Gauss", "Kirchhoff", "Newton-Euler"])
def test_the_hinge_of_a_pendulum_pulls(pendulum, form):
    """Along the rod m g cos q + m l w^2/2, across it m g sin q/4; no couple."""
    equations = FORMULATIONS[form](pendulum)
    q, w = 0.7, 1.5
    state = pendulum.state(hinge=q, speeds={"hinge": w})
    hold = equations.reactions(state)["hinge"]
    up, across = (
        np.array([np.sin(q), 0, np.cos(q)]),
        np.array([np.cos(q), 0, -np.sin(q)]),
    )
    m, g, l = 1.2, 9.81, 0.8
    assert_close(hold.force @ up, m * g * np.cos(q) + m * l / 2 * w**2, rtol=1e-13)
    assert_close(hold.force @ across, -m * g * np.sin(q) / 4, rtol=1e-13)
    assert_close(hold.torque, np.zeros(3), atol=1e-13)


@pytest.mark.parametrize("form", FORMS[:4])
def test_the_cart_pole(cart_pole, form):
    """M = [[M + m, m l cos], [m l cos, m l^2]], bias (-m l w^2 sin, 0), about upright.

    The force is (0, m g l sin).
    """
    equations = FORMULATIONS[form](cart_pole)
    state = cart_pole.state(pivot=0.4, speeds={"track": 0.3, "pivot": 1.1})
    M, m, l, s, c = 2.0, 0.5, 0.6, np.sin(0.4), np.cos(0.4)
    expected = [[M + m, m * l * c], [m * l * c, m * l**2]]
    assert_close(equations.mass_matrix(state), expected, rtol=1e-8)
    assert_close(equations.bias(state), [-m * l * 1.1**2 * s, 0.0], rtol=1e-8)
    assert_close(equations.force(state), [0.0, m * 9.81 * l * s], rtol=1e-8)


@pytest.mark.row("L-06")
@pytest.mark.parametrize("form", ["recursive", "Lagrange, second kind", "Newton-Euler"])
def test_the_double_pendulum(form):
    """Two bobs on massless rods move as Newton's equations in closed form say."""
    system = double_pendulum()
    m1, m2, l1, l2, g = 1.3, 0.4, 1.1, 0.7, 9.81
    a, b, u, v = 0.5, -1.2, 0.8, 1.7  # b and v relative to the first rod
    state = system.state(j0=a, j1=b, speeds={"j0": u, "j1": v})
    found = FORMULATIONS[form](system).body_accelerations(state)[:, 1]
    d, w2 = -b, u + v
    M = np.array([[(m1 + m2) * l1, m2 * l2 * np.cos(d)], [l1 * np.cos(d), l2]])
    f = np.array(
        [
            -m2 * l2 * w2**2 * np.sin(d) - (m1 + m2) * g * np.sin(a),
            l1 * u**2 * np.sin(d) - g * np.sin(a + b),
        ]
    )
    assert_close(found, np.linalg.solve(M, f), rtol=1e-12)


def test_shares_make_up_the_force():
    """Each action's part of the force, summed, is the force."""
    world, block = ph.World(), ph.Body("block", ph.solids.box(mass=1, x=1, y=1, z=1))
    slide = ph.Prismatic("slide", world.origin, block.origin, axis=Z)
    spring = ph.Spring(world.point(0, 0, 2), block.origin, 30.0, 1.0, name="spring")
    system = ph.System([slide], [ph.Weight(9.81), spring], name="hanging block")
    state = system.state(slide=0.2)
    for form in ("Gauss", "Kirchhoff", "Hamilton"):
        equations = FORMULATIONS[form](system)
        shares = equations.shares(state)
        assert set(shares) == {"weight", "spring"}
        total = shares["weight"] + shares["spring"]
        assert_close(total, equations.force(state), rtol=1e-12)
        assert_close(total[-1], -9.81 + 30.0 * 0.8, rtol=1e-13)


def test_what_must_act_makes_the_motion(pendulum):
    """Inverse dynamics of the accelerations found asks for nothing more."""
    equations = ph.recursive(pendulum)
    state = pendulum.state(hinge=0.7, speeds={"hinge": 1.5})
    found = equations.accelerations(state)
    assert_close(equations.inverse_dynamics(state, found), [0.0], atol=1e-14)
    more = equations.inverse_dynamics(state, found + 1.0)
    assert_close(more, equations.mass_matrix(state)[0], rtol=1e-13)


def test_udwadia_and_kalaba_ask_for_constraints(pendulum):
    """A form that says nothing of a system refuses, and `compare` shows why."""
    with pytest.raises(ph.PolhodeError, match="says nothing of 'pendulum'"):
        ph.udwadia_kalaba(pendulum)
    table = ph.compare(pendulum)
    refused = [row for row in table.rows if row.reason]
    names = ["Lie-Poisson", "Routh", "Maggi", "Udwadia-Kalaba"]
    assert [row.name for row in refused] == names
    assert "does not apply: Udwadia and Kalaba's equation says nothing" in repr(table)
    assert "it has no cyclic coordinate" in repr(table)
    assert len(table.applied) == len(FORMULATIONS) - len(names)
    assert table.worst < 1e-12
    assert all(0 <= row.motion < 1e-12 for row in table.applied)
    assert all(row.microseconds > 0 and row.operations > 0 for row in table.applied)


@pytest.mark.long
def test_redundant_constraints_leave_many_reactions():
    """Where two hinges share a load, the table says so, and the motion is one."""
    table = ph.compare(topology("doubled_hinge"), steps=0)
    assert all(np.isnan(row.motion) for row in table.applied)
    assert table.worst < 1e-12
    assert all(np.isnan(row.reactions) for row in table.applied)
    assert "many" in table.applied[0].cells
