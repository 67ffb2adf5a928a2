"""Geoms of MJCF as shapes in pictures."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.geometry.rotations.quaternion import to_matrix
from polhode.matter.shape import Shape

SEEN = 3  # groups below this are shown, as MuJoCo's own viewer does
GREY = (0.5, 0.5, 0.5, 1.0)  # what a geom has that was given no colour


def shapes_of(reading: Any, number: int) -> tuple[Shape, ...]:
    """What the geoms of a body show; planes and height fields are not shown."""
    m, types = reading.m, reading.mujoco.mjtGeom
    first, count = int(m.body_geomadr[number]), int(m.body_geomnum[number])
    found = []
    for k in range(first, first + count):
        kind = int(m.geom_type[k])
        colour = _colour(m, k)
        if m.geom_group[k] >= SEEN or colour[3] == 0:
            continue
        sizes = _sizes(m, k, types(kind).name.removeprefix("mjGEOM_").lower())
        if sizes is None:
            continue
        seat = {"place": m.geom_pos[k], "axes": to_matrix(m.geom_quat[k])}
        found.append(Shape(*sizes, **seat, colour=colour))
    return tuple(found)


def touching_shapes(reading: Any, number: int) -> tuple[Shape, ...]:
    """The geoms of a body that MuJoCo lets collide, shown or not."""
    m, types = reading.m, reading.mujoco.mjtGeom
    first, count = int(m.body_geomadr[number]), int(m.body_geomnum[number])
    found = []
    for k in range(first, first + count):
        kind = types(int(m.geom_type[k])).name.removeprefix("mjGEOM_").lower()
        sizes = _sizes(m, k, kind)
        if sizes is None or not (m.geom_contype[k] or m.geom_conaffinity[k]):
            continue
        seat = {"place": m.geom_pos[k], "axes": to_matrix(m.geom_quat[k])}
        found.append(Shape(*sizes, **seat))
    return tuple(found)


def _sizes(m: Any, k: int, kind: str) -> tuple[str, dict[str, Any]] | None:
    a, b, c = (float(size) for size in m.geom_size[k])
    if kind == "sphere":
        return kind, {"radius": a}
    if kind in ("capsule", "cylinder"):
        return kind, {"radius": a, "length": 2 * b}
    if kind == "ellipsoid":
        return kind, {"x": a, "y": b, "z": c}
    if kind == "box":
        return kind, {"x": 2 * a, "y": 2 * b, "z": 2 * c}
    if kind == "mesh":
        mesh = int(m.geom_dataid[k])
        start, count = int(m.mesh_vertadr[mesh]), int(m.mesh_vertnum[mesh])
        face, faces = int(m.mesh_faceadr[mesh]), int(m.mesh_facenum[mesh])
        return kind, {
            "vertices": np.array(m.mesh_vert[start : start + count], float),
            "triangles": np.array(m.mesh_face[face : face + faces]),
        }
    return None


def _colour(m: Any, k: int) -> tuple[float, ...]:
    rgba = tuple(map(float, m.geom_rgba[k]))
    material = int(m.geom_matid[k])
    if material >= 0 and np.allclose(rgba, GREY):
        return tuple(map(float, m.mat_rgba[material]))
    return rgba
