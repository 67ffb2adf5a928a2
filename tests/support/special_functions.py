"""Functions of `jax.numpy` by name, special values, and what differs from XLA.

A difference that the page on the compiler states is allowed for by name; any other is a
failure. Subnormal numbers are not among the values: XLA takes them for zero.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

NUMBERS = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, np.inf, -np.inf, np.nan, -np.nan,
           1e150, -1e150, 1e38, 4.5e15, 1e19)  # fmt: skip
TRIPLES = (0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, -2.5, 1e38)
ENTRIES = (0.0, -0.0, 0.5, np.inf, np.nan, 1e38)
RTOL = 1e-12


def second(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The second derivative."""
    return jax.grad(jax.grad(f))


UNARY: dict[str, Callable[..., Any]] = {
    "signbit": jnp.signbit, "sign": jnp.sign, "abs": jnp.abs, "floor": jnp.floor,
    "round": jnp.round, "trunc": jnp.trunc, "ceil": jnp.ceil, "sqrt": jnp.sqrt,
    "cbrt": jnp.cbrt, "exp": jnp.exp, "log": jnp.log, "log1p": jnp.log1p,
    "expm1": jnp.expm1, "sin": jnp.sin, "tan": jnp.tan, "arcsin": jnp.arcsin,
    "arccos": jnp.arccos, "arctan": jnp.arctan, "sinh": jnp.sinh, "tanh": jnp.tanh,
    "arcsinh": jnp.arcsinh, "arccosh": jnp.arccosh, "arctanh": jnp.arctanh,
    "nan_to_num": jnp.nan_to_num, "exp2": jnp.exp2, "log2": jnp.log2,
    "erf": jax.scipy.special.erf, "softplus": jax.nn.softplus,
    "integer": lambda x: x.astype(int), "power": lambda x: x**0.5,
    "inverse square": lambda x: x**-2, "slope of sinc": jax.grad(jnp.sinc),
    "bend of tanh": second(jnp.tanh), "bend of log": second(lambda x: jnp.log1p(x * x)),
    "bend of arctan": second(jnp.arctan), "bend of 1/x": second(lambda x: 1 / x),
    "bend of root": second(lambda x: jnp.sqrt(1 + x * x)),
}  # fmt: skip
BINARY: dict[str, Callable[..., Any]] = {
    "copysign": jnp.copysign, "mod": jnp.mod, "fmod": jnp.fmod, "rem": jax.lax.rem,
    "floor_divide": jnp.floor_divide, "arctan2": jnp.arctan2, "maximum": jnp.maximum,
    "minimum": jnp.minimum, "fmax": jnp.fmax, "fmin": jnp.fmin, "hypot": jnp.hypot,
    "power": jnp.power, "divide": jnp.divide, "nextafter": jnp.nextafter,
    "less": jnp.less, "logaddexp": jnp.logaddexp, "heaviside": jnp.heaviside,
    "xlogy": jax.scipy.special.xlogy, "clip": lambda a, b: jnp.clip(a, -1.0, b),
}  # fmt: skip
VECTOR: dict[str, Callable[..., Any]] = {
    "var": jnp.var, "std": jnp.std, "mean": jnp.mean, "sum": jnp.sum, "prod": jnp.prod,
    "nansum": jnp.nansum, "nanmean": jnp.nanmean, "nanmax": jnp.nanmax,
    "nanmin": jnp.nanmin, "max": jnp.max, "argmax": jnp.argmax, "argmin": jnp.argmin,
    "sort": jnp.sort, "argsort": jnp.argsort, "median": jnp.median,
    "norm": jnp.linalg.norm, "cumsum": jnp.cumsum, "cumprod": jnp.cumprod,
    "logsumexp": jax.scipy.special.logsumexp, "cummax": jax.lax.cummax,
    "softmax": jax.nn.softmax, "nanvar": jnp.nanvar, "unwrap": jnp.unwrap,
    "top": lambda x: jax.lax.top_k(x, 2)[0], "any": jnp.any,
    "interp": lambda x: jnp.interp(x, jnp.arange(3.0), jnp.array([0.0, 2.0, 1.0])),
}  # fmt: skip


def matrix(x: Any) -> Any:
    """Symmetric, with three entries given."""
    rows = [[4.0, x[0], x[1]], [x[0], 5.0, x[2]], [x[1], x[2], 6.0]]
    return jnp.array(rows)


MATRIX: dict[str, Callable[..., Any]] = {
    "cholesky": lambda x: jnp.linalg.cholesky(matrix(x)),
    "solve": lambda x: jnp.linalg.solve(matrix(x), jnp.array([1.0, 2.0, 3.0])),
    "solve for": lambda x: jnp.linalg.solve(matrix(jnp.array([0.1, 0.2, 0.3])), x),
    "inverse": lambda x: jnp.linalg.inv(matrix(x)),
    "det": lambda x: jnp.linalg.det(matrix(x)),
    "slogdet": lambda x: jnp.linalg.slogdet(matrix(x))[1],
    "matrix power": lambda x: jnp.linalg.matrix_power(matrix(x), 3),
}
# What docs/lowering.md states under "Where XLA differs".
ZERO_SIGN = {"mean", "sum", "nansum", "nanmean", "cumsum", "top", *MATRIX}
ALL_NAN = {"cholesky"}
FUSED_SQUARES = {"var", "std", "nanvar"}
FUSED_BENDS = {"bend of root", "bend of log"}


class Program(NamedTuple):
    """A function, and all arguments with which it is called."""

    name: str
    function: Callable[..., Any]
    arguments: list[tuple[Any, ...]]


def programs() -> Iterator[Program]:
    """Every function with every choice of its special values."""
    families = (
        (UNARY, [(np.float64(x),) for x in NUMBERS]),
        (BINARY, list(itertools.product(map(np.float64, NUMBERS), repeat=2))),
        (VECTOR, [(np.array(x),) for x in itertools.product(TRIPLES, repeat=3)]),
        (MATRIX, [(np.array(x),) for x in itertools.product(ENTRIES, repeat=3)]),
    )
    for functions, arguments in families:
        for name, function in functions.items():
            yield Program(name, function, arguments)


def differences(program: Program, fold: str, batch: int | None = None) -> list[str]:
    """Where a compiled program gives other numbers than XLA, and no page says so."""
    import polhode as ph

    arguments = program.arguments[:batch]
    ours = ph.compile(
        program.function, *arguments[0], fold=fold, backend="llvm", batched=True
    )
    columns = [np.array(column) for column in zip(*arguments, strict=True)]
    found = np.asarray(ours(*columns))
    with jax.enable_x64(True):
        wanted = np.asarray(jax.jit(jax.vmap(program.function))(*columns))
    faults = []
    for k, given in enumerate(arguments):
        if not _is_same(program.name, fold, given, found[k], wanted[k]):
            faults.append(f"{program.name}{given}: {found[k]} for {wanted[k]}")
    return faults


def _is_same(
    name: str, fold: str, given: tuple[Any, ...], ours: np.ndarray, xla: np.ndarray
) -> bool:
    if ours.dtype.kind != "f":
        return bool(np.array_equal(ours, xla))
    if name in ALL_NAN and np.any(np.isnan(xla)):
        return bool(np.all(np.isnan(ours) | (ours == 0)))
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(ours), np.abs(xla))
        close = (ours == xla) | (np.abs(ours - xla) <= RTOL * size)
        close |= np.isnan(ours) & np.isnan(xla)
        if name not in ZERO_SIGN:
            close &= (ours != 0) | (np.signbit(ours) == np.signbit(xla))
        large = max(float(np.max(np.abs(x))) for x in given)
        if name in MATRIX:  # pivots that cancel leave rounding of the entries
            close |= np.abs(ours - xla) <= 1e-15 * np.max(size)
        # A fused product keeps what a rounded one loses where terms cancel.
        if name in FUSED_SQUARES and fold == "zeros":
            close |= np.abs(ours - xla) <= 1e-15 * large**2
        if name in FUSED_BENDS and fold == "zeros" and large > 1e15:
            close |= np.abs(ours - xla) <= 1e-15 / large
    return bool(np.all(close))
