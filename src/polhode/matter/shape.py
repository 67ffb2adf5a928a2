"""Shapes to look at: what pictures show of a body instead of its matter.

A shape has no mass. Robots bring them along: meshes of their covers, boxes, cylinders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, final

import numpy as np

from polhode.errors import ModelError
from polhode.geometry.rotations.rotation_admission import admit_matrix

# Sizes of each kind, in metres; a mesh is a file, or corners and triangles.
SIZES: dict[str, tuple[str, ...]] = {
    "box": ("x", "y", "z"),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "ellipsoid": ("x", "y", "z"),
    "plate": ("x", "y"),
    "mesh": ("vertices", "triangles"),
    "mesh file": ("path",),
}


@final
@dataclass(frozen=True, eq=False, repr=False)
class Shape:
    """A shape fixed in a body, for pictures only.

    kind     "box" (x, y, z), "sphere" (radius), "cylinder" and "capsule" (radius,
             length, along z), "ellipsoid" (half axes x, y, z), "plate" (x, y), "mesh"
             (vertices, triangles) or "mesh file" (path: STL, OBJ, DAE, PLY, OFF, GLB)
    place    where its origin is in the body (3,)
    axes     its axes in those of the body, as columns (3, 3)
    scale    of a mesh along its own axes (3,)
    colour   (red, green, blue, opacity), each 0 to 1; the body's own where none is

    >>> Shape("box", {"x": 0.1, "y": 0.1, "z": 0.4}, place=(0, 0, 0.2))
    Shape('box', x=0.1, y=0.1, z=0.4)
    """

    kind: str
    sizes: Mapping[str, Any]
    _: KW_ONLY
    place: Any = (0.0, 0.0, 0.0)
    axes: Any = field(default=None)
    scale: Any = (1.0, 1.0, 1.0)
    colour: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        if self.kind not in SIZES:
            raise ModelError(
                f"there is no shape {self.kind!r}.",
                "Pictures know a few shapes, and meshes for all others.",
                f"Give one of {', '.join(SIZES)}.",
            )
        if set(self.sizes) != set(SIZES[self.kind]):
            given = ", ".join(map(repr, self.sizes))
            raise ModelError(
                f"the sizes of a {self.kind} are not {given}.",
                "Each kind of shape has its own.",
                f"Give {', '.join(map(repr, SIZES[self.kind]))}.",
            )
        put(self, "sizes", {word: _size(self, word) for word in SIZES[self.kind]})
        put(self, "place", _numbers(self, "place", 3))
        put(self, "scale", _numbers(self, "scale", 3))
        axes = np.eye(3) if self.axes is None else self.axes
        put(self, "axes", admit_matrix(axes, f"the axes of a {self.kind}"))
        if self.colour is not None:
            rgba = np.clip(_numbers(self, "colour", 4), 0.0, 1.0)
            put(self, "colour", tuple(map(float, rgba)))

    def __repr__(self) -> str:
        if self.kind == "mesh":
            count = len(self.sizes["triangles"])
            return f"Shape('mesh', {count} triangles)"
        if self.kind == "mesh file":
            return f"Shape('mesh file', {Path(self.sizes['path']).name!r})"
        sizes = ", ".join(f"{word}={value:g}" for word, value in self.sizes.items())
        return f"Shape({self.kind!r}, {sizes})"


def admit_shapes(name: str, shapes: Iterable[Any]) -> tuple[Shape, ...]:
    """The shapes of a body, refused by name if one is something else."""
    found = (shapes,) if isinstance(shapes, Shape) else tuple(shapes)
    for shape in found:
        if not isinstance(shape, Shape):
            raise ModelError(
                f"{name!r} cannot be shown as {shape!r}.",
                "Pictures show shapes: boxes, cylinders, meshes and the like.",
                'Give ph.Shape("mesh file", {"path": "hand.stl"}) or the like.',
            )
    return found


def _size(shape: Shape, word: str) -> Any:
    value = shape.sizes[word]
    if word == "path":
        return Path(value)
    if word in ("vertices", "triangles"):
        kind = float if word == "vertices" else int
        array = np.array(value, dtype=kind).reshape(-1, 3)
        array.setflags(write=False)
        return array
    number = float(value)
    if not (np.isfinite(number) and number >= 0):
        raise ModelError(
            f"the {word} of a {shape.kind} cannot be {value!r}.",
            "It measures an extent, so it is finite and not negative.",
            "Give a number of zero or more, in metres.",
        )
    return number


def _numbers(shape: Shape, word: str, count: int) -> np.ndarray:
    try:
        column = np.array(getattr(shape, word), dtype=float)
        sound = column.shape == (count,) and bool(np.all(np.isfinite(column)))
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise ModelError(
            f"the {word} of a {shape.kind} is not {count} finite numbers:"
            f" {getattr(shape, word)!r}.",
            "A shape is fixed in its body.",
            f"Give {count} numbers.",
        )
    column.setflags(write=False)
    return column
