"""The ball and socket."""

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from strategies_geometry import generators, rotation_matrix
from strategies_joints import random_coordinates


@given(generators)
@pytest.mark.row("C-06")
def test_a_ball_gives_opposite_forces_and_no_couple_at_the_joint(rng):
    """r = 3, at any points of two bodies; about the mass centres moments differ.

    M = 0 at the joint, so the two moments about the mass centres are the arms' own:
    they are not opposite, while the forces are.
    """
    boxes = [ph.solids.box(mass=1.0, x=0.1, y=0.2, z=0.3) for _ in range(2)]
    left, right = (ph.Body(n, b) for n, b in zip("ab", boxes, strict=True))
    seats = rng.normal(size=(2, 3))
    ball = ph.Spherical("ball", left.point(*seats[0]), right.point(*seats[1]))
    q = random_coordinates(ball, rng)
    assert np.linalg.matrix_rank(ball.reaction(q)) == 3
    wrench_M = ball.reaction(q) @ rng.normal(size=3)
    assert_close(wrench_M[:3], np.zeros(3))

    R_WB = rotation_matrix(rng)
    R_WM = R_WB @ ball.pose(q)[0]
    force_on_right = R_WM @ wrench_M[3:]
    force_on_left = -force_on_right
    # Arms from the mass centres, the bodies' origins, to the joint.
    moment_right = np.cross(R_WM @ seats[1], force_on_right)
    moment_left = np.cross(R_WB @ seats[0], force_on_left)
    lever = R_WM @ seats[1] - R_WB @ seats[0]
    assert_close(
        moment_left + moment_right, np.cross(lever, force_on_right), atol=1e-12
    )
    assert np.linalg.norm(moment_left + moment_right) > 1e-6


@given(generators)
def test_both_signs_of_the_quaternion_are_one_pose(rng):
    """q and -q: the same rotation, the same way back."""
    body = ph.Body("body", ph.solids.sphere(mass=1.0, radius=0.1))
    ball = ph.Spherical("ball", ph.World().origin, body.origin)
    q = random_coordinates(ball, rng)
    assert_close(ball.pose(-q)[0], ball.pose(q)[0])
    back = ball.coordinates_from(*ball.pose(-q))
    assert back[0] >= 0
