r"""Forces of contacts in given modes: one linear system of a shape that never changes.

    closed    u_N' = 0                     N is unknown
    sticks    u_T' = 0                     T is unknown as well
    slides    T = -mu_d N d                d is known

What does not apply is a row of its own with the answer zero. Slips that begin take the
direction d in which they accelerate: u_T' . e = 0 with e square to d. By Newton's steps
what a motion misses of it a force tau e would undo, and d turns by -tau/(mu_d N).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar, scanned, shared
from polhode.formulation.contact.carried import Carried, settled_forces, with_loads
from polhode.formulation.contact.decide import (
    FARTHEST,
    ROUNDED,
    TURNED,
    TURNS,
    UNMOVED,
)
from polhode.formulation.contact.share import Sharing, share_within

# Share of the mean of W's diagonal by which contacts yield, so that redundant ones
# share the load; iterations remove what it does to the motion. What they share is known
# to rounding over YIELD: a block on a slope at its very limit must stay.
YIELD = 1e-5
# Of the right side: what more iterations, that yield by FIRMER of it, have to remove.
MISSED, FIRMER = 1e-12, 1e-4
# Of the greatest: what a sticking contact counts that can hold less, see `decide`.
WEAKEST = 1e-3
ITERATIONS = 4
# Rows up to which an elimination may be straight code.
STRAIGHT = 14


class Held(NamedTuple):
    """Contacts (n,) in given modes: T (n, 2) is the friction for each unit of N."""

    closed: Any
    sticks: Any
    T: Any
    static: Any


@shared
def held_forces(W: Array, c: Scalar, held: Held) -> tuple[Any, Any, Any]:
    """Forces r (n, 3) and accelerations W r + c (n, 3) of contacts in given modes.

    Unknowns are (N, T1, T2) where a contact sticks and N alone where it slides, with
    T (n, 2) for each unit of it. The rest are kept at zero by rows of their own, so
    that the shape never changes. Where several sticking contacts share what only their
    sum decides, each takes of it as it can hold, mu_s N (`static` (n,) is mu_s); where
    that leaves a cone, another share is looked for (`share_within`), which is told.
    """
    closed, sticks, T, static = held
    n = len(closed)
    matrix, mask = _coupled(W, T), normal_and_held(closed, sticks)
    x = masked_solution(matrix, W, mask, -c)
    if n > 1:
        # Redundant friction is known only by what each contact can hold.
        share = _capacities(held, x[::3])
        x = lax.cond(
            jnp.sum(closed * sticks) > 1,
            lambda: masked_solution(matrix, W, mask, -c, share=share),
            lambda: x,
        )
    x, is_other = x.reshape(n, 3), jnp.zeros(())
    if n > 1:
        own = Sharing(matrix, c, sticks * static, closed, mask)
        x, is_shared = share_within(own, x, refined_solution)
        # A number: programs write functions once that give nothing but numbers.
        is_other = 1.0 * is_shared
    r = x.at[:, 1:].add(T * x[:, :1])
    return r, (W @ r.reshape(-1) + c).reshape(n, 3), is_other


def _coupled(W: Array, T: Any) -> Any:
    """Accelerations (3n, 3n) by unknowns (N, T1, T2): what slides brings T of its N.

    Its columns of W are added to that of N.
    """
    n = len(T)
    each = W.reshape(3 * n, n, 3)
    pushed = each[:, :, 0] + each[:, :, 1] * T[:, 0] + each[:, :, 2] * T[:, 1]
    coupled = jnp.concatenate([pushed[:, :, None], each[:, :, 1:]], axis=2)
    return coupled.reshape(3 * n, 3 * n)


def normal_and_held(closed: Any, sticks: Any) -> Any:
    """Which of 3n rows are kept: normals of closed contacts, all of sticking ones."""
    held = closed * sticks
    return jnp.stack([closed, held, held], axis=1).reshape(-1)


def masked_solution(
    matrix: Array, W: Array, mask: Any, b: Any, *, share: Any = 1.0
) -> Any:
    """x with the rows and columns of a matrix that a mask keeps; others are zero.

    Proximal: what is redundant yields by a share of the mean of W's diagonal, and
    unknowns with a greater `share` (k,) take more of it.
    """
    # Not constants: a function that is asked with such is written for each of them.
    share = jnp.where(mask > 0, share, np.float64(2.0))
    return _masked_solution(matrix, jnp.diagonal(W), mask, b, share)


def _masked_solution(
    matrix: Array, diagonal: Any, mask: Any, b: Array, share: Any
) -> Any:
    S = mask[:, None] * matrix * mask
    size = jnp.sum(mask * diagonal) / jnp.maximum(jnp.sum(mask), 1.0)
    own = (1 - mask) * (size + (size == 0))
    yielding = mask * YIELD * size / share
    x = refined_solution(S, own + yielding, mask * b)
    missed = mask * (b - S @ x)
    return mask * lax.cond(
        jnp.max(jnp.abs(missed)) > MISSED * jnp.max(jnp.abs(mask * b)),
        lambda: x + refined_solution(S, own + FIRMER * yielding, missed),
        lambda: x,
    )


@shared
def refined_solution(S: Array, yielding: Any, b: Array) -> Any:
    """x with S x = b, from solutions with (S + diag(yielding)) in the place of S.

    All contact problems of a program are solved by this one function.
    """
    solve = unsymmetric_solver(S + jnp.diag(yielding))
    x = solve(b)

    def again(_: object, x: Array) -> Any:
        return x + solve(b - S @ x)

    return lax.fori_loop(0, ITERATIONS, again, x)


class Onset(NamedTuple):
    """Slips (n,) that begin: `turns` marks them, `direction` (n, 2) is a guess."""

    turns: Any
    direction: Any
    dynamic: Any


def slip_onset(W: Array, c: Any, carried: Carried, held: Held, onset: Onset) -> Any:
    """Directions (n, 2) in which slips accelerate that begin; the others' as guessed.

    By Newton's steps: friction is decided by the direction to first order, however
    little a slip accelerates. Of a contact at the very limit of its cone nothing else
    is known.
    """
    problem = _OnsetProblem(W, c, carried, held, onset)
    # Derivatives are those of one step from what is found: they follow from the law.
    still = _OnsetProblem(*lax.stop_gradient(tuple(problem)))

    def turn(now: tuple[Any, ...]) -> tuple[Any, ...]:
        d, _, k = now
        angle = still.step(d)
        new = _rotated(d, angle)
        d = jnp.where((angle != 0)[:, None], new, d)
        return d, jnp.max(jnp.abs(angle)), k + 1

    def goes_on(now: tuple[Any, ...]) -> Any:
        return (now[1] > TURNED) & (now[2] < TURNS)

    begins, count = jnp.any(onset.turns > 0), jnp.zeros((), np.int64)
    first = (still.onset.direction, jnp.where(begins, 1.0, 0.0), count)
    d, _, _ = lax.stop_gradient(lax.while_loop(goes_on, turn, first))

    def last() -> Any:
        return _rotated(d, problem.step(d))

    known = (onset.turns > 0)[:, None]
    return jnp.where(known, lax.cond(begins, last, lambda: d), onset.direction)


class _OnsetProblem(NamedTuple):
    """What the directions of slips that begin follow from, see `slip_onset`."""

    W: Any
    c: Any
    carried: Carried
    held: Held
    onset: Onset

    def step(self, d: Array) -> Any:
        """Newton's angles (n,) from directions d (n, 2), by what their motion misses.

        Pushes and what sticks follow along the motion. All yield as in `held_forces`,
        so that a share which is nearly redundant does not stand in for a turn.
        """
        return _angles(self, d)

    def angles(self, d: Array) -> Any:
        """The same."""
        onset, n = self.onset, len(self.onset.turns)
        W, c, carried, T = self.turned(d)
        held = self.held._replace(T=T)
        r, rate, _ = settled_forces(W, c, carried, lambda W, c: held_forces(W, c, held))
        missed, along = rate[:, 1], rate[:, 2]
        holds = onset.dynamic * r[:, 0]
        # What nothing can push aside has one direction only.
        size = jnp.max(jnp.abs(jnp.diagonal(self.W)))
        is_free = jnp.diagonal(W).reshape(n, 3)[:, 1] > UNMOVED * size
        most = jnp.maximum(jnp.max(jnp.abs(r)), 1e-300)
        is_free = is_free & (onset.turns > 0) & (holds > UNMOVED * most)
        rounding = ROUNDED * jnp.max(jnp.abs(W) @ jnp.abs(r).reshape(-1) + jnp.abs(c))
        is_over = jnp.max(jnp.where(is_free, jnp.abs(missed), 0.0)) <= rounding
        over = jnp.where(is_free, holds, 1.0)
        resists = jnp.where(is_free, jnp.maximum(along, 0.0) / over, 0.0)
        if carried.rows.shape[0]:
            W, _ = with_loads(W, c, carried, r.reshape(-1))
        first = jnp.asarray(np.tile([0.0, 1.0, 0.0], n))
        kept = normal_and_held(held.closed, held.sticks)
        mask = kept + first * jnp.repeat(1.0 * is_free, 3)
        matrix = _coupled(W, T) + jnp.diag(first * jnp.repeat(resists, 3))
        right = jnp.where(kept > 0, 0.0, -rate.reshape(-1))
        share = _capacities(held, r[:, 0])
        tau = masked_solution(matrix, self.W, mask, right, share=share)[1::3]
        angle = jnp.where(is_free, -tau / over, 0.0)
        angle = jnp.clip(angle, -FARTHEST, FARTHEST)
        # Rounding turns nothing, but has the derivatives of what it is of.
        return angle - lax.stop_gradient(jnp.where(is_over, angle, 0.0))

    def turned(self, d: Array) -> tuple[Any, ...]:
        """W, c, pads and T in axes whose tangents are square to slips that begin, and
        along them.
        """
        W, c, carried, held, onset = self
        n, turns = len(onset.turns), (onset.turns > 0)[:, None]
        across = jnp.stack([-d[:, 1], d[:, 0]], axis=1)
        first = jnp.where(turns, across, jnp.array([1.0, 0.0]))
        second = jnp.where(turns, d, jnp.array([0.0, 1.0]))
        R = jnp.stack([first, second], axis=1)

        def tangents(rows: Any) -> Any:
            """Rows (3n, k) with those of tangents turned."""
            each = rows.reshape(n, 3, -1)
            both = R[:, :, :1] * each[:, None, 1] + R[:, :, 1:] * each[:, None, 2]
            return jnp.concatenate([each[:, :1], both], axis=1).reshape(rows.shape)

        pads, k = carried.columns, carried.columns.shape[0]
        if k:
            pads = tangents(pads.reshape(6 * k, 3 * n).T).T.reshape(pads.shape)
        T = jnp.where(turns, -onset.dynamic[:, None] * jnp.array([0.0, 1.0]), held.T)
        own = tangents(tangents(W).T).T
        return own, tangents(c[:, None])[:, 0], carried._replace(columns=pads), T


@shared
def _angles(problem: _OnsetProblem, d: Array) -> Any:
    return problem.angles(d)


def _rotated(d: Array, angle: Any) -> Any:
    """Directions (n, 2) turned by angles (n,)."""
    across = jnp.stack([-d[:, 1], d[:, 0]], axis=1)
    return jnp.cos(angle)[:, None] * d + jnp.sin(angle)[:, None] * across


def _capacities(held: Held, N: Any) -> Any:
    """Shares (3n,) of redundant unknowns: of friction, what each contact can hold."""
    sticks = held.closed * held.sticks
    holds = sticks * held.static * N
    most = jnp.max(holds)
    share = jnp.maximum(holds / jnp.where(most > 0, most, 1.0), WEAKEST)
    share = jnp.where(sticks > 0, share, 1.0)
    return jnp.stack([jnp.ones_like(share), share, share], axis=1).reshape(-1)


def unsymmetric_solver(matrix: Array) -> Any:
    """b -> x with matrix x = b; pivots are on the diagonal.

    Loops over rows: of two dozen rows straight code would take a minute to compile.
    """
    k = matrix.shape[0]
    below, above = jnp.asarray(np.tri(k, k=-1)), jnp.asarray(np.tri(k, k=-1).T)

    def eliminate(j: Any, lu: Any) -> Any:
        inverse, pivot = 1.0 / lu[j, j], above[j] * lu[j]
        is_column = jnp.arange(k) == j

        def reduce(i: Any, lu: Any) -> Any:
            factor = below[i, j] * lu[i, j] * inverse
            rest = lu[i] - factor * pivot
            return lu.at[i].set(jnp.where(is_column & (i > j), factor, rest))

        return _for_rows(k, reduce, lu)

    lu = _for_rows(k, eliminate, matrix)

    def solve(b: Array) -> Any:
        def forward(j: Any, y: Array) -> Any:
            return y - below[:, j] * lu[:, j] * y[j]

        def backward(i: Any, x: Array) -> Any:
            j = k - 1 - i
            x_j = x[j] / lu[j, j]
            return (x - above[:, j] * lu[:, j] * x_j).at[j].set(x_j)

        return _for_rows(k, backward, _for_rows(k, forward, b))

    return solve


def _for_rows(k: int, turn: Callable[[Any, Any], Any], start: Any) -> Any:
    """`turn(i, state)` for all rows; of many rows a loop in programs too."""
    if k <= STRAIGHT:
        return lax.fori_loop(0, k, turn, start)
    return scanned(lambda state, i: (turn(i, state), None), start, jnp.arange(k))[0]
