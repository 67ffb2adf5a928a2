"""Random columns, screws, frames and smooth motions for the tests of geometry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from polhode.geometry import se3
from polhode.geometry.frame import Frame
from polhode.geometry.motion.moving_frame import MovingFrame
from polhode.geometry.pose import Pose
from polhode.geometry.rotations import so3
from polhode.geometry.rotations.rotation import Rotation

seeds = st.integers(0, 2**32 - 1)
generators = st.builds(np.random.default_rng, seeds)
numbers = st.floats(-10, 10).filter(lambda x: x == 0 or abs(x) > 1e-6)
columns = st.lists(numbers, min_size=3, max_size=3).map(np.array)
times = st.floats(-2, 2)


def rotation_matrix(rng: np.random.Generator) -> np.ndarray:
    """Any rotation."""
    return so3.exp(random_direction(rng) * rng.uniform(0, np.pi))


def random_direction(rng: np.random.Generator) -> np.ndarray:
    """A unit column, evenly over the sphere."""
    column = rng.normal(size=3)
    return column / np.linalg.norm(column)


def displacement_matrix(rng: np.random.Generator) -> np.ndarray:
    """Any rigid displacement of scale one."""
    return se3.displacement(rotation_matrix(rng), rng.normal(size=3))


def pose_between(rng: np.random.Generator, *, of: Frame, seen_from: Frame) -> Pose:
    """Any pose of one frame seen from another."""
    return Pose(rotation_between(rng, of=of, seen_from=seen_from), rng.normal(size=3))


def rotation_between(
    rng: np.random.Generator, *, of: Frame, seen_from: Frame
) -> Rotation:
    """Any rotation of one frame seen from another."""
    return Rotation(rotation_matrix(rng), of=of, seen_from=seen_from)


@dataclass(frozen=True)
class Motion:
    """A smooth motion of a frame: R(t) = exp(a t + b sin t) exp(c t^2), and p(t)."""

    turns: np.ndarray
    shifts: np.ndarray

    @staticmethod
    def random(rng: np.random.Generator) -> Motion:
        """Speeds and lengths of scale one."""
        return Motion(rng.normal(size=(3, 3)) * 0.5, rng.normal(size=(3, 3)))

    def rotation(self, t):
        """R_AB at t."""
        a, b, c = self.turns
        sine = np.sin(t) if isinstance(t, float) else _sine(t)
        return so3.exp(a * t + b * sine) @ so3.exp(c * (1 + t**2))

    def place(self, t):
        """p_AoBo_A at t."""
        a, b, c = self.shifts
        sine = np.sin(t) if isinstance(t, float) else _sine(t)
        return a + b * sine + c * t**2

    def matrix(self, t):
        """X_AB at t, 4x4."""
        return se3.displacement(self.rotation(t), self.place(t))

    def placement(self, t):
        """(R_AB, p_AoBo_A) at t."""
        return self.rotation(t), self.place(t)


def _sine(t):
    import jax.numpy as jnp

    return jnp.sin(t)


def random_moving_frame(rng: np.random.Generator) -> MovingFrame:
    """A frame moving anyhow at one instant."""
    return MovingFrame(rotation_matrix(rng), *rng.normal(size=(5, 3)))
