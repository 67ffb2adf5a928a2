"""Dense output: the motion between two rows.

    x(t0 + s h) = x0 + s (d + (1 - s) (a + s (b + (1 - s) bend)))

    d = x1 - x0,    a = h x0_dot - d,    b = d - h x1_dot - a

Hermite's cubic through the rows and their slopes, and what the method knows beyond it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Steps(NamedTuple):
    """Rows of one run: t (n,), x, slope and bend (n, width), in the order of time.

    `bend` of a row belongs to the step that ends there; the first has none.
    """

    t: np.ndarray
    x: np.ndarray
    slope: np.ndarray
    bend: np.ndarray


def joined(parts: list[Steps]) -> Steps:
    """Several pieces as one."""
    return Steps(*map(np.concatenate, zip(*parts, strict=True)))


def evaluate(steps: Steps, times: np.ndarray) -> np.ndarray:
    """x (len(times), width) at times within the rows; a row itself where one is hit."""
    t, x, slope, bend = steps
    if len(t) == 1:
        return np.repeat(x, len(times), axis=0)
    sign = 1.0 if t[-1] >= t[0] else -1.0
    last = np.searchsorted(sign * t, sign * times, side="left")
    last = np.clip(last, 1, len(t) - 1)
    first = last - 1
    h = (t[last] - t[first])[:, None]
    s = (times - t[first])[:, None] / h
    d = x[last] - x[first]
    a = h * slope[first] - d
    b = d - h * slope[last] - a
    between = x[first] + s * (d + (1 - s) * (a + s * (b + (1 - s) * bend[last])))
    between = np.where(s == 0, x[first], between)
    return np.where(s == 1, x[last], between)
