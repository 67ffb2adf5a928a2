"""Frames that turn in frames that turn."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from finite import derivative
from polhode.geometry.motion.angular_velocity import spatial_components
from polhode.geometry.rotations import rotation_chain, so3
from polhode.geometry.vector import skew
from strategies_rotation import applied, seeded_path

T = 0.3
LENGTHS = pytest.mark.parametrize("n", [2, 3, 4, 6])


class Chain:
    """n links R_k,k+1(t) = exp φ_k(t), with everything by differentiation."""

    def __init__(self, n: int, seed: int = 0):
        self.path, _ = seeded_path(count=n, seed=seed, scale=0.5)
        self.links = self.at(T)
        self.relative = self.relative_at(T)
        self.relative_rates = derivative(self.relative_at, T)

    def at(self, t):
        return so3.exp(self.path(t))

    def relative_at(self, t):
        """ω of k+1 seen from k, in the axes of k."""
        jacobian = so3.left_jacobian(self.path(t))
        return applied(jacobian, derivative(self.path, t))

    def ground_spin(self, t):
        """ω_1/0 ... ω_n/0 by differentiating the product of all links."""
        reached = rotation_chain.orientations(self.at(t))
        change = derivative(lambda t: rotation_chain.orientations(self.at(t)), t)
        return spatial_components(reached, change)

    def ground_acceleration(self):
        return derivative(self.ground_spin, T)


@LENGTHS
@pytest.mark.row("R-08")
def test_angular_velocities_add_along_a_chain(n):
    """ω_n/0 = Σ ω_k+1/k, for 2, 3 and more links."""
    for seed in range(5):
        chain = Chain(n, seed)
        got = rotation_chain.angular_velocities(chain.links, chain.relative)
        assert_close(got, chain.ground_spin(T), rtol=1e-10)
        for k, relative in enumerate(
            rotation_chain.in_ground_axes(chain.links, chain.relative)
        ):
            before = got[k - 1] if k else np.zeros(3)
            assert_close(got[k], relative + before, rtol=1e-12)


@pytest.mark.row("R-09")
def test_angular_accelerations_add_with_a_gyroscopic_term():
    """α_2/0 = α_2/1 + α_1/0 + ω_1/0 × ω_2/1 for relative rates; without the last
    term only rates seen from frame 0 add. The printed rule with relative α fails."""
    for seed in range(20):
        chain = Chain(2, seed)
        args = (chain.links, chain.relative, chain.relative_rates)
        exact = chain.ground_acceleration()
        assert_close(rotation_chain.angular_accelerations(*args), exact, rtol=1e-8)
        seen = rotation_chain.ground_accelerations(*args)

        def own_spin(t, chain=chain):
            return rotation_chain.in_ground_axes(chain.at(t), chain.relative_at(t))

        assert_close(seen, derivative(own_spin, T), rtol=1e-8)
        assert_close(seen.sum(axis=0), exact[-1], rtol=1e-8)
        one, two = rotation_chain.in_ground_axes(chain.links, chain.relative_rates)
        gyroscopic = np.cross(*rotation_chain.in_ground_axes(*args[:2]))
        assert_close(one + two + gyroscopic, exact[-1], rtol=1e-8)
        printed = one + two
        assert_close(exact[-1] - printed, gyroscopic, rtol=1e-6)
        assert np.max(np.abs(printed - exact[-1])) > 1e-4


@pytest.mark.row("R-10")
def test_rate_of_an_intermediate_rotation_tensor():
    """d/dt R12 = (Ω_2/1 + Ω_1/0) R12 - R12 Ω_1/0 as frame 0 sees it."""
    for seed in range(20):
        chain = Chain(2, seed)

        def tensor(t, chain=chain):
            R_01, R_12 = chain.at(t)
            return R_01 @ R_12 @ R_01.T  # R12 in the axes of 0

        spin_10, spin_21 = rotation_chain.in_ground_axes(chain.links, chain.relative)
        got = rotation_chain.intermediate_tensor_rate(tensor(T), spin_21, spin_10)
        assert_close(got, derivative(tensor, T), rtol=1e-10)


@pytest.mark.row("R-11")
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_a_sequence_of_n_rotations(n):
    """R_0n = R_n-1,n ... R_01 as tensors; ω sums; α sums with Σ ω_k/0 × ω_k+1/k."""
    for seed in range(5):
        chain = Chain(n, seed)
        args = (chain.links, chain.relative, chain.relative_rates)
        tensor, axes = np.eye(3), np.eye(3)
        for link in chain.links:
            tensor = (axes @ link @ axes.T) @ tensor  # each R_k,k+1 in the axes of 0
            axes = axes @ link
        reached = rotation_chain.orientations(chain.links)
        assert_close(tensor, reached[-1], rtol=1e-13)
        spin = rotation_chain.angular_velocities(*args[:2])
        assert_close(spin[-1], chain.ground_spin(T)[-1], rtol=1e-10)
        got = rotation_chain.angular_accelerations(*args)
        assert_close(got, chain.ground_acceleration(), rtol=1e-8)
        own = rotation_chain.in_ground_axes(*args[:2])
        total = rotation_chain.in_ground_axes(chain.links, chain.relative_rates).sum(0)
        total = total + sum(np.cross(spin[k - 1], own[k]) for k in range(1, n))
        assert_close(total, got[-1], rtol=1e-12)


def test_orientation_rate_follows_the_summed_spin():
    """Ṙ_0n = [ω_n/0] R_0n."""
    chain = Chain(4)
    reached = rotation_chain.orientations(chain.links)
    spin = rotation_chain.angular_velocities(chain.links, chain.relative)
    change = derivative(lambda t: rotation_chain.orientations(chain.at(t)), T)
    assert_close(skew(spin) @ reached, change, rtol=1e-10)
