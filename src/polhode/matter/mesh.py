"""Closed triangle surfaces: read from files, refused if they enclose nothing.

An open surface has no inside, yet every volume formula gives it some number; so a
mesh is admitted only if each edge is walked once in each direction.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from polhode.arrays import Array
from polhode.errors import DegenerateMesh, FileError

FORMATS = (".stl", ".obj", ".ply", ".off")
# Of the cube of the mesh's extent: below this a volume is only rounding.
NO_VOLUME = 1e-13


def read_mesh(path: Any) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) and triangles (k, 3) of an STL, OBJ, PLY or OFF file."""
    import trimesh

    path = Path(path)
    if path.suffix.lower() not in FORMATS:
        raise FileError(
            f"cannot read a mesh from {path.name!r}.",
            f"Meshes come as {', '.join(FORMATS)}.",
            "Convert the file to one of them.",
        )
    try:
        loaded = trimesh.load_mesh(path)
        return np.asarray(loaded.vertices, float), np.asarray(loaded.faces, int)
    except Exception as reason:  # each format fails in its own way
        raise FileError(
            f"cannot read a mesh from {path.name!r}.",
            f"{type(reason).__name__}: {reason}",
            "Check that the file is there, whole, and of the kind its name says.",
        ) from reason


def closed_surface(
    vertices: Array, triangles: Any, who: str
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a surface that encloses a volume, or a refusal.

    Equal vertices are made one, and triangles that are then lines are left out.
    """
    vertices, triangles = _as_arrays(vertices, triangles, who)
    vertices, where = np.unique(vertices + 0.0, axis=0, return_inverse=True)
    triangles = where.reshape(-1)[triangles]
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    _require_closed(vertices, triangles, who)
    _require_volume(vertices, triangles, who)
    _require_parts(vertices, triangles, who)
    for array in (vertices, triangles):
        array.setflags(write=False)
    return vertices, triangles


def signed_volume(vertices: np.ndarray, triangles: np.ndarray) -> float:
    """The volume enclosed: negative if the triangles face inwards."""
    a, b, c = np.moveaxis((vertices - vertices.mean(axis=0))[triangles], 1, 0)
    return float(np.sum(a * np.cross(b, c)) / 6)


def _as_arrays(vertices: Array, triangles: Any, who: str) -> tuple[Any, Any]:
    vertices, triangles = np.asarray(vertices), np.asarray(triangles)
    shaped = vertices.ndim == triangles.ndim == 2
    if not shaped or vertices.shape[1] != 3 or triangles.shape[1] != 3:
        raise DegenerateMesh(
            f"{who} is not a mesh of triangles.",
            f"Vertices have shape {vertices.shape}, triangles {triangles.shape}.",
            "Give (n, 3) coordinates and (k, 3) vertex numbers.",
        )
    vertices = np.array(vertices, float)
    if not np.all(np.isfinite(vertices)):
        raise DegenerateMesh(
            f"{who} has a vertex that is not finite.",
            "NaN and infinity are no place.",
            "Repair the file it comes from.",
        )
    if triangles.dtype.kind not in "iu" or np.any(
        (triangles < 0) | (triangles >= len(vertices))
    ):
        raise DegenerateMesh(
            f"{who} names a vertex that it has not.",
            f"Vertex numbers are whole and run from 0 to {len(vertices) - 1}.",
            "Repair the triangles.",
        )
    return vertices, triangles


def _require_closed(vertices: np.ndarray, triangles: np.ndarray, who: str) -> None:
    sides = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    forward, walks = np.unique(sides, axis=0, return_counts=True)
    size = len(vertices)
    keys, back = forward @ (size, 1), forward @ (1, size)
    lonely = forward[~np.isin(back, keys)]
    if len(lonely):
        p, q = vertices[lonely[0]]
        raise DegenerateMesh(
            f"{who} is open: {len(lonely)} of its edges bound one triangle only,"
            " or two that face opposite ways.",
            "An open surface encloses no volume, so mass cannot fill it.",
            "Close the holes and turn all triangles to face outwards.",
            f"One such edge goes from {_place(p)} to {_place(q)}.",
        )
    if not len(triangles):
        raise DegenerateMesh(
            f"{who} has no triangles with three different corners.",
            "Nothing is enclosed.",
            "Repair the file or the numbers it comes from.",
        )
    if np.any(walks > 1):
        raise DegenerateMesh(
            f"{who} is not a surface: {int(np.sum(walks > 1))} of its edges join more"
            " than two triangles.",
            "Inside and outside are then not defined.",
            "Remove doubled triangles, and part shells that touch along an edge.",
        )


def _require_volume(vertices: np.ndarray, triangles: np.ndarray, who: str) -> None:
    volume = signed_volume(vertices, triangles)
    extent = float(np.max(np.ptp(vertices, axis=0)))
    if abs(volume) <= NO_VOLUME * extent**3:
        raise DegenerateMesh(
            f"{who} has no volume: {volume:g} m^3 in an extent of {extent:g} m.",
            "A flat body holds no mass at a finite density.",
            "Give it thickness, or use ph.solids.plate or ph.solids.disc.",
        )
    if volume < 0:
        raise DegenerateMesh(
            f"{who} is inside out: its volume is {volume:g} m^3.",
            "Its triangles face inwards: seen from outside, corners run clockwise.",
            "Reverse the order of the corners of every triangle.",
        )


def _require_parts(vertices: np.ndarray, triangles: np.ndarray, who: str) -> None:
    """Refuse a part that faces inwards and is no cavity of another part."""
    parts = [triangles[rows] for rows in _connected(len(vertices), triangles)]
    boxes = [_box(vertices[np.unique(part)]) for part in parts]
    faces_out = [signed_volume(vertices, part) > 0 for part in parts]
    for (low, high), outwards in zip(boxes, faces_out, strict=True):
        within = [
            out and np.all(low >= l) and np.all(high <= h)
            for out, (l, h) in zip(faces_out, boxes, strict=True)
        ]
        if not outwards and not any(within):
            raise DegenerateMesh(
                f"a part of {who} is inside out: the one from {_place(low)} to"
                f" {_place(high)}.",
                "It faces inwards, as a cavity does, but no other part is round it.",
                "Reverse the order of the corners of its triangles.",
            )


def _connected(count: int, triangles: np.ndarray) -> list[np.ndarray]:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.concatenate([triangles[:, :2], triangles[:, 1:]])
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), (count, count))
    labels = connected_components(graph, directed=False)[1][triangles[:, 0]]
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def _box(vertices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return vertices.min(axis=0), vertices.max(axis=0)


def _place(point: np.ndarray) -> str:
    return "(" + ", ".join(f"{x:g}" for x in point) + ")"
