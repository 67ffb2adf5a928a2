"""Springs that resist turning: about one axis, and about all three.

Energies are functions of the rotation R of one body in the axes of the other; moments
follow by JAX, and are opposite on the two bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import cache
from typing import Any, final

from polhode.actions.action import require_two_bodies
from polhode.actions.coefficient import coefficient, rest
from polhode.actions.defaults import TurnAction
from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.arrays import Array, Scalar, namespace
from polhode.double import doubled
from polhode.geometry.frame import Frame
from polhode.geometry.rotations import so3
from polhode.geometry.rotations.rotational_gradient import from_matrix
from polhode.geometry.vector import dot, vee
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at
from polhode.matter.parameter import parameters_in as listed
from polhode.matter.quantities.direction import (
    admit_direction,
    parameters_of_direction,
    unit_at,
)


def twist_angle(R: Array, axis: Array) -> Any:
    """The angle of a rotation about an axis n, in (-pi, pi].

        tan a = n . vee(R - R^T) / (tr R - n . R n)

    For a rotation about n itself this is its angle; for others that of the turn about n
    which, followed by a swing of n, makes R. Undefined only where n is turned to -n.
    """
    xp = namespace(R, axis)
    along = dot(axis, (R * axis[..., None, :]).sum(-1))
    trace = R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2]
    return xp.arctan2(2.0 * dot(axis, vee(R)), trace - along)


def torsion_energy(R: Array, axis: Array, stiffness: Scalar, rest_angle: Scalar) -> Any:
    """V = k (a - a0)^2 / 2, with the difference of angles taken in (-pi, pi]."""
    xp = namespace(R, axis, stiffness, rest_angle)
    apart = twist_angle(R, axis) - rest_angle
    return stiffness * xp.arctan2(xp.sin(apart), xp.cos(apart)) ** 2 / 2


def rotation_energy(R: Array, stiffness: Scalar) -> Any:
    """V = k |phi|^2 / 2, phi the rotation vector of R. Its moment is -k phi."""
    phi = so3.log(R)
    return stiffness * dot(phi, phi) / 2


@cache
def _slope(energy: Callable[..., Any]) -> Callable[..., Any]:
    import jax

    def slope(R: Array, *constants: Any) -> Any:
        return from_matrix(R, jax.grad(energy)(R, *constants))

    return doubled(slope)


@final
@dataclass(frozen=True, eq=False)
class TorsionalSpring(TurnAction):
    """A spring about an axis of the second body.   M_on = -k (angle - rest) axis

    The angle is that of the first body about the axis, seen from the second, within
    half a turn of rest. `axis` is X, Y, Z or three numbers in the axes of `by`.
    """

    on: Frame
    by: Frame
    axis: Any
    stiffness: Quantity
    rest_angle: Quantity = 0.0
    _: KW_ONLY
    name: str = "torsional spring"
    allow_negative: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        require_two_bodies(self.name, self.on, self.by)
        k = coefficient(
            self.name, "stiffness", self.stiffness, self.allow_negative, unit="N*m"
        )
        object.__setattr__(self, "stiffness", k)
        angle = rest(self.name, "rest_angle", self.rest_angle)
        object.__setattr__(self, "rest_angle", angle)
        unit = admit_direction(self.axis, f"the axis of {self.name!r}", self.by)
        object.__setattr__(self, "axis", unit)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Stiffness and rest angle, and those of the axis."""
        own = [self.stiffness, self.rest_angle]
        return listed([*own, *parameters_of_direction(self.axis)])

    @property
    def is_conservative(self) -> bool:
        """A spring gives back all it takes."""
        return True

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite moments about the axis."""
        slope = _slope(torsion_energy)(_turn(poses), *self._constants(table))
        return _opposite_moments(poses, slope)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = k (angle - rest)^2 / 2"""
        return torsion_energy(_turn(poses), *self._constants(table))

    def fault(self) -> str:
        """The axis is turned upside down."""
        return "The axis is turned upside down: the angle about it is undefined."

    def _constants(self, table: Table) -> tuple[Any, Any, Any]:
        axis = unit_at(self.axis, table)
        return axis, at(self.stiffness, table), at(self.rest_angle, table)


@final
@dataclass(frozen=True, eq=False)
class RotationalSpring(TurnAction):
    """A spring that resists every turn of one body against another.

        M_on = -k phi,      V = k |phi|^2 / 2

    phi is the rotation vector of `on` seen from `by`: zero at rest, the same in both
    bodies' axes. Half a turn away the axis is undefined, and the energy has its ridge.
    """

    on: Frame
    by: Frame
    stiffness: Quantity
    _: KW_ONLY
    name: str = "rotational spring"
    allow_negative: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        require_two_bodies(self.name, self.on, self.by)
        k = coefficient(
            self.name, "stiffness", self.stiffness, self.allow_negative, unit="N*m"
        )
        object.__setattr__(self, "stiffness", k)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The stiffness."""
        return listed([self.stiffness])

    @property
    def is_conservative(self) -> bool:
        """A spring gives back all it takes."""
        return True

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite moments along the rotation vector."""
        slope = _slope(rotation_energy)(_turn(poses), at(self.stiffness, table))
        return _opposite_moments(poses, slope)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = k |phi|^2 / 2"""
        return rotation_energy(_turn(poses), at(self.stiffness, table))

    def fault(self) -> str:
        """Half a turn."""
        return "The bodies are half a turn apart: the axis of the turn is undefined."


def _turn(poses: Poses) -> Any:
    """The rotation of the first body seen from the second: R_BA = R_WB^T R_WA."""
    R_WA, R_WB = poses.rotations[..., 0, :, :], poses.rotations[..., 1, :, :]
    return namespace(R_WB).swapaxes(R_WB, -1, -2) @ R_WA


def _opposite_moments(poses: Poses, slope: Array) -> Wrenches:
    """The moment -slope (in the second's axes) on the first, and its opposite."""
    R_WB = poses.rotations[..., 1, :, :]
    moment = -(R_WB * slope[..., None, :]).sum(-1)
    torques = namespace(moment).stack([moment, -moment], axis=-2)
    return Wrenches(torques, 0.0 * torques)
