r"""Rolling without slip of a smooth convex body on a plane of another.

              n |    ___
                |  /     \        P is the body's farthest point
     ___________|__\__P__/______  in the direction -n

Touching is an equation of position, n . (P - plane) = 0. Not slipping is one of
velocity: the two bodies' material points at P move alike, along two axes of the plane.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, final

import numpy as np

from polhode.constraints.constraint import (
    Attachment,
    Moving,
    Placed,
    coordinates_of,
    parameters_of,
    place,
    require_two_bodies,
    velocity_at,
)
from polhode.constraints.surfaces import Surface
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.joints.joint import Joint
from polhode.lowering.arrays import namespace
from polhode.matter.axes import Z, turn_to
from polhode.matter.parameter import NOMINAL, Parameter, Table


def rolling(
    surface: Surface, on: Attachment, *, normal: Any = Z, name: str = "rolling"
) -> tuple[Touching, NoSlip]:
    """Both constraints of pure rolling on the plane through `on`, square to `normal`.

    Give them to a system together: `constraints=[*ph.rolling(...)]`. `normal` is
    written in the axes of the body that has the plane, and points to the rolling one.
    """
    contact = Contact(surface, on, turn_to(normal, f"the normal of {name!r}"))
    require_two_bodies(name, surface.centre, on)
    return Touching(contact, name=f"{name} contact"), NoSlip(contact, name=name)


@final
@dataclass(frozen=True, eq=False)
class Contact:
    """Where a surface touches a plane; columns of `axes` are the plane's u, v and n."""

    surface: Surface
    on: Attachment
    axes: np.ndarray = field(repr=False)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The rolling body, and the one with the plane."""
        return (self.surface.centre.frame, self.on.frame)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two points."""
        return parameters_of(self.surface.centre, self.on)

    def point(self, placed: Placed, table: Table) -> Any:
        """The lowest point of the surface, in the world (3,)."""
        R_WB, R_WG = placed.rotations[0], placed.rotations[1]
        down_B = R_WB.T @ (R_WG @ -self.axes[:, 2])
        arm = coordinates_of(self.surface.centre, table) + self.surface.support(down_B)
        return placed.origins[0] + R_WB @ arm


@final
@dataclass(frozen=True, eq=False)
class Touching:
    """The lowest point of a surface stays in a plane; it may slip."""

    contact: Contact
    _: KW_ONLY
    name: str = "contact"
    is_holonomic: ClassVar[bool] = True
    rows: ClassVar[tuple[str, ...]] = ("height",)
    joints: ClassVar[tuple[Joint, ...]] = ()

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The rolling body, and the one with the plane."""
        return self.contact.bodies

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two points."""
        return self.contact.parameters

    def position(self, placed: Placed, t: Any = 0.0, table: Table = NOMINAL) -> Any:
        """n . (P - plane)"""
        away = self.contact.point(placed, table) - place(
            placed, 1, self.contact.on, table
        )
        normal = placed.rotations[1] @ self.contact.axes[:, 2]
        return namespace(away).stack([dot(normal, away)])


@final
@dataclass(frozen=True, eq=False)
class NoSlip:
    """The material points of two bodies at their contact move alike, in the plane."""

    contact: Contact
    _: KW_ONLY
    name: str = "rolling"
    is_holonomic: ClassVar[bool] = False
    rows: ClassVar[tuple[str, ...]] = ("along", "across")
    joints: ClassVar[tuple[Joint, ...]] = ()

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The rolling body, and the one with the plane."""
        return self.contact.bodies

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two points."""
        return self.contact.parameters

    def velocity(
        self, placed: Placed, moving: Moving, t: Any = 0.0, table: Table = NOMINAL
    ) -> Any:
        """(v_body - v_plane) at P, along u and v of the plane."""
        P = self.contact.point(placed, table)
        slip = velocity_at(placed, moving, 0, P) - velocity_at(placed, moving, 1, P)
        return self._tangents.T @ (placed.rotations[1].T @ slip)

    @cached_property
    def _tangents(self) -> np.ndarray:
        return self.contact.axes[:, :2]
