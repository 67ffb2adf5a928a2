"""Large systems are stepped by XLA around native equations, and told where not."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import FallbackWarning
from polhode.system.rolled import size

LINKS = size.LARGE + 2


def driven_chain() -> ph.System:
    """A chain with a motor in its first joint."""
    chain = ph.models.chain_pendulum(LINKS)
    motor = ph.Motor(chain.joints[0], 0.0, name="push")
    return chain.plus(actions=[motor], name="chain")


def spectral(t: Any, state: Any, x: Any) -> Any:
    return 0.1 * x, jnp.abs(jnp.fft.rfft(jnp.stack([t, x[0]])))[:1]


def integral(t: Any, state: Any, x: Any) -> Any:
    return 0.1 * x, jnp.ones(1)


def moved(law: Any) -> Any:
    system = driven_chain()
    assert size.is_rolled(system)
    return ph.simulate(system, system.rest(), until=0.01, inputs={"push": law})


@pytest.mark.long
def test_a_law_without_native_code_is_told_of_a_large_system() -> None:
    """With its line, as of a small one: the equations around it run on XLA."""
    with pytest.warns(FallbackWarning, match=r"'chain' runs on XLA.* in spectral"):
        moved(ph.Controller(spectral, states=[0.0], name="clock"))


def test_controllers_with_states_drive_a_large_system() -> None:
    """An integral of one is the time."""
    by_state = moved(ph.Controller(integral, states=[0.0], name="clock"))
    by_time = moved(lambda t, state: 0.1 * t)
    scale = np.max(np.abs(by_time.z[-1]))
    assert scale > 0.0
    np.testing.assert_allclose(by_state.z[-1], by_time.z[-1], rtol=0, atol=1e-4 * scale)
    np.testing.assert_allclose(by_state.controller("clock")[-1], 0.01, rtol=1e-9)
