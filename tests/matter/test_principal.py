"""Principal axes by Jacobi rotations: a fixed number of them, and exact."""

import numpy as np
import pytest
from hypothesis import given

from closeness import assert_close
from finite import derivative
from polhode.matter.inertia import principal
from polhode.matter.principal import principal_axes
from strategies_geometry import generators, rotation_matrix
from strategies_matter import inertias


def assert_principal(matrix, atol=0.0):
    moments, triad = principal_axes(matrix)
    assert np.all(np.diff(moments) >= 0)
    assert_close(triad @ np.diag(moments) @ triad.T, matrix, rtol=1e-14, atol=atol)
    assert_close(triad.T @ triad, np.eye(3), rtol=1e-14)
    assert_close(np.linalg.det(triad), 1.0, rtol=1e-14)


@pytest.mark.row("I-13")
@given(inertias())
def test_moments_and_axes_make_the_tensor_again(inertia):
    """I = sum I_k E_k E_k with I_k >= 0, the triad right-handed."""
    assert_principal(np.asarray(inertia))
    found = principal(inertia)
    assert found.moments[0] >= 0
    R = found.rotation.matrix
    rebuilt = sum(I * np.outer(e, e) for I, e in zip(found.moments, R.T, strict=True))
    assert_close(rebuilt, inertia, rtol=1e-13)
    assert found.rotation.seen_from is inertia.frame


@pytest.mark.row("I-13")
@pytest.mark.parametrize(
    "moments",
    [
        (2, 2, 3),
        (1, 2, 2),
        (2, 2, 2),
        (0, 1, 1),
        (0, 0, 0),
        (1, 1 + 1e-9, 2),
        (3, 1, 2),
    ],
)
@given(generators)
def test_equal_moments_still_give_a_triad(moments, rng):
    """Axisymmetric, spherical, collinear and empty tensors have valid triads."""
    R = rotation_matrix(rng)
    turned = R @ np.diag(np.array(moments, float)) @ R.T
    for matrix in (np.diag(np.array(moments, float)), (turned + turned.T) / 2):
        assert_principal(matrix)


@given(generators)
def test_jacobi_agrees_with_the_host(rng):
    """Moments over sixteen decades of scale are those of the host's eigenvalues."""
    half = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-100, 100)
    matrix = half + half.T
    ours, _ = principal_axes(matrix)
    assert_close(ours, np.linalg.eigvalsh(matrix), rtol=4e-15)


def test_derivative_of_moments_is_that_of_perturbation_theory():
    """d I_k = E_k . dI E_k, by forward differentiation and by differences."""
    import jax

    rng = np.random.default_rng(3)
    base, change = (m + m.T for m in rng.normal(size=(2, 3, 3)))
    _, triad = principal_axes(base)
    truth = np.einsum("ik,ij,jk->k", triad, change, triad)
    with jax.enable_x64(True):
        moments = jax.jit(
            lambda m, d: jax.jvp(lambda x: principal_axes(x)[0], (m,), (d,))
        )
        _, ours = moments(base, change)
        assert_close(ours, truth, rtol=1e-12)
        _, diagonal = moments(np.diag([1.0, 2.0, 3.0]), change)
        assert_close(diagonal, np.diag(change), rtol=1e-13)
        _, empty = moments(np.eye(3), change)
        assert np.all(np.isfinite(empty))
    differences = derivative(lambda s: principal_axes(base + s * change)[0], 0.0)
    assert_close(differences, truth, rtol=1e-8)
