"""Loops over tables say what walks body by body say, for any tree."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polhode as ph
from polhode.formulation.recursive import articulated_body
from polhode.formulation.recursive.rolled_acting import of_tree
from polhode.lowering.compile import compile
from polhode.system.rolled import energies, motion, size

JOINTS: dict[str, Any] = {
    "hinge": lambda name, a, b, axis: ph.Revolute(name, a, b, axis=axis),
    "guide": lambda name, a, b, axis: ph.Prismatic(name, a, b, axis=axis),
    "sleeve": lambda name, a, b, axis: ph.Cylindrical(name, a, b, axis=axis),
    "cross": lambda name, a, b, axis: ph.Universal(
        name, a, b, axis=axis, second_axis=np.roll(axis, 1) + 0.3 * np.roll(axis, 2)
    ),
    "ball": lambda name, a, b, axis: ph.Spherical(name, a, b),
    "free": lambda name, a, b, axis: ph.Free(name, a, b),
    "weld": lambda name, a, b, axis: ph.Fixed(name, a, b),
    "plane": lambda name, a, b, axis: ph.Planar(name, a, b, normal=axis),
    "shift": lambda name, a, b, axis: ph.Translation(name, a, b),
}
AXES = [np.array(axis) for axis in ((1.0, 0, 0), (0, 0, 1.0), (0.6, 0, 0.8))]


@st.composite
def trees(draw: Any) -> ph.System:
    """Branched trees of mixed joints, some walked backwards, with springs, dampers."""
    world, bodies, joints = ph.World(), [], []
    count = draw(st.integers(3, 6))
    kinds = draw(
        st.lists(st.sampled_from(sorted(JOINTS)), min_size=count, max_size=count)
    )
    kinds[0] = kinds[0] if kinds[0] != "weld" else "hinge"
    for k, kind in enumerate(kinds):
        box = ph.solids.box(mass=1.0 + 0.1 * k, x=0.3, y=0.2, z=0.1)
        body = ph.Body(f"b{k}", ph.solids.placed(box, (0.05, -0.02, 0.1)))
        parent = draw(st.integers(-1, k - 1))
        near = (
            world.point(0.1, 0, 0) if parent < 0 else bodies[parent].point(0, 0.2, 0.1)
        )
        ends = (near, body.point(0.02, 0, -0.1))
        if draw(st.booleans()):
            ends = ends[::-1]
        axis = AXES[draw(st.integers(0, 2))]
        joints.append(JOINTS[kind](f"j{k}", *ends, axis))
        bodies.append(body)
    actions: list[Any] = [ph.Weight(9.81)]
    for k in range(10):
        on, by = bodies[k % count].point(0.1, 0, 0), world.point(0, 0, 1.0 + k)
        actions.append(ph.Spring(on, by, 3.0 + k, 0.4, name=f"spring {k}"))
    rough = [j for j in joints if isinstance(j, ph.Revolute)]
    actions += [ph.Damper(j, 0.3, name=f"damper {j.name}") for j in rough]
    return ph.System(joints, actions, name="tree")


def state_of(system: ph.System, seed: int) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(seed)
    q = draws.normal(size=system.coordinates)
    return np.asarray(system.normalised(q)), draws.normal(size=system.speeds)


def assert_close(found: Any, wanted: Any) -> None:
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12 * scale)


def tilted_tree() -> ph.System:
    """Axes by one parameter or several, by numbers, and some walked backwards."""
    a, b = ph.Parameter("a", 0.3), ph.Parameter("b", 0.5)
    tilted = (
        (ph.functions.cos(a), 0.0, ph.functions.sin(a)),
        (a, b, 1.0),
        (0.6, 0.0, 0.8),
    )
    kinds = [ph.Revolute, ph.Revolute, ph.Prismatic, ph.Revolute, ph.Prismatic]
    parent, joints = ph.World().point(0.1, 0, 0), []
    for k, kind in enumerate(kinds):
        box = ph.solids.box(mass=1.0 + 0.1 * k, x=0.3, y=0.2, z=0.1)
        body = ph.Body(f"b{k}", box)
        ends = (parent, body.point(0.02, 0, -0.1))
        ends = ends[::-1] if k == 3 else ends
        joints.append(kind(f"j{k}", *ends, axis=tilted[k % 3]))
        parent = body.point(0, 0.2, 0.1)
    springs = [ph.Spring(joint, 3.0, name=f"s {joint.name}") for joint in joints]
    weight = ph.Weight(9.81, up=(ph.functions.sin(b), 0.0, ph.functions.cos(b)))
    return ph.System(joints, [weight, *springs], name="tilted")


def test_axes_by_parameters_are_looked_up_in_loops() -> None:
    """At nominal values and at others, which the table of a run gives."""
    system = tilted_tree()
    q, z = state_of(system, 1)

    def both(q: Any, z: Any, table: Any) -> Any:
        loops = of_tree(system, 0.0, q, z, table)
        height = energies.potential(system, 0.0, q, table)
        straight = articulated_body.accelerations(system, 0.0, q, z, table)
        stored = system.potential_energy(0.0, q, table)
        return jnp.append(loops, height), jnp.append(straight, stored)

    table = {"a": -0.7, "b": 1.1}
    program = compile(both, q, z, table, lanes=1)
    assert_close(*program(q, z, table))
    assert_close(*program(q, z, {"a": 0.3, "b": 0.5}))


@pytest.mark.long
@settings(max_examples=4, deadline=None)
@given(trees(), st.integers(0, 1000))
def test_loops_accelerate_as_straight_code_does(system: ph.System, seed: int) -> None:
    """Loops over tables and straight code are one function, on any tree."""
    q, z = state_of(system, seed)

    def both(q: Any, z: Any) -> Any:
        straight = articulated_body.accelerations(system, 0.0, q, z, {})
        return of_tree(system, 0.0, q, z, {}), straight

    assert_close(*compile(both, q, z, lanes=1)(q, z))


@settings(max_examples=2, deadline=None)
@given(trees(), st.integers(0, 1000))
def test_loops_move_bodies_as_walks_do(system: ph.System, seed: int) -> None:
    """Poses, velocities, rates, displacements, energies and momenta."""
    q, z = state_of(system, seed)

    def asked(q: Any, z: Any) -> Any:
        now = motion.motion(system, q, z, {})
        sums = energies.sums(system, q, z, {})
        return (
            *(now.poses.rotations[:-1], now.poses.origins[:-1]),
            *(now.twists.angular[:-1], now.twists.linear[:-1]),
            motion.body_twists(system, q, z, {}),
            motion.rates(system, q, z, {}),
            motion.local(system, q, 0.1 * z, {}),
            motion.normalised(system, 1.1 * q, {}),
            sums.kinetic,
            energies.potential(system, 0.0, q, {}),
        )

    found = compile(asked, q, z, lanes=1)(q, z)
    poses, twists = system.poses(0.0, q), system.twists(0.0, q, z)
    wanted = (
        *(*poses, *twists, system.body_twists(0.0, q, z), system.rates(0.0, q, z)),
        *(system.local(q, 0.1 * z), system.normalised(1.1 * q)),
        *(system.kinetic_energy(0.0, q, z), system.potential_energy(0.0, q)),
    )
    for one, other in zip(found, wanted, strict=True):
        assert_close(one, other)


@settings(max_examples=2, deadline=None)
@given(trees(), st.integers(0, 1000))
def test_loops_give_the_powers_of_dampers(system: ph.System, seed: int) -> None:
    """Along a joint the power is tau . z = -c z^2."""
    q, z = state_of(system, seed)
    asked = partial(energies.powers, system, 0.0)
    found = compile(lambda q, z: asked(q, z, {}), q, z, lanes=1)(q, z)
    for name, power in found.items():
        edge = system.edge(name.removeprefix("damper "))
        assert_close(power, -0.3 * float(z[edge.z][0]) ** 2)


def operations(links: int) -> int:
    system = ph.models.chain_pendulum(links)
    q = np.zeros(system.coordinates)
    program = compile(lambda q, z: of_tree(system, 0.0, q, z, {}), q, q, lanes=1)
    return program.report().operations


def test_code_does_not_grow_with_the_number_of_like_links() -> None:
    """A law without a clock: the size of a model is data."""
    assert operations(120) == operations(480)


def test_the_rule_follows_from_the_description_alone() -> None:
    """By the number of bodies, and nothing of the machine."""
    small, large = (ph.models.chain_pendulum(n) for n in (size.LARGE, size.LARGE + 1))
    assert not size.is_rolled(small)
    assert size.is_rolled(large)
    assert str(size.LARGE) in size.reason_against(small)


def test_what_no_loop_walks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report names what keeps a system from being written as loops."""
    row = ph.models.four_bars(24)
    assert "49 bodies and 24 constraints" in ph.recursive(row).report()
    monkeypatch.setattr(size, "COUPLED", 2)
    assert "3 speeds" in size.reason_against(row)
    assert "3 speeds" in ph.recursive(row).report()


@pytest.mark.parametrize("links", [50])
def test_a_large_chain_keeps_its_energy(links: int) -> None:
    """The ledger of a motion by loops balances."""
    system = ph.models.chain_pendulum(links)
    start = system.state({f"h{k}": 0.01 for k in range(1, links + 1)})
    ledger = ph.simulate(system, start, until=0.02).ledger()
    assert np.max(np.abs(ledger.balance)) <= 1e-6 * ledger.scale
