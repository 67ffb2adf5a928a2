"""Craft of several bodies, from point masses to trees, and formations of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from strategies_system import block, random_state

KINDS = (
    lambda name, a, b: ph.Revolute(name, a, b, axis=(1, 2, 0)),
    lambda name, a, b: ph.Spherical(name, a, b),
    lambda name, a, b: ph.Prismatic(name, a, b, axis=(0, 1, 1)),
    lambda name, a, b: ph.Universal(name, a, b, axis=ph.X, second_axis=ph.Y),
    lambda name, a, b: ph.Cylindrical(name, a, b, axis=ph.Z),
)


@cache
def tree(seed, count=3):
    """A random free-floating tree; every second joint is given child first."""
    rng = np.random.default_rng(seed)
    bodies = [block(f"b{k}", 1 + rng.uniform()) for k in range(count)]
    joints = []
    for k in range(1, count):
        ends = [bodies[int(rng.integers(k))].point(*rng.normal(size=3))]
        ends.append(bodies[k].point(*rng.normal(size=3)))
        make = KINDS[int(rng.integers(len(KINDS)))]
        joints.append(make(f"j{k}", *ends[:: (-1) ** k]))
    return ph.System([bodies[0], *joints], name=f"tree {seed}")


@pytest.mark.row("S-15")
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_recursion_with_passive_dyadics_is_lagrange_and_gauss(seed):
    """M a + C z_r by two walks, of any choice; with z_r = z inverse dynamics of all.

    M' - 2 C is skew, C being built of the bodies' passive dyadics.
    """
    system, rng = tree(seed), np.random.default_rng(seed)
    forms = [ph.recursive(system), ph.lagrange(system), ph.gauss(system)]
    for _ in range(3):
        state = random_state(system, rng)
        a, z_r = rng.normal(size=(2, system.speeds))
        found = ph.questions.passive_dynamics(state, state.z, a)
        needs = [form.inverse_dynamics(state, a) for form in (forms[0], forms[2])]
        for each in needs:
            assert_close(found, each, rtol=1e-9)
        second = forms[1]
        solved = second.body_accelerations(state)
        assert_close(solved, forms[2].body_accelerations(state), rtol=1e-9)
        C = forms[0].coriolis(state)
        assert C.is_passive
        M = forms[0].mass_matrix(state)
        tracking = ph.questions.passive_dynamics(state, z_r, a)
        assert_close(tracking, M @ a + C.matrix @ z_r, rtol=1e-9)


@pytest.mark.row("S-15")
def test_a_free_floating_tree_keeps_its_angular_momentum():
    """Nothing outside acts: P and L stay, whatever the joints carry."""
    system = tree(1)
    state = random_state(system, np.random.default_rng(8))
    method = ph.methods.RungeKutta4(1e-3)
    ledger = ph.simulate(system, state, until=0.3, method=method).ledger()
    for values in (ledger.momentum, ledger.angular_momentum):
        assert_close(values - values[0], 0 * values, atol=1e-8 * np.max(np.abs(values)))


@cache
def formation():
    """A leader with a panel on a hinge, a follower with an arm, and a particle."""
    hub, panel = block("hub", 2.0), block("panel", 0.4)
    craft, arm = block("craft", 1.5), block("arm", 0.3)
    dust = ph.Particle("dust", 0.2)
    joints = [
        ph.Revolute("hinge", hub.point(0, 0.5, 0), panel.point(0, -0.5, 0), axis=ph.Y),
        ph.Spherical("wrist", craft.point(0.3, 0, 0), arm.point(-0.2, 0, 0)),
    ]
    tether = ph.Spring(panel.point(0, 0.4, 0), arm.point(0.2, 0, 0), 2.0, 0.5)
    far = ph.System([hub, craft, dust, *joints], [tether], name="absolute")
    members = [hub, craft, dust]
    near = ph.formations.formation_tree(members, "hub", actions=[tether], joints=joints)
    return far, near


@pytest.mark.long
@pytest.mark.row("S-15", "S-05")
def test_a_formation_of_multibody_craft_is_told_from_its_leader():
    """Particles, rigid and multibody craft behind one door, relative or absolute.

    The relative equations give all bodies the accelerations of the absolute ones, and
    inherit the skew property.
    """
    far, near = formation()
    state = random_state(far, np.random.default_rng(3))
    told = ph.formations.in_tree(state, near)
    back = ph.formations.in_tree(told, far)
    assert_close(back.z, state.z, atol=1e-12)
    order = [body.name for body in far.bodies]
    expected = ph.recursive(far).body_accelerations(state)
    equations = ph.formations.relative_equations(near)
    found = equations.body_accelerations(told)
    for name in ("hub", "panel", "craft", "arm"):  # the particle has other axes
        k = [body.name for body in near.bodies].index(name)
        assert_close(found[k], expected[order.index(name)], rtol=1e-9, atol=1e-9)
    assert equations.coriolis(told).is_passive
    assert "dust from hub.vx" in equations.velocity_names


@pytest.mark.row("S-05")
def test_a_body_that_shrinks_moves_as_a_particle():
    """With J -> 0 and the couplings with it a rigid craft translates as a particle."""
    start, speed = (1.3, 0.2, -0.1), (0.1, 1.4, 0.2)
    spin = (0.3, -0.2, 0.5)

    def acceleration(craft, q, z):
        pull = ph.Spring(ph.World().origin, craft.mass_centre, 3.0, 0.4)
        system = ph.formations.formation_tree([craft], "craft", actions=[pull])
        state = ph.State(system, 0.0, np.array(q), np.array(z))
        own = ph.recursive(system).body_accelerations(state)[0]
        return own[3:] + np.cross(z[:3], speed) * (len(z) == 6)

    expected = acceleration(ph.Particle("craft", 0.7), start, speed)
    errors = []
    for size in (1e-2, 1e-4):
        inertia, centre = size**2 * np.diag([0.2, 0.25, 0.3]), (size, 0, 0)
        craft = ph.Body.from_inertia("craft", mass=0.7, inertia=inertia, centre=centre)
        found = acceleration(craft, (1.0, 0, 0, 0, *start), (*spin, *speed))
        errors.append(np.linalg.norm(found - expected))
    assert 1e-3 < errors[0] < 1
    assert 90 < errors[0] / errors[1] < 110


@pytest.mark.row("S-05")
def test_flexible_craft_are_left_out_in_words():
    """The page of scope says how far the models go."""
    page = Path(__file__).parents[2] / "docs" / "scope.md"
    text = " ".join(page.read_text().split())
    assert "Flexible spacecraft are out of scope" in text
