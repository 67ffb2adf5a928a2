"""Generalised-alpha, stabilised as Gear, Gupta and Leimkuhler do: both levels held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit import constrained_terms
from polhode.integrate.methods.implicit.constrained_step import Held, solve_step
from polhode.integrate.methods.mechanical.generalised_alpha import (
    AlphaStep,
    StepFrom,
    way_of,
    weights_of,
)
from polhode.integrate.methods.method import Attempt
from polhode.system.natural_sizes import (
    NaturalSizes,
    natural_sizes,
    position_sizes,
)


@final
@dataclass(frozen=True)
class GearGuptaLeimkuhler(AlphaStep):
    """Order 2, implicit, index 2: positions and speeds keep their constraints.

    The step of `GeneralisedAlpha`, its displacement shifted within the constraints'
    own directions, so that there is a load for each level:

        q1 = local(q, ... + s),      M s = A^T m,      g(t1, q1) = 0
        M z_dot1 + b = f + A^T l,                      phi(t1, q1, z1) = 0

    M and A of the shift are those at the start. It vanishes with the step as h^3.
    Gear, Gupta, Leimkuhler, J. Comput. Appl. Math. 12/13 (1985) 77; on groups Arnold,
    Bruels, Cardona, Numer. Math. 129 (2015) 149.
    """

    kind: ClassVar[str] = "Gear-Gupta-Leimkuhler"

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        way = way_of(field, StepFrom(t, x, x_dot, h), weights_of(self.radius))
        n = field.system.speeds
        q0, z0 = way.before[:2]
        M0 = constrained_terms.mass(field, t, q0)
        shifting = constrained_terms.position_rows(field, t, q0, z0)

        def equations(u: Array) -> Held:
            change, shift = u[:n], u[n:]
            q, z, z_dot = way.moved(change, shift)
            M, b, f, A, _ = constrained_terms.terms(field, t + h, q, z)
            g, phi = way.missed(q, z)
            # Both balances are forces: the shift is what they do in the time h.
            balance = jnp.concatenate([M @ z_dot + b - f, M0 @ shift / h**2])
            upper = jnp.concatenate([A, jnp.zeros_like(A)], axis=1)
            lower = jnp.concatenate([jnp.zeros_like(shifting), shifting], axis=1)
            missed = jnp.concatenate([h * phi, g])
            return Held(balance, jnp.concatenate([upper, lower]), missed)

        guess = jnp.concatenate([way.guess, jnp.zeros(n)])
        sizes = natural_sizes(field.system).rows, position_sizes(field.system).rows
        scale = jnp.concatenate([way.scale, way.scale])
        natural = NaturalSizes(scale, np.concatenate(sizes))
        found = solve_step(equations, guess, natural)
        return way.attempt(found.u[:n], found.is_solved, found.u[n:])
