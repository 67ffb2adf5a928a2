"""How an equilibrium, its reactions and its frequencies move with parameters.

    R(d, l, p) = tau(d, p) - A^T l = 0,   g(d, p) = 0:

    [K  -A^T] [dd]     [R_p]
    [G    0 ] [dl] = - [g_p] dp

    (s^2 M + s D + K) u - A^T m = 0,  G u = 0:    ds = -w P_p u / (w P_s u)

tau is what the joints need at rest (inverse dynamics), l are the multipliers; K has
their share in it. P is the matrix of the last pair of equations, w and u are its null
vectors; P changes with p and with the place and the loads that p moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.analyse.machinery.naming import nominal
from polhode.answer_table import Answer, AnswerTable
from polhode.arrays import Array, Scalar
from polhode.errors import AnalysisError
from polhode.formulation.recursive.inverse_dynamics import inverse_dynamics
from polhode.matter.parameter import NOMINAL, Table
from polhode.system import numeric_constraints, rows
from polhode.system.checked_argument import state_argument
from polhode.system.state import State
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

FOUND = 1e-6  # of the rates that a small displacement gives: still an equilibrium
APART = 1e-7  # eigenvalues nearer than this share have no slopes of their own


@final
@dataclass(frozen=True, eq=False, repr=False)
class RestSensitivity(Answer):
    """An equilibrium and its eigenvalues, by parameters.

    names        the parameters (p,)
    places       (nz, p): how the equilibrium moves along the joints
    loads        (m, p): how the multipliers of its constraints change
    eigenvalues  (2 f,) of the linearised motion; slopes (2 f, p)
    """

    system: System
    names: tuple[str, ...]
    places: np.ndarray
    loads: np.ndarray
    eigenvalues: np.ndarray
    slopes: np.ndarray

    @property
    def frequencies(self) -> np.ndarray:
        """Angular frequencies (k,), slowest first, 1/s."""
        return self.eigenvalues.imag[self._swinging]

    @property
    def frequency_slopes(self) -> np.ndarray:
        """(k, p)"""
        return self.slopes.imag[self._swinging]

    @property
    def rows(self) -> list[tuple[str, np.ndarray]]:
        """What changes, by name, and its derivatives (p,): places, loads, frequencies.

        A frequency is called by its own value.
        """
        loads = [f"load of {name}" for name in self.system.row_names]
        swings = [f"{w:.6g} rad/s" for w in self.frequencies]
        return [
            *zip(self.system.speed_names, self.places, strict=True),
            *zip(loads, self.loads, strict=True),
            *zip(swings, self.frequency_slopes, strict=True),
        ]

    @property
    def _swinging(self) -> np.ndarray:
        size = 1e-9 * np.max(np.abs(self.eigenvalues), initial=0.0)
        turning = np.flatnonzero(self.eigenvalues.imag > size)
        return turning[np.argsort(self.eigenvalues.imag[turning])]

    def plot(self) -> Any:
        """How frequencies change with the parameters, as bars: a `Picture`."""
        from polhode.show.plots.answers import rest_picture

        return rest_picture(self)

    def as_table(self) -> AnswerTable:
        """What is printed."""
        title = f"RestSensitivity({self.system.name!r}): derivatives by parameters"
        heads = ("", *(f"d / d {name}" for name in self.names))
        return AnswerTable(title, heads, [(name, *row) for name, row in self.rows])


@state_argument
def rest_sensitivity(
    state: State, parameters: Sequence[str], *, values: Table = NOMINAL
) -> RestSensitivity:
    """The derivatives of an equilibrium, and of its frequencies, by parameters.

    The state is an equilibrium, at rest; constraints are of place. Where it is free to
    move, its own displacement is the shortest, and loads that statics does not
    determine change least. `values` are others than those of the model.

    >>> import polhode as ph
    >>> found = rest_sensitivity(ph.models.pendulum().rest(), ["l"])
    >>> bool(abs(found.frequency_slopes + found.frequencies / (2 * 0.8)).max() < 1e-9)
    True
    """
    system, names = state.system, tuple(parameters)
    _require_places(system)
    p = np.array([float(values.get(n, nominal(system, n))) for n in names])
    balance_and_rows, matrices, variation = _programs(state, names, p)
    moving = numeric_constraints.moving_rows(system, state, _table(names, p))[:, None]
    tau, A = balance_and_rows(state.q, p)
    A = np.where(moving, A, 0.0)
    l = np.linalg.lstsq(A.T, tau, rcond=1e-10)[0]
    at = _Matrices(*matrices(state.q, l, p))
    at = at._replace(rows=np.where(moving, at.rows, 0.0))
    S = _null(at.rows)
    _require_rest(state, tau - A.T @ l, at, S)
    places, loads = _moves(at)
    modes = _modes(system, at, S)
    found = np.zeros((len(modes), len(names)), complex)
    for k, unit in enumerate(np.eye(len(names))):
        change = _Matrices(*variation(state.q, l, p, (places[:, k], loads[:, k], unit)))
        found[:, k] = [_slope(at, change, mode) for mode in modes]
    spectrum = np.array([mode.s for mode in modes])
    return RestSensitivity(system, names, places, loads, spectrum, found)


class _Matrices(NamedTuple):
    """M, D, K (n, n), A (m, n), and by the parameters R_p (n, p), g_p (m, p)."""

    mass: np.ndarray
    damping: np.ndarray
    stiffness: np.ndarray
    rows: np.ndarray
    push: np.ndarray
    gap: np.ndarray


class _Mode(NamedTuple):
    """An eigenvalue with its right and left vectors: places (n,) and loads (m,)."""

    s: complex
    right: tuple[np.ndarray, np.ndarray]
    left: tuple[np.ndarray, np.ndarray]


def _programs(state: State, names: tuple[str, ...], p: np.ndarray) -> tuple[Any, ...]:
    """What is needed at rest, all matrices there, and their changes along (d, l, p)."""
    system, t = state.system, float(state.t)
    zero, loads = np.zeros(system.speeds), np.zeros(len(system.row_names))
    rows_at, balance = _laws(system, t, names)

    def balance_and_rows(q: Array, p: Array) -> Any:
        still, none = jnp.zeros(system.speeds), jnp.zeros(len(loads))
        return balance(q, (still, still), none, p), rows_at(q, p)

    def matrices(q: Array, l: Scalar, p: Array) -> Any:
        def R(d: Array, e: Any, a: Array, p: Array) -> Any:
            return balance(system.local(q, d), (e, a), l, p)

        def g(p: Array) -> Any:
            return rows.positions(system, t, q, _table(names, p))

        still = jnp.zeros(system.speeds)
        K, D, M, push = jax.jacfwd(R, (0, 1, 2, 3))(still, still, still, p)
        return M, D, K, rows_at(q, p), push, jax.jacfwd(g)(p)

    def variation(q: Array, l: Scalar, p: Array, along: Array) -> Any:
        def there(d: Array, l: Scalar, p: Array) -> Any:
            return matrices(system.local(q, d), l, p)

        return jax.jvp(there, (jnp.zeros(system.speeds), l, p), along)[1]

    name, along = ("rest sensitivity", names, t), (zero, loads, p)
    return (
        system.program((*name, "needed"), balance_and_rows, (state.q, p)),
        system.program((*name, "matrices"), matrices, (state.q, loads, p)),
        system.program((*name, "moved"), variation, (state.q, loads, p, along)),
    )


def _laws(system: System, t: float, names: tuple[str, ...]) -> tuple[Any, Any]:
    """A(place, p), and R(place, (speeds, their rates), l, p), traced."""

    def rows_at(place: Any, p: Array) -> Any:
        def phi(speeds: Array) -> Any:
            return rows.velocities(system, t, place, speeds, _table(names, p))

        return jax.jacfwd(phi)(jnp.zeros(system.speeds))

    def balance(place: Any, motion: tuple[Any, Any], l: Any, p: Any) -> Any:
        (e, a), table = motion, _table(names, p)
        tau = inverse_dynamics(system, StateArrays(t, place, e), a, table)
        return tau - rows_at(place, p).T @ l if l.shape[0] else tau

    return rows_at, balance


def _table(names: tuple[str, ...], p: Array) -> dict[str, Any]:
    return {name: p[k] for k, name in enumerate(names)}


def _moves(at: _Matrices) -> tuple[np.ndarray, np.ndarray]:
    """How place (n, p) and loads (m, p) follow the parameters: the least that does."""
    n, m = len(at.mass), len(at.rows)
    size = np.max(np.abs(at.stiffness), initial=0.0) or 1.0
    # Loads are measured by the stiffness, so that no row outweighs another.
    left = np.block([[at.stiffness, -size * at.rows.T], [size * at.rows, _zeros(m, m)]])
    right = np.concatenate([at.push, size * at.gap])
    found = -np.linalg.pinv(left, rcond=1e-10) @ right
    return found[:n], size * found[n:]


def _modes(system: System, at: _Matrices, S: np.ndarray) -> list[_Mode]:
    """Eigenvalues of what is free to move, with vectors in all coordinates."""
    M, D, K = (S.T @ part @ S for part in (at.mass, at.damping, at.stiffness))
    f = len(M)
    solved = np.linalg.solve(M, np.concatenate([K, D], axis=1))
    A = np.block([[_zeros(f, f), np.eye(f)], [-solved]])
    values, right = np.linalg.eig(A)
    _require_apart(system, values)
    left = np.linalg.inv(right)[:, f:]
    found = []
    for s, x, y in zip(values, right.T, left, strict=True):
        P = s**2 * at.mass + s * at.damping + at.stiffness
        u, w = S @ x[:f], S @ np.linalg.solve(M.T, y)
        m = np.linalg.lstsq(at.rows.T.astype(complex), P @ u, rcond=1e-10)[0]
        n = np.linalg.lstsq(at.rows.T.astype(complex), -P.T @ w, rcond=1e-10)[0]
        found.append(_Mode(s, (u, m), (w, n)))
    return found


def _slope(at: _Matrices, change: _Matrices, mode: _Mode) -> complex:
    """ds = -w P_p u / (w P_s u)"""
    s, (u, m), (w, n) = mode
    P_p = s**2 * change.mass + s * change.damping + change.stiffness
    P_s = 2 * s * at.mass + at.damping
    change_of_p = w @ P_p @ u - w @ change.rows.T @ m + n @ change.rows @ u
    return -change_of_p / (w @ P_s @ u)


def _null(rows: np.ndarray) -> np.ndarray:
    """An orthonormal basis (n, f) of what rows leave free."""
    from scipy.linalg import null_space

    return null_space(rows, rcond=1e-9) if len(rows) else np.eye(rows.shape[1])


def _zeros(rows: int, columns: int) -> np.ndarray:
    return np.zeros((rows, columns))


def _require_places(system: System) -> None:
    rolling = [c.name for c in system.constraints if not c.is_holonomic]
    if rolling:
        raise AnalysisError(
            f"the rest of {system.name!r} cannot be followed: {', '.join(rolling)}"
            " constrain velocities.",
            "Such a system rests in families of places; which one it is in depends on"
            " how it came there.",
            "Leave those constraints out, or ask about one state by ph.linearise.",
        )


def _require_rest(state: State, miss: np.ndarray, at: _Matrices, S: np.ndarray) -> None:
    M, K = S.T @ at.mass @ S, S.T @ at.stiffness @ S
    push = float(np.max(np.abs(np.linalg.solve(M, S.T @ miss)), initial=0.0))
    size = float(np.max(np.abs(np.linalg.solve(M, K)), initial=0.0))
    if np.any(state.z) or push > FOUND * max(size, 1e-300):
        raise AnalysisError(
            f"{state!r} is no equilibrium.",
            f"It would accelerate by {push:.3g}, or moves.",
            "Take one from ph.equilibria(system).",
        )


def _require_apart(system: System, values: np.ndarray) -> None:
    gaps = np.abs(values[:, None] - values) + np.diag(np.full(len(values), np.inf))
    if np.min(gaps, initial=np.inf) < APART * np.max(np.abs(values)):
        raise AnalysisError(
            f"{system.name!r} has equal eigenvalues there.",
            "Which way they part depends on how the parameters change together.",
            "Ask at other values, or change one parameter slightly.",
        )
