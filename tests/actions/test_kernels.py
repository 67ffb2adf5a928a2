"""Every kernel gives the same numbers outside a trace and inside one."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import jax
import numpy as np
import pytest

from closeness import assert_close
from jitted_together import JittedTogether

_where = Path(__file__).with_name("kernels.py")
_spec = importlib.util.spec_from_file_location("actions_kernels", _where)
kernels = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(kernels)
JITTED = JittedTogether(kernels.KERNELS)


@pytest.mark.parametrize("name", kernels.KERNELS)
def test_kernels_agree_outside_and_inside_a_trace(name):
    """Under jit, in double precision: what NumPy gives to rounding."""
    function, arguments = kernels.KERNELS[name]
    plain = jax.tree.leaves(function(*arguments))
    traced = jax.tree.leaves(JITTED[name])
    assert len(plain) == len(traced)
    for one, other in zip(plain, traced, strict=True):
        assert np.asarray(one).dtype in (np.float64, np.bool_)
        assert np.asarray(other).dtype == np.asarray(one).dtype
        assert_close(other, one, rtol=1e-12, atol=1e-13)
