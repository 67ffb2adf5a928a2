"""Equations of velocity that users write: linear in the speeds, or any at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, final

from polhode.arrays import Array, Scalar, namespace
from polhode.constraints.constraint import (
    Moving,
    Placed,
    called,
    require_rows,
    shaped,
)
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Parameter, Table, parameters_in
from polhode.matter.quantities.constants import admit_constants, values_of


@dataclass(frozen=True, eq=False)
class OfJoints:
    """What rows of a user's law share that reads joints, and no bodies."""

    joints: Sequence[Joint]
    law: Callable[..., Any]
    _: KW_ONLY
    constants: Mapping[str, Any] = field(default_factory=dict)
    rows: Sequence[str] = ("row 1",)
    name: str = "law of joints"
    is_holonomic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", tuple(self.joints))
        for joint in self.joints:
            _require_joint(self.name, joint)
        object.__setattr__(self, "rows", require_rows(self.name, self.rows))
        admitted = admit_constants(self.name, self.constants, self.law)
        object.__setattr__(self, "constants", admitted)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """None: it reads joints only."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The constants of the law."""
        return parameters_in(self.constants.values())


def _require_joint(name: str, joint: Any) -> None:
    if not isinstance(joint, Joint):
        raise ModelError(
            f"{name!r} cannot read {joint!r}, which is no joint.",
            "Its law is of the coordinates and speeds of joints.",
            "Give a list of joints: [hinge, slide].",
        )


@final
@dataclass(frozen=True, eq=False)
class VelocityRows(OfJoints):
    """Rows a(q, t) z = b(q, t), linear in the speeds of some joints.

    `law(q_1, q_2, ..., t, **constants)` gives a (rows, all speeds of these joints in
    order) and b (rows,), from the coordinates of each joint; traceable. A single row
    may be given without its first axis. `constants` are numbers or parameters that the
    law takes by name.

    >>> import numpy as np
    >>> from polhode.joints.planar import Planar
    >>> from polhode.matter.rigid_body import Body
    >>> from polhode.matter.solids import box
    >>> from polhode.matter.world import World
    >>> sled = Body("sled", box(mass=1.0, x=1.0, y=0.5, z=0.1))
    >>> ice = Planar("ice", World().origin, sled.origin, normal=(0, 0, 1))
    >>> VelocityRows([ice], lambda q, t: (np.array([0.0, 0.0, 1.0]), 0.0)).rows
    ('row 1',)
    """

    _: KW_ONLY
    name: str = "velocity rows"

    def velocity(
        self, placed: Placed, moving: Moving, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """a z - b (rows,)"""
        return self._residual(
            placed.coordinates, moving.speeds, t, values_of(self.constants, table)
        )

    @cached_property
    def _residual(self) -> Callable[..., Any]:
        def residual(
            coordinates: Array, speeds: Array, t: Scalar, constants: Any
        ) -> Any:
            given = {f"q_{k}": q for k, q in enumerate(coordinates, 1)}
            rows = called(self.name, self.law, {**given, "t": t}, **constants)
            a, b = _pair(self.name, rows)
            z = namespace(*speeds).concatenate(speeds)
            a = shaped(self.name, a, (len(self.rows), len(z)))
            return a @ z - shaped(self.name, b, (len(self.rows),))

        return doubled(residual)


def _pair(name: str, given: Any) -> tuple[Any, Any]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise ModelError(
            f"the law of {name!r} gave {given!r}.",
            "Rows a z = b are two things: slopes a, and what they are to give, b.",
            "Return the pair a, b; b is 0.0 where nothing moves by itself.",
        )
    return given[0], given[1]


@final
@dataclass(frozen=True, eq=False)
class VelocityEquation(OfJoints):
    """An equation phi = 0 of any form in the speeds of some joints, by Gauss.

    `law(coordinates, speeds, t, **constants)` gives phi (rows,), or one number;
    coordinates and speeds are tuples, one entry a joint; traceable.
    """

    _: KW_ONLY
    name: str = "velocity equation"

    def velocity(
        self, placed: Placed, moving: Moving, t: Scalar = 0.0, table: Table = NOMINAL
    ) -> Any:
        """phi (rows,)"""
        return self._phi(
            placed.coordinates, moving.speeds, t, values_of(self.constants, table)
        )

    @cached_property
    def _phi(self) -> Callable[..., Any]:
        def phi(coordinates: Array, speeds: Array, t: Scalar, constants: Any) -> Any:
            values = called(
                self.name,
                self.law,
                {"coordinates": coordinates, "speeds": speeds, "t": t},
                **constants,
            )
            return shaped(self.name, values, (len(self.rows),))

        return doubled(phi)
