"""Springs and dampers by measured curves: forces from tables, between points or along
joints. A spring's energy is the integral of its table."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from polhode.actions.action import require_two_bodies
from polhode.actions.attachment import (
    Attachment,
    arm_of,
    parameters_of,
    require_points,
    separation,
)
from polhode.actions.coefficient import rest
from polhode.actions.defaults import JointAction, PointAction
from polhode.actions.motion_arrays import (
    Poses,
    Twists,
    Wrenches,
    interaction,
    velocity_of,
)
from polhode.arrays import Array, Scalar, namespace, removable
from polhode.errors import ModelError
from polhode.geometry.vector import dot
from polhode.joints.joint import Joint
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Quantity,
    Table,
    at,
    named,
    parameters_in,
    quantity,
)
from polhode.matter.tables.table import Integral
from polhode.matter.tables.table import Table as Curve

CLOSED = "Its two ends are at one place: the line along which it acts is undefined."


def require_curve(name: str, what: str, curve: Any) -> None:
    """Refuse what is no table of one variable."""
    if not isinstance(curve, Curve) or curve.variables != 1:
        raise ModelError(
            f"the {what} of {name!r} is no table of one variable: {curve!r}.",
            "A curve is given by data, with what is between and beyond them.",
            'Give ph.Table(x, force, smooth="monotone", beyond="extend").',
        )


def line_of(d: Array) -> tuple[Any, Any]:
    """The length |d|, and the unit vector along; NaN where d is zero."""
    xp = namespace(d)
    square = dot(d, d)
    closed = square == 0
    length = xp.sqrt(removable(closed, 1.0, square))
    return removable(closed, 0.0, length), d / removable(closed, np.nan, length)[
        ..., None
    ]


@final
@dataclass(frozen=True, eq=False)
class SpringCurve(PointAction):
    """A spring between two points whose pull is a table of its stretch.

        F_on = -pull(|d| - rest_length) d/|d|,     V = integral of the pull

    pull   N, positive where it pulls its ends together, of the stretch in m

    >>> import polhode as ph
    >>> world, load = ph.World(), ph.Particle("load", 2.0)
    >>> pull = ph.Table([-0.1, 0, 0.1], [-50, 0, 200], beyond="extend", name="pull")
    >>> ph.machines.SpringCurve(load.mass_centre, world.origin, pull, 0.5).name
    'spring curve'
    """

    on: Attachment
    by: Attachment
    pull: Curve
    rest_length: Quantity = 0.0
    _: KW_ONLY
    name: str = "spring curve"

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        require_curve(self.name, "pull", self.pull)
        length = rest(self.name, "rest_length", self.rest_length)
        object.__setattr__(self, "rest_length", length)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The rest length, and those of its ends: the table is data."""
        return parameters_of((self.on, self.by), self.rest_length)

    @property
    def is_conservative(self) -> bool:
        """A spring gives back all it takes."""
        return True

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite forces along the line of the two points."""
        d, arm = separation(poses, self.on, self.by, table)
        length, along = line_of(d)
        pull = self.pull.lookup(length - at(self.rest_length, table))
        return interaction(
            poses, arm, -namespace(d).asarray(pull)[..., None] * along, 0.0 * d
        )

    def energy(self, poses: Poses, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """V(|d| - rest_length)"""
        d, _ = separation(poses, self.on, self.by, table)
        return self._energy(line_of(d)[0] - at(self.rest_length, table))

    @cached_property
    def _energy(self) -> Integral:
        return self.pull.integral()

    def fault(self) -> str:
        """It has a direction, and data."""
        return f"{CLOSED} Or its stretch is outside the table {self.pull.name!r}."


@final
@dataclass(frozen=True, eq=False)
class DamperCurve(PointAction):
    """A damper between two points whose force is a table of the rate of its length.

        F_on = -force(rate) d/|d|,     rate = d|d|/dt

    force   N of m/s; positive at positive rates, or it feeds motion

    >>> import polhode as ph
    >>> world, load = ph.World(), ph.Particle("load", 2.0)
    >>> force = ph.Table([-1, 0, 1], [-300, 0, 900], beyond="extend", name="damper")
    >>> ph.machines.DamperCurve(load.mass_centre, world.origin, force).name
    'damper curve'
    """

    on: Attachment
    by: Attachment
    force: Curve
    _: KW_ONLY
    name: str = "damper curve"

    def __post_init__(self) -> None:
        require_points(self.name, self.on, self.by)
        require_two_bodies(self.name, self.on.frame, self.by.frame)
        require_curve(self.name, "force", self.force)
        require_resisting(self.name, self.force)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of its ends: the table is data."""
        return parameters_of((self.on, self.by))

    def wrenches(
        self, poses: Poses, twists: Twists, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Wrenches:
        """Opposite forces along the line of the two points."""
        d, arm = separation(poses, self.on, self.by, table)
        _, along = line_of(d)
        v = velocity_of(twists, 0, arm)
        v = v - velocity_of(twists, 1, arm_of(poses, 1, self.by, table))
        push = self.force.lookup(dot(v, along))
        return interaction(
            poses, arm, -namespace(d).asarray(push)[..., None] * along, 0.0 * d
        )

    def fault(self) -> str:
        """It has a direction, and data."""
        return f"{CLOSED} Or its rate is outside the table {self.force.name!r}."


def require_resisting(name: str, force: Curve) -> None:
    """Refuse a damper that pushes along with the motion somewhere."""
    feeding = force.x * force.y < 0
    if np.any(feeding):
        k = int(np.argmax(feeding))
        raise ModelError(
            f"the damper {name!r} gives {force.y[k]:g} at a rate of {force.x[k]:g}.",
            "Of another sign than the rate it drives motion instead of resisting it.",
            "Check the signs of its table.",
        )


@final
@dataclass(frozen=True, eq=False)
class JointCurve(JointAction):
    """A spring along a joint, by a table of its coordinate; or a damper, of its speed.

        tau = -spring(q - rest)       V = integral of the spring
        tau = -damper(z)

    joint    of one coordinate
    spring   N or N m, positive where it pulls back; or `damper`, not both: what is
             stored and what is lost are two lines of a ledger

    >>> import polhode as ph
    >>> world, load = ph.World(), ph.Particle("load", 2.0)
    >>> slide = ph.Prismatic("slide", world.origin, load.mass_centre, axis=ph.Z)
    >>> rate = ph.Table([-1, 0, 1], [-300, 0, 900], beyond="extend", name="damper")
    >>> ph.machines.JointCurve(slide, damper=rate).effort(np.zeros(1), np.ones(1))
    array([-900.])
    """

    joint: Joint
    spring: Curve | None = None
    rest: Quantity = 0.0
    _: KW_ONLY
    damper: Curve | None = None
    name: str = ""

    def __post_init__(self) -> None:
        word = "spring" if self.spring is not None else "damper"
        name = self.name or f"{word} curve of {self.joint.name}"
        object.__setattr__(self, "name", name)
        if (self.spring is None) == (self.damper is None) or self.joint.speeds != 1:
            raise ModelError(
                f"{name!r} along {self.joint.name!r} is no single curve.",
                "It is a spring or a damper, along one coordinate.",
                "Give spring= or damper=; both are two actions.",
            )
        require_curve(name, word, getattr(self, word))
        if self.damper is not None:
            require_resisting(name, self.damper)
        given = quantity(self.rest, f"the rest of {name!r}")
        object.__setattr__(self, "rest", named(given, f"{name}.rest"))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The rest: tables are data."""
        return parameters_in([self.rest])

    @property
    def is_conservative(self) -> bool:
        """A spring gives back all it takes."""
        return self.spring is not None

    def effort(
        self, q: Array, z: Array, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """tau (1,)"""
        if self.spring is not None:
            return -self.spring.lookup(q - at(self.rest, table))
        assert self.damper is not None
        return -self.damper.lookup(z)

    def energy(self, q: Array, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """The integral of the spring's curve."""
        if self.spring is None:
            return 0.0
        return self._energy((q - at(self.rest, table))[0])

    @cached_property
    def _energy(self) -> Integral:
        assert self.spring is not None
        return self.spring.integral()
