"""Piecewise polynomials: made from data, differentiated, integrated and evaluated.

    x < b_0     b_0 .. b_1    ...    b_(n-1) .. b_n      x > b_n
    piece 0      piece 1                 piece n        piece n + 1

Piece k is sum_j c_kj (x - o_k)^j, o_k its left break (b_0 for piece 0). What lies
beyond the data is two pieces more, so that derivative and integral need no other rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from polhode.arrays import Array, Scalar, named_function, namespace

COMPARED = 40  # breaks: up to so many comparisons cost less than a search that branches


class Pieces(NamedTuple):
    """Breaks (n + 1,) and coefficients (n + 2, degree + 1, ...), ascending powers."""

    breaks: np.ndarray
    coefficients: np.ndarray

    @property
    def origins(self) -> np.ndarray:
        """Where the local variable of each piece is zero (n + 2,)."""
        return np.concatenate([self.breaks[:1], self.breaks])


def pieces_of(x: np.ndarray, y: np.ndarray, smooth: str, beyond: str) -> Pieces:
    """The piecewise polynomial through y (n + 1, ...) at x (n + 1,)."""
    inner = _inner(x, y, smooth, beyond == "repeat")
    steps = np.diff(x)[-1]
    powers = steps ** np.arange(inner.shape[1])
    orders = np.arange(inner.shape[1])
    last_slope = np.tensordot(
        orders[1:] * powers[:-1], inner[-1, 1:], axes=1
    )  # of the last piece, at its right end
    ends = np.full((2, *inner.shape[1:]), np.nan)
    if beyond in ("hold", "extend", "repeat"):
        ends[:] = 0.0
        ends[:, 0] = y[0], y[-1]
    if beyond == "extend":
        ends[:, 1] = inner[0, 1], last_slope
    return Pieces(x, np.concatenate([ends[:1], inner, ends[1:]]))


def _inner(x: np.ndarray, y: np.ndarray, smooth: str, is_periodic: bool) -> np.ndarray:
    """The coefficients (n, degree + 1, ...) between the data."""
    if smooth == "linear":
        step = np.diff(x).reshape(-1, *(1,) * (y.ndim - 1))
        return np.stack([y[:-1], np.diff(y, axis=0) / step], axis=1)
    from scipy.interpolate import CubicSpline, PchipInterpolator

    if smooth == "monotone":
        found = PchipInterpolator(x, y)
    else:
        ends = "periodic" if is_periodic else "not-a-knot"
        found = CubicSpline(x, y, bc_type=ends)
    return np.moveaxis(found.c[::-1], 0, 1)


def derivative(pieces: Pieces) -> Pieces:
    """The slope of every piece; one constant where nothing is left."""
    c = pieces.coefficients
    orders = np.arange(1.0, c.shape[1]).reshape(1, -1, *(1,) * (c.ndim - 2))
    slopes = c[:, 1:] * orders
    return Pieces(pieces.breaks, slopes if slopes.shape[1] else 0.0 * c)


def integral(pieces: Pieces) -> Pieces:
    """A continuous function whose slope is that of the pieces; zero at the first."""
    c = pieces.coefficients
    raised = np.zeros((len(c), c.shape[1] + 1))
    raised[:, 1:] = c / np.arange(1.0, c.shape[1] + 1)
    for k in range(2, len(c)):
        step = pieces.origins[k] - pieces.origins[k - 1]
        raised[k, 0] = raised[k - 1] @ step ** np.arange(raised.shape[1])
    return Pieces(pieces.breaks, raised)


def place(breaks: np.ndarray, x: Array) -> Any:
    """Which piece a number lies in; the last break belongs to the piece before it."""
    xp = namespace(x)
    inner, last = xp.asarray(breaks[:-1]), breaks[-1]
    if len(breaks) <= COMPARED:
        below = (x[..., None] >= inner).sum(-1)
    else:
        below = xp.searchsorted(inner, x, side="right")
    return below + xp.where(x > last, 1, 0)


def evaluate_1d(pieces: Pieces, x: Array) -> Any:
    """The value at x (...)."""
    xp = namespace(x)
    x = xp.asarray(x)
    k = place(pieces.breaks, x)
    c = xp.take(xp.asarray(pieces.coefficients), k, axis=0, mode="clip")
    return _horner(c, x - xp.take(xp.asarray(pieces.origins), k, mode="clip"))


class Patches(NamedTuple):
    """Of two variables: breaks, and coefficients (n + 2, degree + 1, m + 2, ...)."""

    first: np.ndarray
    second: np.ndarray
    coefficients: np.ndarray


def patches_of(
    x: np.ndarray, y: np.ndarray, values: np.ndarray, smooth: str, beyond: str
) -> Patches:  # limit: data of two axes, and how they are joined
    """The product of piecewise polynomials through values (n + 1, m + 1)."""
    ends = "hold" if beyond == "refuse" else beyond
    c = pieces_of(x, values, smooth, ends).coefficients
    columns = np.moveaxis(c, 2, 0)
    both = pieces_of(y, columns, smooth, ends).coefficients
    if beyond == "refuse":
        both[[0, -1]] = np.nan
        both[:, :, [0, -1]] = np.nan
    return Patches(x, y, np.moveaxis(both, (2, 3), (0, 1)))


def slope_of_patches(patches: Patches, which: int) -> Patches:
    """The partial derivative by the first variable or the second."""
    x, y, c = patches
    if which == 0:
        return Patches(x, y, derivative(Pieces(x, c)).coefficients)
    turned = derivative(Pieces(y, np.moveaxis(c, (2, 3), (0, 1)))).coefficients
    return Patches(x, y, np.moveaxis(turned, (0, 1), (2, 3)))


def evaluate_2d(patches: Patches, x: Array, y: Array) -> Any:
    """The value at (x, y)."""
    xp = namespace(x, y)
    x, y = xp.asarray(x), xp.asarray(y)
    i, j = place(patches.first, x), place(patches.second, y)
    c = patches.coefficients
    count, many = c.shape[0], c.shape[2]
    cells = np.moveaxis(c, 2, 1).reshape(count * many, c.shape[1], c.shape[3])
    own = xp.take(xp.asarray(cells), many * i + j, axis=0, mode="clip")
    origins = [Pieces(b, c).origins for b in (patches.first, patches.second)]
    u, v = (
        at - xp.take(xp.asarray(o), k, mode="clip")
        for at, o, k in zip((x, y), origins, (i, j), strict=True)
    )
    return _horner(_horner(own, v[..., None]), u)


def _horner(c: Array, u: Scalar) -> Any:
    """sum_j c_j u^j over the last axis of c."""
    total = c[..., -1]
    for j in range(c.shape[-1] - 2, -1, -1):
        total = total * u + c[..., j]
    return total


class Family:
    """A function and all its partial derivatives, each under a name of its own.

    In a trace every one is a named function, so that equations read f(x) and f'(x) and
    JAX differentiates one into the next.
    """

    def __init__(
        self,
        name: str,
        variables: str,
        pieces: Any,
        *,
        evaluate: Callable[..., Any],
        differentiate: Callable[[Any, int], Any],
        period: Sequence[np.ndarray] | None = None,
    ) -> None:
        """`evaluate(pieces, *values)`; `differentiate(pieces, which variable)`.

        `period` are the axes of data that repeat from their ends on.
        """
        self.name, self.variables = name, variables
        self._period = period
        self._evaluate, self._differentiate = evaluate, differentiate
        self._pieces: dict[tuple[int, ...], Any] = {(0,) * len(variables): pieces}
        self._laws: dict[tuple[int, ...], Any] = {}

    def pieces(self, orders: tuple[int, ...]) -> Any:
        """Those of the derivative of these orders."""
        if orders not in self._pieces:
            which = next(k for k, n in enumerate(orders) if n)
            lower = tuple(n - (k == which) for k, n in enumerate(orders))
            self._pieces[orders] = self._differentiate(self.pieces(lower), which)
        return self._pieces[orders]

    def law(self, orders: tuple[int, ...]) -> Any:
        """The derivative of these orders as a traceable function."""
        if orders not in self._laws:
            self._laws[orders] = self._made(orders)
        return self._laws[orders]

    def value(self, orders: tuple[int, ...], *values: Any) -> Any:
        """The same outside a trace, by NumPy."""
        return self._evaluate(self.pieces(orders), *self._within(values))

    def _within(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values in the first period: inside the named function, which people
        read as f(x) of the x that is given."""
        if self._period is None:
            return values
        pairs = zip(self._period, values, strict=True)
        return tuple(a[0] + namespace(v).mod(v - a[0], a[-1] - a[0]) for a, v in pairs)

    def _made(self, orders: tuple[int, ...]) -> Any:
        import jax

        pieces = self.pieces(orders)

        def evaluate(*values: Any) -> Any:
            return self._evaluate(pieces, *self._within(values))

        law = jax.custom_jvp(named_function(self._title(orders), evaluate))

        def rule(values: Array, rates: Array) -> Any:
            total = 0.0
            for which, rate in enumerate(rates):
                higher = tuple(n + (k == which) for k, n in enumerate(orders))
                total = total + self.law(higher)(*values) * rate
            return law(*values), total

        law.defjvp(rule)
        return law

    def _title(self, orders: tuple[int, ...]) -> str:
        if not any(orders):
            return self.name
        if len(orders) == 1:
            return self.name + "'" * orders[0]
        marks = zip(self.variables, orders, strict=True)
        return f"{self.name}_" + "".join(v * n for v, n in marks)
