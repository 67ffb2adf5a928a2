"""Inertia about any point: how a body resists being turned."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import Array
from polhode.errors import ModelError, UnphysicalInertia
from polhode.geometry.admission import is_traced
from polhode.geometry.frame import Frame, require_same_frame
from polhode.geometry.point import Point, require_same_point
from polhode.geometry.pose import Pose
from polhode.geometry.rotations.rotation import Rotation
from polhode.geometry.vector import Dyadic, Vector, components_close, shown
from polhode.matter.cloud import Cloud, inertia_of_points
from polhode.matter.moments import Moments, sum_of_moments
from polhode.matter.parameter import number
from polhode.matter.principal import principal_axes
from polhode.matter.spatial_inertia import SpatialInertia, spatial_inertia
from polhode.matter.spread import spread as spread_of_column
from polhode.matter.spread import static_moment as static_moment_of_column
from polhode.matter.spread import symmetrised
from polhode.matter.validity import require_physical


@final
@dataclass(frozen=True, eq=False)
class Inertia:
    """Mass, mass centre, and the inertia dyadic about a point, in one frame's axes.

    Refused if no spread of mass has it: a negative mass, a negative principal moment
    (about the mass centre, where it may hide), or one above the sum of the others.
    `of` is the body's frame; unless given, the one in which it is first written.
    """

    mass: Any
    centre: Point
    dyadic: Dyadic
    point: Point
    name: str = ""
    of: Any = None

    __array_ufunc__ = None  # NumPy must not drop the frame

    def __post_init__(self) -> None:
        require_same_frame("mix", self.dyadic.frame, self.centre.frame)
        require_same_frame("mix", self.dyadic.frame, self.point.frame)
        object.__setattr__(self, "of", self.of or self.frame)
        I_O = self.dyadic.components
        if is_traced(self.mass, I_O, self.centre.coordinates, self.point.coordinates):
            return
        who = repr(self.name or self.frame.name)
        mass = number(self.mass, f"the mass of {who}")
        r_GO = (self.point - self.centre).components
        about = repr(self.point.name) if self.point.name else "its point"
        require_physical(mass, I_O, r_GO, who=who, about=about)
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "dyadic", Dyadic(symmetrised(I_O), self.frame))

    @property
    def frame(self) -> Frame:
        """The frame in whose axes the dyadic is written and whose points are meant."""
        return self.dyadic.frame

    @staticmethod
    def of_points(masses: Array, positions: Array, point: Point) -> Inertia:
        """The inertia about a point of masses (n,) at positions (n, 3) of its frame."""
        cloud = Cloud(masses, positions)
        mass, centre, _ = cloud.moments()
        dyadic = inertia_of_points(cloud.masses, cloud.positions, point.coordinates)
        return Inertia(
            mass, Point(point.frame, centre), Dyadic(dyadic, point.frame), point
        )

    @staticmethod
    def of_moments(moments: Moments, frame: Frame, name: str = "") -> Inertia:
        """The central inertia of moments written in a frame's axes."""
        centre = Point(frame, moments.centre, "mass centre")
        dyadic = Dyadic(moments.inertia, frame)
        return Inertia(moments.mass, centre, dyadic, centre, name)

    def is_close(self, other: Inertia, rtol: float = 1e-12) -> bool:
        """The same mass, mass centre and dyadic about the same point."""
        require_same_point("compare", self.point, other.point)
        masses = components_close([self.mass], [other.mass], rtol)
        dyadics = self.dyadic.is_close(other.dyadic, rtol)
        return masses and dyadics and self.centre.is_close(other.centre, rtol)

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.dyadic.components, dtype=dtype)

    def __repr__(self) -> str:
        label = f"{self.name!r}, " if self.name else ""
        return (
            f"Inertia({label}mass={shown(self.mass)}, centre={self.centre!r},"
            f" dyadic={shown(self.dyadic.components)}, point={self.point!r})"
        )


def spread(vector: Vector) -> Dyadic:
    """The inertia of a unit mass at the end of a vector: S(r) = (r.r) 1 - r r."""
    return Dyadic(spread_of_column(vector.components), vector.frame)


def transport(inertia: Inertia, point: Point) -> Inertia:
    """The same body's inertia about another point (Huygens, Steiner).

        I_P = I_O + m [S(c - P) - S(c - O)],    S(r) = (r.r) 1 - r r

    c is the mass centre. Neither O nor P need be c.
    """
    leave = spread(inertia.centre - inertia.point)
    arrive = spread(inertia.centre - point)
    dyadic = inertia.dyadic + inertia.mass * (arrive - leave)
    return replace(inertia, point=point, dyadic=dyadic)


def placed(inertia: Inertia, pose: Pose) -> Inertia:
    """The inertia as the frame that sees the pose has it: I_A = R_AB I_B R_AB^T."""
    return replace(
        inertia,
        centre=pose.place(inertia.centre),
        dyadic=inertia.dyadic.written_in(pose.rotation),
        point=pose.place(inertia.point),
    )


def joined(one: Inertia, other: Inertia) -> Inertia:
    """Two bodies rigidly joined, about the first one's point."""
    return _combined(one, other, 1.0)


def removed(whole: Inertia, part: Inertia) -> Inertia:
    """A body less a part of it, about the whole's point.

    Refused if the part is more than was there.
    """
    return _combined(whole, part, -1.0)


def moment(inertia: Inertia, axis: Vector) -> Any:
    """The moment of inertia about the line through the point along a vector.

    I_n = n . I n,    n = axis/|axis|
    """
    square = axis.dot(axis)
    if not is_traced(square) and square == 0:
        raise ModelError(
            f"no moment of inertia is about the axis {axis!r}.",
            "A line needs a direction, and zero has none.",
            "Give any vector along the line.",
        )
    return axis.dot(inertia.dyadic @ axis) / square


def static_moment(inertia: Inertia) -> Dyadic:
    """The static-moment dyadic about the inertia's point: S = -m [c - O]."""
    r_OG = (inertia.centre - inertia.point).components
    return Dyadic(static_moment_of_column(inertia.mass, r_OG), inertia.frame)


def spatial(inertia: Inertia) -> SpatialInertia:
    """The six by six inertia about the same point, angular part first."""
    moments = _central(inertia)
    r_OG = (inertia.centre - inertia.point).components
    matrix = spatial_inertia(moments.mass, r_OG, moments.inertia)
    who = repr(inertia.name or inertia.frame.name)
    return SpatialInertia(matrix, inertia.point, who, inertia.of)


@final
@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """Principal moments, ascending, and the rotation of their right-handed triad.

    rotation is of a new frame, whose axes are principal, seen from the inertia's.
    """

    moments: Any
    rotation: Rotation


def principal(inertia: Inertia) -> PrincipalAxes:
    """The triad about the inertia's point in which there are no products.

    I = sum_k I_k E_k E_k,   E_k = columns of rotation.matrix
    """
    moments, triad = principal_axes(inertia.dyadic.components)
    frame = Frame(f"principal axes of {inertia.name or inertia.frame.name}")
    return PrincipalAxes(moments, Rotation(triad, frame, inertia.frame))


def _central(inertia: Inertia) -> Moments:
    central = transport(inertia, inertia.centre)
    return Moments(central.mass, central.centre.coordinates, central.dyadic.components)


def _combined(one: Inertia, other: Inertia, sign: float) -> Inertia:
    require_same_frame("join", one.frame, other.frame)
    left = one.mass + sign * other.mass
    if not is_traced(left) and abs(left) <= 1e-12 * one.mass:
        raise UnphysicalInertia(
            f"{one.name or one.frame.name!r} has no mass left: {other.mass:g} of"
            f" {one.mass:g} kg are taken away."
            if sign < 0
            else f"{one.name or one.frame.name!r} has no mass.",
            "A body without mass has no mass centre.",
            "Keep some of it.",
        )
    moments = sum_of_moments([_central(one), _central(other)], [1.0, sign])
    whole = Inertia.of_moments(moments, one.frame, one.name)
    return transport(replace(whole, of=one.of), one.point)
