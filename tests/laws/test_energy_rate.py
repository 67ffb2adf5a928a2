"""Energy changes as fast as power flows in."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.formulation.shared.shares import powers
from strategies_system import TOPOLOGIES, random_state, topology


@pytest.mark.long
@pytest.mark.parametrize("name", TOPOLOGIES)
def test_kinetic_energy_grows_by_the_power_of_what_acts(name):
    """dT/dt = the power of all actions, and of rows that a driver moves: l.(A z).

    Ideal constraints at rest have A z = 0 and give nothing.
    """
    system = topology(name)
    equations = ph.gauss(system)
    state = random_state(system, np.random.default_rng(11))
    core = equations.functions

    def energy_rate(t, q, z, table):
        z_dot, _ = core.accelerations(t, q, z, table)
        along = (system.rates(t, q, z, table), z_dot)
        energy = lambda q, z: system.kinetic_energy(t, q, z, table)  # noqa: E731
        return jax.jvp(energy, (q, z), along)[1]

    rate = equations.ask("energy rate", energy_rate, state, {})
    by_action = powers(state)
    rows, _ = equations.rows(state)
    driven = equations.multipliers(state) @ (rows @ state.z)
    scale = sum(map(abs, by_action.values())) + abs(driven) + 1.0
    assert_close(rate, sum(by_action.values()) + driven, atol=1e-12 * scale)
    if name in ("driven_hinge", "led_point", "carried_pendulum"):
        assert abs(driven) > 0.1
    else:
        assert abs(driven) < 1e-9 * scale
