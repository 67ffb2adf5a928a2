"""Every kernel of the room: the same numbers in a trace and in native code."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from closeness import assert_close
from polhode.lowering.compile import compile
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


@pytest.mark.long
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_traces_batches_and_differentiates(name):
    """Traced, under vmap and jvp at once, it gives NumPy's numbers, slopes finite."""
    import jax

    function, arguments = KERNELS[name]
    plain = finite(jax.tree.leaves(function(*arguments)))
    values, slopes = evaluated(*CALLS[name])
    for k in range(2):
        traced = finite([leaf[k] for leaf in jax.tree.leaves(values)])
        assert_close(traced, plain, rtol=1e-12, atol=1e-13)
    assert np.all(np.isfinite(finite([leaf[0] for leaf in jax.tree.leaves(slopes)])))


@pytest.mark.long
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_compiles_to_native_code(name):
    """The native program gives NumPy's numbers."""
    import jax

    function, arguments = KERNELS[name]
    program = compile(function, *arguments, backend="llvm")
    plain = finite(jax.tree.leaves(function(*arguments)))
    native = finite(jax.tree.leaves(program(*arguments)))
    assert_close(native, plain, rtol=1e-12, atol=1e-13)


def finite(leaves):
    """All numbers in a row; an infinite margin, of no limit, left out."""
    row = np.concatenate([np.ravel(np.asarray(leaf, float)) for leaf in leaves])
    return row[~np.isinf(row)]
