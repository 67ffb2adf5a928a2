"""Newton's iteration for implicit steps that must keep what they keep to rounding.

    u <- u - K^-1 r(u),       K near dr/du, factored once a step

What is found is a function of all that r depends on, by the theorem of implicit
functions, dr + (dr/du) du = 0: derivatives go round the loop and not through it, so
that they can be taken in either direction (see `implicit`).

Structure that an implicit step preserves it preserves as well as its equations are
solved: the iteration goes on until increments are rounding. A step whose increments do
not come to that within a fixed number of iterations says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit.lu import lu_solver

ITERATIONS = 25
EPSILON = np.finfo(float).eps
# Where increments no longer shrink they are rounding if below this share of the
# unknowns, and else those of a step that is too long.
ROUNDING = 1e-8
# Poses have rounding of their own however small the motion: a share of a radian.
LEAST = 1e-6


class Solved(NamedTuple):
    """What was found, and whether it solves its equations to rounding."""

    u: Any
    is_solved: Any


def solve(residual: Callable[[Any], Any], start: Any, size: Any) -> Solved:
    """u (n,) with residual(u) = 0, by the Jacobian at the start.

    `size`, a number or (n,), is that of the unknowns in their own units.
    """
    inverse = lu_solver(jax.jacfwd(residual)(start))
    found = iterated(
        lambda u: -inverse(residual(u)), start, lambda step: spread(step / size)
    )
    return found._replace(u=implicit(found.u, residual))


def iterated(
    increment: Callable[[Any], Any], start: Any, measure: Callable[[Any], Any]
) -> Solved:
    """u <- u + increment(u) from a start, until increments measure as rounding.

    Of derivatives it knows nothing: `implicit` gives them to what was found.
    """

    def goes_on(state: tuple[Any, Any, Any, Any]) -> Any:
        _, count, before, now = state
        shrinks = (count < 2) | (now < 0.9 * before)
        return (count < ITERATIONS) & shrinks & (now > EPSILON)

    def once(state: tuple[Any, Any, Any, Any]) -> tuple[Any, Any, Any, Any]:
        u, count, _, now = state
        step = increment(u)
        return u + step, count + 1, now, measure(step)

    def loop(start: Any) -> tuple[Any, Any]:
        far = jnp.full((), np.inf)
        first = (start, jnp.zeros((), jnp.int64), far, far)
        u, _, _, last = lax.while_loop(goes_on, once, first)
        return u, last

    u, last = without_derivative(loop, start)
    return Solved(u, last <= ROUNDING)


def without_derivative(loop: Callable[[Any], Any], start: Any) -> Any:
    """loop(start), everything that it depends on held: its derivatives are zero."""
    plain, others = jax.closure_convert(loop, start)
    return plain(*map(lax.stop_gradient, (start, *others)))


def implicit(
    u: Any,
    residual: Callable[[Any], Any],
    solver: Callable[[Any, Any], Any] = lambda J, b: lu_solver(J)(b),
) -> Any:
    """The same u, a function of what the residual depends on: r(u) = 0.

    du = -(dr/du)^-1 dr,      solver(dr/du, dr) -> (dr/du)^-1 dr
    """
    plain, others = jax.closure_convert(residual, u)
    column = u.reshape(-1)
    # A solver may depend on the state too, by the sizes it scales with: what it closes
    # over is an argument, since a rule is called when the trace around it has ended.
    linear, sizes = jax.closure_convert(solver, jnp.outer(column, column), column)
    end = 1 + len(others)

    @jax.custom_jvp
    def root(u: Array, *others: Any) -> Any:
        return u

    @root.defjvp
    def _(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
        u, rest, scale = primals[0], primals[1:end], primals[end:]
        J = jax.jacfwd(plain)(u, *rest).reshape(u.size, u.size)
        change = jax.jvp(lambda *rest: plain(u, *rest), rest, tangents[1:end])[1]
        # Transposed it is solved anew: loops of an elimination do not run backward.
        moved = lax.custom_linear_solve(
            lambda x: J @ x,
            change.reshape(-1),
            lambda _, b: linear(J, b, *scale),
            lambda _, b: linear(J.T, b, *scale),
        )
        return u, -moved.reshape(u.shape)

    return root(lax.stop_gradient(u), *others, *sizes)


@jax.custom_jvp
def followed(value: Any, like: Any) -> Any:
    """The value, whose derivatives are those of another that is equal to it."""
    return value


@followed.defjvp
def _(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Any, Any]:
    return primals[0], tangents[1]


def spread(column: Array) -> Any:
    """The root of the mean square of some numbers; of none, zero.

    A measure by which others are scaled: it has no derivative, at zero least of all.
    """
    column = lax.stop_gradient(column)
    return jnp.sqrt(jnp.sum(column * column) / max(column.size, 1))


def sizes(x: Array, x_dot: Array, h: Scalar, n: int) -> tuple[Any, Any]:
    """How large the coordinates and the velocities of x = [q; y] are in a step h."""
    h = jnp.abs(h)
    q = spread(x[:n]) + h * spread(x_dot[:n]) + LEAST
    y = spread(x[n:]) + h * spread(x_dot[n:]) + LEAST * spread(x_dot[n:])
    return q, y + np.finfo(float).tiny


def size_of_way(natural: Any, way: Any) -> Any:
    """The size of displacements near a first guess of them, both (nz,)."""
    return natural * jnp.maximum(spread(way / natural), LEAST)


def way(field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar) -> Any:
    """A first guess (nz,) of the way along the joints, by the speeds at the middle."""
    n = field.coordinates
    return h * field.speeds(t + h / 2, x[:n], x[n:] + h / 2 * x_dot[n:])
