"""Arrows of one kind in a live scene: straight ones, and arcs for couples."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from polhode.show.drawing.arrows import Arrows
from polhode.show.drawing.frame import Moment
from polhode.show.plots.palette import LIGHT, Theme, rgb

HEAD = 0.035  # of the scene: how long a tip is


@final
class LiveArrows:
    """Handles of a kind of arrows; `put` draws them at a time while they are shown."""

    def __init__(
        self, api: Any, kind: Arrows, size: float, theme: Theme = LIGHT
    ) -> None:
        self.kind, self.size = kind, size
        name, tint = (
            f"/arrows/{kind.kind.replace(' ', '_')}",
            rgb(theme.arrows[kind.kind]),
        )
        count = len(kind.arrows)
        tips = api.add_arrows(
            name,
            np.zeros((count, 2, 3), np.float32),
            tint,
            shaft_radius=0.005 * size,
            head_radius=0.013 * size,
            head_length=HEAD * size,
        )
        self.handles = [tips]
        if kind.is_bent:
            points, wide = np.zeros((24 * count, 2, 3), np.float32), 0.008 * size
            options = {"thickness": wide, "thickness_units": "world"}
            lines = api.add_line_segments(f"{name}_arcs", points, tint, **options)
            self.handles.append(lines)
        for handle in self.handles:
            handle.visible = False

    @property
    def word(self) -> str:
        """What they show and to which scale."""
        return f"{self.kind.kind} ({self.kind.scale:.2g} m per {self.kind.unit})"

    def put(self, now: Moment) -> None:
        """Draw them where they are, if they are shown."""
        if not self.handles[0].visible:
            return
        drawn = [now.arrows(self.kind)]
        if self.kind.is_bent:
            arcs = now.arcs(self.kind)
            drawn = [self._tips(arcs), np.stack([arcs[:, :-1], arcs[:, 1:]], axis=2)]
        for handle, points in zip(self.handles, drawn, strict=True):
            handle.points = points.reshape(-1, 2, 3).astype(np.float32)

    def _tips(self, arcs: np.ndarray) -> np.ndarray:
        """From the end of each arc, straight on; as long as a tip, or as its arc."""
        last = arcs[:, -1] - arcs[:, -2]
        step = np.linalg.norm(last, axis=1, keepdims=True)
        long = np.minimum(HEAD * self.size, 5 * step)
        ahead = arcs[:, -1] + long * last / np.where(step > 0, step, 1.0)
        return np.stack([arcs[:, -1], ahead], axis=1)
