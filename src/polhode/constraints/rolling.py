r"""Rolling without slip of a smooth convex body on a plane or a surface of another.

              n |    ___
                |  /     \        P is the body's farthest point
     ___________|__\__P__/______  in the direction -n

Touching is an equation of position, n . (P - plane) = 0. Not slipping is one of
velocity: the two bodies' material points at P move alike, along two axes of the plane.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, TypeAlias, final, overload

import numpy as np

from polhode.arrays import Scalar, namespace
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
from polhode.constraints.curved_contact import CurvedContact, tangents_about
from polhode.constraints.surfaces import Surface, Track, outside
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.joints.joint import Joint
from polhode.matter.axes import Z, turn_to
from polhode.matter.parameter import NOMINAL, Parameter, Table
from polhode.matter.quantities.direction import (
    Direction,
    admit_direction,
    parameters_of_direction,
)


@final
@dataclass(frozen=True, eq=False)
class RollingOrSlipping:
    """A surface that rolls on another while friction holds it, and slips where not.

    `ph.rolling` with a friction makes it. A system has it among its supports.
    """

    surface: Surface
    on: Attachment | Surface | Track
    normal: Any
    friction: Any
    restitution: Any
    name: str


@overload
def rolling(
    surface: Surface,
    on: Attachment | Surface | Track,
    *,
    normal: Any = ...,
    friction: None = ...,
    restitution: Scalar = ...,
    name: str = ...,
) -> tuple[Touching, NoSlip]: ...


@overload
def rolling(
    surface: Surface,
    on: Attachment | Surface | Track,
    *,
    normal: Any = ...,
    friction: Any,
    restitution: Scalar = ...,
    name: str = ...,
) -> tuple[RollingOrSlipping]: ...


def rolling(
    surface: Surface,
    on: Attachment | Surface | Track,
    *,
    normal: Any = Z,
    friction: Any = None,
    restitution: Scalar = 0.0,
    name: str = "rolling",
) -> tuple[Touching, NoSlip] | tuple[RollingOrSlipping]:
    """Both constraints of pure rolling on the plane through `on`, square to `normal`.

    Give them to a system together: `constraints=[*ph.rolling(...)]`. `normal` is
    written in the axes of the body that has the plane, and points to the rolling one.
    A body may also roll on the surface of another, in a bowl or on any track of
    `ph.surfaces`. There slip is measured along axes that turn with the surface's own
    normal; where it points nearly against `normal` they are others, and so are the two
    multipliers.

    With a `friction` such as `ph.Coulomb(0.3)` it rolls while |T| <= mu_s N, slips
    where that is not enough, rolls again, and may leave the plane and strike it, by the
    law of `restitution`: the system then has it among its supports.
    """
    _require_surface(name, surface)
    _require_ground(name, on)
    if friction is not None:
        own = (surface, on, normal, friction, restitution, name)
        return (RollingOrSlipping(*own),)
    given = admit_direction(normal, f"the normal of {name!r}")
    is_fixed = not isinstance(given, Direction)
    axes = turn_to(normal, f"the normal of {name!r}") if is_fixed else given
    contact = contact_of(surface, on, axes)
    require_two_bodies(name, *contact.bodies)
    return Touching(contact, name=f"{name} contact"), NoSlip(contact, name=name)


def _require_surface(name: str, surface: Any) -> None:
    if not isinstance(surface, Surface):
        raise ModelError(
            f"{name!r} has no surface to roll: {surface!r} was given.",
            "What rolls touches with its outside, whose shape decides where.",
            "Give ph.surfaces.sphere(point, radius), ph.surfaces.disc(point, radius,"
            " axis) or another of ph.surfaces, at a point of the body that rolls.",
        )


def _require_ground(name: str, on: Any) -> None:
    if not isinstance(on, Surface | Track | Attachment):
        raise ModelError(
            f"{name!r} has nothing to roll on: {on!r} was given.",
            "A body rolls on a plane through a point, or on the surface of another.",
            "Give a point such as world.origin, one of ph.surfaces, or a track.",
        )


@final
@dataclass(frozen=True, eq=False)
class Contact:
    """Where a surface touches a plane; columns of `axes` are the plane's u, v and n.

    A `Direction` in their place is a normal that depends on parameters.
    """

    surface: Surface
    on: Attachment
    axes: np.ndarray | Direction = field(repr=False)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The rolling body, and the one with the plane."""
        return (self.surface.centre.frame, self.on.frame)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two points, of the surface's sizes and of the normal."""
        points = parameters_of(self.surface.centre, self.on)
        tilt = parameters_of_direction(self.axes)
        return tuple(dict.fromkeys([*points, *self.surface.parameters, *tilt]))

    def point(self, placed: Placed, table: Table) -> Any:
        """The lowest point of the surface, in the world (3,)."""
        R_WB, R_WG = placed.rotations[0], placed.rotations[1]
        down_B = R_WB.T @ (R_WG @ -self.normal(placed, table))
        farthest = self.surface.at(table).support(down_B)
        arm = coordinates_of(self.surface.centre, table) + farthest
        return placed.origins[0] + R_WB @ arm

    def height(self, placed: Placed, table: Table) -> Any:
        """n . (P - plane)"""
        away = self.point(placed, table) - place(placed, 1, self.on, table)
        return dot(placed.rotations[1] @ self.normal(placed, table), away)

    def tangents(self, placed: Placed, table: Table) -> Any:
        """u and v (3, 2) in the axes of the body that has the plane."""
        axes = self.axes
        return (axes.triad(table) if isinstance(axes, Direction) else axes)[:, :2]

    def normal(self, placed: Placed, table: Table) -> Any:
        """n (3,) in the same axes."""
        axes = self.axes
        return axes.at(table) if isinstance(axes, Direction) else axes[:, 2]


@final
@dataclass(frozen=True, eq=False)
class BallContact:
    """Where a ball of radius r about c touches a track: P = c - r n, at height 0.

    n is the slope of the track's distance at c, written in the track's body.
    """

    surface: Surface
    on: Track
    axes: np.ndarray = field(repr=False)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The ball, and the one that it rolls on."""
        return (self.surface.centre.frame, self.on.centre.frame)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two centres and of the ball's radius."""
        centres = parameters_of(self.surface.centre, self.on.centre)
        return tuple(dict.fromkeys([*centres, *self.surface.parameters]))

    def point(self, placed: Placed, table: Table) -> Any:
        """Where the two touch, in the world (3,)."""
        n = self.on.normal(self._centre(placed, table))
        c = place(placed, 0, self.surface.centre, table)
        return c - self._radius(table) * (placed.rotations[1] @ n)

    def height(self, placed: Placed, table: Table) -> Any:
        """The distance of the centre, less the radius."""
        return self.on.height(self._centre(placed, table)) - self._radius(table)

    def tangents(self, placed: Placed, table: Table) -> Any:
        """Two directions (3, 2) square to n, in the axes of what is rolled on."""
        return tangents_about(self.axes, self.normal(placed, table))

    def normal(self, placed: Placed, table: Table) -> Any:
        """n (3,) in the same axes."""
        return self.on.normal(self._centre(placed, table))

    def _radius(self, table: Table) -> Any:
        return self.surface.at(table).radius

    def _centre(self, placed: Placed, table: Table) -> Any:
        """The ball's centre from the track's, in the axes of the track's body."""
        away = place(placed, 0, self.surface.centre, table)
        away = away - place(placed, 1, self.on.centre, table)
        return placed.rotations[1].T @ away


AnyContact: TypeAlias = Contact | BallContact | CurvedContact


def contact_of(
    surface: Surface, on: Attachment | Surface | Track, axes: np.ndarray | Direction
) -> AnyContact:
    """Where a surface touches something, by a formula where there is one."""
    if not isinstance(on, Surface | Track):
        return Contact(surface, on, axes)
    # Beside a curved surface axes choose tangents only: those of nominal values serve.
    fixed = axes.triad() if isinstance(axes, Direction) else axes
    _require_fixed(on)
    if isinstance(on, Surface) and on.radius is not None:
        on = outside(on.centre, on.radius)
    if isinstance(on, Track) and surface.radius is not None:
        return BallContact(surface, on, fixed)
    _require_fixed(surface)
    return CurvedContact(surface, on, fixed)


def _require_fixed(surface: Surface | Track) -> None:
    """Refuse sizes by parameters where a contact is found by iteration."""
    if not isinstance(surface, Surface) or surface.varied is None:
        return
    names = ", ".join(p.name for p in surface.parameters)
    raise ModelError(
        f"a {surface.shape} whose size is the parameter {names} cannot touch a curved"
        " surface.",
        "Where two curved bodies touch is found from shapes that stay as they are.",
        "Give the size as a number; on planes, and for a ball on a track, parameters"
        " serve.",
    )


@final
@dataclass(frozen=True, eq=False)
class Touching:
    """The lowest point of a surface stays in a plane; it may slip."""

    contact: AnyContact
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

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The height of the body above what it touches."""
        height = self.contact.height(placed, table)
        return namespace(height).stack([height])


@final
@dataclass(frozen=True, eq=False)
class NoSlip:
    """The material points of two bodies at their contact move alike, in the plane.

    `belt(t, table)` is the velocity (3,) with which the plane's own matter runs, in the
    axes of the body that has it.
    """

    contact: AnyContact
    _: KW_ONLY
    name: str = "rolling"
    belt: Any = None
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
        self, placed: Placed, moving: Moving, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """(v_body - v_plane) at P, along u and v of the plane, less the belt's."""
        P = self.contact.point(placed, table)
        slip = velocity_at(placed, moving, 0, P) - velocity_at(placed, moving, 1, P)
        tangents = self.contact.tangents(placed, table)
        seen = placed.rotations[1].T @ slip
        return tangents.T @ (seen if self.belt is None else seen - self.belt(t, table))


@final
@dataclass(frozen=True, eq=False)
class NoTurn:
    """Two bodies that touch do not roll on each other, or do not spin.

        w_t = 0        along the two tangents
        w_n = 0        about the normal, where `spins` says so

    w is the angular velocity of the one seen from the other.
    """

    contact: AnyContact
    _: KW_ONLY
    spins: bool = False
    name: str = "no turn"
    is_holonomic: ClassVar[bool] = False
    joints: ClassVar[tuple[Joint, ...]] = ()

    @property
    def rows(self) -> tuple[str, ...]:
        """About the normal, or about both tangents."""
        return ("spin",) if self.spins else ("along", "across")

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body that rests, and the one it rests on."""
        return self.contact.bodies

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two points."""
        return self.contact.parameters

    def velocity(
        self, placed: Placed, moving: Moving, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """The angular velocity along what is held, in the axes of the ground."""
        w = placed.rotations[1].T @ (moving.angular[0] - moving.angular[1])
        if not self.spins:
            return self.contact.tangents(placed, table).T @ w
        spin = dot(self.contact.normal(placed, table), w)
        return namespace(spin).stack([spin])
