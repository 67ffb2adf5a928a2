"""Shapes that models are shown by: bars, tyres, bodies turned on a lathe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import polhode as ph

AROUND = 40  # corners of a circle


def bar(first: Any, second: Any, radius: float) -> ph.Shape:
    """A round bar from one place of a body to another."""
    a, b = np.array(first, float), np.array(second, float)
    length = float(np.linalg.norm(b - a))
    w = (b - a) / length
    u = np.linalg.svd(w[None])[2][1]
    axes = np.stack([u, np.cross(w, u), w], axis=1)
    sizes = {"radius": radius, "length": length}
    return ph.Shape("capsule", sizes, place=(a + b) / 2, axes=axes)


def turned(radii: Sequence[float], heights: Sequence[float], along: Any) -> ph.Shape:
    """A profile turned round an axis of the body; one that is a loop is a ring."""
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    circle = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    pairs = zip(radii, heights, strict=True)
    rows = [r * circle + [0.0, 0.0, h] for r, h in pairs]
    k = np.arange(AROUND)
    after = (k + 1) % AROUND
    faces = []
    for row in range(len(rows) - 1):
        low, high = row * AROUND, (row + 1) * AROUND
        faces.append(np.stack([low + k, low + after, high + k], axis=1))
        faces.append(np.stack([low + after, high + after, high + k], axis=1))
    w = np.array(along, float)
    u = np.linalg.svd(w[None])[2][1]
    vertices = np.concatenate(rows) @ np.stack([u, np.cross(w, u), w])
    sizes = {"vertices": vertices, "triangles": np.concatenate(faces)}
    return ph.Shape("mesh", sizes)


def tyre(radius: float, along: Any, thick: float = 0.02) -> list[ph.Shape]:
    """A ring of that outer radius about an axis of the body, with eight spokes."""
    turn = np.linspace(0, 2 * np.pi, 13)
    middle = radius - thick
    radii, heights = middle + thick * np.cos(turn), thick * np.sin(turn)
    rim = turned([float(r) for r in radii], [float(h) for h in heights], along)
    w = np.array(along, float)
    u = np.linalg.svd(w[None])[2][1]
    v = np.cross(w, u)
    spokes = [
        bar(-middle * d, middle * d, thick / 8)
        for d in (np.cos(a) * u + np.sin(a) * v for a in np.pi * np.arange(4) / 4)
    ]
    return [rim, *spokes]


def top(height: float, radius: float) -> list[ph.Shape]:
    """A spinning top: a point, a belly at a height, and a stem to hold it by."""
    radii = [1e-4, 0.25, 0.8, 1.0, 0.95, 0.35, 0.07, 0.06, 1e-4]
    heights = [0.0, 0.42, 0.85, 1.0, 1.12, 1.3, 1.36, 1.85, 1.87]
    scaled = [radius * r for r in radii], [height * h for h in heights]
    return [turned(*scaled, along=(0.0, 0.0, 1.0))]
