"""Linear systems along a motion: A(t), B(t), and how disturbances are carried on.

    x' = A(t) x + B(t) u,      P' = A(t) P,   P(t0) = 1,      x = [d; e]

d are errors along the joints from where the motion is at that time, e those of the
speeds: q = local(q(t), d), z = z(t) + e, in all nz coordinates. Disturbances that keep
the constraints stay among themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.analyse.machinery.ports import port_names, port_values
from polhode.analyse.machinery.variations import Ports, shift_inputs, slopes_of
from polhode.answer_table import Answer, AnswerTable, some
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.formulation.recursive.recursive import recursive
from polhode.lowering.compile import Program, compile
from polhode.matter.parameter import Table
from polhode.system.lengths import natural_length, speed_lengths
from polhode.system.state import State
from polhode.system.system import System

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

RETURNED = 1e-6  # how far a periodic motion may end from its start
SHOWN = 7  # rows that are printed
HEADS = ("t, s", "fastest growth, 1/s", "fastest swing, rad/s", "trace of A, 1/s")
INSTANT = (
    "Of A(t) at an instant: whether disturbances grow, transition() and multipliers()"
    " say."
)


@final
@dataclass(frozen=True, eq=False, repr=False)
class LinearAlong(Answer):
    """A (n, 2 nz, 2 nz) and B (n, 2 nz, k) at the times t (n,) of a motion.

    states, inputs   what the entries of x and u are called

    `law` gives A and B at a state in velocities other than the speeds of joints, and
    `names` those of x and u: see `linear_form`.
    """

    motion: Trajectory
    table: Table
    ports: Ports
    law: Callable[[State, Table], tuple[np.ndarray, np.ndarray]] | None = None
    names: tuple[tuple[str, ...], tuple[str, ...]] | None = None

    @property
    def t(self) -> np.ndarray:
        """The times of the motion's rows (n,)."""
        return self.motion.t

    @property
    def A(self) -> np.ndarray:
        """A at each row (n, 2 nz, 2 nz)."""
        return self._rows()[0]

    @property
    def B(self) -> np.ndarray:
        """B at each row (n, 2 nz, k)."""
        return self._rows()[1]

    @property
    def states(self) -> tuple[str, ...]:
        """Errors of place by name, then those of speeds."""
        if self.names:
            return self.names[0]
        names = self.motion.system.speed_names
        return (*names, *(f"speed of {name}" for name in names))

    @property
    def inputs(self) -> tuple[str, ...]:
        """One name for each column of B."""
        if self.names:
            return self.names[1]
        return port_names(self.ports)

    def at(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """A and B at a time within the motion."""
        return self._at(self.motion.at(t))

    def transition(
        self, start: float | None = None, end: float | None = None
    ) -> np.ndarray:
        """P (2 nz, 2 nz): a disturbance x at `start` is P x at `end`."""
        from scipy.integrate import solve_ivp

        first = float(self.t[0] if start is None else start)
        last = float(self.t[-1] if end is None else end)
        system = self.motion.system
        n = 2 * system.speeds
        # Lengths beside radians, and these beside a second, are unlike in size: what
        # a tolerance says of P must not depend on units.
        size = speed_lengths(system, natural_length(system, self.motion.q[0]))
        rate = 1.0 / abs(last - first) if last != first else 1.0
        sizes = np.concatenate([size, rate * size])
        units = sizes / sizes[:, None]

        def slope(t: float, P: np.ndarray) -> np.ndarray:
            return ((self.at(t)[0] * units) @ P.reshape(n, n)).ravel()

        unit = np.eye(n).ravel()
        found = solve_ivp(slope, (first, last), unit, "DOP853", rtol=1e-10, atol=1e-12)
        return found.y[:, -1].reshape(n, n) / units

    def multipliers(self) -> np.ndarray:
        """Floquet's multipliers of a periodic motion, kept over one period.

        Disturbances grow by these factors a period, those that the constraints forbid
        left out: above 1 in size they grow.
        """
        _require_periodic(self.motion)
        N = _tangent(self.motion[0])
        values = np.linalg.eigvals(N.T @ self.transition() @ N)
        return values[np.argsort(-np.abs(values), kind="stable")]

    def _rows(self) -> tuple[np.ndarray, np.ndarray]:
        each = [self._at(self.motion[k]) for k in range(len(self.t))]
        A, B = zip(*each, strict=True)
        return np.array(A), np.array(B)

    def _at(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        if self.law:
            return self.law(state, self.table)
        values = port_values(state, self.table, self.ports, self.table)
        return slopes(state, {**self.table, **values}, self.ports)

    def plot(self) -> Any:
        """Real parts of eigenvalues along the motion: a `Picture`."""
        from polhode.show.plots.answers import along_picture

        return along_picture(self)

    def digest(self, most: int = SHOWN) -> list[tuple[float, ...]]:
        """Of some rows: t, the largest real and imaginary part of eigenvalues, tr A."""
        found = []
        for k in some(len(self.t), most):
            A = self._at(self.motion[int(k)])[0]
            s = np.linalg.eigvals(A)
            parts = np.max(s.real), np.max(s.imag), np.trace(A)
            found.append((float(self.t[k]), *map(float, parts)))
        return found

    def __repr__(self) -> str:
        span = f"{self.t[0]:g} to {self.t[-1]:g} s, {len(self.t)} rows"
        size = f"{len(self.states)} states, {len(self.inputs)} inputs"
        return f"LinearAlong({self.motion.system.name!r}, {span}: {size})"

    def as_table(self) -> AnswerTable:
        """What is printed."""
        rows = zip(some(len(self.t), SHOWN), self.digest(), strict=True)
        notes = (
            f"states: {', '.join(self.states)}",
            f"inputs: {', '.join(self.inputs) or 'none'}",
            INSTANT,
        )
        heads = ("", *HEADS)
        return AnswerTable(repr(self), heads, [(k, *row) for k, row in rows], notes)


def linear_along(
    motion: Trajectory, ports: Ports, given: Table, parameters: Table
) -> LinearAlong:
    """The linear systems of all rows of a motion."""
    return LinearAlong(motion, {**motion.table, **parameters, **given}, ports)


def slopes(state: State, table: Table, ports: Ports) -> tuple[np.ndarray, np.ndarray]:
    """A (2 nz, 2 nz) and B (2 nz, k) about a state of a motion."""
    system = state.system
    arguments = (float(state.t), state.q, state.z, dict(table))
    key = ("linear along", tuple(ports.items()), tuple(sorted(table)))

    def made() -> Program:
        law = recursive(system).functions.accelerations
        return compile(_slopes(system, law, ports), *arguments)

    J, n = system.remembered(key, made)(*arguments), 2 * system.speeds
    return J[:, :n], J[:, n:]


def _slopes(
    system: System, accelerations: Callable[..., Any], ports: Ports
) -> Callable[..., Any]:
    """(t, q, z, table) -> [A, B] (2 nz, 2 nz + k)."""
    n = system.speeds

    def found(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        q_dot = system.rates(t, q, z, table)

        def rates(x: Array) -> Any:
            d, e = x[:n], x[n : 2 * n]
            place, carried = jax.jvp(lambda q: system.local(q, d), (1.0 * q,), (q_dot,))
            whole = {**table, **shift_inputs(table, ports, x[2 * n :])}
            # As d' is linear in z - carried at d = 0, its factor E(d) = 1 suffices.
            d_dot = z + e - system.speeds_from(t, place, carried)
            z_dot = accelerations(t, place, z + e, whole)[0]
            return jnp.concatenate([d_dot, z_dot])

        width = sum(max(size, 1) for size in ports.values())
        return slopes_of(rates, jnp.zeros(2 * n + width))

    return found


def _tangent(state: State) -> np.ndarray:
    """An orthonormal basis (2 nz, k) of the disturbances that keep all constraints."""
    from scipy.linalg import null_space

    from polhode.analyse.machinery.variations import variations_of

    system = state.system
    if not system.constraints:
        return np.eye(2 * system.speeds)
    near = variations_of(state, {}, {}, {})
    P = errors_carried(state)
    rows = np.block(
        [
            [near.places, np.zeros_like(near.places)],
            [near.drift + near.rows @ P, near.rows],
        ]
    )
    return null_space(rows, rcond=1e-9)


def errors_carried(state: State) -> np.ndarray:
    """P (nz, nz) with d' = e + P d."""
    system = state.system
    example: tuple[Any, ...] = (float(state.t), state.q, state.z, {})
    function = _slopes(system, lambda t, q, z, table: (0.0 * z, None), {})
    n, program = system.speeds, system.program("carried errors", function, example)
    return program(*example)[:n, :n]


def _require_periodic(motion: Trajectory) -> None:
    first, last = motion[0], motion.final
    gap = np.max(np.abs(last.q - first.q)), np.max(np.abs(last.z - first.z))
    sizes = np.max(np.abs(motion.q)), np.max(np.abs(motion.z))
    if any(g > RETURNED * s for g, s in zip(gap, sizes, strict=True)):
        raise AnalysisError(
            f"the motion of {motion.system.name!r} does not return to its start.",
            f"Over {motion.t[0]:g} to {motion.t[-1]:g} s places end {gap[0]:.2g} and"
            f" speeds {gap[1]:.2g} away; multipliers belong to one period.",
            "Simulate over exactly one period.",
        )
