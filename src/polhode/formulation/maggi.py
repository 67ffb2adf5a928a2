"""Maggi's equations: as many as there are freedoms, and no multipliers.

    z = C(t, q) s + d(t, q),      A C = 0,   A d = b

    C^T (d/dt dL/dx_dot - dL/dx - Q) = 0

s are independent among the speeds z, and the columns of C span the velocities that the
constraints A z = b leave free. The reactions A^T l feel none of these; they are what
the motion found leaves over, and are read afterwards.

z and z_dot follow from s and s_dot by the same matrix K, of full rank where the chosen
speeds are independent, redundant rows or not:

    K z = [b; s],      K z_dot = [gamma; s_dot],      K = [A; S],   s = S z
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.formulation.equations import Core, Equations, Terms
from polhode.formulation.lagrange import lagrange
from polhode.formulation.questions.reactions import by_balance
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.linear_rows import require_linear
from polhode.formulation.shared.speeds import along, drift
from polhode.formulation.solve.equations_of_motion import (
    VANISHING,
    factored,
    solve_definite,
    solve_rows,
)
from polhode.matter.parameter import Table
from polhode.system import numeric_constraints, rows
from polhode.system.check import mobility
from polhode.system.members import suggestion
from polhode.system.natural_sizes import NaturalSizes, natural_sizes
from polhode.system.row_rank import DEPENDENT
from polhode.system.system import System

# A run stops where the chosen speeds determine the others so much worse than at rest:
# it has then lost at most two digits of its tolerance.
LEVERAGE = 100.0


@dense_form
def maggi(system: System, independent: Sequence[str] | None = None) -> Equations:
    """Maggi's equations in independent speeds, the user's or found at rest.

    `independent` names as many speeds as the system has freedoms; the constraints must
    determine the others. Where they cease to, at a dead centre, choose others: answers
    at a state are good on both sides of it, but a run that comes near stops.
    """
    require_rows_for(system)
    require_linear(system, "Maggi's")
    names = tuple(independent) if independent else independent_speeds(system)
    _require_independent(system, names)
    S = _selection(system, names)
    reduced = _Reduced(system, S, LEVERAGE * _leverage_at_rest(system, S))
    core = Core(
        start=lambda t, q, z, table: reduced.S @ z,
        speeds=reduced.speeds,
        rates=lambda t, q, s, table: system.rates(
            t, q, reduced.speeds(t, q, s, table), table
        ),
        terms=reduced.terms,
        accelerations=reduced.accelerations,
        bodies=reduced.bodies,
        along=reduced.forces,
        joint_wrenches=by_balance(system, reduced.speeds, reduced.bodies),
        serves=reduced.serves,
    )
    return Equations("Maggi", system, names, (), core)


@final
@dataclass(frozen=True, eq=False)
class _Reduced:
    """A system in independent speeds s = S z: `Core`, function by function."""

    system: System
    S: np.ndarray
    leverage: float

    def speeds(self, t: Scalar, q: Array, s: Scalar, table: Table) -> Any:
        still = jnp.zeros(self.system.speeds)
        A = self.system.constraint_rows(t, q, still, table)[0]
        given = -rows.velocities(self.system, t, q, still, table)
        return self.solver(A)(given, s)

    def solver(self, A: Array) -> Callable[[Any, Any], Any]:
        return _solver(A, self.S, natural_sizes(self.system))

    def kinematics(
        self, t: Scalar, q: Array, z: Array, table: Table
    ) -> tuple[Any, Any, Any]:
        """A, C, and z_dot at s_dot = 0."""
        A, gamma = self.system.constraint_rows(t, q, z, table)
        solve, (k, n) = self.solver(A), self.S.shape
        C = [solve(jnp.zeros_like(gamma), unit) for unit in np.eye(k)]
        return A, jnp.reshape(jnp.asarray(C), (k, n)).T, solve(gamma, jnp.zeros(k))

    def parts(
        self, t: Scalar, q: Array, s: Scalar, table: Table
    ) -> tuple[Terms, Any, Any, Any]:
        """Lagrange's terms, A, C, and z_dot at s_dot = 0."""
        z = self.speeds(t, q, s, table)
        found = lagrange(self.system).functions.terms(t, q, z, table)
        return found, *self.kinematics(t, q, z, table)

    def terms(self, t: Scalar, q: Array, s: Scalar, table: Table) -> Terms:
        (M, b, f, _, _), _, C, shift = self.parts(t, q, s, table)
        nothing = jnp.zeros((0, len(self.S))), jnp.zeros(0)
        return Terms(C.T @ M @ C, C.T @ (b + M @ shift), C.T @ f, *nothing)

    def accelerations(
        self, t: Scalar, q: Array, s: Scalar, table: Table
    ) -> tuple[Any, Any]:
        (M, b, f, _, _), A, C, shift = self.parts(t, q, s, table)
        s_dot = solve_definite(C.T @ M @ C, C.T @ (f - b - M @ shift))
        left = M @ (C @ s_dot + shift) + b - f
        c, r = natural_sizes(self.system)
        A, ones = A * c / r[:, None], np.ones(len(r))
        return s_dot, solve_rows(A @ A.T, A @ (c * left), ones, VANISHING) / r

    def serves(self, t: Scalar, q: Array, s: Scalar, table: Table) -> Any:
        """Whether small errors of s are still small ones of z: |dz/ds| is bounded."""
        A = self.system.constraint_rows(t, q, jnp.zeros(self.system.speeds), table)[0]
        solve, none = self.solver(A), jnp.zeros(A.shape[0])
        columns = jnp.stack([solve(none, unit) for unit in np.eye(len(self.S))])
        weights = jnp.sqrt(jnp.diagonal(self.system.mass_matrix(t, q, table)))
        stretch = _stretch(columns, weights, self.S)
        # The solve of a singular matrix may give anything: what it gives is tried.
        kept = jnp.abs(columns @ self.S.T - jnp.eye(len(self.S))) < 1e-3
        return (jnp.max(stretch) < self.leverage) & jnp.all(kept)

    def bodies(self, t: Scalar, q: Array, s: Scalar, s_dot: Any, table: Table) -> Any:
        system, z = self.system, self.speeds(t, q, s, table)
        _, C, shift = self.kinematics(t, q, z, table)
        z_dot = C @ s_dot + shift
        return system.jacobians(t, q, table) @ z_dot + drift(system, t, q, z, table)

    def forces(self, t: Scalar, q: Array, s: Scalar, W: Array, table: Table) -> Any:
        z = self.speeds(t, q, s, table)
        C = self.kinematics(t, q, z, table)[1]
        return C.T @ along(self.system, t, q, W, table)


def require_rows_for(system: System) -> None:
    """Refuse a system whose speeds are all independent."""
    if not system.constraints:
        raise ModelError(
            f"Maggi's equations say nothing of {system.name!r}: it has no constraints.",
            "All its speeds are independent, and the equations are Lagrange's.",
            "Use ph.lagrange, or keep something as a constraint.",
        )


def independent_speeds(system: System) -> tuple[str, ...]:
    """Speeds by name, as many as freedoms, that determine the others best at rest.

    Of all columns of A, in the measure of the masses, those are left over that
    elimination with pivoting does not take.
    """
    from scipy.linalg import qr

    M = system.mass_matrix(0.0, system.rest().q)
    inertia = np.diag(M) * natural_sizes(system).speeds ** 2
    # A speed that moves no mass by itself has one all the same, a trifle.
    A = _rows_at_rest(system) / np.sqrt(inertia + VANISHING * np.sum(inertia))
    A = A / np.max(np.abs(A), initial=np.finfo(float).tiny)
    order = qr(A, mode="r", pivoting=True)[1]
    free = np.sort(order[mobility(system).rank :])
    return tuple(system.speed_names[k] for k in free)


def _rows_at_rest(system: System) -> np.ndarray:
    """The rows (m, nz) at natural sizes, theirs and those of the speeds."""
    now = numeric_constraints.scene(system, 0.0, system.rest().q)
    found = numeric_constraints.velocities(system, now, np.zeros(system.speeds))
    return found.relative


def _leverage_at_rest(system: System, S: np.ndarray) -> float:
    """The largest |dz/ds| at rest, in the measure of the masses."""
    A, q = _rows_at_rest(system), system.rest().q
    columns = np.linalg.pinv(np.concatenate([A, S]))[:, len(A) :].T
    weights = np.sqrt(np.diagonal(system.mass_matrix(0.0, q)))
    weights = weights * natural_sizes(system).speeds
    return float(np.max(_stretch(columns, weights, S), initial=1.0))


def _stretch(columns: Array, weights: Any, S: np.ndarray) -> Any:
    """|dz/ds| (k, nz), each speed by the root of its inertia."""
    # A chosen speed without mass moves what has some by any factor: not a number.
    own = S @ weights + np.finfo(float).tiny
    return abs(columns) * weights / own[:, None]


def _require_independent(system: System, names: tuple[str, ...]) -> None:
    for name in names:
        if name not in system.speed_names:
            raise ModelError(
                f"{system.name!r} has no speed {name!r}.",
                "Independent speeds are chosen among those of its joints.",
                suggestion(name, system.speed_names),
            )
    freedoms = mobility(system).by_rank
    K = np.concatenate([_rows_at_rest(system), _selection(system, names)])
    rank = int(np.sum(np.linalg.svd(K, compute_uv=False) > DEPENDENT))
    if len(names) != freedoms or rank < system.speeds:
        raise ModelError(
            f"{', '.join(names) or 'no speeds'} cannot be the independent speeds of"
            f" {system.name!r}.",
            f"It has {freedoms} freedoms at rest, and with these speeds given"
            f" {system.speeds - rank} motions of it are left open.",
            f"Choose {', '.join(independent_speeds(system))}, or leave the choice out.",
        )


def _selection(system: System, names: tuple[str, ...]) -> np.ndarray:
    """S (k, nz) with s = S z."""
    return np.eye(system.speeds)[[system.speed_names.index(name) for name in names]]


def _solver(
    A: Array, S: np.ndarray, natural: NaturalSizes
) -> Callable[[Any, Any], Any]:
    """(right, s) -> x with A x = right and S x = s.

    By least squares at natural sizes, with one step that removes what squaring K lost.
    """
    c, r = natural
    chosen = S @ c
    K = jnp.concatenate([A / r[:, None], S / chosen[:, None]]) * c
    solve = factored(K.T @ K)

    def found(right: Any, s: Scalar) -> Any:
        wanted = jnp.concatenate([right / r, s / chosen])
        x = solve(K.T @ wanted)
        return c * (x + solve(K.T @ (wanted - K @ x)))

    return found
