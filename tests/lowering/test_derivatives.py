"""Derivatives are JAX's, taken before lowering: compiled they agree with XLA's."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from lowering_cases import Case, check, compiled

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(5, 3))
V = RANDOM.normal(size=(5, 3))


@jax.custom_jvp
def root(a):
    """y with y^3 + y = a, by Newton; its derivative from the relation itself."""
    turn = lambda _, y: y - (y**3 + y - a) / (3 * y**2 + 1)  # noqa: E731
    return lax.fori_loop(0, 30, turn, a)


@root.defjvp
def root_jvp(primals, tangents):
    y = root(*primals)
    return y, tangents[0] / (3 * y**2 + 1)


def smooth(x):
    a, b, c = x
    return jnp.stack([jnp.sin(a) * jnp.exp(b), c**3 / (1 + a**2), x @ x])


def dense(x):
    """A solve, a factor and a determinant."""
    a = jnp.outer(x, x) + 3.0 * jnp.eye(3)
    lower = jnp.linalg.cholesky(a)
    return jnp.linalg.solve(a, x) * jnp.linalg.det(a) + lower @ x


def looped(x):
    last, rows = lax.scan(lambda c, t: (jnp.sin(c) + t * x, c[0]), x, jnp.arange(8.0))
    return last * jnp.sum(rows)


def branched(x):
    return lax.cond(x[0] > 0, lambda v: jnp.tanh(v), lambda v: v * jnp.cos(v), x)


def indexed(x):
    k = (jnp.abs(x[0]) * 10).astype(int) % 3
    return x.at[k].multiply(x[0]) * x[(k + 1) % 3] + jnp.sort(x) * jnp.max(x)


def rolled_up(x):
    return jnp.stack([root(x[0]) * x[1], jnp.linalg.norm(x), jax.nn.softplus(x[2])])


FUNCTIONS = [smooth, dense, looped, branched, indexed, rolled_up]


def total(function):
    return lambda x: jnp.sum(function(x) ** 2)


DERIVATIVES = {
    "jacfwd": lambda f: lambda x, v: jax.jacfwd(f)(x),
    "jacrev": lambda f: lambda x, v: jax.jacrev(f)(x),
    "grad": lambda f: lambda x, v: jax.value_and_grad(total(f))(x),
    "hessian": lambda f: lambda x, v: jax.hessian(total(f))(x),
    "jvp": lambda f: lambda x, v: jax.jvp(f, (x,), (v,)),
    "vjp": lambda f: lambda x, v: jax.vjp(f, x)[1](v),
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("kind", DERIVATIVES)
def test_derivatives_are_those_of_xla(kind, function):
    """Forwards, backwards and twice, through solves, loops, branches and indices."""
    name = f"{kind} of {function.__name__}"
    check(Case(name, DERIVATIVES[kind](function), (X, V), rtol=1e-11))


def test_a_derivative_typed_by_hand_is_the_one_that_is_used():
    """The implicit rule of a root, not the derivative of its thirty turns."""
    slope = compiled(jax.grad(root), 0.5, batched=False)
    plain = compiled(root, 0.5, batched=False)
    assert slope.report().operations <= plain.report().operations + 4
    y = plain(0.5)
    np.testing.assert_allclose(slope(0.5), 1 / (3 * y**2 + 1), rtol=1e-15)
