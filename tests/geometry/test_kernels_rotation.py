"""The kernels of rotations inside and outside a trace."""

from __future__ import annotations

import runpy
from pathlib import Path

import jax
import numpy as np
import pytest

from closeness import assert_close
from finite import derivative

KERNELS = runpy.run_path(str(Path(__file__).with_name("kernels_rotation.py")))[
    "KERNELS"
]

# These have the links of a chain, not a batch, along their first axis.
CHAINS = ("rotation_chain.orientations", "rotation_chain.ang", "rotation_increment.al")
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


DIRECTIONS = {
    name: np.random.default_rng(1).normal(size=point.shape)
    for name, point in SINGULAR.items()
}
# Compiled for one run each: time spent on optimising would be lost.
QUICK = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}


@pytest.fixture(scope="module")
def traced():
    """Value and directional derivative of every kernel, by one compiled function."""

    def everything(arguments, directions):
        return {
            name: jax.jvp(KERNELS[name][0], args, directions[name])
            for name, args in arguments.items()
        }

    arguments = {name: args for name, (_, args) in KERNELS.items()}
    directions = {name: directions_of(args) for name, args in arguments.items()}
    with jax.enable_x64(True):
        compiled = jax.jit(everything, compiler_options=QUICK)
        return jax.tree.map(np.asarray, compiled(arguments, directions))


def directions_of(arguments):
    """A direction to differentiate along, of the shapes of the arguments."""
    rng = np.random.default_rng(0)
    return tuple(np.asarray(rng.normal(size=np.shape(a))) for a in arguments)


def flat(result):
    """All numbers of an array or of a tuple of arrays."""
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(result)])


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_and_its_slope_are_the_same_inside_a_trace(traced, name):
    """jit gives what NumPy gives, NumPy stays NumPy, and the jvp is the derivative."""
    function, arguments = KERNELS[name]
    value, slope = traced[name]
    plain = function(*arguments)
    assert all(
        isinstance(leaf, (np.ndarray, np.float64)) for leaf in jax.tree.leaves(plain)
    )
    assert flat(value).dtype == np.float64
    assert_close(flat(value), flat(plain), rtol=1e-14, atol=1e-15)
    directions = directions_of(arguments)

    def along(h):
        moved = (a + h * d for a, d in zip(arguments, directions, strict=True))
        return flat(function(*moved))

    assert_close(flat(slope), derivative(along, 0.0), rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_takes_batches(name):
    """vmap and grad trace, and a leading axis of the arguments is a batch."""
    function, arguments = KERNELS[name]
    stacked = tuple(np.stack([arg, arg]) for arg in arguments)
    plain = function(*arguments)
    with jax.enable_x64(True):
        shapes = jax.eval_shape(jax.vmap(function), *stacked)
        jax.eval_shape(jax.jacrev(function), *arguments)
    for shape, leaf in zip(
        jax.tree.leaves(shapes), jax.tree.leaves(plain), strict=True
    ):
        assert shape.shape == (2, *np.shape(leaf))
    if not name.startswith(CHAINS):
        both = jax.tree.leaves(function(*stacked))
        for many, one in zip(both, jax.tree.leaves(plain), strict=True):
            assert_close(many, np.stack([one, one]), rtol=1e-14, atol=1e-15)


@pytest.fixture(scope="module")
def slopes():
    """Slopes at the singular points along one direction, forward and in reverse."""

    def both(points, directions):
        result = {}
        for name, point in points.items():
            function = KERNELS[name.split(" at ")[0]][0]
            _, forward = jax.jvp(function, (point,), (directions[name],))
            _, pull = jax.vjp(function, point)
            weights = jax.tree.map(jax.numpy.ones_like, forward)
            result[name] = forward, pull(weights)[0]
        return result

    with jax.enable_x64(True):
        compiled = jax.jit(both, compiler_options=QUICK)
        return jax.tree.map(np.asarray, compiled(SINGULAR, DIRECTIONS))


@pytest.mark.parametrize("name", SINGULAR)
def test_derivatives_are_finite_where_the_formula_divides_by_zero(slopes, name):
    """Forward and reverse agree and are finite at singular points."""
    forward, reverse = slopes[name]
    assert np.all(np.isfinite(flat(forward)))
    backward = np.sum(reverse * DIRECTIONS[name])
    assert_close(np.sum(flat(forward)), backward, rtol=1e-12, atol=1e-12)
