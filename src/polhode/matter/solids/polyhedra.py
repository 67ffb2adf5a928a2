"""Shapes with flat faces: tetrahedron, extrusion and mesh. Density is per volume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from polhode.arrays import Array
from polhode.errors import ModelError
from polhode.geometry.admission import admit
from polhode.matter.axes import Z
from polhode.matter.mesh import closed_surface, read_mesh
from polhode.matter.parameter import Amount, number
from polhode.matter.polyhedron import polyhedron, prism
from polhode.matter.polyhedron import tetrahedron as unit_tetrahedron
from polhode.matter.solids.solid import Solid, Unit, fill, lengths
from polhode.matter.validity import require_positive


def tetrahedron(
    *, corners: Array, mass: Amount | None = None, density: Amount | None = None
) -> Solid:
    """A full tetrahedron between four corners (4, 3), in any order.

    >>> tetrahedron(density=6.0, corners=[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    tetrahedron(density=6, corners=<4x3>)
    """
    corners = admit(corners, (4, 3), "the corners of a tetrahedron")
    extent = np.max(np.ptp(corners, axis=0))
    if unit_tetrahedron(corners)[0] <= 1e-13 * extent**3:
        raise ModelError(
            "a tetrahedron cannot have its four corners in one plane.",
            "It has no volume for the mass to fill.",
            "Move one corner out of the plane of the others.",
        )
    sizes = {"corners": corners}
    return fill("tetrahedron", unit_tetrahedron, sizes, mass=mass, density=density)


def extrusion(
    *,
    outline: Any,
    height: Amount,
    mass: Amount | None = None,
    density: Amount | None = None,
    along: Any = Z,
) -> Solid:
    """A plane polygon pushed along the axis, half of the height to each side.

    outline (n, 2) are its corners in order, either way round, in the plane across the
    axis: X and Y for Z, Y and Z for X, Z and X for Y. Sides must not cross.
    """
    sizes = {"outline": _simple_polygon(outline), **lengths("extrusion", height=height)}
    return fill("extrusion", prism, sizes, mass=mass, density=density, along=along)


def mesh(
    source: Any,
    *,
    mass: Amount | None = None,
    density: Amount | None = None,
    scale: float = 1.0,
) -> Solid:
    """The inside of a closed triangle surface: a file, or (vertices, triangles).

    Files are STL, OBJ, PLY or OFF; `scale` brings their numbers to metres. Moments are
    exact for the polyhedron. Refused are open surfaces, surfaces inside out, and those
    without volume. A closed part that faces inwards is a cavity of one round it. That
    surfaces do not cut each other is not checked.
    """
    factor = number(scale, "the scale of a mesh")
    require_positive(factor, "the scale of a mesh")
    from_file = isinstance(source, (str, Path))
    who = f"mesh {Path(source).name!r}" if from_file else "a mesh"
    if not from_file and not (isinstance(source, tuple | list) and len(source) == 2):
        raise ModelError(
            f"a mesh cannot be made of {type(source).__name__}.",
            "It needs a file, or the corners and triangles of a surface.",
            "Give a path, or (vertices, triangles), of a trimesh (.vertices, .faces).",
        )
    surface: Any = read_mesh(source) if from_file else source
    vertices, triangles = closed_surface(surface[0], surface[1], who)
    vertices = admit(vertices * factor, vertices.shape, who)
    sizes = {"vertices": vertices, "triangles": triangles}
    return fill("mesh", unit_mesh, sizes, mass=mass, density=density)


def unit_mesh(vertices: Array, triangles: Any) -> Unit:
    """Volume, centre and inertia of unit mass within numbered triangles."""
    return polyhedron(vertices[triangles])


def _simple_polygon(outline: Any) -> np.ndarray:
    """The corners anticlockwise, if they bound one area."""
    count = len(outline) if np.ndim(outline) == 2 else 0
    corners = admit(outline, (max(count, 3), 2), "the outline of an extrusion")
    here, there = corners, np.roll(corners, -1, axis=0)
    middle = corners.mean(axis=0)
    area = np.sum(_wedge(here - middle, there - middle)) / 2
    extent = np.max(np.ptp(corners, axis=0))
    if abs(area) <= 1e-13 * extent**2 or _crosses(here, there):
        raise ModelError(
            "the outline of an extrusion does not bound one area.",
            "Its sides cross, or its corners lie on one line.",
            "Give the corners in the order in which one walks round the section.",
        )
    return corners if area > 0 else corners[::-1]


def _crosses(here: np.ndarray, there: np.ndarray) -> bool:
    """Whether two sides cross properly: each parts the other's ends."""
    p, q = here[:, None], there[:, None]
    of_here, of_there = _wedge(q - p, here - p), _wedge(q - p, there - p)
    parted = of_here * of_there < 0
    return bool(np.any(parted & parted.T))


def _wedge(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
