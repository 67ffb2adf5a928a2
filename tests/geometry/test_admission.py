"""What the doors of all nouns let in."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from closeness import assert_close
from polhode.errors import FrameMismatch, ModelError, StateError
from polhode.geometry.admission import admit, is_traced
from polhode.geometry.frame import Frame
from polhode.geometry.motion.angular_velocity import AngularVelocity
from polhode.geometry.motion.frame_motion import FrameMotion
from polhode.geometry.point import Point
from polhode.geometry.pose import Pose
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.twist import Twist
from polhode.geometry.vector import Dyadic, Vector
from polhode.geometry.wrench import Wrench


@pytest.mark.parametrize(
    "given",
    [
        [1, 2, 3],
        (1.0, 2, 3.0),
        np.array([1, 2, 3]),
        np.array([1, 2, 3], dtype=np.float32),
        np.array([9, 1, 2, 3], dtype=float)[1:],
        jnp.array([1.0, 2.0, 3.0]),
    ],
)
def test_numbers_of_any_kind_become_one_kind(given):
    """Lists, integers, float32 and views become read-only float64, copied."""
    column = admit(given, (3,), "a column")
    assert column.dtype == np.float64
    assert not column.flags.writeable
    assert not np.shares_memory(column, np.asarray(given))
    assert_close(column, [1.0, 2.0, 3.0], rtol=0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([1, 2], r"a column has shape \(2,\), expected \(3,\)"),
        (3.0, r"a column has shape \(\), expected \(3,\)"),
        ([1, 2, np.inf], "a column is not finite: "),
        ([1, 2, 3j], "a column is not made of real numbers"),
        ([True, False, True], "a column is not made of real numbers"),
        (["1", "2", "3"], "a column is not made of real numbers"),
        ([1, [2], 3], "a column is not made of real numbers"),
        (None, "a column is not made of real numbers"),
    ],
)
def test_what_is_no_column_is_refused(given, words):
    """Wrong shapes, values that are not finite, and what is no number at all."""
    with pytest.raises(StateError, match=words):
        admit(given, (3,), "a column")


def test_traced_numbers_pass_by_their_shape():
    """Under jit only the shape is known: it is still checked, lists are stacked."""
    seen = []

    def door(x):
        seen.append(is_traced(x))
        column = admit([x, 0.0, 2 * x], (3,), "a column")
        matrix = admit([[x, 0.0], [0.0, x]], (2, 2), "a matrix")
        return column.sum() + matrix.sum()

    with jax.enable_x64(True):
        assert_close(jax.jit(door)(1.5), 7.5)
        with pytest.raises(StateError, match=r"a column has shape \(2,\)"):
            jax.jit(lambda x: admit([x, x], (3,), "a column"))(1.0)
    assert seen == [True]


SHIP, MAST = Frame("ship"), Frame("mast")
ALONG_MAST = Vector([1, 2, 3], MAST)
TURN = Rotation.identity(of=MAST, seen_from=SHIP)
ORIGIN = Point.origin(SHIP)
WRONG_AXES = {
    "vector": lambda column: Vector(column, SHIP),
    "point": lambda column: Point(SHIP, column),
    "pose": lambda column: Pose(TURN, column),
    "motion": lambda column: FrameMotion(
        Pose.identity(of=MAST, seen_from=SHIP), column
    ),
    "twist": lambda column: Twist(
        angular=column,
        linear=(0, 0, 0),
        of=MAST,
        seen_from=SHIP,
        point=ORIGIN,
        frame=SHIP,
    ),
    "wrench": lambda column: Wrench(
        torque=(0, 0, 0), force=column, on=MAST, point=ORIGIN, frame=SHIP
    ),
}


@pytest.mark.parametrize("noun", WRONG_AXES)
def test_no_door_takes_a_vector_of_other_axes_for_a_column(noun):
    """A vector keeps its frame: given where numbers go, it must be written there."""
    with pytest.raises(FrameMismatch, match=r"written in 'mast', not in 'ship'"):
        WRONG_AXES[noun](ALONG_MAST)
    WRONG_AXES[noun](Vector([1, 2, 3], SHIP))


def test_a_dyadic_of_other_axes_is_no_dyadic_here():
    """The same for dyadics."""
    with pytest.raises(FrameMismatch, match=r"written in 'mast', not in 'ship'"):
        Dyadic(Dyadic.identity(MAST), SHIP)


NAMELESS = {
    "vector": lambda frame: Vector([1, 2, 3], frame),
    "dyadic": lambda frame: Dyadic(np.eye(3), frame),
    "point": lambda frame: Point(frame, [1, 2, 3]),
    "rotation": lambda frame: Rotation.identity(of=frame, seen_from=SHIP),
    "angular velocity": lambda frame: AngularVelocity(
        ALONG_MAST, of=MAST, seen_from=frame
    ),
}


@pytest.mark.parametrize("noun", NAMELESS)
@pytest.mark.parametrize("frame", ["ship", None, [1, 2, 3]])
def test_a_name_is_no_frame(noun, frame):
    """A text, nothing or numbers in the place of a frame are refused by name."""
    with pytest.raises(ModelError, match=f"{noun}.* has no frame"):
        NAMELESS[noun](frame)


def test_an_angular_velocity_needs_axes():
    """Three numbers without a frame are no angular velocity."""
    with pytest.raises(StateError, match="not a vector"):
        AngularVelocity([0, 0, 1], of=MAST, seen_from=SHIP)
