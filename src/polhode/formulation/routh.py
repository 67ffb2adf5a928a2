"""Routh's procedure: coordinates that the Lagrangian does not contain are ignored.

    p_c = dL/dx_dot_c,      R(t, x, x_dot_s, p_c) = L - p_c . x_dot_c

    d/dt dR/dx_dot_s - dR/dx_s = Q_s        reduced: the others, s, with p_c given
    p_dot_c = Q_c                           what is conserved where nothing acts
    x_dot_c = -dR/dp_c                      the ignored motion, recovered

A coordinate is cyclic if L stays the same whatever its value is. The velocities are
y = (z_s, p_c). Rows of constraints act on both, with A^T l among the forces.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.formulation.equations import Core, Equations, Terms
from polhode.formulation.questions.reactions import by_balance
from polhode.formulation.shared.chart import bend, origin, speeds_in_chart
from polhode.formulation.shared.dense_form import dense_form
from polhode.formulation.shared.regular import require_regular
from polhode.formulation.shared.speeds import along, drift
from polhode.formulation.shared.uniform_motion import removable_edges, still
from polhode.formulation.solve.equations_of_motion import (
    solve_constrained,
    solve_definite,
)
from polhode.matter.parameter import Table
from polhode.system import mass
from polhode.system.check import rest_coordinates
from polhode.system.checked_argument import system_argument
from polhode.system.natural_sizes import NaturalSizes, natural_sizes
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

DRAWS = 6
SAME = 1e-11  # of the energies: what rounding makes of an unchanged Lagrangian


@system_argument
def cyclic_coordinates(system: System) -> tuple[str, ...]:
    """The coordinates, by name, that the Lagrangian T - V does not contain.

    Asked of coordinates whose rates are speeds, by moving each alone, far, in several
    states, at the nominal values of all parameters.
    """
    rng = np.random.default_rng(0)
    found = []
    for edge in system.tree.edges:
        for k in range(edge.z.start, edge.z.stop):
            if _is_plain(edge.joint, rng) and _is_cyclic(system, k, rng):
                found.append(system.speed_names[k])
    return tuple(found)


@dense_form
def routh(system: System) -> Equations:
    """Routh's equations: reduced ones of what is not cyclic, and cyclic momenta."""
    names = cyclic_coordinates(system)
    _require_some(system, names)
    require_regular(system, "Routh's procedure does")
    c = np.array([system.speed_names.index(name) for name in names])
    s = np.setdiff1d(np.arange(system.speeds), c)

    ignoring = _Ignoring(system, (s, c))
    core = Core(
        start=ignoring.start,
        speeds=ignoring.speeds,
        rates=lambda t, q, y, table: system.rates(
            t, q, ignoring.speeds(t, q, y, table), table
        ),
        terms=ignoring.terms,
        accelerations=ignoring.accelerations,
        bodies=ignoring.bodies,
        along=ignoring.forces,
        joint_wrenches=by_balance(system, ignoring.speeds, ignoring.bodies),
    )
    kept = tuple(system.speed_names[k] for k in s)
    momenta = tuple(f"p({name})" for name in names)
    return Equations("Routh", system, (*kept, *momenta), system.row_names, core)


@final
@dataclass(frozen=True, eq=False)
class _Ignoring:
    """A system in y = (z_s, p_c): `Core`, function by function.

    `parts` are the places of s and of c among the speeds.
    """

    system: System
    parts: tuple[np.ndarray, np.ndarray]

    @cached_property
    def natural(self) -> NaturalSizes:
        """Sizes of speeds, and of momenta: inertias at rest times speeds."""
        s, c = self.parts
        own, q = natural_sizes(self.system), rest_coordinates(self.system)
        inertia = np.diagonal(mass.mass_matrix(self.system, 0.0, q))
        momenta = (inertia * own.speeds)[c]
        return own._replace(speeds=np.concatenate([own.speeds[s], momenta]))

    def start(self, t: Scalar, q: Array, z: Array, table: Table) -> Any:
        s, c = self.parts
        return jnp.concatenate([z[s], (self.system.mass_matrix(t, q, table) @ z)[c]])

    def transform(self, t: Scalar, q: Array, table: Table) -> Any:
        """E with z = E y."""
        return _legendre(self.system.mass_matrix(t, q, table), self.parts)

    def speeds(self, t: Scalar, q: Array, y: Array, table: Table) -> Any:
        return self.transform(t, q, table) @ y

    def rates_of_speeds(
        self, t: Scalar, q: Array, y: Array, y_dot: Array, table: Table
    ) -> Any:
        motion = self.system.rates(t, q, self.speeds(t, q, y, table), table), y_dot
        return jax.jvp(lambda q, y: self.speeds(t, q, y, table), (q, y), motion)[1]

    def terms(self, t: Scalar, q: Array, y: Array, table: Table) -> Terms:
        system, E = self.system, self.transform(t, q, table)
        M, b = self._inertia(t, q, y, E @ y, table)
        f = self.forces(t, q, y, system.applied(t, q, E @ y, table), table)
        A, gamma = system.constraint_rows(t, q, E @ y, table)
        if not system.constraints:
            return Terms(M, b, f, A, gamma)
        shift = self.rates_of_speeds(t, q, y, jnp.zeros_like(y), table)
        return Terms(M, b, f, A @ E, gamma - A @ shift)

    def _inertia(self, t: Scalar, q: Array, y: Array, z: Array, table: Table) -> Any:
        """M and b, without the square of a uniform velocity (`uniform_motion`)."""
        system, (s, c) = self.system, self.parts
        if not removable_edges(system):
            return _inertia(system, self.parts, StateArrays(t, q, z), y, table)
        z0, shift = still(system, z)
        at_rest, y0 = StateArrays(t, q, z0), self.start(t, q, z0, table)
        M, b = _inertia(system, self.parts, at_rest, y0, table)
        # The momenta of cyclic coordinates are along no axes that turn.
        return M, b + M @ jnp.concatenate([shift[s], jnp.zeros(len(c))])

    def forces(self, t: Scalar, q: Array, y: Array, W: Array, table: Table) -> Any:
        """Q_s less what cyclic forces bring by way of their momenta, and Q_c."""
        s, c = self.parts
        Q, E = along(self.system, t, q, W, table), self.transform(t, q, table)
        return jnp.concatenate([E[:, : len(s)].T @ Q, Q[c]])

    def accelerations(
        self, t: Scalar, q: Array, y: Array, table: Table
    ) -> tuple[Any, Any]:
        M, b, f, A, g = self.terms(t, q, y, table)
        # Cyclic equations times dx_dot_c/dp_c: then reactions are (A E)^T l in all.
        k = len(self.parts[0])
        inner = self.transform(t, q, table)[self.parts[1]][:, k:]
        free = jnp.concatenate([(f - b)[:k], inner @ (f - b)[k:]])
        held = M.at[k:, k:].set(inner)
        return solve_constrained(held, free, A, g, self.natural)

    def bodies(self, t: Scalar, q: Array, y: Array, y_dot: Array, table: Table) -> Any:
        system, z = self.system, self.speeds(t, q, y, table)
        z_dot = self.rates_of_speeds(t, q, y, y_dot, table)
        return system.jacobians(t, q, table) @ z_dot + drift(system, t, q, z, table)


def routhian(
    system: System, parts: tuple[np.ndarray, np.ndarray], q: Array, table: Table
) -> Callable[..., Any]:
    """R(t, x, x_dot_s, p_c) in the chart about q; `parts` are the places (s, c).

    L is quadratic in x_dot, so x_dot_c solves M_cc x_dot_c = p_c - M_cs x_dot_s.
    """
    s, c = parts

    def R(t: Scalar, x: Array, x_dot_s: Array, p: Array) -> Any:
        place = system.local(q, x)
        M = system.mass_matrix(t, place, table)
        whole = jnp.zeros(system.speeds).at[s].set(x_dot_s)
        # Cyclic coordinates are plain: they have no part in the speeds of the others.
        z_s = speeds_in_chart(system, t, q, x, whole)[s]
        z = _legendre(M, parts) @ jnp.concatenate([z_s, p])
        return z @ M @ z / 2 - system.potential_energy(t, place, table) - p @ z[c]

    return R


def _legendre(M: Array, parts: tuple[np.ndarray, np.ndarray]) -> Any:
    """E with z = E (z_s, p_c):   p_c = M_cs z_s + M_cc z_c"""
    s, c = parts
    both = jnp.concatenate([-M[c][:, s], jnp.eye(len(c))], axis=1)
    ignored = solve_definite(M[c][:, c], both)
    kept = jnp.eye(len(s), M.shape[0])
    return jnp.concatenate([kept, ignored])[np.argsort(np.concatenate([s, c]))]


def _inertia(
    system: System,
    parts: tuple[np.ndarray, np.ndarray],
    state: StateArrays,
    y: Array,
    table: Table,
) -> tuple[Any, Any]:
    """M and b of y = (z_s, p_c), from the Routhian less its potential energy.

    Lagrange's reduced equations hold d^2R/dx_dot_s dp_c p_dot_c; the cyclic ones, by
    which it is replaced, bring the like forces into theirs.
    """
    (s, c), (t, q, z), k = parts, state, len(parts[0])
    whole = routhian(system, parts, q, table)

    def R(x: Array, x_dot_s: Array, p: Array) -> Any:
        stored = system.potential_energy(t, system.local(q, x), table)
        return whole(t, x, x_dot_s, p) + stored

    x, now, p = origin(system), y[:k], y[k:]
    slope = jax.grad(R, 1)
    reduced = jax.jacfwd(slope, 1)(x, now, p)
    growth = jax.jvp(lambda x: slope(x, now, p), (x,), (1.0 * z,))[1]
    by_x = jax.grad(R, 0)(x, now, p)
    passed = jax.jacfwd(slope, 2)(x, now, p) @ by_x[c]
    bent = reduced @ bend(system, t, q, z)[s]
    bias = jnp.concatenate([growth - by_x[s] + passed - bent, -by_x[c]])
    M = jnp.eye(len(y)).at[:k, :k].set(reduced)
    return M, bias


def _require_some(system: System, names: tuple[str, ...]) -> None:
    if not names:
        raise ModelError(
            f"Routh's procedure does not apply to {system.name!r}:"
            " it has no cyclic coordinate.",
            "Every coordinate whose rate is a speed changes the kinetic or the"
            " potential energy; a rotation without angles has no such coordinate.",
            "Use ph.lagrange or ph.hamilton. Hinges one after another give a rotation"
            " angles, of which some may be cyclic.",
        )


def _is_plain(joint: Any, rng: np.random.Generator) -> bool:
    """Whether a joint's speeds are the rates of its coordinates, and nothing else."""
    if joint.coordinates != joint.speeds:
        return False
    q, z = rng.normal(size=(2, joint.speeds))
    is_rate = np.allclose(joint.rates(q, z), z, rtol=0, atol=1e-12)
    return is_rate and np.allclose(joint.local(q, z), q + z, rtol=0, atol=1e-12)


def _is_cyclic(system: System, k: int, rng: np.random.Generator) -> bool:
    for _ in range(DRAWS):
        t, far = float(rng.uniform()), rng.uniform(-2.0, 2.0)
        q = system.local(system.neutral(), rng.uniform(-1, 1, system.speeds))
        z = rng.normal(size=system.speeds)
        here, there = q, system.local(q, far * np.eye(system.speeds)[k])
        T = [float(system.kinetic_energy(t, place, z)) for place in (here, there)]
        V = [float(system.potential_energy(t, place)) for place in (here, there)]
        size = abs(T[0]) + abs(V[0]) + abs(V[1])
        if not max(abs(T[1] - T[0]), abs(V[1] - V[0])) <= SAME * size:
            return False
    return True
