"""Random columns, bodies and motions for the tests of actions."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from polhode.actions.motion_arrays import Poses, Twists

seeds = st.integers(0, 2**32 - 1)


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    """A rotation matrix, even over SO(3)."""
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def random_poses(rng: np.random.Generator, bodies: int) -> Poses:
    """Bodies anywhere, turned anyhow."""
    turns = np.stack([random_rotation(rng) for _ in range(bodies)])
    return Poses(turns, rng.normal(size=(bodies, 3)))


def random_twists(rng: np.random.Generator, bodies: int) -> Twists:
    """Bodies moving anyhow."""
    return Twists(rng.normal(size=(bodies, 3)), rng.normal(size=(bodies, 3)))


def moved(poses: Poses, twists: Twists, time: float) -> Poses:
    """The bodies after `time`: straight lines, and steady turning about fixed axes."""
    turns = [
        turning(w, time) @ R
        for w, R in zip(twists.angular, poses.rotations, strict=True)
    ]
    return Poses(np.stack(turns), poses.origins + time * twists.linear)


def turning(spin: np.ndarray, time: float) -> np.ndarray:
    """exp([spin] time), by the formula of Rodrigues."""
    angle = np.linalg.norm(spin) * time
    x, y, z = spin / np.linalg.norm(spin)
    n = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * n + (1 - np.cos(angle)) * n @ n


columns = st.builds(lambda s: np.random.default_rng(s).normal(size=3), seeds)
generators = st.builds(np.random.default_rng, seeds)
