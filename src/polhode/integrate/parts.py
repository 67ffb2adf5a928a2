"""How one body or joint moves along a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np

from polhode.integrate.field import field_of, settled
from polhode.lowering.compile import compile

if TYPE_CHECKING:
    from polhode.integrate.trajectory import Trajectory


@final
@dataclass(frozen=True, eq=False, repr=False)
class BodyMotion:
    """A body along a motion, seen from the world in its axes; leading axes are rows."""

    motion: Trajectory
    place: int

    @property
    def position(self) -> np.ndarray:
        """Where the body's origin is (n, 3)."""
        return asked(self.motion, "poses").origins[:, self.place]

    @property
    def orientation(self) -> np.ndarray:
        """R_WB (n, 3, 3): the columns are the body's axes."""
        return asked(self.motion, "poses").rotations[:, self.place]

    @property
    def velocity(self) -> np.ndarray:
        """The velocity of the body's origin (n, 3)."""
        return asked(self.motion, "twists").linear[:, self.place]

    @property
    def angular_velocity(self) -> np.ndarray:
        """The angular velocity (n, 3)."""
        return asked(self.motion, "twists").angular[:, self.place]

    def __repr__(self) -> str:
        body = self.motion.system.bodies[self.place]
        return f"BodyMotion({body.name!r}, {len(self.motion)} rows)"


class JointMotion(NamedTuple):
    """The coordinates and speeds of a joint along a motion; leading axes are rows."""

    t: np.ndarray
    coordinates: np.ndarray
    speeds: np.ndarray


def asked(motion: Trajectory, word: str) -> Any:
    """A function of the state at all rows of a motion, compiled once for each word."""
    equations, table = motion.equations, dict(motion.table)
    key = ("rows", word, tuple(sorted(table)))
    t, x = motion.steps.t, motion.steps.x
    if key not in equations.programs:
        function = _functions(motion)[word]
        example = (0.0, np.zeros(x.shape[1]), table)
        equations.programs[key] = compile(function, *example, batched=["t", "x"])
    return equations.programs[key](t, x, table)


def _functions(motion: Trajectory) -> dict[str, Any]:
    equations = motion.equations
    system, core = equations.system, equations.functions
    n = system.coordinates

    def poses(t: Any, x: Any, table: Any) -> Any:
        return system.poses(t, 1.0 * x[:n], table)

    def speeds(t: Any, x: Any, table: Any) -> Any:
        return 1.0 * jnp.asarray(core.speeds(t, x[:n], x[n:], table))

    def twists(t: Any, x: Any, table: Any) -> Any:
        return system.twists(t, x[:n], speeds(t, x, table), table)

    def slope(t: Any, x: Any, table: Any) -> Any:
        return field_of(equations, table).slope(t, x)

    def settled_rows(t: Any, x: Any, table: Any) -> Any:
        return settled(equations, t, x, table)

    return {
        "poses": poses,
        "twists": twists,
        "speeds": speeds,
        "slope": slope,
        "settled": settled_rows,
    }
