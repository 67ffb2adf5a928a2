"""Functions of the state at all rows of a motion: poses, twists, rates, rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import field_of, settled
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory


def at_rows(motion: Trajectory, word: str) -> Any:
    """A function of the state at all rows of a motion, compiled once for each word."""
    equations, table = motion.equations, dict(motion.table)
    t, x, function = motion.steps.t, motion.steps.x, _functions(motion)[word]
    example = (0.0, np.zeros(x.shape[1]), table)
    program = equations.program(("rows", word), function, example, batched=["t", "x"])
    return program(t, x, table)


def _functions(motion: Trajectory) -> dict[str, Any]:
    equations = motion.equations
    system, core = equations.system, equations.functions
    n = system.coordinates

    def poses(t: Scalar, x: Array, table: Table) -> Any:
        return system.poses(t, 1.0 * x[:n], table)

    def speeds(t: Scalar, x: Array, table: Table) -> Any:
        return 1.0 * jnp.asarray(core.speeds(t, x[:n], x[n:], table))

    def twists(t: Scalar, x: Array, table: Table) -> Any:
        return system.twists(t, x[:n], speeds(t, x, table), table)

    def x_dot(t: Scalar, x: Array, table: Table) -> Any:
        return field_of(equations, table).x_dot(t, x)

    def settled_rows(t: Scalar, x: Array, table: Table) -> Any:
        return settled(equations, t, x, table)

    def constraint_rows(t: Scalar, x: Array, table: Table) -> Any:
        z = core.speeds(t, x[:n], x[n:], table)
        return 1.0 * jnp.asarray(system.constraint_rows(t, x[:n], z, table)[0])

    return {
        "constraint rows": constraint_rows,
        "poses": poses,
        "twists": twists,
        "speeds": speeds,
        "slope": x_dot,
        "settled": settled_rows,
    }
