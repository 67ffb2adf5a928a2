"""Factorisations: LAPACK's primitives replaced by kernels that scalarise."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from polhode.lowering import linear_algebra
from polhode.lowering.ir.fold import is_zero
from polhode.lowering.ir.program import Lowering, Unlowerable, Value, lift
from polhode.lowering.trace.trace import Equation, closed_jaxpr

LARGEST = 24  # rows; beyond it straight-line code is no longer small


def kernel(
    low: Lowering, function: Callable[..., Any], equation: Equation, *values: Value
) -> Any:
    """A function of matrices, over any leading batch axes, lowered in place."""
    shapes = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in equation.invars]
    if max(max(s.shape[-2:], default=0) for s in shapes) > LARGEST:
        raise Unlowerable("", f"a matrix of more than {LARGEST} rows")
    for _ in range(len(shapes[0].shape) - 2):
        function = jax.vmap(function)
    jaxpr, _ = closed_jaxpr(function, *shapes)
    return low.interpret(jaxpr.jaxpr, jaxpr.consts, *values)


def cholesky(low: Lowering, equation: Equation, a: Value) -> Value:
    return kernel(low, linear_algebra.cholesky, equation, a)[0]


def lu(low: Lowering, equation: Equation, a: Value) -> list[Value]:
    if low.reading and a.ndim == 2:
        return _lu_for_readers(low, lift(a).copy())
    return kernel(low, linear_algebra.lu, equation, a)


def _lu_for_readers(low: Lowering, a: Value) -> list[Value]:
    """Elimination in the order of the rows; only a literal zero makes it exchange."""
    build, rows = low.build, list(range(a.shape[0]))
    pivots = []
    for k in range(min(a.shape)):
        free = [i for i in range(k, len(rows)) if not is_zero(a[i, k])]
        chosen = free[0] if free else k
        pivots.append(chosen)
        a[[k, chosen]] = a[[chosen, k]]
        rows[k], rows[chosen] = rows[chosen], rows[k]
        for i in range(k + 1, len(rows)) if free else ():
            a[i, k] = build.div(a[i, k], a[k, k])
            for j in range(k + 1, a.shape[1]):
                a[i, j] = build.sub(a[i, j], build.mul(a[i, k], a[k, j]))
    return [a, np.array(pivots, np.int32), np.array(rows, np.int32)]


def permutation(low: Lowering, equation: Equation, pivots: Value) -> Value:
    size = equation.params["permutation_size"]
    function = partial(linear_algebra.pivots_to_permutation, size=size)
    aval = equation.invars[0].aval
    for _ in range(len(aval.shape) - 1):
        function = jax.vmap(function)
    shape = jax.ShapeDtypeStruct(aval.shape, aval.dtype)
    jaxpr, _ = closed_jaxpr(function, shape)
    return low.interpret(jaxpr.jaxpr, jaxpr.consts, pivots)[0]


def triangular_solve(low: Lowering, equation: Equation, a: Value, b: Value) -> Value:
    p = equation.params
    lower = p["lower"] != p["transpose_a"]

    def solve(a: Any, b: Any) -> Any:
        a = a.T if p["transpose_a"] else a
        if p["left_side"]:
            return linear_algebra.triangular_solve(a, b, lower, p["unit_diagonal"])
        turned = linear_algebra.triangular_solve(
            a.T, b.T, not lower, p["unit_diagonal"]
        )
        return turned.T

    return kernel(low, solve, equation, a, b)[0]


def eigh(low: Lowering, equation: Equation, a: Value) -> list[Value]:
    def vectors_first(a: Any) -> tuple[Any, Any]:
        lower = jnp.tril(a)
        values, vectors = linear_algebra.eigh(lower + jnp.tril(a, -1).T)
        return vectors, values

    if a.shape[-1] > 10 or equation.params.get("subset_by_index") not in (None, ()):
        raise Unlowerable("", "an eigenproblem of more than 10 rows, or a part of one")
    return kernel(low, vectors_first, equation, np.asarray(a))


RULES: dict[str, Callable[..., Any]] = {
    "cholesky": cholesky,
    "lu": lu,
    "lu_pivots_to_permutation": permutation,
    "triangular_solve": triangular_solve,
    "eigh": eigh,
}
