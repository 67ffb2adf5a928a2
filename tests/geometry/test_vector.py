"""Laws of columns and of vectors that know their frame."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close, ulps
from polhode.errors import FrameMismatch, ModelError, StateError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import (
    Dyadic,
    Vector,
    alternator,
    cross,
    dot,
    norm,
    outer,
    permutation_symbol,
    skew,
    vee,
)
from strategies_geometry import columns, generators, rotation_between

A, B = Frame("A"), Frame("B")


@pytest.mark.row("CV-07")
@given(columns)
def test_skew_axial_and_alternator_undo_each_other(a):
    """vee(skew(a)) = a, and the papers' alternator gives eps[skew(a)] = -2 a."""
    assert_close(vee(skew(a)), a, rtol=0)
    assert_close(alternator(skew(a)), -2 * a, rtol=0)
    eps = permutation_symbol()
    assert_close(skew(a), np.einsum("ijk,j->ik", eps, a), rtol=0)
    assert_close(np.einsum("ijk,jk", eps, skew(a)), -2 * a, rtol=0)


@given(columns, columns, columns)
def test_kernels_are_those_of_vector_algebra(a, b, c):
    """Products agree with NumPy's, and a x (b x c) = b (a.c) - c (a.b)."""
    scale = norm(a) * norm(b) * norm(c) + 1e-300
    assert_close(cross(a, b), np.cross(a, b), atol=1e-15 * scale)
    assert_close(skew(a) @ b, cross(a, b), atol=1e-14)
    assert_close(outer(a, b) @ c, a * dot(b, c), atol=1e-14 * scale)
    triple = b * dot(a, c) - c * dot(a, b)
    assert_close(cross(a, cross(b, c)), triple, atol=1e-14 * scale)


def test_kernels_work_on_batches():
    """A batch of columns gives the batch of results."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 5, 3))
    for kernel in (cross, dot, outer):
        one_by_one = [kernel(x, y) for x, y in zip(a, b, strict=True)]
        assert_close(kernel(a, b), one_by_one, rtol=0)
    assert_close(norm(a), [norm(x) for x in a], rtol=0)
    assert_close(vee(skew(a)), a, rtol=0)


@pytest.mark.parametrize("scale", [1e-310, 1e-300, 1e-200, 1.0, 1e200, 1e307])
def test_length_neither_overflows_nor_vanishes(scale):
    """|(3, 4, 12) s| = 13 s over all of double precision's range."""
    actual = norm(np.array([3.0, 4.0, 12.0]) * scale)
    assert ulps(actual, 13 * scale) <= 4


def test_length_has_a_derivative_everywhere():
    """The gradient of |a| is a/|a|, at small and large a too, and 0 at 0."""
    with jax.enable_x64(True):
        gradient = jax.jit(jax.grad(norm))
        for scale in (1e-300, 1e-160, 1.0, 1e160):
            actual = gradient(np.array([3.0, -4.0, 0.0]) * scale)
            assert_close(actual, [0.6, -0.8, 0.0], rtol=1e-14)
        assert_close(gradient(np.zeros(3)), np.zeros(3))


@pytest.mark.row("K-14")
@given(generators)
def test_a_vector_is_not_its_column(rng):
    """Lengths, products and triple products are the same in every frame."""
    u, v, w = (Vector(column, B) for column in rng.normal(size=(3, 3)))
    R_AB = rotation_between(rng, of=B, seen_from=A)
    u_A, v_A, w_A = (vector.written_in(R_AB) for vector in (u, v, w))
    assert_close(u_A.norm(), u.norm())
    assert_close(u_A.dot(v_A), u.dot(v), atol=1e-14)
    assert_close(u_A.cross(v_A).dot(w_A), u.cross(v).dot(w), atol=1e-14)
    assert u_A.cross(v_A).is_close(u.cross(v).written_in(R_AB))
    # The vectrix: the vector is the sum of components times axes, in either frame.
    axes_of_B_in_A = R_AB.matrix.T
    assert_close(u_A, sum(np.asarray(u)[i] * axes_of_B_in_A[i] for i in range(3)))


@pytest.mark.row("K-14")
def test_frames_do_not_mix():
    """Every operation on vectors of two frames is refused, and names both."""
    a, b = Vector([1, 2, 3], A), Vector([1, 2, 3], B)
    acts = [
        lambda: a + b,
        lambda: a - b,
        lambda: a.dot(b),
        lambda: a.cross(b),
        lambda: a.outer(b),
        lambda: a.is_close(b),
        lambda: Dyadic.identity(A) @ b,
        lambda: Dyadic.identity(A) + Dyadic.identity(B),
    ]
    for act in acts:
        with pytest.raises(FrameMismatch, match=r"frame 'A' and one of 'B'"):
            act()


@pytest.mark.row("K-16")
@given(generators)
def test_dyadics_act_alike_in_every_frame(rng):
    """(T v) computed in two frames is one vector; T_A = R T_B R^T."""
    T, v = Dyadic(rng.normal(size=(3, 3)), B), Vector(rng.normal(size=3), B)
    R_AB = rotation_between(rng, of=B, seen_from=A)
    assert (T.written_in(R_AB) @ v.written_in(R_AB)).is_close((T @ v).written_in(R_AB))
    assert_close(T.written_in(R_AB).trace(), T.trace(), atol=1e-14)
    assert Dyadic.identity(B).written_in(R_AB).is_close(Dyadic.identity(A))
    back = T.written_in(R_AB).written_in(R_AB.inverse())
    assert back.is_close(T)
    skew_part = Dyadic.cross_with(v)
    turned = skew_part.written_in(R_AB)
    assert turned.axial().is_close(v.written_in(R_AB))


@pytest.mark.row("K-16")
@given(generators)
def test_alternator_changes_sign_with_handedness(rng):
    """eps_abc C_ia C_jb C_kc = det(C) eps_ijk, for rotations and reflections."""
    eps = permutation_symbol()
    C = np.asarray(rotation_between(rng, of=B, seen_from=A))
    for matrix, sign in ((C, 1.0), (-C, -1.0)):
        moved = np.einsum("abc,ia,jb,kc->ijk", eps, matrix, matrix, matrix)
        assert_close(moved, sign * eps, rtol=1e-14)


@given(generators)
def test_transpose_moves_to_the_other_factor(rng):
    """a . (T b) = b . (T^T a)."""
    T = Dyadic(rng.normal(size=(3, 3)), A)
    a, b = (Vector(column, A) for column in rng.normal(size=(2, 3)))
    assert_close(a.dot(T @ b), b.dot(T.transpose() @ a), atol=1e-13)
    assert (2 * T - T - T + -T).is_close(-T)
    assert ((T @ T) @ a).is_close(T @ (T @ a))


def test_kinds_do_not_mix():
    """Vectors do not multiply as columns, nor add to dyadics or bare arrays."""
    a, T, column = Vector([1, 2, 3], A), Dyadic.identity(A), np.ones(3)
    acts = [
        lambda: a * a,
        lambda: a / a,
        lambda: a * column,
        lambda: column * a,
        lambda: column + a,
        lambda: a + column,
        lambda: a + 1,
        lambda: T + a,
        lambda: T - a,
        lambda: T * column,
        lambda: T @ column,
        lambda: a.dot(T),
        lambda: a.cross(column),
    ]
    for act in acts:
        with pytest.raises((TypeError, ModelError)):
            act()
    assert_close(np.float64(2.0) * a, [2, 4, 6])
    assert_close(np.asarray(a), [1, 2, 3])


def test_closeness_has_two_measures():
    """Within rtol of the longer vector, or within atol."""
    a, b = Vector([1, 0, 0], A), Vector([1, 1e-9, 0], A)
    assert not a.is_close(b)
    assert a.is_close(b, rtol=1e-8)
    assert a.is_close(b, atol=1e-8)
    assert not Vector([0, 0, 0], A).is_close(b - a)


def test_vectors_copy_what_they_are_given():
    """Neither the caller's array nor the vector can be changed through the other."""
    given_array = np.array([1.0, 2.0, 3.0])
    vector = Vector(given_array, A)
    given_array[0] = 7
    assert_close(vector, [1, 2, 3], rtol=0)
    with pytest.raises(ValueError, match="read-only"):
        vector.components[0] = 7


def test_vectors_read_well():
    """A vector prints its components and its frame."""
    assert repr(Vector([1, -0.0, 2.5], A)) == "Vector([1, 0, 2.5], 'A')"
    shown = "Dyadic([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 'A')"
    assert repr(Dyadic.identity(A)) == shown


@pytest.mark.parametrize("bad", [[1, 2], [1, 2, np.nan], ["a", 1, 2], [1, [2], 3], 1j])
def test_bad_columns_are_refused(bad):
    """Wrong shapes, NaN, text and complex numbers are no vector."""
    with pytest.raises(StateError, match="a vector of frame 'A'"):
        Vector(bad, A)


def test_vectors_pass_through_a_trace():
    """Nouns may be built inside jit and grad: their doors are silent there."""

    def length(x):
        return (Vector(x, A) + Vector([1.0, 0.0, 0.0], A)).norm()

    with jax.enable_x64(True):
        assert_close(
            jax.jit(jax.grad(length))(np.array([2.0, 4.0, 0.0])), [0.6, 0.8, 0]
        )
