"""Laws of the group of rigid displacements, against mpmath and matrix series."""

from __future__ import annotations

import jax
import mpmath
import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st

from closeness import EPSILON, assert_close
from finite import derivative
from polhode.geometry import se3
from strategies_geometry import (
    displacement_matrix,
    generators,
    random_direction,
)

ANGLES = [1e-300, 1e-160, 1e-20, 1e-8, 1e-4, 0.1, 0.999, 1.001, 1.999, 2.001, 3.0]
ANGLES += [np.pi - 1e-4, np.pi - 1e-8, np.pi - 1e-15, np.pi]
angles = st.sampled_from(ANGLES)


def screw(rng, angle):
    """A screw of this angle about any axis, and a translation of scale one."""
    return np.concatenate([random_direction(rng) * angle, rng.normal(size=3)])


def mp_series(matrix, denominator):
    """sum_n matrix^n / denominator(n), in 60 digits."""
    size = matrix.shape[0]
    exact = mpmath.matrix(matrix.tolist())
    term, total = mpmath.eye(size), mpmath.zeros(size)
    for n in range(60):
        total += term / denominator(n)
        term = term * exact
    return total


def rounding_error(actual, exact, scale):
    """The largest error in units of the scale's last place."""
    rows, columns = actual.shape
    differences = [
        abs(mpmath.mpf(float(actual[i, j])) - exact[i, j])
        for i in range(rows)
        for j in range(columns)
    ]
    return float(max(differences) / (scale * EPSILON))


@pytest.fixture(autouse=True)
def many_digits():
    """References are computed in 60 digits."""
    with mpmath.workdps(60):
        yield


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_is_that_of_the_matrix(angle):
    """exp(xi) is the sum of hat(xi)^n/n!, to 4 units in the last place."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        xi = screw(rng, angle)
        exact = mp_series(se3.hat(xi), mpmath.factorial)
        actual = se3.exp(xi)
        assert rounding_error(actual[:3, :3], exact[:3, :3], 1.0) <= 4
        size = np.max(np.abs(xi[3:]))
        assert rounding_error(actual[:3, 3:], exact[:3, 3], size) <= 4
        off_diagonal = actual[:3, :3] - np.diag(np.diag(actual[:3, :3]))
        skew_part = (off_diagonal - off_diagonal.T) / 2
        exact_skew = (exact[:3, :3] - exact[:3, :3].T) / 2
        # Small rotations keep all digits of their own size, not of the identity's.
        assert rounding_error(skew_part, exact_skew, min(angle, 1.0)) <= 4


@pytest.mark.parametrize("angle", ANGLES)
def test_logarithm_undoes_the_exponential(angle):
    """log(exp(xi)) = xi up to a half turn: 4 ulp of the angle, 8 of the translation.

    At the half turn itself the opposite axis is as good: then exp(log) is compared.
    """
    rng = np.random.default_rng(3)
    for _ in range(20):
        xi = screw(rng, angle)
        back = se3.log(se3.exp(xi))
        if np.dot(back[:3], xi[:3]) < 0:
            assert angle > np.pi - 1e-14
            assert_close(se3.exp(back), se3.exp(xi), rtol=8 * EPSILON)
            continue
        assert_close(back[:3], xi[:3], rtol=4 * EPSILON)
        assert_close(back[3:], xi[3:], rtol=8 * EPSILON)


@pytest.mark.row("K-20")
@given(generators)
def test_displacements_form_a_group(rng):
    """Associative, with identity and inverses; products are those of 4x4 matrices."""
    X, Y, Z = (displacement_matrix(rng) for _ in range(3))
    x = rng.normal(size=3)
    assert_close((X @ Y) @ Z, X @ (Y @ Z))
    assert_close(X @ se3.inverse(X), np.eye(4), rtol=1e-14)
    assert_close(se3.inverse(X) @ X, np.eye(4), rtol=1e-14)
    assert_close(se3.inverse(X @ Y), se3.inverse(Y) @ se3.inverse(X))
    assert_close(se3.act(X @ Y, x), se3.act(X, se3.act(Y, x)))
    R, b = se3.rotation_of(X), se3.translation_of(X)
    assert_close(se3.act(X, x), R @ x + b)
    assert_close(np.append(se3.act(X, x), 1), X @ np.append(x, 1))
    # b are the observer's coordinates of the body's origin, not the body's (0, 0, 0).
    assert_close(se3.act(X, np.zeros(3)), b, rtol=0)
    assert_close(se3.exp(se3.log(X)), X)


@given(generators, angles)
def test_adjoint_is_a_representation(rng, angle):
    """Ad(X Y) = Ad X Ad Y, Ad(exp xi) = exp(ad xi), X hat(xi) X^-1 = hat(Ad X xi)."""
    X, Y = displacement_matrix(rng), displacement_matrix(rng)
    xi = screw(rng, angle)
    assert_close(se3.adjoint(X @ Y), se3.adjoint(X) @ se3.adjoint(Y))
    assert_close(se3.adjoint(se3.exp(xi)), scipy.linalg.expm(se3.ad(xi)))
    moved = X @ se3.hat(xi) @ se3.inverse(X)
    assert_close(se3.unhat(moved), se3.adjoint(X) @ xi)
    assert_close(se3.coadjoint(X).T @ se3.adjoint(X), np.eye(6), atol=1e-13)


@given(generators)
def test_bracket_obeys_jacobi(rng):
    """[x,[y,z]] + [y,[z,x]] + [z,[x,y]] = 0, and ad is the matrix commutator."""
    x, y, z = rng.normal(size=(3, 6))
    ad = se3.ad
    total = ad(x) @ ad(y) @ z + ad(y) @ ad(z) @ x + ad(z) @ ad(x) @ y
    assert_close(total, np.zeros(6), atol=1e-13)
    commutator = se3.hat(x) @ se3.hat(y) - se3.hat(y) @ se3.hat(x)
    assert_close(se3.unhat(commutator), ad(x) @ y, atol=1e-14)
    assert_close(ad(x) @ x, np.zeros(6), atol=1e-15)


@pytest.mark.parametrize("angle", ANGLES)
def test_jacobians_are_their_series(angle):
    """J_left = sum ad^n/(n + 1)!, to 8 ulp; its inverse inverts it, to pi."""
    rng = np.random.default_rng(4)
    for _ in range(5):
        xi = screw(rng, angle)
        exact = mp_series(se3.ad(xi), lambda n: mpmath.factorial(n + 1))
        size = max(1.0, np.max(np.abs(xi[3:])))
        assert rounding_error(se3.left_jacobian(xi), exact, size) <= 8
        inverse = exact**-1
        size = max(1.0, float(max(abs(entry) for entry in inverse)))
        assert rounding_error(se3.left_jacobian_inverse(xi), inverse, size) <= 8
        product = se3.right_jacobian(xi) @ se3.right_jacobian_inverse(xi)
        assert_close(product, np.eye(6), atol=1e-14 * size)
        transported = se3.adjoint(se3.exp(xi)) @ se3.right_jacobian(xi)
        assert_close(transported, se3.left_jacobian(xi), rtol=1e-14)


@given(generators, st.sampled_from([0.0, 1e-9, 0.5, 1.0, 2.0, 3.0]))
def test_jacobians_give_the_velocities(rng, angle):
    """Xdot X^-1 = hat(J_left xidot) and X^-1 Xdot = hat(J_right xidot)."""
    xi, rate = screw(rng, angle), rng.normal(size=6)
    X = se3.exp(xi)
    X_dot = derivative(lambda t: se3.exp(xi + t * rate), 0.0)
    spatial = se3.unhat(X_dot @ se3.inverse(X))
    body = se3.unhat(se3.inverse(X) @ X_dot)
    assert_close(spatial, se3.left_jacobian(xi) @ rate, rtol=1e-9)
    assert_close(body, se3.right_jacobian(xi) @ rate, rtol=1e-9)


@pytest.fixture(scope="module")
def differentiated():
    """exp and log with their directional derivatives, compiled once."""
    push = jax.jit(lambda xi, rate: jax.jvp(se3.exp, (xi,), (rate,)))
    pull = jax.jit(lambda X, X_dot: jax.jvp(se3.log, (X,), (X_dot,)))
    return push, pull


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-9, 0.5, 2.5, np.pi - 1e-9, np.pi])
def test_derivatives_are_finite_and_right(angle, differentiated):
    """jvp of exp and log agree with the Jacobians from zero to a half turn."""
    rng = np.random.default_rng(5)
    push, pull = differentiated
    with jax.enable_x64(True):
        for _ in range(20):
            xi, rate = screw(rng, angle), rng.normal(size=6)
            X, X_dot = (np.asarray(part) for part in push(xi, rate))
            body = se3.unhat(se3.inverse(X) @ X_dot)
            assert_close(body, se3.right_jacobian(xi) @ rate, rtol=1e-13)
            branch, recovered = (np.asarray(part) for part in pull(X, X_dot))
            expected = se3.right_jacobian_inverse(branch) @ body
            assert_close(recovered, expected, rtol=1e-12)


def test_second_derivatives_at_zero():
    """d2/dt2 exp(t xi) at t = 0 is hat(xi)^2: the series branch is smooth enough."""
    xi = np.array([0.3, -0.2, 0.5, 1.0, 2.0, -1.0])
    with jax.enable_x64(True):

        def path(t):
            return se3.exp(t * xi)

        second = jax.jit(jax.jacfwd(jax.jacfwd(path)))(0.0)
    assert_close(second, se3.hat(xi) @ se3.hat(xi), rtol=1e-14)


def test_kernels_work_on_batches():
    """A batch of screws gives the batch of results."""
    xi = np.random.default_rng(6).normal(size=(4, 6))
    kernels = (se3.exp, se3.ad, se3.left_jacobian, se3.left_jacobian_inverse, se3.hat)
    for kernel in kernels:
        assert_close(kernel(xi), [kernel(row) for row in xi], rtol=1e-15)
    X = se3.exp(xi)
    for kernel in (se3.log, se3.adjoint, se3.coadjoint, se3.inverse):
        assert_close(kernel(X), [kernel(matrix) for matrix in X], rtol=1e-15)
