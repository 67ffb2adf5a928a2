"""Laws of relative motion, term by term."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.geometry.motion import path
from polhode.geometry.motion.moving_frame import MovingFrame, MovingPoint, see_point
from polhode.geometry.motion.relative_motion import (
    acceleration_terms,
    apparent_accelerations,
    velocity_terms,
)
from polhode.geometry.vector import cross, dot
from strategies_geometry import Motion, generators, random_moving_frame


def random_point(rng):
    """A point moving anyhow before the moving frame."""
    return MovingPoint(*rng.normal(size=(3, 3)))


@pytest.fixture(scope="module")
def carried():
    """Frames and points with analytic motions, and the composed path's derivatives."""
    cases = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        frame, point = Motion.random(rng), Motion.random(rng)

        def composed(t, frame=frame, point=point):
            return frame.rotation(t) @ point.place(t) + frame.place(t)

        cases.append(
            (
                path.moving_frame(frame.placement, 0.3),
                path.moving_point(point.place, 0.3),
                path.moving_point(composed, 0.3),
            )
        )
    return cases


@pytest.mark.row("K-11")
def test_velocity_is_drag_and_relative_velocity(carried):
    """v0 = v_O1 + v1 + w x d is the derivative of the composed path."""
    for frame, point, seen in carried:
        terms = velocity_terms(frame, point)
        assert_close(terms.total, seen.velocity, rtol=1e-10)
        fixed = MovingPoint(point.place, np.zeros(3), np.zeros(3))
        assert_close(terms.drag, see_point(frame, fixed).velocity)
        assert_close(terms.relative, frame.rotation @ point.velocity)


@pytest.mark.row("K-12")
def test_acceleration_is_the_sum_of_five_terms(carried):
    """Origin, relative, tangential, Coriolis, centripetal: the second derivative."""
    for frame, point, seen in carried:
        terms = acceleration_terms(frame, point)
        assert_close(sum(terms), seen.acceleration, rtol=1e-10)
        assert_close(terms.total, seen.acceleration, rtol=1e-10)
        assert_close(see_point(frame, point).acceleration, terms.total, rtol=1e-13)
        fixed = MovingPoint(point.place, np.zeros(3), np.zeros(3))
        assert_close(terms.drag, see_point(frame, fixed).acceleration, rtol=1e-13)


@pytest.mark.row("K-12")
@given(generators)
def test_what_tangential_and_centripetal_refer_to(rng):
    """alpha x d is normal to alpha and d; the centripetal term is -|w|^2 d_perp."""
    frame, point = random_moving_frame(rng), random_point(rng)
    terms = acceleration_terms(frame, point)
    w, d = frame.angular_velocity, frame.rotation @ point.place
    across = d - w * dot(w, d) / dot(w, w)
    assert_close(terms.centripetal, -dot(w, w) * across, rtol=1e-12)
    assert_close(dot(terms.tangential, d), 0.0, atol=1e-13)
    alpha = frame.angular_acceleration
    assert_close(dot(terms.tangential, alpha), 0.0, atol=1e-13)
    v_BP = frame.rotation @ point.velocity
    assert_close(terms.coriolis, 2 * cross(w, v_BP))


@given(generators)
def test_apparent_accelerations_close_the_balance(rng):
    """a_BP = a_AP + apparent ones: the opposites of the terms that B does not see."""
    frame, point = random_moving_frame(rng), random_point(rng)
    terms = acceleration_terms(frame, point)
    apparent = apparent_accelerations(frame, point)
    assert_close(terms.total + apparent.total, terms.relative, atol=1e-13)
    w, d = frame.angular_velocity, frame.rotation @ point.place
    assert dot(apparent.centrifugal, d) >= 0  # outwards
    assert_close(dot(apparent.coriolis, frame.rotation @ point.velocity), 0, atol=1e-13)
    assert_close(dot(apparent.centrifugal, w), 0, atol=1e-13)


def test_a_stone_at_rest_seen_from_a_turntable():
    """At rest outside, it circles backwards inside: the apparent forces add to that.

    w = 2 about z, d = 3 along x: seen from the table v = -w x d, a = w x (w x d).
    """
    zero = np.zeros(3)
    table = MovingFrame(np.eye(3), zero, np.array([0, 0, 2.0]), zero, zero, zero)
    stone = MovingPoint(*np.array([[3.0, 0, 0], [0, -6.0, 0], [-12.0, 0, 0]]))
    assert_close(velocity_terms(table, stone).total, zero)
    assert_close(acceleration_terms(table, stone).total, zero)
    apparent = apparent_accelerations(table, stone)
    assert_close(apparent.centrifugal, [12.0, 0, 0])
    assert_close(apparent.coriolis, [-24.0, 0, 0])


def test_terms_pass_through_jit_and_vmap():
    """The tuples are trees of arrays: a batch of motions gives a batch of terms."""
    rng = np.random.default_rng(1)
    frames = [random_moving_frame(rng) for _ in range(3)]
    points = [random_point(rng) for _ in range(3)]
    with jax.enable_x64(True):
        batch = jax.jit(jax.vmap(acceleration_terms))(
            MovingFrame(*map(np.stack, zip(*frames, strict=True))),
            MovingPoint(*map(np.stack, zip(*points, strict=True))),
        )
    for k, (frame, point) in enumerate(zip(frames, points, strict=True)):
        assert_close(batch.coriolis[k], acceleration_terms(frame, point).coriolis)
