r"""Whether contacts that stick can share what only their sum decides.

    N >= 0,   |T| <= mu_s N,   W r + c = 0       of all that stick at once

Several sticking contacts have many forces r that hold them. Where the one of least norm
leaves a cone another may not: a ladder leans as long as some share keeps both of its
ends. It is asked of the exact cones; what they find is a share, or there is none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array
from polhode.formulation.contact.collide import coulomb_impulses
from polhode.formulation.solve.contact_problem import newton_blocks, onto_cone

# Of the greatest force: outside a cone. Of the greatest acceleration: not held.
OUTSIDE, MOVED = 1e-12, 1e-9
# Newton's steps, the share of W by which they yield, and where they are over.
STEPS, PROXIMAL, ROUNDING = 40, 1e-7, 1e-13


class Share(NamedTuple):
    """Unknowns x (n, 3), and whether they are another share than that of least norm."""

    x: Any
    is_other: Any


class Sharing(NamedTuple):
    """Contacts (n,) in given modes that share what they bear.

    matrix   (3n, 3n) gives accelerations of unknowns, c (3n,) those without any
    mu       (n,) static, and zero of contacts that slide
    closed   (n,), and held (3n,): which rows are zero
    """

    matrix: Any
    c: Any
    mu: Any
    closed: Any
    held: Any


def share_within(own: Sharing, x: Array, solve: Any) -> Share:
    """x (n, 3) where it keeps its cones, else some that do, if there are any; traced.

    By Alart and Curnier's Newton steps from x; `solve(matrix, yielding, b)` is the
    elimination that a program has already.
    """
    size = jnp.sqrt(jnp.sum(x[:, 1:] ** 2, axis=1))
    most = OUTSIDE * jnp.max(jnp.abs(x))
    sticks = own.held.reshape(-1, 3)[:, 1] > 0
    pulls, slips = x[:, 0] < -most, sticks & (size > own.mu * x[:, 0] + most)
    leaves = (own.closed > 0) & (pulls | slips)

    def search() -> Share:
        found = _newton(own, x, solve)
        residual = own.held * (own.matrix @ found.reshape(-1) + own.c)
        is_held = jnp.max(jnp.abs(residual)) <= MOVED * jnp.max(jnp.abs(own.c))
        return Share(jnp.where(is_held, found, x), is_held)

    is_asked = jnp.any(leaves) & (jnp.sum(sticks) > 1)
    return Share(*lax.cond(is_asked, search, lambda: Share(x, jnp.zeros((), bool))))


def _newton(own: Sharing, x: Array, solve: Any) -> Any:
    """The best of Newton's iterates (n, 3) for the exact cones, from x."""
    n, on = len(own.mu), own.closed > 0
    rows = own.matrix.reshape(n, 3, 3 * n)
    diagonal = jnp.diagonal(own.matrix).reshape(n, 3)
    trace = jnp.sum(diagonal, axis=1)
    rho = 3.0 / jnp.where(trace > 0, trace, 1.0)
    scale = jnp.max(jnp.abs(own.c))
    # Of what is zero it is one: what is not constant needs no function of its own.
    yielding = jnp.where(own.held > 0, PROXIMAL, np.float64(1.0))

    def velocity(r: Array) -> Any:
        return (own.matrix @ r.reshape(-1) + own.c).reshape(n, 3)

    def residual(r: Array, u: Any) -> Any:
        lifted = u.at[:, 0].add(own.mu * jnp.sqrt(jnp.sum(u[:, 1:] ** 2, axis=1)))
        left = (r - onto_cone(r - rho[:, None] * lifted, own.mu)) / rho[:, None]
        return jnp.max(jnp.abs(jnp.where(on[:, None], left, 0.0)))

    def turn(now: tuple[Any, ...]) -> tuple[Any, ...]:
        r, u, best, least, k = now
        B, C, b = newton_blocks(r, u, own.mu, rho, on)
        whole = (C @ rows).reshape(3 * n, 3 * n)
        for i in range(n):
            place = slice(3 * i, 3 * i + 3)
            whole = whole.at[place, place].add(B[i])
        r = r + solve(whole, yielding, b.reshape(-1)).reshape(n, 3)
        u = velocity(r)
        left = residual(r, u)
        better = left < least
        best, least = jnp.where(better, r, best), jnp.where(better, left, least)
        return r, u, best, least, k + 1

    u = velocity(x)
    first = (x, u, x, residual(x, u), jnp.zeros((), np.int64))
    return lax.while_loop(
        lambda now: (now[3] > ROUNDING * scale) & (now[4] < STEPS), turn, first
    )[2]


def share_on_host(
    matrix: np.ndarray, c: np.ndarray, mu: np.ndarray, held: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """The same of NumPy arrays; `held` (3n,) says which unknowns there are."""
    closed, sticks = held[::3], held[1::3]
    size = np.hypot(x[:, 1], x[:, 2])
    most = OUTSIDE * float(np.max(np.abs(x), initial=0.0))
    leaves = closed & ((x[:, 0] < -most) | (sticks & (size > mu * x[:, 0] + most)))
    if not np.any(leaves) or np.sum(sticks) < 2:
        return x
    own = (3 * np.flatnonzero(closed)[:, None] + np.arange(3)).reshape(-1)
    free = c.reshape(-1, 3)[closed]
    found = np.zeros_like(x)
    found[closed] = coulomb_impulses(matrix[np.ix_(own, own)], free, mu[closed])
    residual = (matrix @ found.reshape(-1) + c)[held]
    is_held = np.max(np.abs(residual)) <= MOVED * max(float(np.max(np.abs(c))), 1e-300)
    return found if is_held else x
