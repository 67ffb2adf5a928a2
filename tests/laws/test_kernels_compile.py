"""Every kernel of every room becomes native code, and stays the same function."""

from __future__ import annotations

import runpy
from pathlib import Path

import jax
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close

TESTS = Path(__file__).parents[1]
FILES = sorted(TESTS.glob("*/kernels*.py"))

# What is not compiled here, and why.
EXCLUDED: dict[str, str] = {}


def registered() -> dict[str, tuple]:
    """All kernels of all rooms, as "room: name"."""
    found = {}
    for file in FILES:
        for name, kernel in runpy.run_path(str(file))["KERNELS"].items():
            found[f"{file.parent.name}: {name}"] = kernel
    return found


KERNELS = registered()


def test_every_room_that_has_kernels_lists_them():
    """Geometry, matter and actions are here; what is excluded exists."""
    rooms = {file.parent.name for file in FILES}
    assert {"geometry", "matter", "actions"} <= rooms
    assert set(EXCLUDED) <= set(KERNELS)


@pytest.mark.parametrize("name", [k for k in KERNELS if k not in EXCLUDED])
def test_a_kernel_is_native_code_that_agrees_with_numpy(name):
    """No fallback, no primitive without a rule; NumPy's numbers to rounding."""
    function, arguments = KERNELS[name]
    program = ph.compile(function, *arguments, backend="llvm")
    assert program.report().backend == "llvm"
    native = jax.tree.leaves(program(*arguments))
    plain = jax.tree.leaves(function(*arguments))
    assert len(native) == len(plain)
    finite = [np.where(np.isfinite(leaf), leaf, 0.0) for leaf in plain]
    # A residual is a small difference of numbers as large as the arguments.
    given = [np.asarray(leaf, float) for leaf in jax.tree.leaves(arguments)]
    scale = max(np.max(np.abs(leaf), initial=0.0) for leaf in (*finite, *given))
    for ours, theirs, limited in zip(native, plain, finite, strict=True):
        # An infinity is a value: a joint that is never singular is so far from it.
        infinite = ~np.isfinite(theirs)
        assert np.array_equal(np.asarray(ours)[infinite], np.asarray(theirs)[infinite])
        ours = np.where(infinite, 0.0, ours)
        assert_close(ours, limited, rtol=1e-12, atol=1e-14 * scale)
