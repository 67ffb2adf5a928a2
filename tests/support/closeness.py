"""Comparison of numbers that may be large, small, arrays or trees of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

EPSILON = np.finfo(float).eps


def assert_close(actual: Any, expected: Any, *, rtol: float = 1e-12, atol: float = 0.0):
    """Equal within `rtol` of the largest entry of the expected array, or `atol`."""
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    assert actual.shape == expected.shape, (actual.shape, expected.shape)
    assert np.all(np.isfinite(actual)), actual
    scale = np.max(np.abs(expected), initial=0.0)
    worst = np.max(np.abs(actual - expected), initial=0.0)
    limit = max(rtol * scale, atol)
    assert worst <= limit, f"differs by {worst:.3g}, allowed {limit:.3g}"


def ulps(actual: Any, expected: Any) -> Any:
    """The difference in units of the expected value's last place."""
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    spacing = np.spacing(np.maximum(np.abs(expected), np.finfo(float).tiny))
    return np.where(actual == expected, 0.0, np.abs(actual - expected) / spacing)
