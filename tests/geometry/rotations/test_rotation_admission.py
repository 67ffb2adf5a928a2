"""What the doors of rotations refuse, and in which words."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from polhode.errors import (
    NotARotation,
    NumericalWarning,
    SingularParametrisation,
    StateError,
    ZeroAxis,
    ZeroQuaternion,
)
from polhode.geometry.frame import Frame
from polhode.geometry.rotations.rotation import Rotation
from strategies_rotation import seeded_rotations

AB = {"of": Frame("wing"), "seen_from": Frame("ground")}
WHO = "the rotation of 'wing' seen from 'ground'"
NAN, INF = float("nan"), float("inf")


def refusal(kind, act) -> str:
    """The text of the refusal, which must be of this kind and of the STATE family."""
    with pytest.raises(kind) as caught:
        act()
    assert caught.value.code == "STATE"
    assert isinstance(caught.value, StateError)
    text = str(caught.value)
    assert WHO in text
    return text


def test_zero_quaternion_is_refused():
    """Fault 16: who, what, why, and what the identity would be."""
    text = refusal(
        ZeroQuaternion, lambda: Rotation.from_quaternion_wxyz([0, 0, 0, 0], **AB)
    )
    assert "zero quaternion (0, 0, 0, 0)" in text
    assert "no direction to normalise to" in text
    assert "(1, 0, 0, 0), scalar first" in text


@pytest.mark.parametrize("length", [1.01, 0.99, 1.0011, 1e-200, 1e200])
def test_quaternion_of_another_length_is_refused(length):
    """Fault 17: beyond 1e-3 the length is refused with its value."""
    q = length * np.array([0.5, 0.5, -0.5, 0.5])
    text = refusal(NotARotation, lambda: Rotation.from_quaternion_wxyz(q, **AB))
    assert f"has length {length:.6g}, not 1" in text
    assert "(w, x, y, z)" in text
    assert "within 0.001" in text
    assert "Divide it by its length" in text


@pytest.mark.parametrize("length", [1.0009, 0.9991, 1 + 1e-5])
def test_quaternion_of_nearly_unit_length_is_normalised_and_said_so(length):
    """Within 1e-3 it is normalised, never used as it is, and a warning records it."""
    q = np.array([0.5, 0.5, -0.5, 0.5])
    with pytest.warns(NumericalWarning, match=rf"{length:.9g} and was normalised"):
        R = Rotation.from_quaternion_wxyz(length * q, **AB)
    assert_close(R.matrix.T @ R.matrix, np.eye(3), rtol=1e-15)
    assert R.is_close(Rotation.from_quaternion_wxyz(q, **AB), rtol=1e-15)


def test_quaternion_of_single_precision_is_normalised_silently():
    """Rounding to float32 is no mistake of anybody's."""
    q = np.array([0.1, 0.7, -0.5, 0.5], np.float32)
    q /= np.linalg.norm(q)
    R = Rotation.from_quaternion_wxyz(q, **AB)
    assert_close(R.matrix.T @ R.matrix, np.eye(3), rtol=1e-15)


def test_four_numbers_are_named_by_their_order():
    """Fault 18: the only door for four numbers carries its order in its name."""
    doors = [name for name in dir(Rotation) if "quaternion" in name]
    assert sorted(doors) == ["from_quaternion_wxyz", "to_quaternion_wxyz"]
    # (x, y, z, w) of a quarter turn about z, read in the order of the name.
    mixed = Rotation.from_quaternion_wxyz([0, 0, 0.5**0.5, 0.5**0.5], **AB)
    meant = Rotation.from_quaternion_wxyz([0.5**0.5, 0, 0, 0.5**0.5], **AB)
    assert not mixed.is_close(meant, rtol=0.1)


@pytest.mark.parametrize(
    "matrix", [-np.eye(3), np.diag([1, 1, -1]), np.eye(3)[[1, 0, 2]]]
)
def test_reflections_are_refused(matrix):
    """Fault 19: determinant -1, minus the identity as well as a mirror."""
    text = refusal(NotARotation, lambda: Rotation(matrix, **AB))
    assert "negative determinant, -1." in text
    assert "left-handed" in text
    assert "two exchanged axes" in text


@pytest.mark.parametrize("error", [1e-3, 1e-5])
def test_matrices_far_from_orthogonal_are_refused(error):
    """Fault 19: an orthogonality error of 1e-3 is refused, with its size and RᵀR."""
    matrix = seeded_rotations(1)[0] + error * np.eye(3)[[1, 2, 0]]
    text = refusal(NotARotation, lambda: Rotation(matrix, **AB))
    defect = np.max(np.abs(matrix.T @ matrix - np.eye(3)))
    assert f"RᵀR misses the identity by {defect:.3g}" in text
    assert "keeps lengths and right angles" in text
    assert "Rotation.nearest(matrix" in text
    assert "RᵀR = [[" in text


@pytest.mark.parametrize("error", [1e-8, 1e-12, 1e-15])
def test_matrices_near_orthogonal_are_put_right(error):
    """Fault 19: an error of 1e-12 becomes orthogonal to rounding, and the nearest."""
    exact = seeded_rotations(1)[0]
    matrix = exact + error * np.array([[1, 2, -1], [0, 1, 1], [-2, 1, 0]])
    R = Rotation(matrix, **AB)
    assert_close(R.matrix.T @ R.matrix, np.eye(3), rtol=1e-15)
    assert R.is_close(Rotation.nearest(matrix, **AB), rtol=2e-15)
    assert_close(R.matrix, exact, rtol=4 * error)


@pytest.mark.parametrize("scale", [2.0, 1e-3, 1e200, 0.0])
def test_scaled_rotations_are_refused(scale):
    """A multiple of a rotation is none, however large or small."""
    text = refusal(NotARotation, lambda: Rotation(scale * np.eye(3), **AB))
    assert "is not orthogonal" in text


def test_nearest_rotation_on_request():
    """The nearest rotation minimises the distance; four digits are enough for it."""
    exact = seeded_rotations(1)[0]
    rough = np.round(exact, 3)
    got = Rotation.nearest(rough, **AB)
    assert_close(got.matrix, exact, rtol=2e-3)
    best = np.linalg.norm(got.matrix - rough)
    for other in seeded_rotations(50, seed=3):
        assert np.linalg.norm(other - rough) > best
    for k in range(3):
        for step in (-1e-4, 1e-4):
            near = Rotation.from_vector(step * np.eye(3)[k], **AB).matrix @ got.matrix
            assert np.linalg.norm(near - rough) > best


@pytest.mark.parametrize("matrix", [np.zeros((3, 3)), np.diag([1, 0, 0]), -np.eye(3)])
def test_nearest_rotation_must_be_one(matrix):
    """A matrix with several nearest rotations has none to give."""
    text = refusal(NotARotation, lambda: Rotation.nearest(matrix, **AB))
    assert "no single nearest rotation" in text
    assert "Singular values" in text


@pytest.mark.parametrize("axis", [[0, 0, 0], [0.0, -0.0, 1e-200]])
def test_axis_without_direction_is_refused(axis):
    """Nothing turns about a point."""
    text = refusal(ZeroAxis, lambda: Rotation.from_axis_angle(axis, 1.0, **AB))
    assert "too small to have a direction" in text
    assert "such as (0, 0, 1)" in text


@pytest.mark.parametrize("scale", [1e-140, 1e-9, 1.0, 3.0, 1e140])
def test_axis_of_any_length_is_a_direction(scale):
    """The length of the axis does not matter."""
    axis = scale * np.array([2, -3, 6])
    got = Rotation.from_axis_angle(axis, 0.7, **AB)
    assert got.is_close(Rotation.from_axis_angle([2, -3, 6], 0.7, **AB), rtol=1e-15)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize(
    "door",
    [
        lambda bad: Rotation([[bad, 0, 0], [0, 1, 0], [0, 0, 1]], **AB),
        lambda bad: Rotation.nearest([[bad, 0, 0], [0, 1, 0], [0, 0, 1]], **AB),
        lambda bad: Rotation.from_vector([0, bad, 0], **AB),
        lambda bad: Rotation.from_axis_angle([0, bad, 1], 1.0, **AB),
        lambda bad: Rotation.from_axis_angle([0, 0, 1], bad, **AB),
        lambda bad: Rotation.from_quaternion_wxyz([1, 0, bad, 0], **AB),
        lambda bad: Rotation.from_euler_angles("zyx", [0, bad, 0], **AB),
        lambda bad: Rotation.from_rodrigues([0, bad, 0], **AB),
        lambda bad: Rotation.from_modified_rodrigues([0, bad, 0], **AB),
        lambda bad: Rotation.from_triads(
            np.diag([1, bad, 1]) if bad == bad else np.full((3, 3), bad),
            np.eye(3),
            **AB,
        ),
    ],
)
def test_numbers_that_are_none_are_refused_at_every_door(door, bad):
    """NaN and infinity never get in."""
    text = refusal(StateError, lambda: door(bad))
    assert "is not finite" in text


@pytest.mark.parametrize(
    ("door", "shape"),
    [
        (lambda: Rotation(np.eye(2), **AB), "(2, 2), expected (3, 3)"),
        (lambda: Rotation.from_quaternion_wxyz([1, 0, 0], **AB), "(3,), expected (4,)"),
        (lambda: Rotation.from_axis_angle([0, 1], 1.0, **AB), "(2,), expected (3,)"),
        (lambda: Rotation.from_axis_angle([0, 0, 1], [1, 2], **AB), "expected ()"),
        (lambda: Rotation.from_euler_angles("zyx", [1, 2], **AB), "expected (3,)"),
    ],
)
def test_wrong_shapes_are_refused(door, shape):
    """The shape that came and the shape that was expected are both named."""
    assert shape in refusal(StateError, door)


def test_half_turns_have_no_rodrigues_vector():
    """At θ = π the door refuses and offers the modified parameters."""
    half = Rotation.from_axis_angle([1, 2, 3], np.pi, **AB)
    text = refusal(SingularParametrisation, half.to_rodrigues)
    assert "it is a half turn" in text
    assert "infinite at θ = π" in text
    assert "to_modified_rodrigues()" in text


@pytest.mark.parametrize("largest", [1e155, 1e300])
def test_enormous_rodrigues_vectors_are_half_turns(largest):
    """However long the vector, the rotation is a finite matrix."""
    got = Rotation.from_rodrigues([0, largest, 0], **AB)
    assert got.is_close(Rotation.from_axis_angle([0, 1, 0], np.pi, **AB), rtol=1e-15)
    whole = Rotation.from_modified_rodrigues([0, largest, 0], **AB)
    assert whole.is_close(Rotation.identity(**AB), rtol=1e-15)


@pytest.mark.parametrize(
    "door",
    [
        lambda angle: Rotation.from_axis_angle([0, 0, 1], angle, **AB),
        lambda angle: Rotation.from_euler_angles("zyx", [0, angle, 0], **AB),
        lambda angle: Rotation.from_vector([angle, 0, 0], **AB),
    ],
)
def test_degrees_are_suspected_in_huge_angles(door):
    """Over 100π radians a warning asks whether degrees were meant; 300 is let pass."""
    with pytest.warns(NumericalWarning, match=r"over 50 whole turns.*radians"):
        door(360.0)
    door(300.0)
