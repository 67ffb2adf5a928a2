"""The papers' slider, and the straight guide."""

import numpy as np
import pytest

import polhode as ph
from closeness import assert_close
from polhode.joints.joint import freedoms

world = ph.World()
block = ph.Body("block", ph.solids.box(mass=1.0, x=0.1, y=0.2, z=0.3))
ends = (world.origin, block.origin)


@pytest.mark.row("C-04")
def test_a_slider_keeps_one_direction_and_all_rotation():
    """r = 4: two freedoms of translation; F_t = 0, F_n and any couple are carried."""
    slider = ph.Slider("slider", *ends, normal=ph.Z)
    q = np.array([0.3, -0.2])
    S, B = freedoms(slider, q), slider.reaction(q)
    assert_close(S, np.eye(6)[:, 3:5])
    assert_close(B, np.eye(6)[:, [0, 1, 2, 5]])
    assert np.linalg.matrix_rank(S) == 2
    assert_close(B.T @ S, np.zeros((4, 2)))
    assert_close(slider.pose(q)[1], [0.3, -0.2, 0.0])


@pytest.mark.row("C-04")
def test_a_guide_keeps_two_directions_and_all_rotation():
    """r = 5: one freedom, and only forces square to it."""
    guide = ph.Prismatic("guide", *ends, axis=ph.X)
    S, B = freedoms(guide, np.zeros(1)), guide.reaction(np.zeros(1))
    assert_close(S, np.eye(6)[:, 3:4])
    assert np.linalg.matrix_rank(S) == 1
    assert_close(B.T @ S, np.zeros((5, 1)))
    assert np.linalg.matrix_rank(B) == 5


@pytest.mark.row("C-04")
def test_in_plane_motion_a_slider_is_a_guide():
    """Of the slider's freedoms one lies in a plane with its normal: the guide's."""
    slider = ph.Slider("slider", *ends, normal=ph.Z)
    guide = ph.Prismatic("guide", *ends, axis=ph.X)
    # Plane motion in X and Z: turning about Y, translation along X and Z.
    in_plane = np.eye(6)[[1, 3, 5]]
    S_slider = in_plane @ freedoms(slider, np.zeros(2))
    S_guide = in_plane @ freedoms(guide, np.zeros(1))
    assert np.linalg.matrix_rank(S_slider) == 1
    assert_close(S_slider @ S_slider.T, S_guide @ S_guide.T)
