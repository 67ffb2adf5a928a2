"""Equations between the coordinates of joints, g(q_1, q_2, ..., t) = 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar, final

from polhode.arrays import Array, Scalar
from polhode.constraints.constraint import Placed, called, shaped
from polhode.constraints.velocity_rows import OfJoints
from polhode.double import doubled
from polhode.matter.parameter import NOMINAL, Table
from polhode.matter.quantities.constants import values_of


@final
@dataclass(frozen=True, eq=False)
class JointEquation(OfJoints):
    """An equation g = 0 of the coordinates of some joints, and of time.

    `law(q_1, q_2, ..., t, **constants)` gives g (rows,), or one number: q_i is a number
    of a joint with one coordinate, else an array; traceable. `constants` are numbers or
    parameters that the law takes by name.

    >>> import polhode as ph
    >>> one, two = ph.Particle("one", 1.0), ph.Particle("two", 1.0)
    >>> x = ph.Prismatic("x", ph.World().origin, one.mass_centre, axis=ph.X)
    >>> y = ph.Prismatic("y", one.mass_centre, two.mass_centre, axis=ph.Y)
    >>> ph.JointEquation([x, y], lambda x, y, t: x**2 + y**2 - 1.0, name="ring").rows
    ('row 1',)
    """

    _: KW_ONLY
    name: str = "joint equation"
    is_holonomic: ClassVar[bool] = True

    def position(self, placed: Placed, t: Scalar = 0.0, table: Table = NOMINAL) -> Any:
        """g (rows,)"""
        return self._g(placed.coordinates, t, values_of(self.constants, table))

    @cached_property
    def _g(self) -> Callable[..., Any]:
        def g(coordinates: Array, t: Scalar, constants: Any) -> Any:
            each = [q[0] if q.shape == (1,) else q for q in coordinates]
            given = {f"q_{k}": q for k, q in enumerate(each, 1)}
            found = called(self.name, self.law, {**given, "t": t}, **constants)
            return shaped(self.name, found, (len(self.rows),))

        return doubled(g)
