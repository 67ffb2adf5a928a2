"""Newton's matrix of large systems by its few entries: the same as the dense one."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from tests.system.rolled.test_questions import MORE

import polhode as ph
from polhode.double import doubled
from polhode.errors import PolhodeError
from polhode.formulation.recursive import rolled_linear
from polhode.formulation.recursive.recursive import recursive
from polhode.integrate.field.sparse_jacobian import Pattern
from polhode.system.state_arrays import StateArrays

SHIFT = 3.0


@pytest.mark.parametrize(
    "name",
    [
        "chain",
        *(pytest.param(n, marks=pytest.mark.long) for n in ("pins", "hinges", "rods")),
        pytest.param("tree", marks=pytest.mark.long),
    ],
)
def test_the_matrix_of_bodies_solves_what_the_jacobian_does(name: str) -> None:
    """(s - df/dx) d = b, s real and complex, quaternions at rest among them."""
    system, q, z = MORE[name]()
    if system.coordinates != system.speeds:
        # Turning, a quaternion also feels its length, which bodies do not have.
        z = np.zeros_like(z)
    core, n = recursive(system).functions, system.coordinates
    blocks: list[Any] = []

    @jax.jit
    def both(q: Any, z: Any) -> tuple[Any, Any]:
        def slope(x: Any) -> Any:
            at = 0.0, x[:n], x[n:], {}
            return jnp.concatenate([core.rates(*at), core.accelerations(*at)[0]])

        solution = core.accelerations(0.0, q, z, {})
        state = StateArrays(0.0, q, z)
        motion, wrenches = rolled_linear.bodies_at(system, state, solution, {})
        now = rolled_linear.Instant(0.0, q, z, *solution, motion, wrenches)
        blocks[:] = rolled_linear.linear_blocks(system, now, {})
        entries = jnp.concatenate([block.entries.reshape(-1) for block in blocks])
        return jax.jacfwd(slope)(jnp.concatenate([q, z])), entries

    J, entries = (np.asarray(x) for x in doubled(both)(q, z))
    at = rolled_linear.places_of(system)
    pattern = Pattern(blocks, rolled_linear.owners_of(system), at)
    draws, count = np.random.default_rng(3), at.q + at.z
    b = _along_joints(J, n, draws.normal(size=(2, count)))
    for shift in (complex(SHIFT, 0.0), complex(SHIFT, 2.0)):
        given, named = np.array([shift.real, shift.imag]), np.zeros((), np.int64)
        pattern.factor(entries, given, named)
        found = np.zeros((2, count))
        right = b if shift.imag else b * np.array([[1.0], [0.0]])
        pattern.solve(named, entries, given, right, found)
        wanted = np.linalg.solve(shift * np.eye(count) - J, right[0] + 1j * right[1])
        scale = np.max(np.abs(wanted))
        assert found[0] + 1j * found[1] == pytest.approx(wanted, abs=1e-8 * scale)


def _along_joints(J: np.ndarray, n: int, b: np.ndarray) -> np.ndarray:
    """What leads along the joints: off its unit length, a quaternion is no turn."""
    N = J[:n, n:]
    return np.hstack([b[:, :n] @ np.linalg.pinv(N).T @ N.T, b[:, n:]])


def damped_chain(links: int, stiffness: float) -> tuple[ph.System, ph.State]:
    """A chain whose hinges have springs and dampers."""
    joints = [edge.joint for edge in ph.models.chain_pendulum(links).tree.edges]
    springs = [ph.Spring(j, stiffness, name=f"spring {j.name}") for j in joints]
    dampers = [ph.Damper(j, stiffness, name=f"damper {j.name}") for j in joints]
    actions = [ph.Weight(9.81), *springs, *dampers]
    system = ph.System(joints, actions, name="damped chain")
    return system, system.state({j.name: 0.3 / links for j in joints})


@pytest.mark.long
def test_implicit_runs_of_a_large_chain_are_those_of_explicit_ones() -> None:
    """Radau's and Gauss's methods beyond 200 speeds, against order 5."""
    system, state = damped_chain(210, 1e-4)
    wanted = ph.simulate(system, state, until=0.02, rtol=1e-9).q[-1]
    size = np.max(np.abs(wanted))
    for method in (ph.methods.RadauIIA(rtol=1e-8), ph.methods.GaussLegendre4(5e-4)):
        motion = ph.simulate(system, state, until=0.02, method=method)
        assert motion.q[-1] == pytest.approx(wanted, abs=1e-6 * size)


@pytest.mark.long
def test_a_stiff_start_of_a_large_chain_takes_the_implicit_method() -> None:
    """By its quickest decay, found without a matrix of the whole."""
    system, state = damped_chain(210, 10.0)
    motion = ph.simulate(system, state, until=0.1)
    assert "Radau" in repr(motion)
    assert motion.t[-1] == 0.1


def test_methods_that_stay_dense_say_so_and_name_the_one_that_is_not() -> None:
    """With the size, at once."""
    chain = ph.models.chain_pendulum(300)
    for method in (ph.methods.GeneralisedAlpha(1e-3), ph.methods.Variational(1e-3)):
        with pytest.raises(PolhodeError, match=r"300 speeds(?s:.*)RadauIIA"):
            ph.simulate(chain, chain.rest(), until=0.1, method=method)
