"""Laws of frames and points in motion to second order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.geometry.motion import moving_frame, path
from polhode.geometry.motion.moving_frame import MovingFrame
from strategies_geometry import Motion, generators, random_moving_frame


@given(generators)
def test_motions_compose_as_a_group(rng):
    """Composition is associative, and the inverse undoes it to second order."""
    AB, BC, CD = (random_moving_frame(rng) for _ in range(3))
    left = moving_frame.compose(moving_frame.compose(AB, BC), CD)
    right = moving_frame.compose(AB, moving_frame.compose(BC, CD))
    for one, other in zip(left, right, strict=True):
        assert_close(one, other, atol=1e-12)
    nothing = moving_frame.compose(AB, moving_frame.inverse(AB))
    still = MovingFrame(np.eye(3), *np.zeros((5, 3)))
    for one, other in zip(nothing, still, strict=True):
        assert_close(one, other, atol=1e-13)


@pytest.mark.row("K-13")
def test_relative_rates_along_a_chain_of_four():
    """Rotations, spins and angular accelerations of a chain, against differentiation.

    The printed alpha20 = alpha21 + alpha10 misses w10 x w21 when alpha21 is the rate
    that frame 1 sees.
    """
    for seed in range(5):
        rng = np.random.default_rng(seed)
        motions = [Motion.random(rng) for _ in range(4)]

        def product(t, motions=motions):
            X = motions[0].matrix(t)
            for motion in motions[1:]:
                X = X @ motion.matrix(t)
            return X[:3, :3], X[:3, 3]

        direct = path.moving_frame(product, 0.3)
        links = [path.moving_frame(motion.placement, 0.3) for motion in motions]
        chain = links[0]
        for link in links[1:]:
            chain = moving_frame.compose(chain, link)
        for one, other in zip(chain, direct, strict=True):
            assert_close(one, other, rtol=1e-10)
        first, second = links[:2]
        pair = moving_frame.compose(first, second)
        printed = (
            first.angular_acceleration + first.rotation @ second.angular_acceleration
        )
        missing = np.cross(
            first.angular_velocity, first.rotation @ second.angular_velocity
        )
        assert np.max(np.abs(printed - pair.angular_acceleration)) > 1e-3
        assert_close(printed + missing, pair.angular_acceleration)
