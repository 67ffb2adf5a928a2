"""Whether a run begins stiff: something in it decays far quicker than all it does.

    d(z_dot) = K delta + D dz,      |[0 1; K D] - lambda| = 0

delta moves the coordinates along the joints, dz the speeds. A root that rather decays
than swings, far quicker than the other roots, than the speeds themselves and than the
run, is one that an explicit method follows for nothing: it must step at its pace long
after it has died away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import (
    ArpackError,
    ArpackNoConvergence,
    LinearOperator,
    eigs,
)

from polhode.integrate.field.scales import scales
from polhode.integrate.field.states import States, unchecked
from polhode.integrate.kernel.start import InitialDerivative, initial_derivative

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.integrate.field.input_table import Drive
    from polhode.system.system import System

# So much quicker than the motion: below it an explicit method takes less time still.
QUICKER = 1e4
# So many times in the run: fewer cost an explicit method nothing worth a change.
TIMES = 1e5
# Speeds above which only the largest roots are sought, without a matrix.
DENSE = 200
# So many of them, to so much: it is their order of magnitude that decides.
LARGEST, ROUGHLY = 6, 1e-2
# Of the natural sizes of displacements and speeds: a step of the difference.
SHARE = 1e-6


class Start(NamedTuple):
    """Where runs begin, and with what; leading axes are runs."""

    states: States
    table: dict[str, np.ndarray]
    drive: Drive
    held: np.ndarray
    initial_derivative: InitialDerivative


class Decay(NamedTuple):
    """How quickly the quickest decays (1/s), how quick the motion is, and its time."""

    rate: float
    motion: float
    duration: float

    @property
    def is_often(self) -> bool:
        """Whether the quickest would decay very many times in the run."""
        return self.rate * self.duration > TIMES

    @property
    def is_stiff(self) -> bool:
        """Whether an explicit method would step for stability, and long."""
        return self.is_often and self.rate > QUICKER * self.motion


NO_DECAY = Decay(0.0, 1.0, 1.0)


def may_decay(system: System, drive: Drive) -> bool:
    """Whether any action may take energy; where none does there is nothing to seek."""
    return bool(drive.key) or not all(a.is_conservative for a in system.actions)


def decay_of(equations: Equations, start: Start, until: float) -> Decay:
    """The quickest decay at the start of the first run."""
    system, states = equations.system, start.states
    duration = abs(until - float(states.t[0]))
    if not may_decay(system, start.drive) or duration == 0 or not system.speeds:
        return NO_DECAY
    first = slice(0, 1)
    q, z = states.q[first], states.z[first]
    size = scales(
        system, q, z, start.initial_derivative.z_dot[first], np.array([duration])
    )
    lengths = size.speeds[0] / size.rate[0]
    moving = np.max(np.abs(z[0]) / lengths, initial=1.0 / duration)
    if system.speeds > DENSE:
        return _of_largest(_Changes(equations, start, lengths), duration, moving)
    roots = np.linalg.eigvals(_linear(equations, start, lengths, float(size.rate[0])))
    if not np.all(np.isfinite(roots)):
        return NO_DECAY
    decays = (roots.real < 0) & (-roots.real >= np.abs(roots.imag))
    quickest = float(np.max(-roots.real[decays], initial=0.0))
    others = np.abs(roots[~decays])
    return Decay(quickest, float(np.max(others, initial=moving)), duration)


def _linear(
    equations: Equations, start: Start, lengths: np.ndarray, rate: float
) -> np.ndarray:
    """[0 1; K D] at the start of the first run, by differences."""
    system, n = equations.system, equations.system.speeds
    t, q, z = (getattr(start.states, word)[0] for word in ("t", "q", "z"))
    places = [system.local(q, SHARE * length * e) for length, e in _each(lengths)]
    speeds = [z + SHARE * rate * length * e for length, e in _each(lengths)]
    rows = unchecked(
        system, np.full(2 * n, t), np.array([*places, *[q] * n]),
        np.array([*[z] * n, *speeds]),
    )  # fmt: skip
    change = _rates(equations, start, rows) - start.initial_derivative.z_dot[0]
    steps = SHARE * np.concatenate([lengths, rate * lengths])
    lower = (change / steps[:, None]).T
    upper = np.concatenate([np.zeros((n, n)), np.eye(n)], axis=1)
    return np.concatenate([upper, lower])


def _each(lengths: np.ndarray) -> Any:
    return zip(lengths, np.eye(len(lengths)), strict=True)


def _rates(equations: Equations, start: Start, rows: States) -> np.ndarray:
    """z_dot (rows, nz), asked in the form that the start was asked in."""
    own = {name: np.repeat(v[:1], len(rows)) for name, v in start.table.items()}
    held = np.repeat(start.held[:1], len(rows), axis=0)

    def asked(pick: slice) -> Any:
        table = {name: values[pick] for name, values in own.items()}
        part = rows.part(pick)
        return initial_derivative(equations, part, table, start.drive, held[pick]).z_dot

    if len(start.states) > 1:
        return asked(slice(0, len(rows)))
    return np.concatenate([asked(slice(k, k + 1)) for k in range(len(rows))])


class _Changes(NamedTuple):
    """How the rates of the speeds of a large system change, along one direction."""

    equations: Equations
    start: Start
    lengths: np.ndarray

    def along(self, delta: np.ndarray, dz: np.ndarray) -> np.ndarray:
        """K delta + D dz (nz,), by a difference; both are scaled to be small."""
        size = np.max(np.abs(delta) / self.lengths) + np.max(np.abs(dz) / self.lengths)
        if not size:
            return np.zeros_like(dz)
        share, system = SHARE / size, self.equations.system
        t, q, z = (getattr(self.start.states, word)[0] for word in ("t", "q", "z"))
        place = system.local(q, share * delta)
        row = unchecked(system, np.array([t]), place[None], (z + share * dz)[None])
        found = _rates(self.equations, self.start, row)[0]
        return (found - self.start.initial_derivative.z_dot[0]) / share


def _of_largest(changes: _Changes, duration: float, moving: float) -> Decay:
    """The quickest decay, and what may swing, by the largest roots alone.

    What does not decay is at most as quick as the system without its damping; of springs
    that are damped beyond swinging this is too much, so that such a run is not called
    stiff, but is one in which something decays often.
    """
    n = len(changes.lengths)
    still = np.zeros(n)

    def first_order(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[n:], changes.along(x[:n], x[n:])])

    roots = _largest_roots(first_order, 2 * n)
    swings = _largest_roots(lambda x: changes.along(x, still), n)
    if not (len(roots) and np.all(np.isfinite([*roots, *swings]))):
        return NO_DECAY
    decays = (roots.real < 0) & (-roots.real >= np.abs(roots.imag))
    quickest = float(np.max(-roots.real[decays], initial=0.0))
    undamped = float(np.sqrt(np.max(np.abs(swings), initial=0.0)))
    return Decay(quickest, max(moving, undamped), duration)


def _largest_roots(product: Any, n: int) -> np.ndarray:
    """Roots of a matrix of which products are known, those of largest size."""
    operator = LinearOperator((n, n), matvec=product, dtype=float)
    # A fixed start: the same run takes the same method.
    start = np.random.default_rng(1).normal(size=n)
    try:
        return eigs(
            operator, LARGEST, v0=start, tol=ROUGHLY, maxiter=3,
            return_eigenvectors=False,
        )  # fmt: skip
    except ArpackNoConvergence as some:
        return some.eigenvalues
    except ArpackError:
        return np.zeros(0)
