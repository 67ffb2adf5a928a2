"""Every kernel of every room becomes native code, and stays the same function."""

from __future__ import annotations

import runpy
from pathlib import Path

import jax
import numpy as np
import pytest

from closeness import assert_close
from compiled_together import CompiledTogether
from room_functions import public_functions, reached
from uncompiled import UNCOMPILED

TESTS = Path(__file__).parents[1]
FILES = sorted(TESTS.glob("*/kernels*.py"))
ROOMS = ("geometry", "matter", "actions")


def registered(*rooms: str) -> dict[str, tuple]:
    """All kernels of these rooms, or of every room, as "room: name"."""
    found = {}
    for file in FILES:
        if rooms and file.parent.name not in rooms:
            continue
        for name, kernel in runpy.run_path(str(file))["KERNELS"].items():
            found[f"{file.parent.name}: {name}"] = kernel
    return found


KERNELS = registered()
NATIVE = CompiledTogether(KERNELS)


def test_every_public_function_is_compiled_or_says_why_not():
    """A kernel runs each one, or one table gives a reason; never both."""
    public = public_functions(*ROOMS)
    # Made afresh: a function that JAX has compiled would not run again.
    kernels = registered(*ROOMS).values()
    with reached() as codes:
        for function, arguments in kernels:
            function(*arguments)
    compiled = {name for name, f in public.items() if f.__code__ in codes}
    left = public.keys() - compiled
    assert left - UNCOMPILED.keys() == set(), "add a kernel, or a reason"
    assert UNCOMPILED.keys() - left == set(), "compiled or gone: strike the reason"


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_native_code_that_agrees_with_numpy(name):
    """No fallback, no primitive without a rule; NumPy's numbers to rounding."""
    function, arguments = KERNELS[name]
    native = jax.tree.leaves(NATIVE[name])
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
