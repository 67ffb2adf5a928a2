r"""Springs between two points: linear, and by any energy of the length.

            F on `on`                 d = P_on - P_by
      by o/\/\/\/\o on --> d          F_on = -k (|d| - L0) d/|d|,  V = k (|d| - L0)^2/2

The force is along the line of the two points, so opposite forces on the two bodies
obey the third law with their moments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    parameters_of,
    require_points,
    separation,
)
from polhode.actions.coefficient import coefficient, rest
from polhode.actions.defaults import PointAction
from polhode.actions.motion_arrays import Poses, Twists, Wrenches, interaction
from polhode.actions.user_law import given
from polhode.arrays import Array, Scalar, namespace, removable
from polhode.double import doubled
from polhode.geometry.vector import dot
from polhode.matter.parameter import NOMINAL, Parameter, Quantity, Table, at
from polhode.matter.quantities.constants import admit_constants, values_of

NO_DIRECTION = (
    "Its two ends are at one place: the line along which it pulls is undefined,"
    " and its rest length is not zero."
)


def spring_force(separation: Array, stiffness: Scalar, rest_length: Scalar) -> Any:
    """The force on the end at d (..., 3) from the other end.

        F = -k (|d| - L0) d/|d| = -k (1 - L0/|d|) d

    At d = 0 it is zero if L0 = 0, else NaN: the direction is undefined.
    """
    xp = namespace(separation, stiffness, rest_length)
    square = dot(separation, separation)
    closed = square == 0
    slack = rest_length == 0
    length = xp.sqrt(removable(closed, 1.0, square))
    share = removable(closed, xp.where(slack, 0.0, np.nan), rest_length / length)
    return -(stiffness * (1.0 - share))[..., None] * separation


def spring_energy(separation: Array, stiffness: Scalar, rest_length: Scalar) -> Any:
    """The energy stored at the separation d.   V = k (|d| - L0)^2 / 2"""
    xp = namespace(separation, stiffness, rest_length)
    square = dot(separation, separation)
    closed = square == 0
    length = xp.sqrt(removable(closed, 1.0, square))
    # At d = 0 the square keeps the second derivative k of a spring without rest length.
    stretch = removable(closed, square + rest_length**2, (length - rest_length) ** 2)
    return stiffness * stretch / 2


def elastic_force(energy: Callable[[Any], Any], separation: Array) -> Any:
    """The force of an energy V(length), by JAX.   F = -V'(|d|) d/|d|

    At d = 0 it is zero, with the derivative -V''(0), if V'(0) = 0; else NaN.
    """
    import jax

    xp = jax.numpy
    square = dot(separation, separation)
    closed = square == 0
    length = xp.sqrt(removable(closed, 1.0, square))
    slope = _slope(energy, length)
    still = xp.zeros_like(square)
    level = _slope(energy, still) == 0
    # The limit of V'(x)/x as x goes to zero.
    limit = xp.where(level, _curvature(energy, still), np.nan)
    return -removable(closed, limit, slope / length) * separation


def elastic_energy(energy: Callable[[Any], Any], separation: Array) -> Any:
    """The energy V(length) of a separation d; at d = 0 its second derivative is V''(0).

    There V(|d|) is V(0) + V''(0) d.d/2 + ..., if V'(0) = 0.
    """
    import jax

    xp = jax.numpy
    square = dot(separation, separation)
    closed = square == 0
    length = xp.sqrt(removable(closed, 1.0, square))
    still = xp.zeros_like(square)
    near = energy(still) + _curvature(energy, still) * square / 2
    return removable(closed, near, energy(length))


def _slope(energy: Callable[[Any], Any], length: Array) -> Any:
    import jax

    return jax.jvp(energy, (length,), (jax.numpy.ones_like(length),))[1]


def _curvature(energy: Callable[[Any], Any], length: Array) -> Any:
    """V''; zero where it is infinite, as that of |x|^(3/2) at zero."""
    import jax

    xp = jax.numpy
    one = xp.ones_like(length)
    bent = jax.jvp(lambda x: _slope(energy, x), (length,), (one,))[1]
    return xp.where(xp.isfinite(bent), bent, 0.0)


@final
@dataclass(frozen=True, eq=False)
class Spring(PointAction):
    """A linear spring between a point of one body and a point of another.

    Negative stiffness pushes apart and is refused unless `allow_negative` is given.
    """

    on: Attachment
    by: Attachment
    stiffness: Quantity
    rest_length: Quantity = 0.0
    _: KW_ONLY
    name: str = "spring"
    allow_negative: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        k = coefficient(
            self.name, "stiffness", self.stiffness, self.allow_negative, unit="N/m"
        )
        object.__setattr__(self, "stiffness", k)
        length = rest(self.name, "rest_length", self.rest_length)
        object.__setattr__(self, "rest_length", length)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Stiffness and rest length, and those of its ends."""
        ends = (self.on, self.by)
        return parameters_of(ends, self.stiffness, self.rest_length)

    @property
    def is_conservative(self) -> bool:
        """A spring gives back all it takes."""
        return True

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite forces along the line of the two points."""
        d, arm = separation(poses, self.on, self.by, table)
        F = spring_force(d, at(self.stiffness, table), at(self.rest_length, table))
        return interaction(poses, arm, F, 0.0 * d)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V = k (|d| - L0)^2 / 2"""
        d, _ = separation(poses, self.on, self.by, table)
        return spring_energy(d, at(self.stiffness, table), at(self.rest_length, table))

    def fault(self) -> str:
        """Closed up, a spring with a rest length has no direction."""
        return NO_DIRECTION


@final
@dataclass(frozen=True, eq=False)
class NonlinearSpring(PointAction):
    """A spring between two points whose energy is any function of its length.

    `law(length, **constants)` is the energy in joules, traceable; `constants` are
    numbers or parameters that it takes by name.
    """

    on: Attachment
    by: Attachment
    law: Callable[..., Any]
    _: KW_ONLY
    constants: Mapping[str, Any] = field(default_factory=dict)
    name: str = "spring"

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        admitted = admit_constants(self.name, self.constants, self.law)
        object.__setattr__(self, "constants", admitted)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of its ends, and the constants of the law."""
        return parameters_of((self.on, self.by), *self.constants.values())

    @property
    def is_conservative(self) -> bool:
        """A spring gives back all it takes."""
        return True

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite forces along the line of the two points, -V'(length)."""
        d, arm = separation(poses, self.on, self.by, table)
        F = self._force(d, values_of(self.constants, table))
        return interaction(poses, arm, F, 0.0 * d)

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V(|d|)"""
        d, _ = separation(poses, self.on, self.by, table)
        return self._energy(d, values_of(self.constants, table))

    def fault(self) -> str:
        """Closed up, a spring that still pushes has no direction."""
        return NO_DIRECTION.replace("its rest length is", "its force there is")

    @cached_property
    def _force(self) -> Callable[..., Any]:
        return doubled(lambda d, c: elastic_force(self._law(c), d))

    @cached_property
    def _energy(self) -> Callable[..., Any]:
        return doubled(lambda d, c: elastic_energy(self._law(c), d))

    def _law(self, constants: Mapping[str, Any]) -> Callable[[Any], Any]:
        return lambda x: given(self.name, self.law, {"length": x}, constants=constants)
