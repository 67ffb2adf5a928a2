"""Every kernel of vectors, screws and motions is the same function under JAX."""

from __future__ import annotations

import runpy
from pathlib import Path

import jax
import numpy as np
import pytest

from closeness import assert_close
from finite import derivative
from traced_kernel import evaluated

KERNELS = runpy.run_path(str(Path(__file__).with_name("kernels.py")))["KERNELS"]


def flat(result):
    """All numbers of an array or of a tuple of arrays."""
    leaves = result if isinstance(result, tuple) else (result,)
    return np.concatenate([np.ravel(leaf) for leaf in leaves])


def directions_of(arguments):
    """A direction to differentiate along, of the shapes of the arguments."""
    rng = np.random.default_rng(0)
    return tuple(rng.normal(size=np.shape(a)) for a in arguments)


def value_and_rate(kernel):
    """(arguments, directions) -> a kernel's value and its derivative along them."""
    return lambda arguments, directions: jax.jvp(kernel, arguments, directions)


CALLS = {
    name: (value_and_rate(kernel), (arguments, directions_of(arguments)))
    for name, (kernel, arguments) in KERNELS.items()
}


@pytest.mark.parametrize("name", KERNELS)
def test_jit_and_jvp_agree_with_numpy(name):
    """Traced values are NumPy's within rounding; the jvp is the derivative."""
    kernel, arguments = KERNELS[name]
    directions = directions_of(arguments)
    value, rate = evaluated(*CALLS[name])
    assert flat(value).dtype == np.float64
    assert_close(flat(value), flat(kernel(*arguments)), rtol=1e-14)

    def along(h):
        moved = (a + h * d for a, d in zip(arguments, directions, strict=True))
        return flat(kernel(*moved))

    assert_close(flat(rate), derivative(along, 0.0, 1e-2), rtol=1e-8)
