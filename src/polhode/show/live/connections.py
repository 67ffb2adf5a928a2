"""Springs, dampers, rods, ropes and belts in a live scene, as one set of segments."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from polhode.show.drawing.frame import Moment
from polhode.show.drawing.scene import Scene
from polhode.show.drawing.surface import turn_along

TURNS, A_TURN = 8, 14  # of a coil, and its segments a turn
PITCH = 1.5  # of its radius: the most from turn to turn
ROUND = 13  # corners of a cup's rims


@final
class LiveConnections:
    """Handles of all links and strands; `put` draws them at a time."""

    def __init__(self, api: Any, scene: Scene, tint: Any) -> None:
        self.scene = scene
        self.radius = scene.coil
        self.links = None
        if scene.links:
            points = np.zeros((1, 2, 3), np.float32)
            options = {"thickness": 2.5, "thickness_units": "screen"}
            self.links = api.add_line_segments("/links", points, tint, **options)
        self.strands = [
            api.add_line_segments(
                f"/strand{k}",
                _pairs(strand.points[0]).astype(np.float32),
                tint,
                thickness=3.5,
                thickness_units="screen",
            )
            for k, strand in enumerate(scene.strands)
        ]

    def put(self, now: Moment) -> None:
        """Draw them where they are."""
        if self.links is not None:
            drawn = [
                _pairs(line)
                for link, ends in zip(self.scene.links, now.links(), strict=True)
                for line in link_lines(link, ends, self.radius)
            ]
            self.links.points = np.concatenate(drawn).astype(np.float32)
        for handle, strand in zip(self.strands, self.scene.strands, strict=True):
            handle.points = _pairs(now.between(strand.points)).astype(np.float32)


def link_lines(link: Any, ends: np.ndarray, radius: float) -> list[np.ndarray]:
    """Lines (k, 3) of a coil, a dashpot or a rod between two places (2, 3)."""
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along))
    if length == 0 or link.kind not in ("spring", "damper"):
        return [ends]
    u, v, _ = turn_along(along).T
    ends = ends + 2.6 * radius * link.aside * u

    def line(share: Any, right: Any = 0.0, up: Any = 0.0) -> np.ndarray:
        s, a, b = np.broadcast_arrays(share, right, up)
        middle = ends[0] + np.outer(s, along)
        return np.asarray(middle + radius * (np.outer(a, u) + np.outer(b, v)))

    turn = np.linspace(0, 2 * np.pi, ROUND)
    if link.kind == "damper":
        rims = [line(s, r * np.cos(turn), r * np.sin(turn))
                for s, r in ((0.36, 0.9), (0.64, 0.9), (0.52, 0.7))]  # fmt: skip
        walls = [
            line([0.36, 0.64], 0.9 * np.cos(a), 0.9 * np.sin(a)) for a in turn[::3]
        ]
        return [line([0.0, 0.36]), line([0.52, 1.0]), *rims, *walls]
    half = min(0.4, TURNS * PITCH * radius / length / 2)
    turn = np.linspace(0, 2 * np.pi * TURNS, A_TURN * TURNS + 1)
    share = 0.5 - half + 2 * half * turn / turn[-1]
    coil = line(share, np.cos(turn), np.sin(turn))
    return [np.concatenate([ends[:1], coil, ends[1:]])]


def _pairs(line: np.ndarray) -> np.ndarray:
    """The segments (k - 1, 2, 3) of a line (k, 3)."""
    return np.stack([line[:-1], line[1:]], axis=1)
