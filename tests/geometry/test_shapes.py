"""Kernels of geometry take and give arrays of the shapes that they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import jax
import numpy as np
import pytest

from polhode.geometry import se3, transport
from polhode.geometry.rotations.rotation_chain import in_ground_axes
from shapes import WrongShape, held, hints_of, shapes_held

HERE = Path(__file__).parent
KERNELS = {
    **runpy.run_path(str(HERE / "kernels.py"))["KERNELS"],
    **runpy.run_path(str(HERE / "kernels_rotation.py"))["KERNELS"],
}
CHAINS = ("rotation_chain", "rotation_increment.al")  # no batches: links come first


def test_every_kernel_has_its_shapes():
    """In NumPy, in a trace and, where leading axes are batches, of several at once."""
    with shapes_held("geometry") as count:
        assert count > 100
        for name, (function, arguments) in KERNELS.items():
            hints = hints_of(function)
            kernel = held(function, hints) if hints else function
            kernel(*arguments)
            with jax.enable_x64(True):
                jax.eval_shape(kernel, *arguments)
            if hints and not name.startswith(CHAINS):
                kernel(*(np.stack([a, a]) if np.ndim(a) else a for a in arguments))


def test_another_shape_is_met():
    """A screw in place of a vector, links of two lengths, and a wrong answer."""
    with shapes_held("geometry"):
        with pytest.raises(WrongShape, match="p_PQ of"):
            transport.shift_velocity(np.zeros(3), np.zeros(3), np.zeros((3, 1)))
        with pytest.raises(WrongShape, match="screw of"):
            se3.exp(np.zeros(3))
    kernel = held(in_ground_axes, hints_of(in_ground_axes))
    with pytest.raises(WrongShape, match="columns"):
        kernel(np.stack([np.eye(3)] * 2), np.zeros((3, 3)))
    false = held(lambda screw: screw[:3], {"return": hints_of(se3.exp)["screw"]})
    with pytest.raises(WrongShape, match="gives"):
        false(np.zeros(6))
