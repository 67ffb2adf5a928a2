"""Shapes that models are shown by: bars, tyres, bodies turned on a lathe."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

import polhode as ph

AROUND = 40  # corners of a circle
PANEL, STEEL = (0.20, 0.30, 0.52, 1.0), (0.62, 0.65, 0.70, 1.0)
FLOAT = (0.95, 0.76, 0.24, 1.0)
ALONG_X = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (-1.0, 0.0, 0.0))


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


def craft(size: float) -> list[ph.Shape]:
    """A spacecraft: a bus along z, two panels across it, and a lens below."""
    bus = ph.Shape("box", {"x": 0.5 * size, "y": 0.5 * size, "z": 0.8 * size})
    wing = {"x": 0.45 * size, "y": 1.1 * size, "z": 0.03 * size}
    panels = [
        ph.Shape("box", wing, place=(0.0, side * 0.95 * size, 0.0), colour=PANEL)
        for side in (-1.0, 1.0)
    ]
    booms = bar((0, -0.45 * size, 0), (0, 0.45 * size, 0), 0.03 * size)
    lens = {"radius": 0.16 * size, "length": 0.16 * size}
    return [bus, *panels, booms, ph.Shape("cylinder", lens, place=(0, 0, -0.46 * size))]


def dumbbell(half: float, radius: float) -> list[ph.Shape]:
    """Two balls on a rod along z."""
    ends = [
        ph.Shape("sphere", {"radius": radius}, place=(0, 0, s * half)) for s in (-1, 1)
    ]
    return [*ends, bar((0, 0, -half), (0, 0, half), 0.25 * radius)]


def sled(ahead: float) -> list[ph.Shape]:
    """A plate on a blade at the origin and on two sliders ahead."""
    plate = {"x": 1.9 * ahead, "y": 1.5 * ahead, "z": 0.16 * ahead}
    blade = {"x": 0.75 * ahead, "y": 0.06 * ahead, "z": 0.36 * ahead}
    shapes = [
        ph.Shape("box", plate, place=(0.65 * ahead, 0, 0.45 * ahead)),
        ph.Shape("box", blade, place=(0, 0, 0.19 * ahead), colour=STEEL),
    ]
    for side in (-0.6, 0.6):
        foot, top = (1.4 * ahead, side * ahead, 0.06 * ahead), 0.4 * ahead
        shapes.append(bar(foot, (*foot[:2], top), 0.06 * ahead))
    return shapes


def vehicle_under_water(thrusters: Any) -> list[ph.Shape]:
    """A frame with a float on top, a hull below, and a drum for each thruster."""
    shapes = [
        ph.Shape(
            "box", {"x": 0.45, "y": 0.3, "z": 0.09}, place=(0, 0, 0.1), colour=FLOAT
        ),
        ph.Shape("capsule", {"radius": 0.06, "length": 0.3}, axes=ALONG_X),
    ]
    for side in (-0.16, 0.16):
        low, high = -0.11, 0.09
        corners = [(x, side, z) for x, z in ((-0.2, low), (0.2, low), (0.2, high),
                                             (-0.2, high), (-0.2, low))]  # fmt: skip
        shapes += [bar(a, b, 0.012) for a, b in pairwise(corners)]
    for place, along in thrusters:
        w = np.array(along, float)
        u = np.linalg.svd(w[None])[2][1]
        axes = np.stack([u, np.cross(w, u), w], axis=1)
        sizes = {"radius": 0.042, "length": 0.05}
        shapes.append(ph.Shape("cylinder", sizes, place=place, axes=axes, colour=STEEL))
    return shapes


def car_shell(
    length: float, width: float, height: float, centre: float
) -> list[ph.Shape]:
    """A car's body between its wheels, its mass centre `centre` above the road."""
    low = {"x": length, "y": width, "z": 0.42 * height}
    cabin = {"x": 0.52 * length, "y": 0.9 * width, "z": 0.42 * height}
    sill = 0.25 - centre  # of the body's floor above the road
    return [
        ph.Shape("box", low, place=(0, 0, sill + 0.21 * height)),
        ph.Shape("box", cabin, place=(-0.05 * length, 0, sill + 0.63 * height)),
    ]


def wheels_of_axle(radius: float, track: float) -> list[ph.Shape]:
    """Two drums that turn about y, on both sides of the origin."""
    drum = {"radius": radius, "length": 0.2}
    across = ((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))
    return [
        ph.Shape("cylinder", drum, place=(0, side, 0), axes=across, colour=STEEL)
        for side in (-track / 2, track / 2)
    ]


def car_in_plane(ahead: float, behind: float, wheel: float) -> list[ph.Shape]:
    """A low body with a cabin, over axles ahead of its origin and behind.

    The wheels of the rear axle are its own; those in front are a body's that steers.
    """
    length = ahead + behind + 3 * wheel
    middle = (ahead - behind) / 2
    low = {"x": length, "y": 1.3, "z": 0.4}
    cabin = {"x": 0.5 * length, "y": 1.15, "z": 0.4}
    rear = wheels_of_axle(wheel, 1.6)
    return [
        ph.Shape("box", low, place=(middle, 0, 0.25)),
        ph.Shape("box", cabin, place=(middle - 0.1 * length, 0, 0.65)),
        *(replace(each, place=(-behind, *each.place[1:])) for each in rear),
    ]
