"""The classical method of Runge and Kutta, for tests that need a motion."""

from __future__ import annotations

import numpy as np


def rk4(rate, y, t, until, steps):
    """y at `until` from y at t, y_dot = rate(t, y), in equal steps of order four."""
    h = (until - t) / steps
    for k in range(steps):
        now = t + k * h
        k1 = rate(now, y)
        k2 = rate(now + h / 2, y + h / 2 * k1)
        k3 = rate(now + h / 2, y + h / 2 * k2)
        k4 = rate(now + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.asarray(y)
