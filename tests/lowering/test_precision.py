"""The user's own `jax_enable_x64` is never touched."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import jax, jax.numpy as jnp, numpy as np
if {set}: jax.config.update("jax_enable_x64", {double})
before = jnp.arange(3.0).dtype
import polhode as ph
program = ph.compile(lambda x: jnp.cumsum(x) / 3, np.arange(3.0), batched=True)
got = program(np.ones((4, 3)))
assert got.dtype == np.float64 and got[0, 0] == 1 / 3, got
other = ph.compile(lambda x: jnp.fft.fft(x).real, np.arange(3.0))
assert other.report().backend == "xla" and other(np.ones(3)).dtype == np.float64
jax.jit(program)(jnp.ones(3)); jax.grad(lambda x: program(x)[0])(jnp.ones(3))
try:
    ph.compile(lambda x: 1 / 0, 1.0)
except ZeroDivisionError:
    pass
assert jnp.arange(3.0).dtype == before
assert jax.config.jax_enable_x64 == {double}, jax.config.jax_enable_x64
print("kept")
"""


@pytest.mark.parametrize(
    ("chosen", "double"), [(False, False), (True, False), (True, True)]
)
def test_the_setting_survives(chosen, double):
    """Importing, compiling, running, tracing and failing leave it as it was."""
    script = SCRIPT.format(set=chosen, double=double)
    command = [sys.executable, "-W", "error::UserWarning", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "kept"
