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

from polhode.formulation.contact.collide import coulomb_impulses
from polhode.formulation.solve.contact_problem import delassus_problem, solve_contacts

# Of the greatest force: outside a cone. Of the greatest acceleration: not held.
OUTSIDE, MOVED = 1e-12, 1e-9


class Share(NamedTuple):
    """Unknowns x (n, 3), and whether they are another share than that of least norm."""

    x: Any
    is_other: Any


def share_within(matrix: Any, c: Any, mu: Any, masks: Any, x: Any) -> Share:
    """x (n, 3) where it keeps its cones, else some that do, if there are any; traced.

    `matrix` (3n, 3n) gives accelerations of unknowns; mu (n,) is static, and zero of
    contacts that slide; `masks` are (n,) closed and (3n,) rows that are held.
    """
    closed, held = masks
    size = jnp.sqrt(jnp.sum(x[:, 1:] ** 2, axis=1))
    most = OUTSIDE * jnp.max(jnp.abs(x))
    sticks = held.reshape(-1, 3)[:, 1] > 0
    leaves = (closed > 0) & (
        (x[:, 0] < -most) | (sticks & (size > mu * x[:, 0] + most))
    )

    def sought() -> Share:
        problem = delassus_problem(matrix, c.reshape(-1, 3), mu, closed)
        found = solve_contacts(problem, x)
        missed = held * found.velocity.reshape(-1)
        is_held = jnp.max(jnp.abs(missed)) <= MOVED * jnp.max(jnp.abs(c))
        return Share(jnp.where(is_held, found.impulse, x), is_held)

    is_asked = jnp.any(leaves) & (jnp.sum(sticks) > 1)
    return Share(*lax.cond(is_asked, sought, lambda: Share(x, jnp.zeros((), bool))))


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
    missed = (matrix @ found.reshape(-1) + c)[held]
    is_held = np.max(np.abs(missed)) <= MOVED * max(float(np.max(np.abs(c))), 1e-300)
    return found if is_held else x
