"""The doors of joints: names, ends, axes and directions."""

import numpy as np
import pytest
from hypothesis import given

import polhode as ph
from closeness import assert_close
from polhode.errors import FrameMismatch, ModelError, NotARotation
from polhode.geometry.rotations import so3
from strategies_geometry import generators, random_direction
from strategies_joints import OWN, joint_of, kind_of

world = ph.World()
rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
ends = (world.origin, rod.point(0, 0, 0.4))
DIRECTED = [
    (kind, word)
    for kind, own in OWN.items()
    for word in own
    if word in ("axis", "normal", "second_axis")
]


@pytest.mark.parametrize(("kind", "word"), DIRECTED)
@pytest.mark.parametrize(
    ("axis", "says"),
    [
        ((0, 0, 0), "is too small: it is zero"),
        ((0, np.nan, 1), "is not finite"),
        ((0, np.inf, 1), "is not finite"),
        ((0, 1), "is not a direction"),
        ("Z", "is not a direction"),
    ],
)
def test_a_direction_must_be_one(kind, word, axis, says):
    """An axis of zeros, NaN or two numbers is refused, by the name of the joint."""
    with pytest.raises(ModelError) as refusal:
        kind("hinge", *ends, **{**OWN[kind], word: axis})
    assert f"the {word} of joint 'hinge' {says}" in str(refusal.value)


def test_the_length_of_an_axis_does_not_matter():
    """Three numbers are normalised, tiny ones too, and those given are not changed."""
    given_axis = np.array([3e-200, 0.0, 4e-200])
    hinge = ph.Revolute("hinge", *ends, axis=given_axis)
    assert_close(hinge.axis, [0.6, 0, 0.8], rtol=1e-15)
    assert_close(given_axis, [3e-200, 0.0, 4e-200])
    assert not hinge.axis.flags.writeable


@given(generators)
def test_u_v_and_the_axis_are_a_triad(rng):
    """Right-handed and orthonormal, whatever the axis; exact for X, Y and Z."""
    axis = random_direction(rng)
    triad = ph.Revolute("hinge", *ends, axis=axis).triad
    assert_close(triad.T @ triad, np.eye(3), atol=1e-14)
    assert_close(np.linalg.det(triad), 1.0, rtol=1e-14)
    assert_close(triad[:, 2], axis, rtol=1e-15)


def test_the_triad_of_a_named_axis_is_the_named_axes():
    """(X, Y, Z) for Z, (Y, Z, X) for X, (Z, X, Y) for Y."""
    X, Y, Z = np.eye(3)
    for axis, columns in ((ph.Z, [X, Y, Z]), (ph.X, [Y, Z, X]), (ph.Y, [Z, X, Y])):
        triad = ph.Planar("puck", *ends, normal=axis).triad
        assert np.array_equal(triad, np.stack(columns, axis=-1))


def test_a_joint_of_a_body_with_itself_is_refused():
    """Points of one rigid body do not move on each other."""
    with pytest.raises(ModelError) as refusal:
        ph.Revolute("hinge", rod.origin, rod.point(0, 0, 0.4), axis=ph.Y)
    assert str(refusal.value).startswith("joint 'hinge' joins 'rod' to itself.")


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_joint_has_a_name(name):
    """An empty name, or what is no text, is refused."""
    with pytest.raises(ModelError, match="a joint cannot be named"):
        ph.Free(name, *ends)


def test_an_end_is_a_point():
    """A body in place of its point is refused, with the repair."""
    with pytest.raises(ModelError) as refusal:
        ph.Free("ship", world.origin, rod)
    assert "the second end of joint 'ship' is not a point" in str(refusal.value)
    assert "body.point(x, y, z)" in str(refusal.value)


def test_universal_arms_span_a_plane():
    """A cross with parallel arms is refused, opposite ones too."""
    for other in (ph.Y, -ph.Y, (0.0, 2.0, 1e-12)):
        with pytest.raises(ModelError, match="universal joint 'cross' are parallel"):
            ph.Universal("cross", *ends, axis=ph.Y, second_axis=other)


def test_frames_sit_where_they_are_told():
    """Origins at the points, axes turned by first_axes and second_axes."""
    turn = so3.exp(np.array([0.1, 0.2, 0.3]))
    ship = ph.theory.Frame("seat")
    seen = ph.Rotation(turn.T, of=ship, seen_from=rod.frame)
    joint = ph.Revolute("hinge", *ends, axis=ph.Y, first_axes=turn, second_axes=seen)
    R_BF, p_BoFo_B = joint.first_frame()
    R_CM, p_CoMo_C = joint.second_frame()
    assert_close(R_BF, turn)
    assert_close(R_CM, turn.T)
    assert_close(p_BoFo_B, np.zeros(3))
    assert_close(p_CoMo_C, [0, 0, 0.4])


def test_points_follow_their_parameters():
    """An end given by a parameter moves with the table, and is listed."""
    length = ph.Parameter("l", 0.4)
    hinge = ph.Revolute("hinge", world.origin, rod.point(0, 0, length), axis=ph.Y)
    assert hinge.parameters == (length,)
    assert_close(hinge.second_frame({"l": 0.7})[1], [0, 0, 0.7])


def test_axes_that_are_none_are_refused():
    """A reflection, and a rotation seen from another body, are no axes of a seat."""
    with pytest.raises(NotARotation, match="the axes of joint 'hinge' on 'world'"):
        ph.Free("hinge", *ends, first_axes=np.diag([1.0, 1.0, -1.0]))
    other = ph.Rotation(np.eye(3), of=ph.theory.Frame("seat"), seen_from=world.frame)
    with pytest.raises(FrameMismatch, match="'rod' and one of 'world'"):
        ph.Free("hinge", *ends, second_axes=other)


@pytest.mark.parametrize("kind", OWN, ids=kind_of)
def test_a_joint_shows_its_name_and_its_bodies(kind):
    """repr says the kind, the name and what it joins."""
    expected = f"{kind.__name__}('joint', 'world', 'block')"
    assert repr(joint_of(kind)) == expected
