r"""Shafts at an angle: Hooke's joint and joints of constant velocity, as couplings.

Both shafts turn in bearings of their own, so that the coupling adds one equation. (A
joint that also holds the shafts together is `ph.Universal`.)

    Hooke               a . b = 0                arms of the cross, a of one shaft, b of
                                                 the other
    constant velocity   axis . vee(R - R^T) = 0  R of the second before the first turns
                                                 about no part of their common axis
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, final

import numpy as np

from polhode.arrays import Scalar, namespace
from polhode.constraints.constraint import Placed, require_two_bodies
from polhode.geometry.frame import Frame
from polhode.geometry.vector import dot
from polhode.joints.joint import Joint
from polhode.matter.axes import direction
from polhode.matter.parameter import NOMINAL, Parameter, Table

OPPOSITE = 1e-12  # of 1 + cos: two directions that make a half turn


@final
@dataclass(frozen=True, eq=False)
class HookeCoupling:
    """A cross between two shafts: one arm in each, always square to each other.

    first_arm, second_arm   of the cross, each in the axes of its shaft and across it:
                            a shaft along X has its arm along Y, or Z

    At an angle beta the second shaft turns unevenly, between cos(beta) and 1/cos(beta)
    times as fast as the first:

        w_2/w_1 = cos(beta) / (1 - sin(beta)^2 cos(q_1)^2)

    >>> import polhode as ph
    >>> a, b = (ph.Body(n, ph.solids.rod(mass=1, length=1)) for n in "ab")
    >>> HookeCoupling(a.frame, b.frame, ph.X, ph.Y).rows
    ('cross',)
    """

    first: Frame
    second: Frame
    first_arm: Any
    second_arm: Any
    _: KW_ONLY
    name: str = "Hooke coupling"
    is_holonomic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_two_bodies(self.name, self.first, self.second)
        for word in ("first_arm", "second_arm"):
            unit = direction(getattr(self, word), f"the {word} of {self.name!r}")
            object.__setattr__(self, word, np.asarray(unit, float))

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two shafts."""
        return (self.first, self.second)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """None."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """None."""
        return ()

    @property
    def rows(self) -> tuple[str, ...]:
        """One: the right angle of the cross."""
        return ("cross",)

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """a . b"""
        a = placed.rotations[0] @ self.first_arm
        b = placed.rotations[1] @ self.second_arm
        return namespace(a, b).stack([dot(a, b)])


@final
@dataclass(frozen=True, eq=False)
class ConstantVelocityCoupling:
    """A joint of constant velocity between two shafts: both turn alike at any angle.

    axis          of the first shaft, in its own axes
    second_axis   of the second, in its own axes; without one it is `axis` there, too

    >>> import polhode as ph
    >>> a, b = (ph.Body(n, ph.solids.rod(mass=1, length=1)) for n in "ab")
    >>> ConstantVelocityCoupling(a.frame, b.frame, ph.Z).rows
    ('twist',)
    """

    first: Frame
    second: Frame
    axis: Any
    second_axis: Any = None
    _: KW_ONLY
    name: str = "constant-velocity coupling"
    is_holonomic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_two_bodies(self.name, self.first, self.second)
        for word in ("axis", "second_axis"):
            if (given := getattr(self, word)) is not None:
                unit = direction(given, f"the {word} of {self.name!r}")
                object.__setattr__(self, word, np.asarray(unit, float))

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The two shafts."""
        return (self.first, self.second)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """None."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """None."""
        return ()

    @property
    def rows(self) -> tuple[str, ...]:
        """One: no twist between the shafts."""
        return ("twist",)

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """axis . vee(R - R^T)/2, R = R_1^T R_2 T, T turns the axis to the second one"""
        R = placed.rotations[0].T @ placed.rotations[1]
        if self.second_axis is not None:
            R = R @ least_turn(self.axis, self.second_axis)
        xp = namespace(R)
        skew = xp.stack([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
        return xp.stack([dot(skew, self.axis)])


def least_turn(axis: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The rotation (3, 3) by the least angle that takes one unit vector to another.

    T = 1 + S(n) + S(n)^2/(1 + c),  n = axis x other, c = axis . other; where they are
    opposite, half a turn about a vector across them, of which none is the least.
    """
    n, c = np.cross(axis, other), float(axis @ other)
    if 1 + c < OPPOSITE:
        across = np.linalg.svd(axis[None])[2][1]
        return np.asarray(2 * np.outer(across, across) - np.eye(3))
    S = np.cross(np.eye(3), n)
    return np.asarray(np.eye(3) + S + S @ S / (1 + c))
