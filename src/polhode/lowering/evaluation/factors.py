"""Factors of matrices, by LAPACK; what has none is NaN, as in JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from polhode.lowering.trace.trace import Equation


def matrices(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of matrices over any leading axes."""

    def over(*values: Any) -> Any:
        rows = values[0].shape[:-2]
        if not rows:
            return function(*values)
        found = [function(*(v[k] for v in values)) for k in np.ndindex(rows)]
        if isinstance(found[0], list):
            return [_stack(each, rows) for each in zip(*found, strict=True)]
        return _stack(found, rows)

    return over


def _stack(found: Any, rows: tuple[int, ...]) -> Any:
    return np.reshape(found, (*rows, *np.shape(found[0])))


def cholesky(equation: Equation) -> Callable[..., Any]:
    def lower(a: Any) -> Any:
        try:
            return np.linalg.cholesky(a)
        except np.linalg.LinAlgError:
            return np.full_like(a, np.nan)

    return matrices(lower)


def lu(equation: Equation) -> Callable[..., Any]:
    from scipy.linalg.lapack import dgetrf

    def factored(a: Any) -> list[Any]:
        both, pivots, _ = dgetrf(a)
        return [both, pivots.astype(np.int32), _permutation(pivots, a.shape[0])]

    return matrices(factored)


def _permutation(pivots: Any, count: int) -> Any:
    order = np.arange(count, dtype=np.int32)
    for k, chosen in enumerate(pivots):
        order[[k, chosen]] = order[[chosen, k]]
    return order


def permutation(equation: Equation) -> Callable[..., Any]:
    count = equation.params["permutation_size"]
    if len(equation.invars[0].aval.shape) > 1:
        raise NotImplementedError("permutations of many")
    return lambda pivots: _permutation(pivots, count)


def triangular(equation: Equation) -> Callable[..., Any]:
    from scipy.linalg.blas import dtrsm

    p = equation.params
    options = {
        "side": 0 if p["left_side"] else 1,
        "lower": int(p["lower"]),
        "trans_a": int(p["transpose_a"]),
        "diag": int(p["unit_diagonal"]),
    }

    def solve(a: Any, b: Any) -> Any:
        return dtrsm(1.0, a, b, **options) if b.size else np.array(b)

    return matrices(solve)


def eigh(equation: Equation) -> Callable[..., Any]:
    if equation.params.get("subset_by_index") not in (None, ()):
        raise NotImplementedError("a part of an eigenproblem")
    half: Literal["L", "U"] = "L" if equation.params["lower"] else "U"

    def vectors_first(a: Any) -> list[Any]:
        try:
            values, vectors = np.linalg.eigh(a, half)
        except np.linalg.LinAlgError:
            values, vectors = np.full(len(a), np.nan), np.full_like(a, np.nan)
        return [vectors, values]

    return vectors_first


MAKERS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "cholesky": cholesky,
    "lu": lu,
    "lu_pivots_to_permutation": permutation,
    "triangular_solve": triangular,
    "eigh": eigh,
}
