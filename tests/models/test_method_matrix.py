"""Every exercise by every method: one motion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative
from polhode.formulation.compare import random_states


def mixed(system: ph.System) -> ph.theory.Velocities:
    """Quasi-velocities of one's own: sums of the speeds, each with those after it."""
    n = system.speeds
    mix = np.triu(np.ones((n, n))) + np.eye(n)
    back = np.linalg.inv(mix)
    names = [f"y{k}" for k in range(n)]
    return ph.theory.Velocities(
        names, lambda t, q, y: back @ y, lambda t, q, z: mix @ z
    )


METHODS = {
    "Newton": ph.newton_euler,
    "Lagrange II": ph.lagrange,
    "Lagrange I": ph.lagrange_first_kind,
    "Hamilton": ph.hamilton,
    "Gauss": ph.gauss,
    "Gauss in other velocities": lambda s: ph.gauss(s, mixed(s)),
}
EXERCISES = (
    "moving_hinge_pendulum",
    "cart_pendulum",
    "rolling_cone",
    "gears_on_arm",
    "inverted_pendulum",
    "tunnel",
)


@cache
def states(name: str) -> list[ph.State]:
    """Three states of an exercise that it can be in."""
    return random_states(getattr(ph.models, name)(), 3, seed=6)


@cache
def reckoned(name: str) -> list[np.ndarray]:
    """Accelerations of all bodies by the recursive form, in these states."""
    form = ph.recursive(states(name)[0].system)
    return [form.body_accelerations(state) for state in states(name)]


def cases() -> list:
    """One exercise by most methods in the quick suite, all in the long one."""
    found = []
    for name in EXERCISES:
        for method in METHODS:
            quick = name == "cart_pendulum" and method not in ("Hamilton", "Lagrange I")
            marks = () if quick else pytest.mark.long
            found.append(pytest.param(name, method, marks=marks))
    return found


@pytest.mark.row("X-18")
@pytest.mark.parametrize(("name", "method"), cases())
def test_all_methods_describe_the_same_motion(name, method):
    """The accelerations of all bodies do not depend on the method."""
    form = METHODS[method](states(name)[0].system)
    for state, expected in zip(states(name), reckoned(name), strict=True):
        assert_close(form.body_accelerations(state), expected, rtol=1e-9)


@pytest.mark.row("X-18")
@pytest.mark.parametrize("name", ["sprung_pendulum", "rolling_cone"])
def test_the_energy_theorem_gives_the_motion_of_one_freedom(name):
    """d/dt (T + V) = 0 for the accelerations found, and for no others."""
    system = getattr(ph.models, name)()
    form = ph.recursive(system)
    (state,) = random_states(system, 1, seed=8)
    z_dot = form.accelerations(state)

    def energy_rate(z_dot: np.ndarray) -> float:
        def energy(s: float) -> float:
            q = system.local(state.q, s * state.z)
            z = state.z + s * z_dot
            return system.kinetic_energy(0, q, z) + system.potential_energy(0, q)

        return derivative(energy, 0.0)

    size = abs(state.z @ system.mass_matrix(0, state.q) @ z_dot)
    assert abs(energy_rate(z_dot)) < 1e-8 * size
    assert abs(energy_rate(1.01 * z_dot)) > 1e-3 * size
