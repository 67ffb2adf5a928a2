"""The six by six inertia: symmetric, additive, and the same body about any point."""

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from polhode.errors import UnphysicalInertia
from polhode.geometry.frame import Frame
from polhode.geometry.point import Point
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.spatial_order import exchange_matrix
from polhode.geometry.twist import Twist
from polhode.geometry.vector import skew
from polhode.matter.cloud import inertia_of_points
from polhode.matter.inertia import Inertia, joined, spatial, transport
from polhode.matter.spatial_inertia import (
    SpatialInertia,
    moments_of,
    rotate_spatial_inertia,
    shift_spatial_inertia,
    spatial_inertia,
)
from polhode.matter.spread import static_moment
from strategies_geometry import columns, generators, rotation_matrix
from strategies_matter import inertias, oracles, random_cloud


@pytest.mark.row("I-15")
@given(oracles())
def test_spatial_inertia_is_the_transported_central_one(oracle):
    """M_o = T^T M_c T = [[J_o, m[r]], [-m[r], m 1]]; without m in J_o it fails."""
    o, m = oracle.x[0], oracle.mass
    r = oracle.centre - o
    I_G = oracle.inertia(oracle.centre)
    M = spatial_inertia(m, r, I_G)
    one, zero = np.eye(3), np.zeros((3, 3))
    T = np.block([[one, zero], [-skew(r), one]])
    M_c = np.block([[I_G, zero], [zero, m * one]])
    assert_close(M, T.T @ M_c @ T, rtol=1e-12)
    blocks = np.block([[oracle.inertia(o), m * skew(r)], [-m * skew(r), m * one]])
    assert_close(M, blocks, rtol=1e-12)
    assert_close(M, M.T, rtol=0)
    assert np.linalg.eigvalsh(M)[0] > 0
    V = np.concatenate([oracle.w, oracle.v[0]])
    assert_close(V @ M @ V / 2, oracle.energy(), rtol=1e-11)
    printed = M.copy()
    printed[:3, :3] = I_G - skew(r) @ skew(r)  # ERR-001-02
    assert np.max(np.abs(printed - M)) > 1e-3 * np.max(np.abs(M))


@pytest.mark.row("I-15")
@given(generators, columns)
def test_rigidly_joined_bodies_add(rng, o):
    """About one point the matrices of two bodies add to that of their union."""
    one, two = random_cloud(rng), random_cloud(rng, 5)
    matrices = []
    for cloud in (one, two, one | two):
        m, c, I = cloud.moments()
        matrices.append(spatial_inertia(m, c - o, I))
    assert_close(matrices[0] + matrices[1], matrices[2], rtol=1e-12)


@pytest.mark.row("I-15")
@given(oracles())
def test_mass_centre_and_moments_come_back(oracle):
    """(m, r, J_c) are read back from the matrix."""
    r, I_G = oracle.r_QG, oracle.inertia(oracle.centre)
    mass, r_back, I_back = moments_of(spatial_inertia(oracle.mass, r, I_G))
    assert_close(mass, oracle.mass, rtol=1e-15)
    assert_close(r_back, r, rtol=1e-14)
    assert_close(I_back, I_G, rtol=1e-11)


@given(oracles(), columns)
def test_shift_and_rotation_keep_the_energy(oracle, q):
    """A matrix about Q or along other axes gives the same energy to the same motion."""
    M_P = spatial_inertia(oracle.mass, oracle.r_QG, oracle.inertia(oracle.centre))
    P = oracle.x[0]
    M_Q = shift_spatial_inertia(M_P, P - q)
    v_q = oracle.v[0] + np.cross(oracle.w, q - P)
    V = np.concatenate([oracle.w, v_q])
    scale = np.max(np.abs(M_Q)) * V @ V
    assert_close(V @ M_Q @ V / 2, oracle.energy(), atol=1e-13 * scale)
    R = oracle.R.T
    V_B = np.concatenate([R @ oracle.w, R @ v_q])
    energy = V_B @ rotate_spatial_inertia(M_Q, R) @ V_B / 2
    assert_close(energy, oracle.energy(), atol=1e-13 * scale)


@pytest.mark.row("CV-01")
@given(oracles())
def test_the_books_linear_first_matrix_is_ours_permuted(oracle):
    """M_003 = P6 M_001 P6 for random bodies."""
    m, r, Q = oracle.mass, oracle.r_QG, oracle.x[0]
    S = static_moment(m, r)
    book = np.block([[m * np.eye(3), S], [S.T, oracle.inertia(Q)]])
    ours = spatial_inertia(m, r, oracle.inertia(oracle.centre))
    assert_close(exchange_matrix(ours), book, rtol=1e-12)


@given(inertias(), columns)
def test_the_noun_shifts_as_the_inertia_transports(inertia, p):
    """spatial(transport(I, P)) = spatial(I).at(P); energies of a twist agree."""
    P = Point(inertia.frame, p)
    there, moved = spatial(transport(inertia, P)), spatial(inertia).at(P)
    assert there.is_close(moved, rtol=1e-11)
    both = joined(inertia, inertia)
    assert spatial(both).is_close(spatial(inertia) + spatial(inertia), rtol=1e-11)


@given(generators)
def test_the_noun_knows_its_axes(rng):
    """Written along other axes it gives the same energy to the same twist."""
    body, world = Frame("body"), Frame("world")
    cloud = random_cloud(rng)
    Q = Point.origin(body)
    inertia = spatial(Inertia.of_points(cloud.masses, cloud.positions, Q))
    rotation = Rotation(rotation_matrix(rng), of=body, seen_from=world)
    twist = Twist(
        angular=rng.normal(size=3),
        linear=rng.normal(size=3),
        of=body,
        seen_from=world,
        point=Q,
        frame=body,
    )
    there = inertia.written_in(rotation, Point.origin(world))
    R, V = rotation.matrix, np.asarray(twist)
    V_W = np.concatenate([R @ V[:3], R @ V[3:]])
    assert_close(
        V_W @ there.matrix @ V_W / 2, inertia.kinetic_energy(twist), rtol=1e-12
    )


def test_negative_energy_is_refused_with_the_motion_that_shows_it():
    """A matrix that is not positive names a motion and its negative energy."""
    matrix = np.diag([1.0, 1, 1, 2, 2, -2])
    with pytest.raises(UnphysicalInertia) as refusal:
        SpatialInertia(matrix, Point.origin(Frame("hull")), "'hull'")
    assert "(w, v) = (0, 0, 0, 0, 0, 1)" in str(refusal.value)
    assert "-1 J" in str(refusal.value)


def test_a_matrix_that_is_not_symmetric_is_refused():
    """Both entries stand for one coefficient of the energy."""
    matrix = np.eye(6)
    matrix[0, 4] = 0.1
    with pytest.raises(UnphysicalInertia, match=r"entry \(1, 5\) is 0.1"):
        SpatialInertia(matrix, Point.origin(Frame("hull")))


def test_array_and_sum_match_the_points():
    """The inertia about the origin from particles is the matrix' first block."""
    cloud = random_cloud(np.random.default_rng(7))
    frame = Frame("body")
    inertia = Inertia.of_points(cloud.masses, cloud.positions, Point.origin(frame))
    block = np.asarray(spatial(inertia))[:3, :3]
    points = inertia_of_points(cloud.masses, cloud.positions, np.zeros(3))
    assert_close(block, points, rtol=1e-13)
