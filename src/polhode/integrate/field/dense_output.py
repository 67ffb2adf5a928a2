"""Dense output: the motion between two rows.

    x(t0 + s h) = x0 + s (d + (1 - s) (a + s (b + (1 - s) (e0 + s (e1 + (1 - s) ...)))))

    d = x1 - x0,    a = h x0_dot - d,    b = d - h x1_dot - a

Hermite's cubic through the rows and their slopes, and what the method knows beyond it:
its terms e0, e1, ... each raise the degree by one, and none moves the rows or slopes.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import mul
from typing import Any, NamedTuple, Protocol

import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError


class Steps(NamedTuple):
    """Rows of one run in the order of time.

    t (n,), x and x_dot (n, width), dense (n, terms, width): the terms of dense output.
    `dense` of a row belongs to the step that ends there; the first has none.
    """

    t: np.ndarray
    x: np.ndarray
    x_dot: np.ndarray
    dense: np.ndarray

    @property
    def terms(self) -> int:
        """How many terms dense output has."""
        return self.dense.shape[1]

    def part(self, key: Any) -> Steps:
        """Some of the rows: a slice, places, or a mask."""
        try:
            return Steps(*(column[key] for column in self))
        except (IndexError, TypeError, ValueError) as reason:
            raise IntegrationError(
                f"{key!r} chooses none of {len(self.t)} steps.",
                f"Rows are chosen as in an array: {reason}.",
                "Give a slice, whole numbers below that, or one truth for each row.",
            ) from reason


class Instant(Protocol):
    """What has a time, a state and its rate: a stepper state, or a start of a step."""

    @property
    def t(self) -> Any:
        """Time (s)."""

    @property
    def x(self) -> Any:
        """State (width,)."""

    @property
    def x_dot(self) -> Any:
        """Its rate."""


def row_at(at: Instant, dense: np.ndarray) -> Steps:
    """One row of a run; `dense` (1, terms, width) is of the step that ends there."""
    t, x, x_dot = (np.asarray(part)[None] for part in (at.t, at.x, at.x_dot))
    return Steps(t, x, x_dot, dense)


def first_row(at: Instant, terms: int) -> Steps:
    """The row at which a run or a segment begins: no step ends there."""
    return row_at(at, np.zeros((1, terms, np.shape(at.x)[-1])))


def bare(t: np.ndarray, x: np.ndarray) -> Steps:
    """Rows between which nothing is known."""
    return Steps(t, x, np.zeros_like(x), np.zeros((len(t), 0, x.shape[1])))


def join_steps(parts: list[Steps]) -> Steps:
    """Several pieces as one."""
    return Steps(*map(np.concatenate, zip(*parts, strict=True)))


def evaluate(steps: Steps, times: np.ndarray) -> np.ndarray:
    """x (len(times), width) at times within the rows; a row itself where one is hit."""
    t, x, x_dot, dense = steps
    if len(t) == 1:
        return np.repeat(x, len(times), axis=0)
    sign = 1.0 if t[-1] >= t[0] else -1.0
    last = np.searchsorted(sign * t, sign * times, side="left")
    last = np.clip(last, 1, len(t) - 1)
    first = last - 1
    h = (t[last] - t[first])[:, None]
    # Two rows at one time are a jump: what was before it is asked there.
    s = (times - t[first])[:, None] / np.where(h == 0, 1.0, h)
    start, end = (x[first], x_dot[first]), (x[last], x_dot[last])
    found = between(s, h, start, end, np.moveaxis(dense[last], 1, 0))
    found = np.where(s == 0, x[first], found)
    return np.where(s == 1, x[last], found)


def between(
    s: Scalar,
    h: Scalar,
    start: tuple[Any, ...],
    end: tuple[Any, ...],
    dense: Array,
    *,
    product: Callable[[Any, Any], Any] = mul,
) -> Any:
    """x at the share s of a step h, from (x, x_dot) at its ends and its terms.

    Another word for products may round each of them.
    """
    d = end[0] - start[0]
    a = product(h, start[1]) - d
    inner = d - product(h, end[1]) - a
    if len(dense):
        higher = dense[len(dense) - 1]
        for k in reversed(range(len(dense) - 1)):
            higher = dense[k] + product(s if k % 2 == 0 else 1 - s, higher)
        inner = inner + product(1 - s, higher)
    return start[0] + product(s, d + product(1 - s, a + product(s, inner)))
