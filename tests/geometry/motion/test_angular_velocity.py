"""Laws of the angular velocity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.errors import FrameMismatch
from polhode.geometry.frame import Frame
from polhode.geometry.motion.angular_velocity import (
    AngularVelocity,
    body_components,
    from_axes,
    spatial_components,
)
from polhode.geometry.vector import Vector, cross, permutation_symbol, skew
from strategies_geometry import Motion, generators, rotation_between

A, B, C = Frame("A"), Frame("B"), Frame("C")
EPS = permutation_symbol()


@pytest.mark.row("K-07", "P-02")
@given(generators)
def test_angular_velocity_of_a_rotation(rng):
    """Rdot R^T is skew, Rdot = [w] R, w = -1/2 eps[Rdot R^T], and da/dt = w x a."""
    motion, a0 = Motion.random(rng), rng.normal(size=3)
    R, R_dot = motion.rotation(0.4), derivative(motion.rotation, 0.4)
    spin = R_dot @ R.T
    assert_close(spin + spin.T, np.zeros((3, 3)), atol=1e-10)
    w = spatial_components(R, R_dot)
    assert_close(skew(w) @ R, R_dot, rtol=1e-9)
    assert_close(-np.einsum("ipq,pq", EPS, spin) / 2, w, rtol=1e-9)
    a_dot = derivative(lambda t: motion.rotation(t) @ a0, 0.4)
    assert_close(cross(w, R @ a0), a_dot, rtol=1e-9)
    assert_close(R @ body_components(R, R_dot), w, rtol=1e-9)


@pytest.mark.row("K-22")
@given(generators)
def test_three_routes_to_the_angular_velocity(rng):
    """1/2 e_i x edot_i, 1/2 eps_pqr (R Rdot^T)_pq and 1/2 eps_pqr (Rdot^T R)_pq agree.

    The printed 1/2 eps_pqr (R^T Rdot)_pq, read literally, gives minus the body
    components: neither of the two.
    """
    motion = Motion.random(rng)
    R, R_dot = motion.rotation(0.4), derivative(motion.rotation, 0.4)
    w_A, w_B = spatial_components(R, R_dot), body_components(R, R_dot)
    assert_close(from_axes(R.T, R_dot.T), w_A, rtol=1e-9)
    assert_close(np.einsum("pqr,pq", EPS, R @ R_dot.T) / 2, w_A, rtol=1e-9)
    assert_close(np.einsum("pqr,pq", EPS, R_dot.T @ R) / 2, w_B, rtol=1e-9)
    printed = np.einsum("pqr,pq", EPS, R.T @ R_dot) / 2
    assert np.max(np.abs(printed - w_A)) > 1e-3 * np.max(np.abs(w_A))
    assert_close(printed, -w_B, rtol=1e-9)


@given(generators)
def test_angular_velocities_add_along_a_chain(rng):
    """w_AC = w_AB + w_BC and w_BA = -w_AB, once written in one frame."""
    w_AB = AngularVelocity(Vector(rng.normal(size=3), B), of=B, seen_from=A)
    w_BC = AngularVelocity(Vector(rng.normal(size=3), B), of=C, seen_from=B)
    w_AC = w_AB + w_BC
    assert (w_AC.of, w_AC.seen_from) == (C, A)
    assert_close(w_AC.vector, np.asarray(w_AB.vector) + np.asarray(w_BC.vector))
    assert_close((w_AC + w_BC.reversed()).vector, w_AB.vector, atol=1e-14)
    R_AB = rotation_between(rng, of=B, seen_from=A)
    assert w_AC.written_in(R_AB).vector.is_close(w_AC.vector.written_in(R_AB))


def test_chains_must_join():
    """AB and AC do not join, and the refusal names all frames."""
    w_AB = AngularVelocity(Vector([0, 0, 1], A), of=B, seen_from=A)
    w_AC = AngularVelocity(Vector([0, 0, 1], A), of=C, seen_from=A)
    with pytest.raises(FrameMismatch, match=r"motion of 'B' seen from 'A' and one of"):
        w_AB + w_AC
    expected = "AngularVelocity(Vector([0, 0, 1], 'A'), of='B', seen_from='A')"
    assert repr(w_AB) == expected


def test_angular_velocities_are_compared_with_their_frames():
    """Equal numbers of other frames are refused, other numbers are not close."""
    a, b, c = Frame("a"), Frame("b"), Frame("c")
    turning = AngularVelocity(Vector([0, 0, 2.0], a), of=b, seen_from=a)
    nearly = AngularVelocity(Vector([0, 0, 2 + 1e-13], a), of=b, seen_from=a)
    assert turning.is_close(nearly)
    faster = AngularVelocity(Vector([0, 0, 2.1], a), of=b, seen_from=a)
    assert not turning.is_close(faster)
    assert turning.is_close(faster, atol=0.2)
    with pytest.raises(FrameMismatch, match="compare"):
        turning.is_close(AngularVelocity(Vector([0, 0, 2], a), of=c, seen_from=a))
