"""Surfaces of the shapes that bodies bring along: primitives, and meshes of files.

Files of covers have far more triangles than a picture can show. They are thinned by
clusters: all corners in one cell of a grid become one, and what is no triangle then is
left out.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from polhode.matter.shape import Shape
from polhode.show.drawing.surface import SHAPES, Surface
from polhode.tracebacks import warn

MOST = 6000  # triangles of one shape: more cannot be told apart in a picture
FINEST, COARSEST = 400, 6  # cells of the grid along the longest side
# What is drawn of a body that has nothing to show, where others have: a point.
NOTHING = Surface(np.zeros((3, 3)), np.array([[0, 1, 2]]))


def surfaces_of_shapes(shapes: Any) -> list[Surface]:
    """The surfaces of shapes, in the axes of their body.

    A mesh that cannot be read is left out with a warning.
    """
    found = []
    for shape in shapes:
        for surface in _own(shape):
            corners = surface.corners * shape.scale @ shape.axes.T + shape.place
            triangles = surface.triangles
            if np.prod(shape.scale) < 0:  # mirrored: inside would be out
                triangles = triangles[:, ::-1]
            found.append(
                Surface(corners, triangles, False, shape.colour or surface.colour)
            )
    return found


def _own(shape: Shape) -> list[Surface]:
    if shape.kind == "mesh file":
        path = Path(shape.sizes["path"])
        try:
            changed = path.stat().st_mtime_ns
            return list(_of_file(str(path), changed))
        except Exception as reason:  # each format fails in its own way
            warn(
                f"the mesh {path.name!r} is not shown: {type(reason).__name__}:"
                f" {reason}. Meshes in DAE need pycollada."
            )
            return []
    surface = SHAPES[shape.kind](**shape.sizes)
    return [thin_out(surface) if shape.kind == "mesh" else surface]


@lru_cache(maxsize=256)
def _of_file(path: str, changed: int) -> tuple[Surface, ...]:
    """The parts of a mesh file, in metres, each with the colour of its material."""
    import trimesh

    scene = trimesh.load_scene(path)
    found = []
    for node in scene.graph.nodes_geometry:
        matrix, name = scene.graph[node]
        part = scene.geometry[name]
        if not isinstance(part, trimesh.Trimesh) or not len(part.faces):
            continue
        placed = part.copy()
        placed.merge_vertices(merge_tex=True, merge_norm=True)
        corners = trimesh.transform_points(placed.vertices, matrix)
        corners = np.asarray(corners, float) * _metres(part)
        faces = np.asarray(placed.faces, int)
        if np.linalg.det(matrix[:3, :3]) < 0:
            faces = faces[:, ::-1]
        found.append(Surface(corners, faces, False, _colour(part)))
    share = max(MOST // max(len(found), 1), 300)
    return tuple(thin_out(surface, share) for surface in found)


def _metres(part: Any) -> float:
    """Metres a unit of the file: COLLADA says, and other files have metres."""
    words = str(part.metadata.get("units", "")).split(" * ")
    return float(words[0]) if len(words) == 2 else 1.0


def _colour(part: Any) -> tuple[float, ...] | None:
    """The colour of a part's material; None where the file has none."""
    visual = part.visual
    if not getattr(visual, "defined", False):
        return None
    material = getattr(visual, "material", None)
    rgba = getattr(material, "main_color", None) if material is not None else None
    if rgba is None and visual.kind in ("face", "vertex"):
        rgba = visual.main_color
    if rgba is None:
        return None
    red, green, blue, opacity = np.asarray(rgba, float)[:4] / 255
    return float(red), float(green), float(blue), float(opacity) or 1.0


def thin_out(surface: Surface, most: int = MOST) -> Surface:
    """A surface of at most so many triangles, by ever coarser clusters."""
    cells = FINEST
    corners, triangles = surface.corners, surface.triangles
    while len(triangles) > most and cells >= COARSEST:
        corners, triangles = _cluster(surface, cells)
        cells = int(cells / 1.25)
    return surface._replace(corners=corners, triangles=triangles)


def _cluster(surface: Surface, cells: int) -> tuple[np.ndarray, np.ndarray]:
    low = surface.corners.min(axis=0)
    side = float(np.max(np.ptp(surface.corners, axis=0))) / cells or 1.0
    keys = np.floor((surface.corners - low) / side).astype(np.int64)
    _, where, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    where = where.reshape(-1)
    sums = np.zeros((len(counts), 3))
    np.add.at(sums, where, surface.corners)
    triangles = where[surface.triangles]
    a, b, c = triangles.T
    kept = triangles[(a != b) & (b != c) & (c != a)]
    # The same three corners, begun anywhere, are one triangle.
    turn = np.argmin(kept, axis=1)
    rows = np.arange(len(kept))[:, None]
    begun = kept[rows, (turn[:, None] + np.arange(3)) % 3]
    return sums / counts[:, None], np.unique(begun, axis=0)
