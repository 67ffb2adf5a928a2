"""Where everything balances: Newton's iteration, damped, for many starts in one call.

Unknowns are the place q (by steps along the joints), the intensities l of reactions and
those rates xi of carriers that are not given. What must vanish, row by row:

    M z_dot + b - f - A^T l     forces, with z = Y(q) xi and z_dot carried along
    g(t, q)                     equations of place
    phi, A z_dot - gamma        of velocities and accelerations, where there are rates
    what else the asker wants   functions of (t, q, z)

Each step solves (J^T J + m D) u = -J^T r, D the squares of columns: no rank is decided,
and where there are many solutions the nearest is found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.analyse.symmetries import Carriers
from polhode.arrays import Array, Scalar
from polhode.matter.parameter import NOMINAL, Table
from polhode.system import numeric_constraints, rows
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.system.system import System

ITERATIONS = 150
DONE = 1e-15  # of the scale of a row
FIRST, LEAST, MOST = 1e-2, 1e-9, 1e4  # of the damping m
NOISE = 1e-6  # of the largest column of its kind: a smaller one is taken as this
LONGEST = 0.7  # radians, or lengths of the system, in one step

Condition = Callable[[Any, Any, Any], Any]  # t, q, z -> zeros


class Settled(NamedTuple):
    """Where the iteration ended, a row a start: q, l, xi, and the worst row's residual.

    `worst` is measured by the scales of the rows.
    """

    q: Any
    multipliers: Any
    rates: Any
    worst: Any


@final
@dataclass(frozen=True, eq=False, repr=False)
class Balance:
    """What must balance in a system that is carried along.

    free        numbers of the carriers whose rates are unknown
    pushes      second rates of carriers: constant accelerations along them (k,)
    conditions  what else must vanish
    """

    system: System
    carriers: Carriers
    free: tuple[int, ...] = ()
    pushes: tuple[float, ...] = ()
    conditions: tuple[Condition, ...] = ()

    @property
    def key(self) -> tuple:
        """What tells its programs from those of others of the same system."""
        return (self.carriers.names, self.free, self.pushes, self.conditions)

    @property
    def is_moving(self) -> bool:
        """Whether there are carriers at all."""
        return bool(self.carriers.names)

    def residual(self, t: Scalar, q: Array, l: Scalar, xi: Array, table: Table) -> Any:
        """All rows (r,), traced."""
        import jax
        import jax.numpy as jnp

        from polhode.formulation.recursive.inverse_dynamics import inverse_dynamics

        system = self.system
        z, z_dot = self.motion(t, q, xi, table)
        needed = inverse_dynamics(system, StateArrays(t, q, z), z_dot, table)
        phi, back = jax.vjp(lambda z: rows.velocities(system, t, q, z, table), z)
        parts = [needed - back(l)[0], rows.positions(system, t, q, table)]
        if self.is_moving:
            parts += [phi, self._growth(t, q, z, z_dot, table)]
        parts += [jnp.reshape(c(t, q, z), (-1,)) for c in self.conditions]
        return jnp.concatenate(parts)

    def motion(self, t: Scalar, q: Array, xi: Any, table: Table) -> tuple[Any, Any]:
        """z and z_dot (nz,) of a motion that is carried along."""
        import jax.numpy as jnp

        if not self.is_moving:
            return jnp.zeros(self.system.speeds), jnp.zeros(self.system.speeds)
        Y = self.carriers.matrix(q, table)
        z = Y @ xi
        z_dot = self.carriers.growth(t, q, z, xi, table)
        return z, z_dot + Y @ np.array(self.pushes)

    def moved(self, q: Array, l: Scalar, xi: Any, u: Any) -> tuple[Any, Any, Any]:
        """The unknowns after a step u (nz + m + free,)."""
        n, m = self.system.speeds, len(self.system.row_names)
        faster = xi.at[np.array(self.free, int)].add(u[n + m :]) if self.free else xi
        return self.system.local(q, u[:n]), l + u[n : n + m], faster

    def slopes(
        self, t: Scalar, q: Array, l: Scalar, xi: Array, table: Table
    ) -> tuple[Any, Any]:
        """The residual (r,) and its derivatives (r, nz + m + free), traced."""
        import jax.numpy as jnp

        from polhode.integrate.methods.implicit.jacobian import jacobian

        count = self.system.speeds + len(self.system.row_names) + len(self.free)

        def after(u: Array) -> Any:
            return self.residual(t, *self.moved(q, l, xi, u), table)

        return jacobian(after, jnp.zeros(count))

    def _growth(self, t: Scalar, q: Array, z: Array, z_dot: Array, table: Table) -> Any:
        """d phi/dt along the motion (m,)."""
        import jax
        import jax.numpy as jnp

        along = jnp.ones(()), self.system.rates(t, q, z, table), z_dot
        return jax.jvp(
            lambda t, q, z: rows.velocities(self.system, t, q, z, table),
            (1.0 * jnp.asarray(t), 1.0 * q, 1.0 * z), along,
        )[1]  # fmt: skip


def settler(
    balance: Balance, reach: np.ndarray, natural: np.ndarray
) -> Callable[..., Any]:
    """((t, scales), q, l, xi, table) -> Settled of a start; `reach` (nz,) of steps.

    `natural` (m,) is what rows could feel: see `natural_rows`.
    """
    import jax.numpy as jnp
    from jax import lax

    from polhode.formulation.solve.equations_of_motion import solve_definite

    n = balance.system.speeds

    def settle(given: Any, q: Array, l: Scalar, xi: Array, table: Table) -> Any:
        t, scales = given

        def residual(q: Array, l: Scalar, xi: Array) -> Any:
            return balance.residual(t, q, l, xi, table) / scales

        def step(state: tuple) -> tuple:
            k, q, l, xi, r, damping = state
            J = balance.slopes(t, q, l, xi, table)[1] / scales[:, None]
            sizes = _column_sizes(J, balance, reach, natural, scales[:n])
            J = J / sizes
            H = J.T @ J + damping * jnp.eye(J.shape[1])
            u = -solve_definite(H, J.T @ r) / sizes
            u = u / jnp.maximum(jnp.max(jnp.abs(u[:n]) / reach) / LONGEST, 1.0)
            q_new, l_new, xi_new = balance.moved(q, l, xi, u)
            q_new = balance.system.normalised(q_new)
            r_new = residual(q_new, l_new, xi_new)
            # Not a number is never better.
            better = r_new @ r_new < r @ r
            pairs = ((q_new, q), (l_new, l), (xi_new, xi), (r_new, r))
            kept = [jnp.where(better, new, old) for new, old in pairs]
            damping = jnp.where(better, jnp.maximum(damping / 10, LEAST), 8 * damping)
            return k + 1, *kept, damping

        def goes_on(state: tuple) -> Any:
            k, *_, r, damping = state
            return (k < ITERATIONS) & (jnp.max(jnp.abs(r)) > DONE) & (damping < MOST)

        first = (jnp.zeros(()), q, l, xi, residual(q, l, xi), jnp.asarray(FIRST))
        _, q, l, xi, r, _ = lax.while_loop(goes_on, step, first)
        return Settled(q, l, xi, jnp.max(jnp.abs(r)))

    return settle


def load_sizes(natural: np.ndarray, reach: np.ndarray, scales: Any) -> Any:
    """What an intensity (m,) could do to the forces, by their scales (nz,)."""
    return natural * (1 / (reach * scales)).max(initial=0.0)


def natural_rows(system: System, t: float, q: np.ndarray) -> np.ndarray:
    """How strongly each row (m,) feels its own bodies, whether or not they can move."""
    if not system.constraints:
        return np.zeros(0)
    now = numeric_constraints.scene(system, float(t), np.asarray(q))
    return numeric_constraints.velocities(system, now, np.zeros(system.speeds)).scales


def _column_sizes(
    J: Array, balance: Balance, reach: Any, natural: Any, scales: Any
) -> Any:
    """The length of each column; of none less than a little of its kind's largest.

    Kinds are places, intensities of reactions, and rates. Intensities that move nothing
    are measured by what they could do elsewhere (m,): their own columns are rounding.
    """
    import jax.numpy as jnp

    load_scale = load_sizes(natural, reach, scales)
    n, m = balance.system.speeds, len(balance.system.row_names)
    units = np.concatenate([reach, np.ones(J.shape[1] - n)])
    lengths, sizes = jnp.sqrt(jnp.sum(J * J, axis=0)) * units, []
    for part in (lengths[:n], lengths[n : n + m], lengths[n + m :]):
        least = NOISE * jnp.max(part, initial=0.0)
        sizes.append(jnp.maximum(part, jnp.where(least > 0, least, 1.0)))
    sizes[1] = jnp.maximum(sizes[1], numeric_constraints.ZERO_ROW * load_scale)
    return jnp.concatenate(sizes) / units


def find_rests(
    balance: Balance,
    starts: Settled,
    scales: np.ndarray,
    *,
    t: float = 0.0,
    table: Mapping[str, Any] = NOMINAL,
) -> Settled:
    """Every start brought to rest; values of `table` may be arrays, one a start."""
    from polhode.integrate.field.scales import displacements
    from polhode.lowering.compile import Program, compile

    system = balance.system
    values = {name: np.asarray(value, float) for name, value in table.items()}
    many = tuple(sorted(name for name, value in values.items() if value.ndim))
    key = ("settle", balance.key, tuple(sorted(values)), many)
    given = (float(t), scales)
    arguments = (given, starts.q, starts.multipliers, starts.rates, values)

    def made() -> Program:
        reach = displacements(system, starts.q[0])
        natural = natural_rows(system, t, starts.q[0])
        one = (given, *(part[0] for part in starts[:3]))
        table_of_one = {n: v[0] if v.ndim else v for n, v in values.items()}
        batched = ["q", "l", "xi", *(f"table.{name}" for name in many)]
        return compile(
            settler(balance, reach, natural), *one, table_of_one, batched=batched
        )

    return Settled(*system.remembered(key, made)(*arguments))
