"""Draws of rotations: Hypothesis strategies, and seeded batches for batched kernels."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from polhode.geometry.rotations import quaternion, so3
from polhode.geometry.rotations.euler_angles import SEQUENCES

COUNT = 24
ANGLES = (1e-300, 1e-160, 1e-12, 1e-6, 1e-3, 0.5, 1.0, 2.0, 3.0, np.pi - 1e-9, np.pi)


def numbers(largest: float = 3.0) -> st.SearchStrategy[float]:
    """Finite numbers, with zero, neither huge nor subnormal."""
    return st.floats(-largest, largest, allow_subnormal=False)


@st.composite
def columns(draw, size: int = 3, largest: float = 3.0):
    """A column of real numbers."""
    return np.array([draw(numbers(largest)) for _ in range(size)])


@st.composite
def unit_vectors(draw, size: int = 3):
    """A direction, the basis axes and nearly parallel ones among them."""
    column = draw(columns(size, 1.0).filter(lambda v: np.linalg.norm(v) > 1e-3))
    return column / np.linalg.norm(column)


@st.composite
def rotation_vectors(draw, largest: float = np.pi):
    """θ n with the angle anywhere from 1e-300 to `largest`, often extreme."""
    usual = st.floats(0.0, largest, allow_subnormal=False)
    extreme = st.sampled_from([angle for angle in ANGLES if angle <= largest])
    return draw(st.one_of(usual, extreme)) * draw(unit_vectors())


def rotations():
    """Rotation matrices, the identity and half turns among them."""
    return rotation_vectors().map(so3.exp)


def unit_quaternions():
    """Unit quaternions of both signs."""
    return unit_vectors(size=4)


def sequences():
    """One of the twelve sequences of Euler angles."""
    return st.sampled_from(SEQUENCES)


def generator(seed: int = 0) -> np.random.Generator:
    """A seeded source of numbers."""
    return np.random.default_rng(seed)


def seeded_quaternions(count: int = COUNT, seed: int = 0) -> np.ndarray:
    """Unit quaternions (count, 4), spread evenly over the rotations."""
    return quaternion.normalised(generator(seed).standard_normal((count, 4)))


def seeded_rotations(count: int = COUNT, seed: int = 0) -> np.ndarray:
    """Rotation matrices (count, 3, 3), spread evenly."""
    return quaternion.to_matrix(seeded_quaternions(count, seed))


def seeded_columns(count: int = COUNT, size: int = 3, seed: int = 1) -> np.ndarray:
    """Columns (count, size) of normal numbers."""
    return generator(seed).standard_normal((count, size))


def seeded_path(count: int = COUNT, size: int = 3, seed: int = 2, scale: float = 0.6):
    """A smooth function t -> (count, size) and its exact rate."""
    a, b, c = generator(seed).standard_normal((3, count, size)) * scale

    def path(t: float) -> np.ndarray:
        return a + b * np.sin(t) + c * np.cos(2 * t) / 2

    def rate(t: float) -> np.ndarray:
        return b * np.cos(t) - c * np.sin(2 * t)

    return path, rate


def transposed(matrix: np.ndarray) -> np.ndarray:
    """The transposes of a batch of matrices."""
    return np.swapaxes(matrix, -1, -2)


def applied(matrix: np.ndarray, column: np.ndarray) -> np.ndarray:
    """A batch of matrices times a batch of columns."""
    return np.einsum("...ij,...j->...i", matrix, column)
