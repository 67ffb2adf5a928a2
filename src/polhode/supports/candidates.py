r"""Candidate points: the places of a surface that may touch what it rests on.

         n ^      each candidate has a point P of the surface, a gap above what it may
     P_____|_P    touch, a normal n there, and two tangents. Gaps are 0 at contact and
  _____|_____|__  grow as the two part. How fast P slips is asked of the material
       gap        points of both bodies that are at P now.

A ball or a smooth surface has one candidate, a polytope one a corner, a capsule two (of
two capsules see `segments`), a cylinder three on each rim: its lowest point, and two a
third of a turn from it, that count where it stands flat. Of two polytopes see
`polytope_pairs`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

import numpy as np

from polhode.arrays import Array, namespace
from polhode.constraints.constraint import (
    Attachment,
    Placed,
    coordinates_of,
    parameters_of,
    place,
)
from polhode.constraints.curved_contact import tangents_about
from polhode.constraints.rolling import AnyContact, contact_of
from polhode.constraints.surfaces import Corners, Cylinder, Surface, Track, outside
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.geometry.vector import cross, dot
from polhode.matter.axes import turn_to
from polhode.matter.parameter import Parameter, Table
from polhode.supports.geometry import Geometry
from polhode.supports.polytope import outside_of, polytope_of
from polhode.supports.polytope_pairs import CapsuleOnPolytope, PolytopePair
from polhode.supports.segments import ENDS, SegmentCandidates

# Sine of a tilt below which an end counts as flat: its lowest point is then a fixed
# one, for no direction is lower than another.
FLAT = 1e-9
THIRD = 2 * np.pi / 3


@final
@dataclass(frozen=True, eq=False)
class SmoothCandidate:
    """The one point of a smooth surface that may touch."""

    contact: AnyContact
    names: tuple[str, ...]

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body that rests, and the one it rests on."""
        return self.contact.bodies

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two points."""
        return self.contact.parameters

    def geometry(self, placed: Placed, table: Table) -> Geometry:
        """By the formula of the pair."""
        gap = self.contact.height(placed, table)
        P = self.contact.point(placed, table)
        n, both = (
            ask(placed, table) for ask in (self.contact.normal, self.contact.tangents)
        )
        axes = placed.rotations[1] @ _columns(n, both)
        return Geometry(*(x[None] for x in (namespace(gap).asarray(gap), P, axes)))


@final
@dataclass(frozen=True, eq=False)
class CornerCandidates:
    """Every corner of a polytope, rounded by a radius, on a plane or a track."""

    surface: Corners
    on: Attachment | Track
    axes: np.ndarray = field(repr=False)
    names: tuple[str, ...]

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body that rests, and the one it rests on."""
        return (self.surface.centre.frame, _attachment(self.on).frame)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two points."""
        return parameters_of(self.surface.centre, _attachment(self.on))

    def geometry(self, placed: Placed, table: Table) -> Geometry:
        """Every corner is a ball: P = c - r n."""
        arms = coordinates_of(self.surface.centre, table) + self.surface.places
        c = placed.origins[0] + arms @ placed.rotations[0].T
        R_WG = placed.rotations[1]
        away = (c - place(placed, 1, _attachment(self.on), table)) @ R_WG
        height, axes = self._above(away)
        axes = R_WG @ axes
        r = self.surface.radius
        return Geometry(height - r, c - r * axes[:, :, 0], axes)

    def _above(self, away: Any) -> tuple[Any, Any]:
        """Heights (k,) of places (k, 3), and axes (k, 3, 3) there, ground's axes."""
        if isinstance(self.on, Track):
            import jax

            normals = jax.vmap(self.on.normal)(away)
            tangents = jax.vmap(lambda n: tangents_about(self.axes, n))(normals)
            heights = jax.vmap(self.on.distance)(away)
            return heights, jax.vmap(_columns)(normals, tangents)
        axes = self.axes[:, [2, 0, 1]]
        return away @ axes[:, 0], np.broadcast_to(axes, (len(self.names), 3, 3))


@final
@dataclass(frozen=True, eq=False)
class RimCandidates:
    """Three points on each rim of a cylinder, against a plane."""

    surface: Cylinder
    on: Attachment
    axes: np.ndarray = field(repr=False)
    names: tuple[str, ...]

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The cylinder, and the body that has the plane."""
        return (self.surface.centre.frame, self.on.frame)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the two points."""
        return parameters_of(self.surface.centre, self.on)

    def geometry(self, placed: Placed, table: Table) -> Geometry:
        """The lowest point of each rim, and two a third of a turn from it."""
        own, R_WB, a = self.surface, placed.rotations[0], self.surface.axis
        axes = placed.rotations[1] @ self.axes[:, [2, 0, 1]]
        n = axes[:, 0]
        down = R_WB.T @ -n
        xp = namespace(R_WB, down)
        across = down - a * dot(a, down)
        square = dot(across, across)
        is_flat = square < FLAT**2
        sideways = across / xp.sqrt(xp.where(is_flat, 1.0, square))
        u = xp.where(is_flat, turn_to(a, "the axis of a cylinder")[:, 0], sideways)
        v = cross(a, u)
        half, turns = own.length / 2, (0.0, THIRD, -THIRD)
        arms = [
            end * a + own.radius * (np.cos(turned) * u + np.sin(turned) * v)
            for end in (-half, half)
            for turned in turns
        ]
        arms = coordinates_of(own.centre, table) + xp.stack(arms)
        P = placed.origins[0] + arms @ R_WB.T
        gap = (P - place(placed, 1, self.on, table)) @ n
        return Geometry(gap, P, xp.broadcast_to(axes, (6, 3, 3)))


Candidates: TypeAlias = (
    SmoothCandidate
    | CornerCandidates
    | RimCandidates
    | SegmentCandidates
    | PolytopePair
    | CapsuleOnPolytope
)


def candidates(
    name: str,
    surface: Any,
    on: Attachment | Surface | Track | Corners,
    axes: np.ndarray,
) -> Candidates:
    """All places of a surface that may touch a plane, a surface or a track."""
    if isinstance(on, Corners) and on.shape == "capsule":
        return _on_capsule(name, surface, on, axes)
    if isinstance(on, Corners) and isinstance(surface, Corners):
        return _on_polytope(name, surface, on, axes)
    if isinstance(on, Corners):
        _require_ball(name, surface, on)
        on = outside_of(name, on)
    if isinstance(surface, Surface):
        return SmoothCandidate(contact_of(surface, on, axes), (name,))
    if isinstance(on, Surface) and on.radius is not None:
        on = outside(on.centre, on.radius)
    if isinstance(surface, Corners) and not isinstance(on, Surface):
        count = range(1, len(surface.places) + 1)
        names = tuple(f"{name} corner {k}" for k in count)
        return CornerCandidates(surface, on, axes, names)
    if isinstance(surface, Cylinder) and isinstance(on, Attachment):
        names = tuple(f"{name} rim {k + 1}" for k in range(6))
        return RimCandidates(surface, on, axes, names)
    what = getattr(on, "shape", "") or "surface"
    raise ModelError(
        f"{name!r} cannot find where a {surface.shape} touches a {what}.",
        "Corners touch planes, balls and tracks; rims touch planes.",
        "Let it rest on a point of a plane, or give ph.surfaces.track by its distance.",
    )


def _on_capsule(
    name: str, surface: Any, on: Corners, axes: np.ndarray
) -> SegmentCandidates:
    is_round = isinstance(surface, Surface) and surface.radius is not None
    if surface.shape == "capsule":
        names = tuple(f"{name} {word}" for word in ENDS)
    elif is_round and not surface.parameters:
        names = (name,)
    else:
        raise ModelError(
            f"{name!r} cannot find where a {surface.shape or 'surface'} touches a"
            " capsule.",
            "Balls of a given radius and capsules touch capsules; capsules touch boxes"
            " and hulls.",
            "Exchange the two, or make one of them of balls and capsules.",
        )
    return SegmentCandidates(surface, on, axes, names)


def _on_polytope(
    name: str, surface: Corners, on: Corners, axes: np.ndarray
) -> PolytopePair | CapsuleOnPolytope:
    ground = polytope_of(name, on)
    if surface.shape == "capsule":
        words = tuple(f"{name} {word}" for word in ("begins", "ends", "nearest"))
        return CapsuleOnPolytope(surface, on, axes, words)
    longest = max(polytope_of(name, surface).loops.shape[1], ground.loops.shape[1])
    places = [f"{name} place {k + 1}" for k in range(3 * longest)]
    return PolytopePair(surface, on, axes, (*places, f"{name} edges"))


def _require_ball(name: str, surface: Any, on: Corners) -> None:
    if isinstance(surface, Surface) and surface.radius is not None:
        return
    raise ModelError(
        f"{name!r} cannot find where a {surface.shape or 'surface'} touches a"
        f" {on.shape}.",
        "Balls, points, capsules, boxes and hulls touch boxes and hulls.",
        "Exchange the two where the other rests on planes alone, or give it as a"
        " ph.surfaces.hull with some corners.",
    )


def _attachment(on: Any) -> Attachment:
    return on.centre if isinstance(on, Track) else on


def _columns(normal: Array, tangents: Any) -> Any:
    """Columns n, t1, t2; not always right-handed, where tangents change sides."""
    xp = namespace(normal, tangents)
    return xp.concatenate([xp.asarray(normal)[:, None], tangents], axis=1)
