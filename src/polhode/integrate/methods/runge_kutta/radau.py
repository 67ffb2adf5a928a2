"""The method of Radau IIA with three stages: order 5, for what is stiff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit.collocation import (
    Factors,
    diagonal_stages,
    factored,
    solved,
)
from polhode.integrate.methods.implicit.jacobian import jacobian
from polhode.integrate.methods.implicit.lu import STRAIGHT, rolled
from polhode.integrate.methods.implicit.newton import implicit, without_derivative
from polhode.integrate.methods.method import Adaptive, Attempt

# Its estimate is of order 3: tighter than this it makes far more steps than it needs.
RTOL = 1e-8
ITERATIONS = 10
# What Newton's iteration may miss, over what is allowed for a step.
KAPPA = 1e-3

_ROOT = np.sqrt(6.0)
NODES = ((4 - _ROOT) / 10, (4 + _ROOT) / 10, 1.0)
MATRIX = np.array(
    [
        [(88 - 7 * _ROOT) / 360, (296 - 169 * _ROOT) / 1800, (-2 + 3 * _ROOT) / 225],
        [(296 + 169 * _ROOT) / 1800, (88 + 7 * _ROOT) / 360, (-2 - 3 * _ROOT) / 225],
        [(16 - _ROOT) / 36, (16 + _ROOT) / 36, 1 / 9],
    ]
)
# x - x of the embedded formula of order 3, over the factored matrix of the real root
# (Hairer and Wanner, Solving ODEs II, IV.8).
ERROR = (-(13 + 7 * _ROOT) / 3, (-13 + 7 * _ROOT) / 3, -1 / 3)


STAGES = diagonal_stages(MATRIX)


@final
@dataclass(frozen=True)
class RadauIIA(Adaptive):
    """Order 5, implicit, for motions with something far quicker than what is asked.

        Z_i = h sum_j a_ij f(t + c_j h, x + Z_j),      x1 = x + Z_3

    Three stages, L-stable: what decays at once is gone at once, and steps are as long
    as the rest of the motion lets them. One exact Jacobian a step, at most ten of
    Newton's iterations; `error` is that of an embedded formula of order 3. Dense output
    is of order 3. Tolerances as for `DormandPrince`.
    """

    rtol: float = RTOL
    name: ClassVar[str] = "Radau IIA 5"
    order: ClassVar[int] = 5
    dense_terms: ClassVar[int] = 0

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced."""
        if field.jacobian is None:
            J = jacobian(lambda x: field.x_dot(t, x), x)[1]
        else:
            J = field.jacobian(t, x)
        factors = factored(STAGES, J, h)
        first = jnp.stack([c * h * x_dot for c in NODES])
        rtol, atol = field.allowed
        # Below the rounding of x nothing can be asked.
        allowed = atol + rtol * jnp.abs(x) + 1e-15 * jnp.max(jnp.abs(x)) + 1e-300

        def increment(Z: Any) -> Any:
            return _corrected(factors, h, Z, _slopes(field, t, x, h, Z))

        def missed(Z: Any) -> Any:
            F = [field.x_dot(t + c * h, x + z) for c, z in zip(NODES, Z, strict=True)]
            return h * jnp.stack(F) - jnp.asarray(STAGES.inverse) @ Z

        Z, is_solved = _iterated(increment, first, allowed)
        Z = implicit(Z, missed)
        gap = x_dot + sum(e * z for e, z in zip(ERROR, Z, strict=True)) / h
        assert factors.real is not None
        return Attempt(x + Z[2], (factors.real(gap),), is_solved=is_solved)


def _slopes(field: Field, t: Scalar, x: Array, h: Scalar, Z: Any) -> Any:
    """f(t + c_i h, x + Z_i) (3, width); of many states by a loop, sooner compiled."""
    if len(x) <= STRAIGHT:
        each = zip(NODES, Z, strict=True)
        return jnp.stack([field.x_dot(t + c * h, x + z) for c, z in each])
    nodes = jnp.asarray(NODES)

    def one(k: Any, F: Any) -> Any:
        return F.at[k].set(field.x_dot(t + nodes[k] * h, x + Z[k]))

    return rolled(len(NODES), one, jnp.zeros_like(Z))


def _corrected(factors: Factors, h: Scalar, Z: Any, F: Array) -> Any:
    """Newton's step, in the eigenbasis of the stages."""
    right = jnp.asarray(STAGES.back) @ (F - jnp.asarray(STAGES.inverse) @ Z / h)
    return solved(STAGES, factors, right)


def _iterated(
    increment: Callable[[Any], Any], start: Any, allowed: Any
) -> tuple[Any, Any]:
    """Z <- Z + increment(Z) until what is missing is small, and whether it came to be.

    What is missing after an increment of size s is about s r/(1 - r), where r is the
    ratio of it to the one before; it is compared to what is `allowed`. It gives up
    where increments grow, or after a fixed number.
    """

    def goes_on(state: tuple[Any, ...]) -> Any:
        _, count, _, done, lost = state
        return (count < ITERATIONS) & ~done & ~lost

    def once(state: tuple[Any, ...]) -> tuple[Any, ...]:
        Z, count, before, _, _ = state
        step = increment(Z)
        size = jnp.sqrt(jnp.mean((step / allowed) ** 2))
        ratio = jnp.where(count == 0, 0.5, size / jnp.where(before == 0, 1.0, before))
        missing = size * ratio / jnp.maximum(1 - ratio, 1e-3)
        # Increments of the size of rounding do not shrink any more.
        stalled = (count > 1) & (ratio > 0.5) & (size < 0.1)
        done = (missing <= KAPPA) | (size == 0) | stalled
        lost = ~jnp.isfinite(size) | ((count > 1) & (ratio > 2) & ~done)
        return Z + step, count + 1, size, done, lost

    def loop(start: Any) -> tuple[Any, Any]:
        no = jnp.zeros((), bool)
        first = (start, jnp.zeros((), jnp.int64), jnp.zeros(()), no, no)
        Z, _, _, done, _ = lax.while_loop(goes_on, once, first)
        return Z, done

    return without_derivative(loop, start)
