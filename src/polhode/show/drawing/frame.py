"""A scene at one time: between two frames, everything on its shorter way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.geometry.rotations.quaternion import from_matrix, normalised, to_matrix
from polhode.show.drawing.arrows import arc
from polhode.show.drawing.scene import Scene
from polhode.show.drawing.surface import turn_along


@final
@dataclass(frozen=True, eq=False)
class Moment:
    """Where all bodies are: rotations (bodies, 3, 3), origins (bodies, 3).

    `before` is a number of a frame, `share` that of the way to the next.
    """

    scene: Scene
    before: int
    share: float
    rotations: np.ndarray
    origins: np.ndarray

    def centre(self, k: int) -> np.ndarray:
        """Where the mass centre of a body is (3,)."""
        return self.origins[k] + self.rotations[k] @ self.scene.bodies[k].centre

    def arrows(self, kind: Any) -> np.ndarray:
        """Tails and tips of the arrows of a kind (arrows, 2, 3), drawn to scale."""
        tails = np.array([self.between(arrow.tails) for arrow in kind.arrows])
        along = np.array([self.between(arrow.vectors) for arrow in kind.arrows])
        return np.stack([tails, tails + kind.scale * along], axis=1)

    def arcs(self, kind: Any) -> np.ndarray:
        """Points of the arcs of a kind (arcs, 25, 3), drawn to scale."""
        return np.array(
            [
                arc(self.between(arrow.tails), kind.scale * self.between(arrow.vectors))
                for arrow in kind.arrows
            ]
        )

    def cones(self, kind: Any, corners: int) -> np.ndarray:
        """Segments (k, 2, 3) of the cones of friction about pushes of a kind."""
        turn = np.linspace(0, 2 * np.pi, corners)
        pairs = []
        for (tail, tip), arrow in zip(self.arrows(kind), kind.arrows, strict=True):
            u, v, _ = turn_along(tip - tail).T if np.any(tip != tail) else np.eye(3)
            wide = arrow.cone * float(np.linalg.norm(tip - tail))
            rim = tip + wide * (np.outer(np.cos(turn), u) + np.outer(np.sin(turn), v))
            sides = np.stack(
                [np.broadcast_to(tail, (len(rim[::4]), 3)), rim[::4]], axis=1
            )
            pairs += [np.stack([rim[:-1], rim[1:]], axis=1), sides]
        return np.concatenate(pairs)

    def links(self) -> np.ndarray:
        """The ends of springs and rods (links, 2, 3)."""
        return np.array(
            [
                [
                    point
                    if body < 0
                    else self.origins[body] + self.rotations[body] @ point
                    for body, point in zip(link.bodies, link.points, strict=True)
                ]
                for link in self.scene.links
            ]
        )

    def trails(self) -> list[np.ndarray]:
        """The last third of each mass centre's path until now (segments, 2, 3)."""
        first = max(0, self.before - len(self.scene.times) // 3)
        lines = []
        for k, body in enumerate(self.scene.bodies):
            points = [*body.path[first : self.before + 1], self.centre(k)]
            lines.append(np.stack([points[:-1], points[1:]], axis=1))
        return lines

    def value(self, kind: str, k: int) -> np.ndarray:
        """A body's vector of a kind (3,); zero where it always vanishes."""
        name = self.scene.bodies[k].name
        for each in self.scene.arrows:
            for arrow in each.arrows:
                if each.kind == kind and arrow.name == name:
                    return self.between(arrow.vectors)
        return np.zeros(3)

    def between(self, values: np.ndarray) -> np.ndarray:
        """What has a value every frame (n, ...), now."""
        return _between(values, self.before, self.share)


def moment(scene: Scene, t: float) -> Moment:
    """The scene at a time between its first frame and its last."""
    times = scene.times
    sign = 1.0 if times[-1] >= times[0] else -1.0
    place = int(np.searchsorted(sign * times, sign * t, side="right")) - 1
    before = int(np.clip(place, 0, max(len(times) - 2, 0)))
    after = min(before + 1, len(times) - 1)
    gap = times[after] - times[before]
    share = float(np.clip((t - times[before]) / gap, 0, 1)) if gap else 0.0
    R = np.stack([body.rotations[[before, after]] for body in scene.bodies])
    p = np.stack([_between(body.origins, before, share) for body in scene.bodies])
    one, other = np.moveaxis(np.asarray(from_matrix(R)), 1, 0)
    side = np.where(np.sum(one * other, axis=1, keepdims=True) < 0, -1.0, 1.0)
    mixed = normalised(one + share * (side * other - one))
    return Moment(scene, before, share, np.asarray(to_matrix(mixed)), p)


def _between(values: np.ndarray, before: int, share: float) -> np.ndarray:
    after = min(before + 1, len(values) - 1)
    return values[before] + share * (values[after] - values[before])
