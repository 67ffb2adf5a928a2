"""Arrays of `jax.numpy` that a function closes over become constants of its program."""

from __future__ import annotations

import warnings
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import polhode as ph
from polhode.errors import FallbackWarning, NumericalWarning
from polhode.lowering.compile import compile

# What is warned of has tests of its own below.
pytestmark = pytest.mark.filterwarnings("ignore:an array of jax.numpy in single")

# Made where JAX computes in single precision, as a user's module is.
TABLE = jnp.array([0.1, 0.2, 0.3])
LAWS = {
    "an entry": lambda t: TABLE[1] * t,
    "all of it": lambda t: jnp.sum(TABLE) * t,
    "after arithmetic": lambda t: (2.0 * TABLE + 1.0)[1] * t,
    "in a branch": lambda t: lax.cond(t > 0, lambda t: TABLE[1] * t, jnp.sin, t),
    "in a loop": lambda t: lax.fori_loop(0, 3, lambda k, u: u * TABLE[2], t),
    "in a jitted function": lambda t: jax.jit(lambda t: TABLE[0] * t)(t),
}


@pytest.mark.parametrize("word", LAWS)
def test_a_captured_array_is_a_constant_of_native_code(word):
    """With the numbers that JAX has, and no way round by XLA."""
    law = LAWS[word]
    program = compile(law, 0.5)
    assert program.report().backend == "llvm"
    with jax.enable_x64(True):
        expected = np.asarray(jax.jit(law)(jnp.asarray(np.float64(0.5))))
    assert program(0.5) == expected


def test_arithmetic_in_single_precision_stays_with_jax():
    """Numbers that are known only when it runs are rounded as JAX rounds them."""
    program = compile(lambda t: jnp.sin(t.astype(jnp.float32)).astype(float), 0.5)
    assert program.report().backend == "xla"
    assert "float32" in program.report().reason


def test_results_of_xla_can_be_written_to():
    """As those of native code can: a run writes into what its start gave."""
    program = compile(lambda t: TABLE * t, 0.5, backend="xla")
    found = program(0.5)
    found[0] = 1.0
    assert found[0] == 1.0


def test_a_law_with_a_captured_array_drives_a_run_with_samples_and_events():
    """It crashed with a ValueError where there was a sampled input or an event."""
    block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))
    track = ph.Prismatic("track", ph.World().origin, block.origin, axis=ph.X)
    other = ph.Prismatic("other", block.origin, _second().origin, axis=ph.X)
    acts = [ph.JointSpring(track, 1.0), ph.Motor(track, 0.0), ph.Motor(other, 0.0)]
    system = ph.System([track, other], acts, name="carts")
    laws = {
        "motor of track": lambda t: TABLE[1] * jnp.sin(t),
        "motor of other": ph.Sampled(lambda t, state: 0.1, 0.25),
    }
    met = ph.Event("met", lambda t, state: state["track"] - TABLE[0])
    start = system.state(track=1.0)
    # Its arrays are in single precision: XLA runs it, and that is said.
    with pytest.warns(FallbackWarning, match="in double precision"):
        motion = ph.simulate(system, start, until=3.0, inputs=laws, events=met)
    assert motion.outcome.is_complete
    assert len(motion.events) > 0


def _second() -> ph.Body:
    return ph.Body("second", ph.solids.box(mass=1.0, x=0.1, y=0.1, z=0.1))


# -------------------------------------------------- arrays in single precision

GAINS, HALVES = jnp.array([0.05, 3.0]), jnp.array([0.5, 3.0])


@pytest.mark.parametrize(
    ("law", "cut"),
    [
        (lambda q: GAINS[0] * q, True),
        (lambda q: HALVES[0] * 0.05 * q, True),
        (lambda q: jax.jit(lambda x: GAINS @ x)(jnp.stack([q, q])), True),
        (lambda q: HALVES @ jnp.stack([q, q]), False),
        (lambda q: np.asarray(HALVES, float)[0] * 0.05 * q, False),
        (lambda q: jnp.array([0.05])[0] * q, False),
    ],
)
def test_digits_that_an_array_of_jax_has_lost_are_told_with_the_line(law, cut):
    """What is exact in 32 bits, or made in 64, is used without a word."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        ph.compile(law, 1.0)
    words = [str(each.message) for each in said if each.category is NumericalWarning]
    assert len(words) == cut
    assert all(f"{Path(__file__).name}:" in each for each in words)
