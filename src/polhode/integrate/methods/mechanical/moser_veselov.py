"""The discrete rigid body of Moser and Veselov, and trees of such bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax
import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.formulation.shared.speeds import along
from polhode.integrate.field.scales import displacements
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit import constrained_terms, newton
from polhode.integrate.methods.mechanical.variational import arrived, require_tree
from polhode.integrate.methods.method import Attempt, FixedStep
from polhode.joints.free import Free
from polhode.joints.translation import Translation
from polhode.matter.parameter import Table
from polhode.system.system import System


@final
@dataclass(frozen=True)
class MoserVeselov(FixedStep):
    """Order 2, symmetric, symplectic: every point of every body moves along chords.

        L_d(q, q1) = sum_bodies tr[(X1 - X) J (X1 - X)^T]/(2 h) - h/2 (V(q) + V(q1))

    X = [R  p] is a pose and J = sum dm (r, 1)(r, 1)^T the body's second moments. For a
    body that turns freely these are the discrete equations of Euler and Poincare,
    integrable as the continuous ones; for points they are Stormer and Verlet's method.
    Energy does not drift, and momenta of a symmetry are kept to rounding.
    Moser and Veselov, Comm. Math. Phys. 139 (1991) 217.
    """

    name: ClassVar[str] = "Moser-Veselov"
    order: ClassVar[int] = 2
    is_symmetric: ClassVar[bool] = True

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        system, n = field.system, field.coordinates
        require_tree(self.name, system)
        _require_rigid(self.name, system)
        q = system.normalised(x[:n])
        z = field.speeds(t, q, x[n:])
        p = constrained_terms.mass(field, t, q) @ z
        still = jnp.zeros(system.speeds)
        values, near = constrained_terms.table(field, t, q, z), _near(system, q)

        def chords(a: Array, b: Array, d: Array) -> Any:
            ends = system.local(near, a), system.local(system.local(near, d), b)
            return _kinetic(system, t, *ends, values) / h

        def balance(d: Array) -> Any:
            start = jax.grad(chords, 0)(still, still, d)
            return p + start + h / 2 * _efforts(field, t, q, d / h)

        size = newton.size_of_way(displacements(system, q), h * z)
        found = newton.solve(balance, newton.way(field, t, x, x_dot, h), size)
        d, end = found.u, field.local(q, found.u)
        p1 = jax.grad(chords, 1)(still, still, d)
        p1 = p1 + h / 2 * _efforts(field, t + h, end, d / h)
        return Attempt(arrived(field, t + h, end, p1), is_solved=found.is_solved)


def _near(system: System, q: Any) -> Any:
    """The configuration with all that is free in the world brought to its origin.

    Chords do not feel where they lie, and far out their differences lose digits.
    """
    for edge in system.tree.edges:
        is_root = edge.parent == -1 and not edge.is_reversed
        if is_root and isinstance(edge.joint, Free | Translation):
            place = np.arange(edge.q.stop - 3, edge.q.stop)
            q = q.at[place].set(0.0)
    return q


def _kinetic(system: System, t: Scalar, q0: Array, q1: Array, values: Table) -> Any:
    """sum tr(dX J dX^T)/2, and of rotors the same along their joints."""
    poses = [system.poses(t, q, values) for q in (q0, q1)]
    X0, X1 = (jnp.concatenate([p.rotations, p.origins[..., None]], 2) for p in poses)
    way = X1 - X0
    bodies = jnp.sum(way * (way @ _second_moments(system.inertias(values))))
    turned = system.speeds_from(t, q0, q1 - q0)
    return (bodies + jnp.sum(system.rotor_inertias(values) * turned**2)) / 2


def _second_moments(inertias: Any) -> Any:
    """J (n, 4, 4) = sum dm (r, 1)(r, 1)^T from spatial inertias (n, 6, 6)."""
    about, first, mass = inertias[:, :3, :3], inertias[:, :3, 3:], inertias[:, 5:, 5:]
    trace = jnp.trace(about, axis1=1, axis2=2)[:, None, None]
    second = trace / 2 * jnp.eye(3) - about
    rows = [first[:, 2, 1], first[:, 0, 2], first[:, 1, 0]]
    centre = jnp.stack(rows, axis=1)[..., None]
    top = jnp.concatenate([second, centre], axis=2)
    return jnp.concatenate(
        [top, jnp.concatenate([jnp.swapaxes(centre, 1, 2), mass], axis=2)], axis=1
    )


def _efforts(field: Field, t: Scalar, q: Array, z: Array) -> Any:
    """All actions along the speeds (nz,)."""
    system, values = field.system, constrained_terms.table(field, t, q, z)
    return along(system, t, q, system.applied(t, q, z, values), values)


def _require_rigid(method: str, system: System) -> None:
    """Refuse inertias that no spread of mass has, such as those with added mass."""
    for body, M in zip(system.bodies, np.asarray(system.inertias()), strict=True):
        linear, coupling = M[3:, 3:], M[:3, 3:]
        odd = np.abs(linear - np.eye(3) * linear[0, 0]).max()
        if odd > 1e-12 * linear[0, 0] or np.abs(coupling + coupling.T).max() > (
            1e-12 * np.abs(M).max()
        ):
            raise IntegrationError(
                f"the method {method} cannot move {body.name!r}.",
                "Its inertia differs from one direction to another, as of added mass:"
                " it is not that of points that move along chords.",
                "Give ph.methods.Variational, which takes any inertia.",
            )
