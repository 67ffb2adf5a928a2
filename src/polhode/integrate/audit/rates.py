"""What a ledger reads at each row: energies, powers, momenta, residuals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.actions.motion_arrays import power
from polhode.arrays import Array, Scalar
from polhode.geometry.vector import cross
from polhode.matter.parameter import Table
from polhode.system import rows
from polhode.system.natural_sizes import natural_sizes, position_sizes
from polhode.system.rolled import energies
from polhode.system.rolled import rows as rolled_rows
from polhode.system.rolled.size import is_rolled

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System


class Audit(NamedTuple):
    """Energies, the power of each action that stores nothing, momenta, residuals.

    constraint_violation, velocity_miss   the largest residual as it stands, of
        positions and of velocities
    position_share, velocity_share   the same, each row by its natural size: of a
        radian or the system's length
    """

    kinetic: Any
    potential: Any
    powers: dict[str, Any]
    momentum: Any
    angular_momentum: Any
    constraint_violation: Any
    velocity_miss: Any
    position_share: Any
    velocity_share: Any


def audited(
    motion: Trajectory, t: np.ndarray, x: np.ndarray, held: np.ndarray | None = None
) -> Audit:
    """The audit at times t (n,) and states x (n, width) of a motion.

    `held` (n, m) are the held values there, where times alone do not tell them.
    """
    equations, table = motion.equations, dict(motion.table)
    drive = motion.inputs.inputs.drive
    held = motion.inputs.held(t) if held is None else held
    function = audit_function(equations, drive)
    example = (0.0, np.zeros(x.shape[1]), np.zeros(held.shape[1]), table)
    name, batched = ("audit", drive.key), ["t", "x", "held"]
    # Of a large system lanes side by side take longer to be made than they save.
    lanes = 1 if is_rolled(equations.system) else None
    program = equations.program(name, function, example, batched=batched, lanes=lanes)
    return program(t, x, held, table)


def audit_function(equations: Equations, drive: Drive) -> Any:
    """(t, x, held, table) -> Audit, for use inside a trace."""
    system, core = equations.system, equations.functions
    n = system.coordinates

    def audit(t: Scalar, x: Array, held: Array, table: Table) -> Audit:
        q, y = x[:n], x[n:]
        z = core.speeds(t, q, y, table)
        table = drive.table(t, q, z, table, held, y=y)
        powers = _powers(system, t, q, z, table)
        if system.constraints:
            intensities = core.accelerations(t, q, y, table)[1]
            rates = _row_rates(system, t, q, z, table)
            # Rows of joints, where a formulation has them, come first: no power.
            own = intensities[intensities.shape[0] - rates.shape[0] :]
            powers["constraints"] = own @ rates
        momentum, turning = _momenta(system, t, q, z, table)
        return Audit(
            system.kinetic_energy(t, q, z, table),
            system.potential_energy(t, q, table),
            powers,
            momentum,
            turning,
            *_misses(system, t, q, z, table),
        )

    return audit


def _row_rates(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """A z (m,): what of the rates of the rows is by the speeds."""
    if is_rolled(system):
        return rolled_rows.speed_rates(system, t, q, z, table)
    return system.constraint_rows(t, q, z, table)[0] @ z


def _powers(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> dict[str, Any]:
    """By its name: the power of each action that stores nothing."""
    if is_rolled(system):
        return energies.powers(system, t, q, z, table)
    twists = system.twists(t, q, z, table)
    each = system.wrenches(t, q, z, table)
    loose = [a.name for a in system.actions if not a.is_conservative]
    return {name: power(each[name], twists) for name in loose}


def _momenta(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> tuple[Any, Any]:
    """Momentum, and angular momentum about the world's origin, in its axes."""
    if is_rolled(system):
        found = energies.sums(system, q, z, table)
        return found.momentum, found.angular_momentum
    V = system.body_twists(t, q, z, table)
    h = (system.inertias(table) @ V[..., None])[..., 0]
    poses = system.poses(t, q, table)
    turning = (poses.rotations @ h[:, :3, None])[..., 0]
    linear = (poses.rotations @ h[:, 3:, None])[..., 0]
    about = turning + cross(poses.origins, linear)
    return jnp.sum(linear, axis=0), jnp.sum(about, axis=0)


def _misses(system: System, t: Scalar, q: Array, z: Array, table: Table) -> list[Any]:
    if not system.constraints:
        return [jnp.zeros(())] * 4
    g = rows.positions(system, t, q, table)
    phi = rows.velocities(system, t, q, z, table)
    shares = g / position_sizes(system).rows, phi / natural_sizes(system).rows
    return [jnp.max(jnp.abs(each), initial=0.0) for each in (g, phi, *shares)]
