"""Joints take and give arrays of the shapes that their contract says."""

from __future__ import annotations

import runpy
from pathlib import Path

import jax
import numpy as np
import pytest

from shapes import WrongShape, shapes_held
from strategies_joints import JOINTS

KERNELS = runpy.run_path(str(Path(__file__).with_name("kernels.py")))["KERNELS"]


def test_every_joint_has_its_shapes():
    """All questions of all kinds of joints, in NumPy and in a trace."""
    with shapes_held("joints", "geometry") as count:
        assert count > 100
        for function, arguments in KERNELS.values():
            function(*arguments)
            with jax.enable_x64(True):
                jax.eval_shape(function, *arguments)


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: type(joint).__name__)
def test_a_pose_of_another_shape_is_met(joint):
    """A displacement in place of a rotation."""
    with shapes_held("joints"), pytest.raises(WrongShape, match="R_FM"):
        joint.residual(np.eye(4), np.zeros(3))
