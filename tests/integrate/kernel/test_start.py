"""Before the first step: what has no native code is told with its line."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import FallbackWarning


def spectral(t, state):
    return jnp.abs(jnp.fft.rfft(jnp.stack([t, state["hinge"]])))[0]  # this line


# Made where JAX computes in single precision, as a user's module is.
FORCES = jnp.array([0.0, 1.0, 0.0, 1.0, 0.0])
TIMES = jnp.linspace(0.0, 1.0, 5)


def weights(t, state):
    return jnp.sum(FORCES) * t + FORCES[1]


def table_in_double(t, state):
    return jnp.interp(t, np.asarray(TIMES, float), np.asarray(FORCES, float))


def table_in_single(t, state):
    return jnp.interp(t, TIMES, FORCES)


def driven() -> ph.System:
    rod = ph.Body("rod", ph.solids.rod(mass=1.0, length=1.0, along=ph.Z))
    hinge = ph.Revolute("hinge", ph.World().origin, rod.point(0, 0, 0.5), axis=ph.Y)
    push = ph.Motor(hinge, 0.0, name="push")
    return ph.System([hinge], [ph.Weight(9.81), push], name="rod")


def alone(law):
    system = driven()
    start = system.state(hinge=0.3)
    return ph.simulate(system, start, until=0.02, inputs={"push": law})


def many(law):
    system = driven()
    states = ph.States(system, 0.0, np.full((2, 1), 0.3), np.zeros((2, 1)))
    return ph.sweep(system, states, until=0.02, inputs={"push": law})


@pytest.mark.parametrize("run", [alone, many])
def test_a_law_without_native_code_is_told_with_its_line(run):
    """Once for the run, with the file, the line and the name of the law."""
    with pytest.warns(FallbackWarning) as caught:
        run(spectral)
    (words,) = [str(w.message) for w in caught]
    line = spectral.__code__.co_firstlineno + 1
    assert f"test_start.py:{line} in spectral" in words
    assert "'rod' runs on XLA" in words


@pytest.mark.parametrize("law", [weights, table_in_double])
def test_a_law_that_closes_over_arrays_is_native(law):
    """Constants made outside are taken in: no warning, which would be an error."""
    alone(law)


def test_a_table_in_single_precision_is_told_with_its_repair():
    """JAX would look it up at a time that is rounded to seven digits."""
    with pytest.warns(FallbackWarning, match="with NumPy, in double precision"):
        alone(table_in_single)
