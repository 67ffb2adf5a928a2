"""What acts on bodies along a motion, action by action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.motion_arrays import Wrenches
from polhode.arrays import Array, Scalar
from polhode.matter.parameter import Table

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory


def wrenches_along(motion: Trajectory) -> dict[str, Wrenches]:
    """By action: torques about bodies' origins and forces, (rows, bodies, 3) each.

    Along the world's axes; with the inputs that drove the motion.
    """
    if not motion.system.actions:
        return {}
    equations, table = motion.equations, dict(motion.table)
    drive, held = motion.inputs.inputs.drive, motion.inputs.held(motion.t)
    system, core = equations.system, equations.functions
    n = system.coordinates

    def wrenches(t: Scalar, x: Array, held: Any, table: Table) -> Any:
        q, y = x[:n], x[n:]
        z = core.speeds(t, q, y, table)
        return system.wrenches(t, q, z, drive.table(t, q, z, table, held, y=y))

    x = motion.steps.x
    example = (0.0, np.zeros(x.shape[1]), np.zeros(held.shape[1]), table)
    name, batched = ("wrenches along", drive.key), ["t", "x", "held"]
    program = equations.program(name, wrenches, example, batched=batched)
    return program(motion.t, x, held, table)
