r"""Impulses of the last step as those of the next: whether they are, what they miss.

What rests or slides evenly needs the same impulses step after step. They are looked at
without a matrix: u of the impulses, and how far the map of Alart and Curnier moves them

    p_N = max(0, r_N - a u_N),     p_T = r_T - a u_T, on the disc |p_T| <= mu p_N

which leaves solutions alone; what is missed is |r - p|/a, m/s. (The natural map of the
cone would let the rounding of a quick slip into the push.)

Here a is a share of the effective masses. What is missed stays in the speeds: the next
guess is r + 2 d - d' + s, with d = p - r of this step and d' of the step before: once
d for what is wrong with r, once for the speeds. So what rounding has left decays.

s is the slope of the impulses: what creeps turns slowly, and needs a little more of
some impulses in each step and less of others. A guess that goes on along a slope which
is wrong by e misses the speeds that impulses of m (m + 1)/2 e would give, m steps after
the last solution. So where a guess p fails, and the solution is p + b, next come

    slope  s + 2 b / m (m + 1),      impulses  p + 2 b / (m + 1)  and the slope

The rest of b only takes out the speeds that were missed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.formulation.solve.active_contacts import (
    ActiveContacts,
    row_of,
    with_row,
)
from polhode.formulation.solve.contact_problem import (
    ROUNDING,
    TINY,
    ContactSolution,
)

# Of the largest impulse: what changes more in a step does not change evenly enough.
EVEN = 1e-9
# Of a slope, what is left after a step: shares that need not change come to rest.
LASTING = 1.0 - 2.0**-16
# Of that impulse and of a slope: what a slope gives each body. Less is rounding, or
# moves shares of contacts of which there are more than are needed.
LEAST, SHARE = 1e-4, 1.0 / 16.0
WIDTH = 10  # numbers of a contact


class ContactGuess(NamedTuple):
    """What a step leaves for the next of its n contacts.

    impulse   r (n, 3), N s
    last      d (n, 3) of the step before, N s
    slope     s (n, 3), N s
    mass      (n,) effective masses, 3 / the trace of W_ii, kg; 0 where none was found
    count     steps since the last solution, 0 before the first
    """

    impulse: Any
    last: Any
    slope: Any
    mass: Any
    count: Any

    @classmethod
    def of(cls, column: Array) -> ContactGuess:
        """From numbers (10n + 1,)."""
        n = column.shape[0] // WIDTH
        r, d, s = column[: 9 * n].reshape(3, n, 3)
        return cls(r, d, s, column[9 * n : 10 * n], column[-1])

    @property
    def column(self) -> Any:
        """As numbers (10n + 1,)."""
        return jnp.concatenate([x.reshape(-1) for x in self])

    def pressing(self, is_active: Any) -> ContactGuess:
        """Without the impulses of contacts that have opened."""
        on = is_active[:, None]
        columns = self.impulse, self.last, self.slope
        r, d, s = (jnp.where(on, x, 0.0) for x in columns)
        return ContactGuess(r, d, s, self.mass, self.count)

    def further(
        self, found: ContactSolution, velocity: Callable[[Any], Any]
    ) -> ContactGuess:
        """The guess after a solution, where this one did not hold.

        velocity: impulses (n, 3) -> what they give, W r.
        """
        r, m = found.impulse, jnp.maximum(self.count, 1.0)
        b, most = r - self.impulse, EVEN * jnp.max(jnp.abs(r))
        slope = self.slope + 2.0 / (m * (m + 1.0)) * b
        steepest = jnp.max(jnp.abs(slope))
        is_even = jnp.maximum(jnp.max(jnp.abs(b)), steepest) <= most

        def matters() -> Any:
            effect = jnp.max(jnp.abs(found.mass[:, None] * velocity(slope)))
            return (effect >= LEAST * most) & (effect >= SHARE * steepest)

        slopes = lax.cond(is_even, matters, lambda: jnp.array(False))
        slope = jnp.where(slopes, slope, 0.0)
        still = jnp.where(slopes, self.impulse + 2.0 / (m + 1.0) * b, r)
        none, first = jnp.zeros_like(r), jnp.ones(())
        return ContactGuess(still + slope, none, slope, found.mass, first)

    def striking(self, rebound: Array) -> Any:
        """What restitution asks of u_N (n,), of contacts that were open before.

        What was closed does not strike. Its velocity is zero but for what a step
        misses, and where contacts wedge each other nothing bounces off that.
        """
        return jnp.where(self.mass > 0, 0.0, rebound)


def guess_width(n: int) -> int:
    """How many numbers the guess of n contacts has."""
    return WIDTH * n + 1


class Looked(NamedTuple):
    """What a look at a guess told.

    holds      whether it is the solution, to rounding
    residual   (n,) m/s
    next       the guess of the step after
    """

    holds: Any
    residual: Any
    next: ContactGuess


def look_at(guess: ContactGuess, u: Array, mu: Scalar, is_active: Any) -> Looked:
    """How well the impulses of a guess solve a problem in which they give u (n, 3)."""
    r, count = guess.impulse, jnp.maximum(jnp.sum(is_active), 1)
    is_known = guess.mass > 0
    mass = jnp.where(is_known, guess.mass, 1.0)
    # Of all contacts of a body together, less than what it would take.
    share = mass / (2 * count)
    d = _nearer(r, u, mu, share) - r
    missed = jnp.where(is_active, jnp.sqrt(jnp.sum(d * d, axis=1)) / share, 0.0)
    # The velocity that impulses undo, with which theirs is compared.
    undone = jnp.max(jnp.abs(r), axis=1) / mass
    most = jnp.max(jnp.where(is_active, undone, 0.0))
    holds = jnp.max(missed) <= ROUNDING * most + TINY
    holds = holds & jnp.all(is_known | ~is_active)
    slope = LASTING * guess.slope
    after = r + (slope + (d + (d - guess.last)))
    after = ContactGuess(after, d, slope, guess.mass, guess.count + 1.0)
    return Looked(holds, missed, after.pressing(is_active))


def look_in_loops(
    guess: ContactGuess, u: Array, mu: Array, active: ActiveContacts
) -> Looked:
    """As `look_at`, in loops over those that are active of many contacts."""
    count = jnp.maximum(active.count, 1)

    def one(k: Any, i: Any, found: Any) -> Any:
        most, columns = found
        r, last, slope, known, u_i, mu_i = row_of((*guess[:4], u, mu), i)
        mass = jnp.where(known > 0, known, 1.0)
        share = mass / (2 * count)
        d = _nearer(r[None], u_i[None], mu_i[None], share[None])[0] - r
        missed = jnp.sqrt(jnp.sum(d * d)) / share
        undone = jnp.max(jnp.abs(r)) / mass
        sizes = jnp.stack([missed, undone, jnp.where(known > 0, 0.0, 1.0)])
        slope = LASTING * slope
        row = r + (slope + (d + (d - last))), d, slope, missed
        return jnp.maximum(most, sizes), with_row(columns, row, i)

    none = jnp.zeros_like(guess.impulse)
    start = jnp.zeros(3), (none, none, none, jnp.zeros_like(guess.mass))
    most, (r, d, slope, missed) = active.each(one, start)
    holds = (most[0] <= ROUNDING * most[1] + TINY) & (most[2] == 0)
    after = ContactGuess(r, d, slope, guess.mass, guess.count + 1.0)
    return Looked(holds, missed, after)


def _nearer(r: Array, u: Array, mu: Scalar, a: Array) -> Any:
    """p (n, 3) of the module."""
    y = r - a[:, None] * u
    push = jnp.maximum(y[:, 0], 0.0)
    size = jnp.sqrt(y[:, 1] * y[:, 1] + y[:, 2] * y[:, 2])
    is_inside = size <= mu * push
    scale = jnp.where(is_inside, 1.0, mu * push / jnp.where(size > 0, size, 1.0))
    return jnp.concatenate([push[:, None], scale[:, None] * y[:, 1:]], axis=1)
