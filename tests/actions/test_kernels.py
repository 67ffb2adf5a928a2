"""Every kernel gives the same numbers outside a trace and inside one."""

from __future__ import annotations

import runpy
from pathlib import Path

import jax
import numpy as np
import pytest

from closeness import assert_close
from traced_kernel import evaluated

FILES = sorted(Path(__file__).parent.glob("kernels*.py"))
KERNELS = {
    name: kernel
    for file in FILES
    for name, kernel in runpy.run_path(str(file))["KERNELS"].items()
}


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_agree_outside_and_inside_a_trace(name):
    """Traced, in double precision: what NumPy gives to rounding."""
    function, arguments = KERNELS[name]
    plain = jax.tree.leaves(function(*arguments))
    traced = jax.tree.leaves(evaluated(*KERNELS[name]))
    assert len(plain) == len(traced)
    for one, other in zip(plain, traced, strict=True):
        assert np.asarray(one).dtype in (np.float64, np.bool_)
        assert np.asarray(other).dtype == np.asarray(one).dtype
        assert_close(other, one, rtol=1e-12, atol=1e-13)
