"""Laws of rates: who looks is part of the rate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.errors import FrameMismatch
from polhode.geometry.frame import Frame
from polhode.geometry.motion.angular_velocity import AngularVelocity, body_components
from polhode.geometry.motion.rate import Rate
from polhode.geometry.vector import Dyadic, Vector, cross
from strategies_geometry import Motion, generators

A, B, C = Frame("A"), Frame("B"), Frame("C")
T = 0.35


def moving(rng):
    """A rotating frame B, and its angular velocity written in B."""
    motion = Motion.random(rng)
    w = body_components(motion.rotation(T), derivative(motion.rotation, T))
    return motion, AngularVelocity(Vector(w, B), of=B, seen_from=A)


def smooth(rng, shape):
    """A smooth function of time with values of a shape."""
    a, b, c = rng.normal(size=(3, *shape))
    return lambda t: a + b * np.sin(t) + c * t**2


@pytest.mark.row("K-15", "CV-05")
@given(generators)
def test_transport_theorem_of_vectors(rng):
    """Rate seen from A = rate seen from B + w_AB x vector, and back."""
    motion, w_AB = moving(rng)
    in_B = smooth(rng, (3,))
    seen_from_A = derivative(lambda t: motion.rotation(t) @ in_B(t), T)
    vector = Vector(in_B(T), B)
    rate_B = Rate(vector, Vector(derivative(in_B, T), B), seen_from=B)
    rate_A = rate_B.seen_by(w_AB)
    assert rate_A.seen_from is A
    assert_close(rate_A.value, motion.rotation(T).T @ seen_from_A, rtol=1e-9)
    # The two operators that one book both writes 0d/dt differ by w x vector.
    difference = np.asarray(rate_A.value) - np.asarray(rate_B.value)
    assert_close(difference, cross(w_AB.vector.components, in_B(T)), atol=1e-13)
    assert_close(rate_A.seen_by(w_AB).value, rate_B.value, atol=1e-13)


@pytest.mark.row("K-15")
@given(generators)
def test_a_vector_fixed_in_a_frame_has_no_rate_there(rng):
    """B's rate of a vector fixed in B is zero, A's is w x vector."""
    motion, w_AB = moving(rng)
    column = rng.normal(size=3)
    seen_from_A = derivative(lambda t: motion.rotation(t) @ column, T)
    rate_A = Rate(
        Vector(column, B), Vector(motion.rotation(T).T @ seen_from_A, B), seen_from=A
    )
    assert_close(rate_A.seen_by(w_AB).value, np.zeros(3), atol=1e-9)


@pytest.mark.row("K-17")
@given(generators)
def test_transport_theorem_of_dyadics(rng):
    """Rate seen from A = rate seen from B + [w] T - T [w]."""
    motion, w_AB = moving(rng)
    in_B = smooth(rng, (3, 3))

    def in_A(t):
        R = motion.rotation(t)
        return R @ in_B(t) @ R.T

    R = motion.rotation(T)
    dyadic = Dyadic(in_B(T), B)
    rate_B = Rate(dyadic, Dyadic(derivative(in_B, T), B), seen_from=B)
    rate_A = rate_B.seen_by(w_AB)
    assert_close(rate_A.value, R.T @ derivative(in_A, T) @ R, rtol=1e-9)
    still = Rate(Dyadic.identity(B), Dyadic(np.zeros((3, 3)), B), seen_from=B)
    assert_close(still.seen_by(w_AB).value, np.zeros((3, 3)), atol=1e-15)


def test_only_the_two_observers_exchange_rates():
    """An angular velocity between other frames moves no rate."""
    rate = Rate(Vector([1, 0, 0], B), Vector([0, 0, 0], B), seen_from=C)
    w_AB = AngularVelocity(Vector([0, 0, 1], B), of=B, seen_from=A)
    with pytest.raises(FrameMismatch, match="a rate seen from 'C' cannot be moved"):
        rate.seen_by(w_AB)
    assert repr(rate) == "Rate(Vector([0, 0, 0], 'B'), seen_from='C')"
    with pytest.raises(FrameMismatch, match="take the rate of"):
        Rate(Vector([1, 0, 0], B), Vector([0, 0, 0], A), seen_from=C)


def test_rates_are_compared_with_their_observer():
    """The same numbers before another observer are another rate."""
    arm, value = Vector([1, 0, 0], A), Vector([0, 2, 0], A)
    rate = Rate(arm, value, seen_from=A)
    assert rate.is_close(Rate(arm, value * (1 + 1e-14), seen_from=A))
    assert not rate.is_close(Rate(arm, value * 1.1, seen_from=A))
    assert not rate.is_close(Rate(arm * 2, value, seen_from=A))
    with pytest.raises(FrameMismatch, match="compare"):
        rate.is_close(Rate(arm, value, seen_from=B))
