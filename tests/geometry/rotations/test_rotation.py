"""The rotation of one frame seen from another."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from closeness import assert_close
from polhode.errors import FrameMismatch
from polhode.geometry.frame import Frame
from polhode.geometry.rotations.axis_angle import to_matrix as turn_matrix
from polhode.geometry.rotations.euler_angles import SEQUENCES
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.vector import Dyadic, Vector
from strategies_rotation import columns, rotations, seeded_rotations

A, B, C = Frame("A"), Frame("B"), Frame("C")
AB = {"of": B, "seen_from": A}


@pytest.mark.row("R-01")
@given(rotations(), rotations())
def test_rotation_of_two_triads(observer, moving):
    """From two triads in common axes: the columns are B's axes in A's components."""
    R = Rotation.from_triads(moving, observer, **AB)
    for k in range(3):
        in_common_axes = observer @ R.matrix[:, k]
        assert_close(in_common_axes, moving[:, k], rtol=1e-14)


@pytest.mark.row("R-02")
@given(rotations())
def test_components_are_orthogonal_by_rows_and_columns(matrix):
    """R_ij R_kj = R_ji R_jk = δ_ik, in index form."""
    R = Rotation(matrix, **AB).matrix
    assert_close(np.einsum("ij,kj->ik", R, R), np.eye(3), rtol=1e-12)
    assert_close(np.einsum("ji,jk->ik", R, R), np.eye(3), rtol=1e-12)


@pytest.mark.row("R-03")
@given(rotations())
def test_the_rotation_tensor_has_the_same_components_in_both_bases(matrix):
    """R⁰⁰ = R¹¹, and R = e1_k e0_k."""
    R_AB = Rotation(matrix, **AB)
    in_A = Dyadic(R_AB.matrix, A)
    in_B = in_A.written_in(R_AB.inverse())
    assert_close(in_B.components, in_A.components, rtol=1e-14)
    sum_of_dyads = sum(np.outer(R_AB.matrix[:, k], np.eye(3)[k]) for k in range(3))
    assert_close(sum_of_dyads, in_A.components, rtol=1e-14)


@pytest.mark.row("R-04")
@given(rotations(), columns(), columns(9))
def test_turning_and_rewriting_undo_each_other(matrix, column, entries):
    """`turn` moves the vector by R, `written_in` moves the axes: comps_1 = Rᵀ comps_0,
    T_1 = Rᵀ T_0 R; the turned vector has in B the components the first had in A."""
    R_AB = Rotation(matrix, **AB)
    vector = Vector(column, A)
    turned = R_AB.turn(vector)
    assert turned.frame is A
    assert_close(turned.components, matrix @ column, atol=1e-14)
    rewritten = vector.written_in(R_AB.inverse())
    assert rewritten.frame is B
    assert_close(rewritten.components, matrix.T @ column, atol=1e-14)
    assert_close(turned.written_in(R_AB.inverse()).components, column, atol=1e-14)
    tensor = Dyadic(entries.reshape(3, 3), A)
    expected = matrix.T @ tensor.components @ matrix
    got = tensor.written_in(R_AB.inverse()).components
    assert_close(got, expected, atol=1e-13)


@pytest.mark.row("CV-02")
@given(rotations(), columns())
def test_one_matrix_rotates_vectors_and_changes_components(matrix, column):
    """With columns as body axes in the observer's components: v = R v0 rotates a
    reference vector, comps_0 = R comps_1 rewrites a fixed one; both by basis sums."""
    R = Rotation(matrix, **AB)
    body_axes = [R.matrix[:, k] for k in range(3)]
    carried = sum(column[k] * body_axes[k] for k in range(3))
    assert_close(R.turn(Vector(column, A)).components, carried, atol=1e-14)
    fixed = Vector(column, B).written_in(R)
    assert fixed.frame is A
    assert_close(fixed.components, carried, atol=1e-14)
    back = [carried @ axis for axis in body_axes]
    assert_close(fixed.written_in(R.inverse()).components, back, atol=1e-14)


@pytest.mark.row("CV-02")
def test_the_printed_zyx_matrix_is_the_other_direction():
    """The book's 321 matrix has x3, y3, z3 as rows: it is R of A seen from B."""
    yaw, pitch, roll = 0.4, -0.7, 1.1
    R = Rotation.from_euler_angles("zyx", [yaw, pitch, roll], **AB)
    first_row = [
        np.cos(pitch) * np.cos(yaw),
        np.cos(pitch) * np.sin(yaw),
        -np.sin(pitch),
    ]
    assert_close(R.inverse().matrix[0], first_row, rtol=1e-14)
    assert np.max(np.abs(R.matrix[0] - first_row)) > 0.1


@pytest.mark.row("R-07")
@given(rotations(), rotations())
def test_matrices_compose_outwards_and_tensors_inwards(first, second):
    """[R02] = [R01][R12], each in its own source basis; as tensors R02 = R12 R01."""
    R_AB = Rotation(first, **AB)
    R_BC = Rotation(second, of=C, seen_from=B)
    R_AC = R_AB @ R_BC
    assert R_AC.of is C
    assert R_AC.seen_from is A
    assert_close(R_AC.matrix, first @ second, rtol=1e-14)
    tensor_12_in_A = Dyadic(R_BC.matrix, B).written_in(R_AB).components
    assert_close(tensor_12_in_A @ first, R_AC.matrix, rtol=1e-13)


@pytest.mark.row("R-07")
def test_the_reversed_matrix_order_fails():
    """[R12][R01] is not [R02]: the order of tensors is not the order of matrices."""
    first, second = seeded_rotations(2)
    R_AC = Rotation(first, **AB) @ Rotation(second, of=C, seen_from=B)
    assert np.max(np.abs(second @ first - R_AC.matrix)) > 0.1


def test_rotations_that_are_not_neighbours_do_not_compose():
    """R_AB @ R_AC is refused with the names of the frames."""
    R_AB, R_AC = Rotation.identity(**AB), Rotation.identity(of=C, seen_from=A)
    with pytest.raises(FrameMismatch, match=r"'B' seen from 'A'.*'C' seen from 'A'"):
        R_AB @ R_AC


def test_turning_needs_one_of_its_own_frames():
    """A vector of a third frame has to be rewritten first."""
    with pytest.raises(FrameMismatch, match=r"'C'.*'A'"):
        Rotation.identity(**AB).turn(Vector([1, 0, 0], C))


@given(rotations())
def test_the_inverse_undoes(matrix):
    """R_AB @ R_BA is the identity of A in A, and inverting twice is nothing."""
    R = Rotation(matrix, **AB)
    around = R @ R.inverse()
    assert around.of is around.seen_from is A
    assert_close(around.matrix, np.eye(3), rtol=1e-15)
    assert R.inverse().inverse().is_close(R, rtol=0)


@given(rotations())
def test_every_parametrisation_leads_back_to_the_rotation(matrix):
    """from_x(to_x(R)) = R to 1e-14 for vector, axis-angle, quaternion, modified
    Rodrigues and all twelve sequences, at every rotation."""
    R = Rotation(matrix, **AB)
    back = [
        Rotation.from_vector(R.to_vector(), **AB),
        Rotation.from_axis_angle(*R.to_axis_angle(), **AB),
        Rotation.from_quaternion_wxyz(R.to_quaternion_wxyz(), **AB),
        Rotation.from_modified_rodrigues(R.to_modified_rodrigues(), **AB),
        *(Rotation.from_euler_angles(s, R.to_euler_angles(s), **AB) for s in SEQUENCES),
    ]
    for other in back:
        assert other.is_close(R, rtol=1e-14)


@given(rotations().filter(lambda R: np.trace(R) > -0.99999))
def test_rodrigues_leads_back_away_from_half_turns(matrix):
    """from_rodrigues(to_rodrigues(R)) = R."""
    R = Rotation(matrix, **AB)
    assert Rotation.from_rodrigues(R.to_rodrigues(), **AB).is_close(R, rtol=1e-14)


def test_doors_convert_once_and_never_alias():
    """Lists, integers and float32 become one read-only float64; inputs stay theirs."""
    given_matrix = np.eye(3)
    R = Rotation(given_matrix, **AB)
    given_matrix[0, 0] = 7.0
    assert R.matrix[0, 0] == 1.0
    assert not R.matrix.flags.writeable
    assert Rotation([[0, -1, 0], [1, 0, 0], [0, 0, 1]], **AB).matrix.dtype == np.float64
    single = np.eye(3, dtype=np.float32)
    assert Rotation(single, **AB).matrix.dtype == np.float64
    q = np.array([2.0, 0, 0, 0]) / 2
    Rotation.from_quaternion_wxyz(q, **AB)
    assert q.flags.writeable


def test_reads_well_and_converts_to_an_array():
    """repr gives angle, axis and frames; numpy.asarray gives the matrix."""
    R = Rotation.from_axis_angle([0, 0, 2], np.pi / 2, **AB)
    assert repr(R) == "Rotation(1.5708 rad about [0, 0, 1], of='B', seen_from='A')"
    assert_close(np.asarray(R), turn_matrix(np.array([0, 0, 1.0]), np.pi / 2))


def test_closeness_has_a_tolerance_and_asks_for_equal_frames():
    """is_close compares matrices within rtol, and refuses other frames."""
    R = Rotation.identity(**AB)
    near = Rotation.from_vector([1e-9, 0, 0], **AB)
    assert not R.is_close(near)
    assert R.is_close(near, rtol=1e-8)
    with pytest.raises(FrameMismatch, match="compare"):
        R.is_close(R.inverse())


def test_nouns_work_inside_a_trace():
    """Under jit the doors are silent, and the same names give the same numbers."""

    def inside(q, vector):
        R_AB = Rotation.from_quaternion_wxyz(q, **AB)
        R_BC = Rotation.from_euler_angles("zxz", vector, of=C, seen_from=B)
        R_AC = R_AB @ R_BC @ Rotation.from_axis_angle(vector, q[0], of=B, seen_from=C)
        turned = R_AC.turn(Vector(vector, A))
        return R_AC.to_vector(), turned.components, R_AC.to_rodrigues()

    q, vector = np.array([0.5, -0.5, 0.5, 0.5]), np.array([0.1, 0.2, -0.4])
    with jax.enable_x64(True):
        traced = jax.jit(inside)(q, vector)
    for got, expected in zip(traced, inside(q, vector), strict=True):
        assert_close(got, expected, rtol=1e-14)


@given(st.sampled_from(SEQUENCES), columns())
def test_euler_angles_of_a_noun_match_successive_frames(sequence, angles):
    """Three nouns about single axes compose to the noun of three angles."""
    middle = Frame("1"), Frame("2")
    chain = [A, *middle, B]
    total = Rotation.identity(of=A, seen_from=A)
    for k, (letter, angle) in enumerate(zip(sequence, angles, strict=True)):
        axis = np.eye(3)["xyz".index(letter)]
        link = Rotation.from_axis_angle(
            axis, angle, of=chain[k + 1], seen_from=chain[k]
        )
        total = total @ link
    assert total.is_close(Rotation.from_euler_angles(sequence, angles, **AB), 1e-14)


def test_numpy_does_not_drop_the_frames_of_a_rotation():
    """An array times a rotation has no frames, and is refused."""
    turn = Rotation.identity(of=Frame("mast"), seen_from=Frame("ship"))
    for act in (
        lambda: np.eye(3) @ turn,
        lambda: turn @ np.eye(3),
        lambda: np.float64(2) * turn,
    ):
        with pytest.raises(TypeError):
            act()


def test_a_rotation_acts_on_a_vector_by_name_only():
    """R @ v would be either of two acts; the refusal names both."""
    ship, mast = Frame("ship"), Frame("mast")
    turn = Rotation.identity(of=mast, seen_from=ship)
    with pytest.raises(TypeError, match=r"written_in\(rotation\).*turn\(vector\)"):
        turn @ Vector([1, 2, 3], mast)


def test_a_rotation_is_not_renamed():
    """A rotation of other frames is refused where a matrix is expected."""
    ship, mast, sea = Frame("ship"), Frame("mast"), Frame("sea")
    turn = Rotation.identity(of=mast, seen_from=ship)
    with pytest.raises(FrameMismatch, match=r"is not the rotation of 'ship'"):
        Rotation(turn, of=ship, seen_from=sea)
    assert Rotation(turn, of=mast, seen_from=ship).is_close(turn)
