"""Laws of trees of moving frames."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.motion import path
from polhode.geometry.motion.frame_motion import FrameMotion
from polhode.geometry.motion.frame_tree import FrameTree
from polhode.geometry.point import Point
from strategies_geometry import Motion, generators, pose_between

ROOM, TABLE, LAMP, HAND = (Frame(name) for name in ("room", "table", "lamp", "hand"))
FRAMES = (ROOM, TABLE, LAMP, HAND)


def random_tree(rng):
    """room <- table <- hand, room <- lamp, all moving."""
    links = [(TABLE, ROOM), (LAMP, ROOM), (HAND, TABLE)]
    return FrameTree(
        FrameMotion(
            pose_between(rng, of=of, seen_from=seen_from), *rng.normal(size=(4, 3))
        )
        for of, seen_from in links
    )


@pytest.mark.row("K-10")
@given(generators)
def test_positions_do_not_depend_on_the_route(rng):
    """P - O0 = (O1 - O0) + (P - O1): any way through the tree ends at one place."""
    tree, point = random_tree(rng), Point(HAND, rng.normal(size=3))
    for seen_from in FRAMES:
        direct = tree.position(point, seen_from=seen_from)
        for through in FRAMES:
            there = tree.position(point, seen_from=through)
            again = tree.position(there, seen_from=seen_from)
            assert_close(again.coordinates, direct.coordinates, atol=1e-13)
    pose = tree.motion(of=TABLE, seen_from=ROOM).pose
    on_table = tree.position(point, seen_from=TABLE).coordinates
    # e1_i = R e0_i: the columns of the rotation are the axes of the table.
    by_axes = pose.origin + sum(
        on_table[i] * pose.rotation.matrix[:, i] for i in range(3)
    )
    assert_close(tree.position(point, seen_from=ROOM).coordinates, by_axes, atol=1e-14)


@pytest.mark.row("K-11", "K-12")
@given(generators)
def test_velocities_may_be_split_through_any_frame(rng):
    """Drag and relative parts through each frame have one sum; accelerations too."""
    tree, point = random_tree(rng), Point(HAND, rng.normal(size=3))
    seen = tree.point_motion(point, seen_from=LAMP)
    for through in FRAMES:
        ends = {"seen_from": LAMP, "through": through}
        velocity = tree.velocity_terms(point, **ends)
        assert_close(velocity.total, seen.velocity, atol=1e-12)
        acceleration = tree.acceleration_terms(point, **ends)
        assert_close(acceleration.total, seen.acceleration, atol=1e-11)
    riding = tree.velocity_terms(point, seen_from=LAMP, through=HAND)
    assert_close(riding.relative, np.zeros(3), atol=1e-14)


@pytest.mark.row("K-13")
def test_a_tree_of_paths_is_the_path_of_the_product():
    """Hand seen from lamp, by the tree and by differentiating the product of paths."""
    rng = np.random.default_rng(11)
    table, lamp, hand = (Motion.random(rng) for _ in range(3))

    def product(t):
        R_lamp, p_lamp = lamp.placement(t)
        R = R_lamp.T @ table.rotation(t) @ hand.rotation(t)
        p = table.rotation(t) @ hand.place(t) + table.place(t) - p_lamp
        return R, R_lamp.T @ p

    links = [(table, TABLE, ROOM), (lamp, LAMP, ROOM), (hand, HAND, TABLE)]
    tree = FrameTree(
        FrameMotion.along(motion.placement, 0.4, of=of, seen_from=seen_from)
        for motion, of, seen_from in links
    )
    seen = tree.motion(of=HAND, seen_from=LAMP).arrays
    for one, other in zip(seen, path.moving_frame(product, 0.4), strict=True):
        assert_close(one, other, rtol=1e-10)


def test_a_frame_sees_itself_at_rest():
    """From one frame to itself nothing moves."""
    tree = random_tree(np.random.default_rng(0))
    still = tree.motion(of=HAND, seen_from=HAND)
    assert_close(still.pose, np.eye(4))
    assert_close(still.velocity, np.zeros(3))


def hang(of, on):
    """Any motion of one frame seen from another."""
    rng = np.random.default_rng(1)
    return FrameMotion(pose_between(rng, of=of, seen_from=on))


def test_bad_trees_are_refused():
    """Two parents, a ring, two roots and strangers are refused by name."""
    with pytest.raises(ModelError, match="'hand' hangs on both 'table' and 'lamp'"):
        FrameTree([hang(HAND, TABLE), hang(HAND, LAMP)])
    with pytest.raises(ModelError, match=r"in a ring: 'hand' <- 'table' <- 'hand'"):
        FrameTree([hang(HAND, TABLE), hang(TABLE, HAND)])
    with pytest.raises(
        ModelError, match="fall into 2 trees, with the roots 'lamp', 'r"
    ):
        FrameTree([hang(TABLE, ROOM), hang(HAND, LAMP)])
    tree = FrameTree([hang(TABLE, ROOM)])
    with pytest.raises(ModelError, match="frame 'hand' is not in this tree"):
        tree.motion(of=HAND, seen_from=ROOM)
    with pytest.raises(ModelError, match="frame 'lamp' is not in this tree"):
        tree.motion(of=TABLE, seen_from=LAMP)
    with pytest.raises(ModelError, match="frame 'lamp' is not in this tree"):
        tree.motion(of=LAMP, seen_from=LAMP)
