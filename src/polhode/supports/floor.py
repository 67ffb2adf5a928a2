"""`ph.Floor`: a level plane of the world on which a robot's shapes may rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from polhode.actions.contact.friction import Coulomb
from polhode.constraints import surfaces
from polhode.errors import ModelError
from polhode.matter.shape import Shape
from polhode.matter.world import World
from polhode.supports.support import Support

CORNERS = 16  # of a mesh's hull; more would be a wall of candidates


@final
@dataclass(frozen=True, eq=False)
class Floor:
    """A level plane of the world at a height, with the laws of all that touches it.

    `ph.load_urdf(path, base="free", floor=ph.Floor())` makes supports of the shapes of
    collisions, `ph.load_mjcf(path, floor=ph.Floor())` of geoms.

    >>> Floor(friction=Coulomb(0.8))
    Floor(height=0.0, friction=Coulomb(dynamic=0.8, static=0.8), restitution=0.0)
    """

    height: float = 0.0
    friction: Coulomb | None = None
    restitution: Any = 0.0


def floor_support(
    floor: Floor, world: World, body: Any, shape: Shape, name: str
) -> Any:
    """The support of one shape of a body; None where its points are not known."""
    surface = _surface(body, shape)
    if surface is None:
        return None
    return Support(
        surface,
        world.point(0, 0, float(floor.height)),
        friction=floor.friction,
        restitution=floor.restitution,
        name=name,
    )


def require_floor(floor: Any) -> None:
    """Refuse what is no floor."""
    if floor is None or isinstance(floor, Floor):
        return
    raise ModelError(
        f"a robot cannot stand on {floor!r}.",
        "A floor has a height, friction and restitution.",
        "Give floor=ph.Floor(friction=ph.Coulomb(0.8)).",
    )


def _surface(body: Any, shape: Shape) -> Any:
    place, R = np.asarray(shape.place, float), np.asarray(shape.axes, float)
    sizes, at = shape.sizes, body.point(*(float(x) for x in place))
    if shape.kind == "sphere":
        return surfaces.sphere(at, sizes["radius"])
    if shape.kind == "capsule":
        return surfaces.capsule(at, sizes["radius"], sizes["length"], R[:, 2])
    if shape.kind == "cylinder":
        return surfaces.cylinder(at, sizes["radius"], sizes["length"], R[:, 2])
    if shape.kind == "box":
        sides = (sizes["x"], sizes["y"], sizes["z"])
        own = surfaces.box(at, sides).places
        return surfaces.hull(at, own @ R.T)
    if shape.kind == "ellipsoid":
        own_axes = surfaces.ellipsoid(at, (sizes["x"], sizes["y"], sizes["z"]))
        return surfaces.Surface(at, lambda u: R @ own_axes.support(R.T @ u))
    if shape.kind == "mesh":
        return _hull_of_mesh(body, shape, R)
    return None


def _hull_of_mesh(body: Any, shape: Shape, R: np.ndarray) -> Any:
    """The corners of a mesh's convex hull, where they are few."""
    from scipy.spatial import ConvexHull

    vertices = np.asarray(shape.sizes["vertices"], float) * np.asarray(shape.scale)
    corners = vertices[ConvexHull(vertices).vertices]
    if len(corners) > CORNERS:
        return None
    return surfaces.hull(body.origin, np.asarray(shape.place) + corners @ R.T)
