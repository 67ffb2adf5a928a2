"""Boltzmann and Hamel's equations in velocities of the user's own."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from strategies_system import random_state, topology


def mixed(size: int) -> ph.theory.Velocities:
    """Velocities that bend with the place: z = y + shear."""
    names = tuple(f"u{k}" for k in range(size))

    def shear(q):
        return 0.3 * jnp.sin(q[0])

    def to_speeds(t, q, y):
        return jnp.concatenate([y[:1] + shear(q) * y[-1:], y[1:]])

    def from_speeds(t, q, z):
        return jnp.concatenate([z[:1] - shear(q) * z[-1:], z[1:]])

    return ph.theory.Velocities(names, to_speeds, from_speeds)


@pytest.mark.long
@pytest.mark.parametrize("name", ["double_pendulum", "spherical_pendulum", "sleigh"])
def test_hamels_equations_hold_in_any_linear_velocities(name):
    """Structure coefficients of the user's velocities make them agree with Gauss's."""
    system, draw = topology(name), np.random.default_rng(4)
    chosen = mixed(system.speeds)
    hamel, gauss = ph.boltzmann_hamel(system, chosen), ph.gauss(system, chosen)
    for _ in range(10):
        state = random_state(system, draw)
        found, wanted = (form.accelerations(state) for form in (hamel, gauss))
        assert_close(found, wanted, rtol=1e-10)
        assert_close(hamel.bias(state), gauss.bias(state), rtol=1e-9, atol=1e-10)
        assert_close(hamel.mass_matrix(state), gauss.mass_matrix(state), rtol=1e-11)


@pytest.mark.parametrize(
    "to_speeds",
    [lambda t, q, y: y + 1.0, lambda t, q, y: (1 + t) * y, lambda t, q, y: jnp.sinh(y)],
    ids=["affine", "moving", "bent"],
)
def test_velocities_that_are_not_linear_are_refused(to_speeds):
    """Hamel's coefficients are of linear velocities; Gauss takes any."""
    velocities = ph.theory.Velocities(("a", "b"), to_speeds=to_speeds)
    with pytest.raises(ph.PolhodeError, match=r"cannot be in a, b.*") as refusal:
        ph.boltzmann_hamel(topology("double_pendulum"), velocities)
    assert "ph.gauss" in str(refusal.value)
