"""A parallel view of a scene: who looks from where, and what a ray meets first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.errors import ShowError

# Azimuth and elevation of the observer, degrees.
VIEWS: dict[str, tuple[float, float]] = {
    "front": (-90.0, 0.0),
    "back": (90.0, 0.0),
    "side": (0.0, 0.0),
    "left": (180.0, 0.0),
    "top": (-90.0, 90.0),
    "corner": (-55.0, 25.0),
}


@final
@dataclass(frozen=True)
class View:
    """A far observer, by rows: to the right, up, and towards the observer."""

    axes: Any

    @staticmethod
    def towards(azimuth: float, elevation: float) -> View:
        """Seen from an azimuth about Z and a height above the horizon, in radians."""
        sin, cos = np.sin(azimuth), np.cos(azimuth)
        rise, level = np.sin(elevation), np.cos(elevation)
        right = [-sin, cos, 0.0]
        up = [-rise * cos, -rise * sin, level]
        near = [level * cos, level * sin, rise]
        return View(np.array([right, up, near]))

    @staticmethod
    def of(given: Any) -> View | None:
        """A view by its word, by (azimuth, elevation) in degrees, or one itself.

        Azimuth is counted about Z from X; "front" looks along Y, "side" along -X, "top"
        down. None leaves the choice to the scene.
        """
        if given is None or isinstance(given, View):
            return given
        if isinstance(given, str) and given in VIEWS:
            given = VIEWS[given]
        try:
            azimuth, elevation = (float(x) for x in given)
        except (TypeError, ValueError) as reason:
            raise ShowError(
                f"a scene cannot be seen from {given!r}.",
                "A view is a word, or azimuth and elevation in degrees.",
                f"Give one of {', '.join(VIEWS)}, or (-60, 20).",
            ) from reason
        return View.towards(np.radians(azimuth), np.radians(elevation))

    def project(self, points: Any) -> tuple[Any, Any, Any]:
        """Right, up and nearness of points (..., 3)."""
        seen = np.asarray(points) @ self.axes.T
        return seen[..., 0], seen[..., 1], seen[..., 2]

    def ellipsoid(self, matrix: Any, x: Any, y: Any) -> Any:
        """Where the rays at x, y first meet p . A p = 1; NaN where they miss."""
        A = self.axes @ matrix @ self.axes.T
        across = A[0, 2] * x + A[1, 2] * y
        plane = A[0, 0] * x**2 + 2 * A[0, 1] * x * y + A[1, 1] * y**2
        root = across**2 - A[2, 2] * (plane - 1)
        root = np.where(root >= 0, root, np.nan)
        near = (np.sqrt(root) - across) / A[2, 2]
        return np.stack([x, y, near], axis=-1) @ self.axes

    def outline(self, matrix: Any) -> float:
        """A half width that holds the whole ellipsoid."""
        inverse = self.axes @ np.linalg.inv(matrix) @ self.axes.T
        return float(np.sqrt(max(inverse[0, 0], inverse[1, 1])))
