"""The kernels of rotations as NumPy, as traces and as native code."""

from __future__ import annotations

import runpy
from pathlib import Path

import jax
import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from finite import derivative

KERNELS = runpy.run_path(str(Path(__file__).with_name("kernels_rotation.py")))[
    "KERNELS"
]

# These have the links of a chain, not a batch, along their first axis.
CHAINS = (
    "rotation_chain.orientations",
    "rotation_chain.ang",
    "rotation_chain.in_ground",
    "rotation_chain.ground",
    "rotation_increment.al",
)
SINGULAR = {
    "so3.exp": np.zeros(3),
    "so3.left_jacobian": np.zeros(3),
    "so3.left_jacobian_inverse": np.zeros(3),
    "so3.log": np.eye(3),
    "so3.log at a half turn": np.diag([-1.0, 1, -1]),
    "quaternion.exp": np.zeros(3),
    "quaternion.log": np.array([1.0, 0, 0, 0]),
    "quaternion.log at a half turn": np.array([0.0, 0.6, 0, 0.8]),
    "quaternion.from_matrix": np.eye(3),
    "axis_angle.from_matrix": np.eye(3),
    "rodrigues.from_matrix": np.diag([-1.0, 1, -1]),
    "modified_rodrigues.from_matrix": np.diag([-1.0, 1, -1]),
    "modified_rodrigues.switched": np.zeros(3),
    "euler_angles.from_matrix zxz": np.eye(3),
    "euler_angles.from_matrix zyx": np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]]),
    "euler_angles.body_rate_inverse zxz": np.zeros(3),
    "axis_angle dual_basis": np.array([0.0, 0, 1, 0]),
}


def directions_of(arguments):
    """A direction to differentiate along, of the shapes of the arguments."""
    rng = np.random.default_rng(0)
    return tuple(np.asarray(rng.normal(size=np.shape(a))) for a in arguments)


def flat(result):
    """All numbers of an array or of a tuple of arrays."""
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(result)])


@pytest.mark.long
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_and_its_slope_are_the_same_as_native_code(name):
    """Native code gives what NumPy gives, NumPy stays NumPy, the jvp is the slope."""
    function, arguments = KERNELS[name]
    directions = directions_of(arguments)

    def both(arguments, directions):
        return jax.jvp(function, arguments, directions)

    program = ph.compile(both, arguments, directions, backend="llvm")
    value, slope = program(arguments, directions)
    plain = function(*arguments)
    assert all(
        isinstance(leaf, (np.ndarray, np.float64)) for leaf in jax.tree.leaves(plain)
    )
    assert flat(value).dtype == np.float64
    assert_close(flat(value), flat(plain), rtol=1e-14, atol=1e-15)

    def along(h):
        moved = (a + h * d for a, d in zip(arguments, directions, strict=True))
        return flat(function(*moved))

    assert_close(flat(slope), derivative(along, 0.0), rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_takes_batches(name):
    """vmap traces, and a leading axis of the arguments is a batch."""
    function, arguments = KERNELS[name]
    stacked = tuple(np.stack([arg, arg]) for arg in arguments)
    plain = function(*arguments)
    with jax.enable_x64(True):
        shapes = jax.eval_shape(jax.vmap(function), *stacked)
    for shape, leaf in zip(
        jax.tree.leaves(shapes), jax.tree.leaves(plain), strict=True
    ):
        assert shape.shape == (2, *np.shape(leaf))
    if not name.startswith(CHAINS):
        both = jax.tree.leaves(function(*stacked))
        for many, one in zip(both, jax.tree.leaves(plain), strict=True):
            assert_close(many, np.stack([one, one]), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("name", SINGULAR)
def test_derivatives_are_finite_where_the_formula_divides_by_zero(name):
    """Forward and reverse agree and are finite at singular points."""
    function, point = KERNELS[name.split(" at ")[0]][0], SINGULAR[name]
    (direction,) = directions_of((point,))

    def both(point, direction):
        _, forward = jax.jvp(function, (point,), (direction,))
        _, pull = jax.vjp(function, point)
        return forward, pull(jax.tree.map(jax.numpy.ones_like, forward))[0]

    program = ph.compile(both, point, direction, backend="llvm", fold="ieee")
    forward, reverse = program(point, direction)
    assert np.all(np.isfinite(flat(forward)))
    backward = np.sum(reverse * direction)
    assert_close(np.sum(flat(forward)), backward, rtol=1e-12, atol=1e-12)
