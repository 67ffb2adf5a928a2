"""Laws of material points."""

from __future__ import annotations

import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import FrameMismatch, StateError
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point, require_same_point
from polhode.geometry.vector import Vector
from strategies_geometry import columns

ROD, DISC = Frame("rod"), Frame("disc")


@given(columns, columns)
def test_difference_of_points_is_the_way_between(a, b):
    """P + (Q - P) = Q, to the rounding of the larger coordinate."""
    P, Q = Point(ROD, a), Point(ROD, b)
    assert_close((P + (Q - P)).coordinates, b, atol=1e-14)
    assert P.is_close(Point(ROD, a, "again"))
    assert (P - P).norm() == 0


def test_points_of_two_frames_have_no_difference():
    """The way between points of two bodies depends on where the bodies are."""
    with pytest.raises(FrameMismatch, match=r"'rod' and one of 'disc'"):
        Point(ROD, [0, 0, 1]) - Point(DISC, [0, 0, 1])
    with pytest.raises(FrameMismatch):
        Point(ROD, [0, 0, 1]) + Vector([0, 0, 1], DISC)


def test_equal_coordinates_are_one_point():
    """Two descriptions of one place agree; other places are refused by name."""
    require_same_point("add", Point(ROD, [1, 2, 3]), Point(ROD, [1.0, 2.0, 3.0], "tip"))
    with pytest.raises(FrameMismatch, match=r"about Point\('rod', \[0, 0, 0\], 'orig"):
        require_same_point("add", Point.origin(ROD), Point(ROD, [0, 0, 1]))
    with pytest.raises(FrameMismatch):
        require_same_point("add", Point.origin(ROD), Point.origin(DISC))


def test_a_point_needs_three_finite_numbers():
    """The refusal names the point and its frame."""
    with pytest.raises(StateError, match=r"point 'tip' of 'rod' is not finite"):
        Point(ROD, [0, 0, float("inf")], "tip")
    assert repr(Point(ROD, [0, 0, 1], "tip")) == "Point('rod', [0, 0, 1], 'tip')"


def test_a_point_less_a_vector_is_no_vector():
    """Only points are subtracted from points."""
    frame = Frame("rod")
    with pytest.raises(TypeError, match="unsupported operand"):
        Point(frame, [1, 2, 3]) - Vector([1, 0, 0], frame)
