"""Directions that depend on parameters: the axis of a slope, a tilted `up`.

    down = ph.functions.cos(alpha), 0, -ph.functions.sin(alpha)
    ph.Prismatic("slide", ground, block.origin, axis=down)

Three quantities, brought to length one inside the trace. Where they have length one for
every value of their parameters, as (cos a, 0, -sin a) has, they are used as they are,
so that people read m g sin(alpha) and no root of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import DTypeLike

from polhode.arrays import namespace
from polhode.geometry.frame import Frame
from polhode.matter.axes import direction
from polhode.matter.parameter import (
    NOMINAL,
    Parameter,
    Table,
    at,
    parameters_in,
    quantity,
)

# Of the length: above rounding of a sum of three squares, far below any length meant.
ONE = 1e-12
TRIES = 5


@final
@dataclass(frozen=True, eq=False)
class Direction:
    """A unit column of three quantities, of which some are parameters.

    >>> from polhode.matter.quantities.functions import cos, sin
    >>> a = Parameter("a", 0.0)
    >>> Direction((cos(a), 0.0, sin(a))).at({"a": np.pi / 2}).round(12).tolist()
    [0.0, 0.0, 1.0]
    """

    entries: tuple[Any, Any, Any]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The named numbers it depends on."""
        return parameters_in(self.entries)

    def at(self, table: Table = NOMINAL) -> Any:
        """The unit column (3,) for a table of parameters."""
        values = [at(entry, table) for entry in self.entries]
        column = namespace(*values).array(values, dtype=float)
        if self._is_unit:
            return column
        return column / namespace(column).sqrt(column @ column)

    def triad(self, table: Table = NOMINAL) -> Any:
        """Columns (u, v, n): the shortest turn of (X, Y, Z) that takes Z to n.

        Where n is nominally near -Z the turn goes by way of half a turn about X, so
        that it stays smooth as the parameters change.
        """
        x, y, z = unit = self.at(table)
        xp = namespace(unit)
        below = np.asarray(self)[2] < -0.5
        if below:
            y, z = -y, -z
        k = 1.0 / (1.0 + z)
        rows = [
            [1.0 - k * x * x, -k * x * y, x],
            [-k * x * y, 1.0 - k * y * y, y],
            [-x, -y, z],
        ]
        turn = xp.array(rows, dtype=float)
        return np.diag([1.0, -1.0, -1.0]) @ turn if below else turn

    def __array__(
        self, dtype: DTypeLike | None = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.at(), dtype=dtype)

    @property
    def _is_unit(self) -> bool:
        """Whether its length is one for all values of its parameters, tried at some."""
        draw = np.random.default_rng(0)
        for _ in range(TRIES):
            table = {p.name: draw.uniform(-2.0, 2.0) for p in self.parameters}
            with np.errstate(all="ignore"):
                length = sum(at(entry, table) ** 2 for entry in self.entries)
            if not abs(length - 1.0) < ONE:
                return False
        return True


def admit_direction(axis: Any, what: str, frame: Frame | None = None) -> Any:
    """A unit column (3,) of numbers, or a `Direction` where there are parameters."""
    entries = axis if isinstance(axis, list | tuple) else ()
    if isinstance(axis, Direction):
        return axis
    if len(entries) != 3 or not any(isinstance(e, Parameter) for e in entries):
        return direction(axis, what, frame)
    x, y, z = (quantity(entry, what) for entry in entries)
    direction([at(x), at(y), at(z)], what, frame)
    return Direction((x, y, z))


def unit_at(axis: Any, table: Table = NOMINAL) -> Any:
    """The unit column of an admitted direction, for a table of parameters."""
    return axis.at(table) if isinstance(axis, Direction) else axis


def parameters_of_direction(axis: Any) -> tuple[Parameter, ...]:
    """The named numbers that an admitted direction depends on."""
    return axis.parameters if isinstance(axis, Direction) else ()
