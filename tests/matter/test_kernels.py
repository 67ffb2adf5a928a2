"""Every kernel of the room: the same numbers and finite derivatives in a trace."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from closeness import assert_close
from traced_kernel import evaluated

KERNELS = runpy.run_path(str(Path(__file__).with_name("kernels.py")))["KERNELS"]


def value_and_slope(function):
    """A kernel's values and slopes along ones, of a batch."""
    import jax

    def both(*values):
        tangents = tuple(jax.numpy.ones_like(a) for a in values)
        return jax.jvp(function, values, tangents)

    return lambda *batch: jax.vmap(both)(*batch)


CALLS = {
    name: (value_and_slope(function), tuple(np.stack([a, a]) for a in arguments))
    for name, (function, arguments) in KERNELS.items()
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_traces_batches_and_differentiates(name):
    """Traced, under vmap and jvp at once, it gives NumPy's numbers, slopes finite."""
    import jax

    function, arguments = KERNELS[name]
    plain = flat(jax.tree.leaves(function(*arguments)))
    values, slopes = evaluated(*CALLS[name])
    for k in range(2):
        traced = flat([leaf[k] for leaf in jax.tree.leaves(values)])
        assert_close(traced, plain, rtol=1e-13)
    rates = flat([leaf[0] for leaf in jax.tree.leaves(slopes)])
    # Richardson's extrapolation of the central difference along the tangent.
    moved = [
        [a + s * h * np.ones_like(a) for a in arguments]
        for h in (1e-3, 5e-4)
        for s in (1, -1)
    ]
    f = [flat(jax.tree.leaves(function(*a))) for a in moved]
    coarse, fine = (f[0] - f[1]) / 2e-3, (f[2] - f[3]) / 1e-3
    differences = (4 * fine - coarse) / 3
    scale = np.max(np.abs(plain)) + np.max(np.abs(differences))
    assert_close(rates, differences, atol=1e-7 * scale)


def flat(leaves):
    return np.concatenate([np.ravel(np.asarray(leaf, float)) for leaf in leaves])
