"""A method from a discrete principle of Hamilton, in the joints' own coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.formulation.solve.equations_of_motion import solve_definite
from polhode.integrate.field.scales import displacements
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit import constrained_terms, newton
from polhode.integrate.methods.method import Attempt, FixedStep
from polhode.system.system import System


@final
@dataclass(frozen=True)
class Variational(FixedStep):
    """Order 2, symmetric, symplectic; for any tree of joints.

    Of all sequences of configurations the motion makes the sum stationary of

        L_d(q, q1) = h L(q', d/h),      q1 = local(q, d),     q' = local(q, d/2)

    with the work of what is not in L by the displacement of q'. The momenta p = M z at
    the two ends are its derivatives. Energy does not drift, and momenta that belong to
    a symmetry, those of an isolated system among them, are kept to rounding.
    Marsden and West, Acta Numerica 10 (2001) 357.
    """

    name: ClassVar[str] = "variational"
    order: ClassVar[int] = 2
    is_symmetric: ClassVar[bool] = True

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        require_tree(self.name, field.system)
        n = field.coordinates
        # Unit to rounding: what it misses would grow with every step.
        q = field.system.normalised(x[:n])
        z = field.speeds(t, q, x[n:])
        p = constrained_terms.mass(field, t, q) @ z

        def balance(d: Array) -> Any:
            return _discrete(field, d, h, t=t, q=q, p=p)[0]

        size = newton.size_of_way(displacements(field.system, q), h * z)
        found = newton.solve(balance, newton.way(field, t, x, x_dot, h), size)
        p1 = _discrete(field, found.u, h, t=t, q=q, p=p)[1]
        end = arrived(field, t + h, field.local(q, found.u), p1)
        return Attempt(end, is_solved=found.is_solved)


def _discrete(
    field: Field, d: Array, h: Scalar, *, t: Scalar, q: Array, p: Array
) -> Any:
    """What the momentum p at the start misses of -dL_d/dq, and p1 = dL_d/dq1.

    A displacement of q' by m and of d by e moves the ends by A^-1 m - E0 e/2 and
    A m + E1 e/2. For all m and e their work is the variation of L_d:

        A^T p1 - A^-T p = h dL/dq',        (E0^T p + E1^T p1)/2 = dL/dv = M v

    A^-1 = exp(ad_d/2) = 1 + ad_d E0/2: of the difference from one only its own rounding
    enters, so that momenta are kept for long.
    """
    v, then, middle = d / h, t + h / 2, field.local(q, d / 2)
    push = h * constrained_terms.potential_slope(field, then, middle, v)
    E0, E1 = (
        constrained_terms.tangent(field, then, middle, s * d / 2) for s in (-1, 1)
    )
    turn = (bracket(field.system, then, middle, d / 2) @ E0).T
    half = p + turn @ p + push
    p1 = half + turn @ half
    mean = (E0.T @ p + E1.T @ p1) / 2
    return mean - constrained_terms.mass(field, then, middle) @ v, p1


def bracket(system: System, t: Scalar, q: Array, d: Array) -> Any:
    """ad_d (nz, nz): a displacement m of q moves local(q, s d) by m - s ad_d m + ..."""

    def speeds_along(way: Any) -> Any:
        changes = jax.jacfwd(lambda m: system.local(system.local(q, m), way))(still)
        place = system.local(q, way)
        return jax.vmap(lambda c: system.speeds_from(t, place, c), 1, 1)(changes)

    still = jnp.zeros(system.speeds)
    return -jax.jvp(speeds_along, (still,), (d,))[1]


def arrived(field: Field, t: Scalar, q: Array, p: Array) -> Any:
    """x = [q; y] where the momenta along the speeds are p."""
    z = solve_definite(constrained_terms.mass(field, t, q), p)
    return jnp.concatenate([q, field.start(t, q, z)])


def require_tree(method: str, system: System) -> None:
    """Refuse a system that constraints hold."""
    if system.constraints:
        names = ", ".join(repr(c.name) for c in system.constraints)
        raise IntegrationError(
            f"the method {method} cannot step {system.name!r}, which {names} hold.",
            "It varies the joints' coordinates freely; constraints would need their"
            " own part in the principle.",
            "Give ph.methods.Rattle or ph.methods.GeneralisedAlpha, which keep"
            " constraints.",
        )
