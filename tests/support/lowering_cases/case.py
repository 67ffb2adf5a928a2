"""One entry of the registry: a function, its arguments, and how close it must come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax
import mpmath
import numpy as np

import polhode as ph
from closeness import ulps as ulps_between
from polhode.lowering.evaluation.plan import Plan, Unplanned
from polhode.lowering.trace.trace import closed_jaxpr, inner_jaxprs

SYSTEMS = 5  # a whole block of four lanes, and one system more
LANES = 4
RANDOM = np.random.default_rng(1)
# What only XLA evaluates on the host: keys, rounding to fewer bits, Taylor series.
WITHOUT_NUMPY = (
    *("key<", "iota_2x32", "reduce_precision", "sharding", "replaced"),
    *("top_k", "cumlogsumexp", "a product of integers"),
)


@dataclass(frozen=True)
class Case:
    """`function` of one system; the arguments have a leading axis of systems.

    The result agrees with XLA's (or with `exact`, of scalars) bit by bit, or within
    `ulps` of each element, or within `rtol` of the largest element of its array,
    system by system.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[np.ndarray, ...]
    ulps: float = 0.0
    rtol: float = 0.0
    exact: Callable[..., Any] | None = None

    def system(self, k: int) -> tuple[np.ndarray, ...]:
        return tuple(a[k] for a in self.arguments)

    def systems(self) -> list[tuple[np.ndarray, ...]]:
        return [self.system(k) for k in range(len(self.arguments[0]))]


def case(
    name: str,
    function: Callable[..., Any],
    *arguments: np.ndarray,
    ulps: float = 0.0,
    rtol: float = 0.0,
) -> Case:
    return Case(name, function, arguments, ulps, rtol)


# -------------------------------------------------------------------- arguments


def normal(*shape: int) -> np.ndarray:
    return RANDOM.normal(size=(SYSTEMS, *shape))


def uniform(low: float, high: float, *shape: int) -> np.ndarray:
    return RANDOM.uniform(low, high, (SYSTEMS, *shape))


def whole(low: int, high: int, *shape: int, dtype: Any = np.int64) -> np.ndarray:
    """Integers from `low` to `high`, both included."""
    return RANDOM.integers(low, high, (SYSTEMS, *shape), dtype, endpoint=True)


def coins(*shape: int) -> np.ndarray:
    return RANDOM.integers(0, 2, (SYSTEMS, *shape)).astype(bool)


def each(values: Any, dtype: Any = None) -> np.ndarray:
    """A list of values, in every system begun at another one."""
    values = np.asarray(values, dtype)
    return np.stack([np.roll(values, -k, axis=0) for k in range(SYSTEMS)])


def one_a_system(values: Sequence[Any], dtype: Any = None) -> np.ndarray:
    """Scalars or arrays, as many systems as there are values."""
    return np.asarray(values, dtype)


def pairs(values: Any, dtype: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Two scalars a system: all pairs of the values."""
    values = np.asarray(values, dtype)
    first, second = np.meshgrid(values, values)
    return first.reshape(-1), second.reshape(-1)


def definite(n: int) -> np.ndarray:
    """Well-conditioned symmetric positive matrices."""
    a = normal(n, n)
    return a @ a.transpose(0, 2, 1) + n * np.eye(n)


# --------------------------------------------------------------------- comparing


def on_xla(function: Callable[..., Any], systems: Sequence[tuple]) -> list[Any]:
    """What XLA gives, system by system, as NumPy arrays."""
    with jax.enable_x64(True):
        run = jax.jit(function)
        return [jax.tree_util.tree_map(np.asarray, run(*system)) for system in systems]


def right_results(case: Case) -> list[Any]:
    """System by system, from mpmath where the case names a function of it."""
    if case.exact is None:
        return on_xla(case.function, case.systems())
    with mpmath.workdps(50):
        return [
            np.float64(case.exact(*(mpmath.mpf(float(a)) for a in system)))
            for system in case.systems()
        ]


def stacked(results: list[Any]) -> Any:
    """Results of systems as the result of their batch."""
    return jax.tree_util.tree_map(lambda *leaves: np.stack(leaves), *results)


def compiled(function: Callable[..., Any], *example: Any, **options: Any) -> Any:
    options = {"backend": "llvm", "batched": True, "lanes": LANES, **options}
    return ph.compile(function, *example, **options)


def check(case: Case, **options: Any) -> None:
    """Equal to XLA in a batch, and to itself, bit by bit, alone."""
    program = compiled(case.function, *case.system(0), **options)
    together = program(*case.arguments)
    expected = stacked(right_results(case))
    assert_agree(together, expected, case)
    assert_agree_by_numpy(case, expected)
    for k in range(SYSTEMS):
        alone = program(*case.system(k))
        assert_same_bits(alone, jax.tree_util.tree_map(lambda a, k=k: a[k], together))


def assert_agree_by_numpy(case: Case, expected: Any) -> None:
    """The trace evaluated operation by operation agrees too, where it can be.

    It rounds each operation, where XLA and programs fuse some.
    """
    trace, tree = closed_jaxpr(case.function, *case.system(0))
    try:
        with np.errstate(all="ignore"):
            plan = Plan(trace)
            found = [plan(*jax.tree.leaves(each)) for each in case.systems()]
    except Unplanned as error:
        if not any(word in str(error) for word in WITHOUT_NUMPY):
            raise
        return
    types = [variable.aval.dtype for variable in trace.jaxpr.outvars]
    arrays = [[*map(np.asarray, each, types)] for each in found]
    results = [jax.tree.unflatten(tree, each) for each in arrays]
    loose = replace(case, ulps=case.ulps + 4, rtol=max(case.rtol, 1e-13))
    assert_agree(stacked(results), expected, loose)


def assert_agree(actual: Any, expected: Any, case: Case) -> None:
    found, tree = jax.tree_util.tree_flatten_with_path(actual)
    wanted, wanted_tree = jax.tree_util.tree_flatten(expected)
    assert tree == wanted_tree, (tree, wanted_tree)
    for (path, a), b in zip(found, wanted, strict=True):
        place = jax.tree_util.keystr(path)
        a, b = np.asarray(a), np.asarray(b)
        assert a.shape == b.shape, (place, a.shape, b.shape)
        assert a.dtype == b.dtype, (place, a.dtype, b.dtype)
        wrong = ~is_close(a, b, case)
        assert not wrong.any(), (
            f"{case.name}{place}: {a[wrong][:5]} instead of {b[wrong][:5]}"
            f" at {np.argwhere(wrong)[:5].tolist()}"
        )


def is_close(a: np.ndarray, b: np.ndarray, case: Case) -> np.ndarray:
    """NaN equals NaN; zeros must have one sign only where the bits must be equal."""
    if a.dtype.kind != "f":
        return a == b
    both_nan = np.isnan(a) & np.isnan(b)
    if case.ulps == case.rtol == 0:
        return both_nan | ((a == b) & (np.signbit(a) == np.signbit(b)))
    with np.errstate(invalid="ignore", over="ignore"):
        near = ulps_between(a, b) <= case.ulps
        sizes = np.where(np.isfinite(b), np.abs(b), 0.0)
        largest = np.max(sizes, axis=tuple(range(1, b.ndim)), keepdims=True, initial=0)
        near |= np.abs(a - b) <= case.rtol * largest
    return both_nan | (a == b) | near


def assert_same_bits(actual: Any, expected: Any) -> None:
    """Equal to the last bit, signs of zeros included; every NaN is one."""
    for a, b in zip(*map(jax.tree_util.tree_leaves, (actual, expected)), strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype, (a.dtype, b.dtype)
        np.testing.assert_array_equal(a, b)
        if a.dtype.kind == "f":
            number = ~np.isnan(a)
            np.testing.assert_array_equal(np.signbit(a)[number], np.signbit(b)[number])


def primitives_of(function: Callable[..., Any], *example: Any) -> set[str]:
    """The names of all primitives in a function's trace, inner ones included."""
    jaxpr, _ = closed_jaxpr(function, *example)
    found: set[str] = set()
    stack = [jaxpr.jaxpr]
    while stack:
        for equation in stack.pop().eqns:
            found.add(equation.primitive.name)
            stack.extend(inner_jaxprs(equation.params))
    return found
