"""Solids with closed-form moments: lines, surfaces, volumes, polyhedra, compounds.

Every solid takes its mass, or a density per length, area or volume as it fills. Its
own axis is `along` Z unless told otherwise. Dimensions may be `ph.Parameter`s.
"""

from polhode.matter.solids.compound import Compound, joined, pierced, placed
from polhode.matter.solids.lines import ring, rod
from polhode.matter.solids.polyhedra import extrusion, mesh, tetrahedron
from polhode.matter.solids.solid import Solid
from polhode.matter.solids.surfaces import (
    disc,
    ellipsoidal_shell,
    plate,
    spherical_shell,
)
from polhode.matter.solids.volumes import (
    box,
    capsule,
    cone,
    cylinder,
    ellipsoid,
    sphere,
    torus,
    tube,
)

__all__ = [
    "Compound",
    "Solid",
    "box",
    "capsule",
    "cone",
    "cylinder",
    "disc",
    "ellipsoid",
    "ellipsoidal_shell",
    "extrusion",
    "joined",
    "mesh",
    "pierced",
    "placed",
    "plate",
    "ring",
    "rod",
    "sphere",
    "spherical_shell",
    "tetrahedron",
    "torus",
    "tube",
]


def __dir__() -> list[str]:
    return __all__
