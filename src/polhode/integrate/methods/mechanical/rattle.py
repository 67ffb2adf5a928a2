"""RATTLE: the symplectic method for motions that constraints hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.formulation.solve.equations_of_motion import solve_constrained
from polhode.integrate.field.scales import displacements
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit import constrained_terms
from polhode.integrate.methods.implicit.constrained_step import Held, solve_step
from polhode.integrate.methods.implicit.lu import lu_solver
from polhode.integrate.methods.method import Attempt, FixedStep
from polhode.system.natural_sizes import natural_sizes, position_sizes


@final
@dataclass(frozen=True)
class Rattle(FixedStep):
    """Order 2, symmetric, symplectic; positions and speeds keep their constraints.

    From the discrete Lagrangian h/2 (L(q, v) + L(q1, v)), with q1 = local(q, h v), the
    mean P of M(q) v and M(q1) v, and E of the joints' exponentials:

        E(-hv)^-T P = p + h/2 (dL/dq + Q + A^T l)(t, q, v),         g(t1, q1) = 0
        p1 = E(hv)^-T P + h/2 (dL/dq + Q + A^T m)(t1, q1, v),       phi(t1, q1, z1) = 0

    where p = M z. For hinges and slides E = 1; for points it is the method of Verlet
    with half kicks of the reactions. Energy does not drift, and momenta of a symmetry
    are kept. Andersen, J. Comput. Phys. 52 (1983) 24; Leimkuhler, Skeel, ibid. 112
    (1994) 117.
    """

    name: ClassVar[str] = "RATTLE"
    order: ClassVar[int] = 2

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        n, system = field.coordinates, field.system
        q, t1 = x[:n], t + h
        z = field.speeds(t, q, x[n:])
        M0 = constrained_terms.mass(field, t, q)
        momentum = M0 @ z
        A0 = constrained_terms.position_rows(field, t, q, z)

        def equations(way: Any) -> Held:
            v, there = way / h, system.local(q, way)
            mean = (M0 @ v + constrained_terms.mass(field, t1, there) @ v) / 2
            E = constrained_terms.tangent(field, t, q, -way)
            kick = h / 2 * constrained_terms.potential_slope(field, t, q, v)
            balance = mean - E.T @ (momentum + kick)
            return Held(balance, A0 @ E, constrained_terms.positions(field, t1, there))

        natural = position_sizes(system)._replace(speeds=displacements(system, q))
        found = solve_step(equations, h * z, natural)
        way = found.u
        there = system.local(q, way)
        z1 = self._arrived(field, (t, q, M0), t1=t1, there=there, v=way / h, h=h)
        end = jnp.concatenate([there, field.start(t1, there, z1)])
        return Attempt(end, is_solved=found.is_solved)

    def _arrived(
        self, field: Field, start: Any, *, t1: Any, there: Any, v: Array, h: Scalar
    ) -> Any:
        """The speeds at the end, held within their rows."""
        t, q, M0 = start
        M1 = constrained_terms.mass(field, t1, there)
        E = constrained_terms.tangent(field, t, q, h * v)
        kick = h / 2 * constrained_terms.potential_slope(field, t1, there, v)
        momentum = lu_solver(E.T)((M0 @ v + M1 @ v) / 2) + kick
        still = jnp.zeros_like(v)
        A1 = constrained_terms.velocity_rows(field, t1, there, still)
        missed = constrained_terms.velocities(field, t1, there, still)
        natural = natural_sizes(field.system)
        z1 = solve_constrained(M1, momentum, A1, -missed, natural)[0]
        # Near a singular place one solution leaves more than rounding.
        left = constrained_terms.velocities(field, t1, there, z1)
        return z1 + solve_constrained(M1, still, A1, -left, natural)[0]
