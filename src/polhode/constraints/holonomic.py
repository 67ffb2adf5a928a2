"""Equations of position that users write: of placements of bodies, and of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, final

from polhode.arrays import Array, Scalar
from polhode.constraints.constraint import (
    Attachment,
    Placed,
    called,
    coordinates_of,
    parameters_of,
    require_frames,
    require_rows,
    require_two_bodies,
    shaped,
)
from polhode.double import doubled
from polhode.geometry.frame import Frame
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Parameter, Table, parameters_in
from polhode.matter.quantities.constants import admit_constants, values_of


class Placement(NamedTuple):
    """Where a body is, seen from the world: position (3,) and rotation R_WB (3, 3)."""

    position: Any
    rotation: Any


@final
@dataclass(frozen=True, eq=False)
class Holonomic:
    """An equation g(a, b, ..., t) = 0 of the placements of bodies.

    `law(a, b, ..., t, **constants)` gives g (rows,), or one number: a, b, ... are the
    placements (position, rotation) of the bodies before the world; traceable.
    `constants` are numbers or parameters that the law takes by name.
    """

    of: Sequence[Frame]
    law: Callable[..., Any]
    _: KW_ONLY
    constants: Mapping[str, Any] = field(default_factory=dict)
    rows: Sequence[str] = ("row 1",)
    name: str = "holonomic"
    is_holonomic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "of", require_frames(self.name, self.of))
        object.__setattr__(self, "rows", require_rows(self.name, self.rows))
        admitted = admit_constants(self.name, self.constants, self.law)
        object.__setattr__(self, "constants", admitted)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The bodies whose placements it reads."""
        return tuple(self.of)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """None."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The constants of the law."""
        return parameters_in(self.constants.values())

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """g (rows,)"""
        return self._g(
            placed.rotations, placed.origins, t, values_of(self.constants, table)
        )

    @cached_property
    def _g(self) -> Callable[..., Any]:
        def g(rotations: Array, origins: Array, t: Scalar, constants: Any) -> Any:
            count = range(len(self.of))
            placements = (Placement(origins[k], rotations[k]) for k in count)
            given = {f"b_{k}": b for k, b in enumerate(placements, 1)}
            found = called(self.name, self.law, {**given, "t": t}, **constants)
            return shaped(self.name, found, (len(self.rows),))

        return doubled(g)


@final
@dataclass(frozen=True, eq=False)
class PointOn:
    """A point of one body stays on a surface, a curve or a line of another.

    `law(x, **constants)` of the coordinates x (3,) of the point in the axes of the body
    `of` is zero there: one number for a surface, two for a curve; traceable.
    `constants` are numbers or parameters that the law takes by name. A `ph.Formula` of
    x, y and z is the law of a surface, too, and goes into files.
    """

    point: Attachment
    of: Frame
    law: Callable[..., Any]
    _: KW_ONLY
    constants: Mapping[str, Any] = field(default_factory=dict)
    rows: Sequence[str] = ("row 1",)
    name: str = "point on"
    is_holonomic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_two_bodies(self.name, self.point, self.of)
        object.__setattr__(self, "rows", require_rows(self.name, self.rows))
        admitted = admit_constants(self.name, self.constants, self.law)
        object.__setattr__(self, "constants", admitted)

    @property
    def bodies(self) -> tuple[Frame, ...]:
        """The body of the point, then the one with the surface."""
        return (self.point.frame, self.of)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """None."""
        return ()

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Those of the point, and the constants of the law."""
        own = parameters_in(self.constants.values())
        return tuple(dict.fromkeys([*parameters_of(self.point), *own]))

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """law(R_WB^T (P - Bo)) (rows,)"""
        arm = placed.rotations[0] @ coordinates_of(self.point, table)
        away = placed.origins[0] + arm - placed.origins[1]
        constants = values_of(self.constants, table)
        return self._g(placed.rotations[1].T @ away, constants)

    @cached_property
    def _g(self) -> Callable[..., Any]:
        law = doubled(self.law)  # one for all who share it
        is_apart = getattr(self.law, "of", None) == ("x", "y", "z")  # a formula

        def g(x: Array, constants: Mapping[str, Any]) -> Any:
            given = dict(zip("xyz", x, strict=True)) if is_apart else {"x": x}
            found = called(self.name, law, given, **constants)
            return shaped(self.name, found, (len(self.rows),))

        return g
