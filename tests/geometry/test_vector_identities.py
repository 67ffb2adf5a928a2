"""The identities of vectors and tensors that the theory leans on."""

from __future__ import annotations

import numpy as np
import pytest

from closeness import assert_close
from polhode.geometry.vector import cross, dot, outer, skew
from strategies_rotation import applied, seeded_columns

A, B, C = (seeded_columns(seed=seed) for seed in (1, 2, 3))
X, Y, Z = skew(A), skew(B), skew(C)
EYE = np.broadcast_to(np.eye(3), X.shape)
DELTA = np.eye(3)
EPSILON = np.array([[cross(DELTA[i], DELTA[j]) for j in range(3)] for i in range(3)])


def times(factor, array):
    """A scalar per member of the batch times its column or matrix."""
    return factor.reshape(-1, *[1] * (array.ndim - 1)) * array


IDENTITIES = {
    "ε_ijk ε_lmk = δ_il δ_jm - δ_im δ_jl": (
        np.einsum("ijk,lmk->ijlm", EPSILON, EPSILON),
        np.einsum("il,jm->ijlm", DELTA, DELTA) - np.einsum("im,jl->ijlm", DELTA, DELTA),
    ),
    "ε_ijk ε_ljk = 2 δ_il": (np.einsum("ijk,ljk->il", EPSILON, EPSILON), 2 * DELTA),
    "[a][a] = a a - a² 1": (X @ X, outer(A, A) - times(dot(A, A), EYE)),
    "[a][b] = b a - a·b 1": (X @ Y, outer(B, A) - times(dot(A, B), EYE)),
    "[q][q][q] = -q² [q]": (X @ X @ X, -times(dot(A, A), X)),
    "[q][q̇][q] = -(q·q̇) [q]": (X @ Y @ X, -times(dot(A, B), X)),
    "[a × b] = [a][b] - [b][a]": (skew(cross(A, B)), X @ Y - Y @ X),
    "Jacobi": (
        cross(A, cross(B, C)) + cross(B, cross(C, A)) + cross(C, cross(A, B)),
        np.zeros_like(A),
    ),
    "a·(b × c) = b·(c × a)": (dot(A, cross(B, C)), dot(B, cross(C, A))),
    "a·(b × c) = c·(a × b)": (dot(A, cross(B, C)), dot(C, cross(A, B))),
    "[a][b] a = [a × b] a": (applied(X @ Y, A), cross(cross(A, B), A)),
    "[a][b][b] a = -[b][a][a] b": (applied(X @ Y @ Y, A), -applied(Y @ X @ X, B)),
    "[a][b] c = [c × a] b - [b × a] c": (
        applied(X @ Y, C),
        cross(cross(C, A), B) - cross(cross(B, A), C),
    ),
}


@pytest.mark.row("R-05")
@pytest.mark.parametrize("name", IDENTITIES)
def test_identity_holds_for_all_vectors(name):
    """Both sides are equal on random vectors."""
    left, right = IDENTITIES[name]
    assert_close(left, right, rtol=1e-12, atol=1e-13)


@pytest.mark.row("R-05")
def test_printed_tensor_form_of_the_fourfold_product_fails():
    """[a][b][a] = -[b][a][a], as printed, is wrong; only the vector form holds."""
    assert np.max(np.abs(X @ Y @ X + Y @ X @ X)) > 1
