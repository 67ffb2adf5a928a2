r"""Impulses of many contacts that touch few bodies each: sweeps, then Newton's steps.

The equations are those of `contact_problem`. Of n candidates contact i has rows
J_i (3, L) over the speeds of its own bodies, so that

    M' + sum of J_i^T B_i'^-1 C_i J_i

couples those alone. It is eliminated by entries where bodies hang on one tree, and by
blocks where they touch each other. All loops go over active contacts alone.

Sweeps of Gauss and Seidel find which contacts open, stick and slide; once a few of them
have changed none, Newton's steps make the rest. Two things are done in another way than
with few contacts, for in piles W is nearly singular: what wedges can be pressed without
moving. There Newton's steps are much too long, and to halve them only shortens them.

- The proximal term is a share of what is missed over the largest impulse: a step along
  what hardly moves is about as long as the impulses are, and the term vanishes in the
  end.
- A step is never shortened, and may miss more than the last; if it does, some sweeps
  follow, and the next step has another share: steps that went round in circles leave
  them.

What is left after `STEPS` eliminations is near to a solution from which sweeps lead
away again: steps alone follow, in starts from the best, each with one small term.

An elimination serves as long as the steps that it gives still miss much less than the
one before.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array
from polhode.formulation.solve.active_contacts import (
    ActiveContacts,
    row_of,
    with_row,
)
from polhode.formulation.solve.block_elimination import (
    SIDE,
    Solver,
    eliminated,
    eliminated_in_blocks,
)
from polhode.formulation.solve.contact_couplings import (
    Couplings,
    answers_of,
    block_tables,
    entered_inertia,
    longer,
)
from polhode.formulation.solve.contact_problem import (
    PROXIMAL,
    ROUNDING,
    TINY,
    ContactSolution,
    inverse_blocks,
    natural_map,
    newton_blocks,
)

# Of the largest velocity: what misses less is solved where steps gain nothing more.
NEAR = 1e-9
# Eliminations of one problem at most, and steps of each.
STEPS, CHORDS = 60, 6
# Of the mean diagonal of W: the proximal term of each elimination after those, and how
# many make a start.
START = 30
LATE = np.repeat([1e-5, 1e-6, 1e-7, 1e-4], START)
# A step that leaves more of what is missed is the last of its elimination. One that
# leaves more of it than `GAIN` has failed.
SHARE, GAIN = 0.3, 0.9
# Of what is missed over the largest impulse: the proximal term, after so many steps
# that failed. Of the mean diagonal of W: it at most.
TERMS, MOST = 0.3 * 1.25 ** np.arange(STEPS), 1e-2
# At first sweeps end when so many have changed no contact, or after `FIRST`. After a
# step that has failed there are `MORE`, then more, up to `ROUND` times as many, and
# then few again: what many lead back to is left by few. They go too far by a share.
SAME, FIRST, MORE, ROUND, RELAXED = 4, 40, 5, 7, 1.3


class SparseProblem(NamedTuple):
    """What is given of n contacts and k speeds; see `ContactProblem`.

    Rows are those of active contacts, side by side.

    jacobian, applied  (n, 3, L) by `couplings.speeds`
    free               (n, 3)
    friction           (n,)
    inertia            M' (k, k); solve: p -> M'^-1 p
    """

    active: ActiveContacts
    jacobian: Any
    applied: Any
    free: Any
    friction: Any
    inertia: Any
    solve: Solver
    couplings: Couplings


def solve_sparse(problem: SparseProblem, guess: Any) -> ContactSolution:
    """The impulses of a problem from a guess (n, 3) of all contacts; traced."""
    scaled = _Scaled.of(problem)
    start = scaled.first(problem.active.rows(guess))
    found = lax.while_loop(scaled.goes_on, scaled.improved, start)
    v = scaled.change(found.best)
    spread = problem.active.spread
    u, missed = scaled.told(found.best, v)
    mass = spread(scaled.rho)
    return ContactSolution(
        spread(found.best),
        spread(u),
        spread(missed),
        found.count,
        v[: scaled.speed_count],
        mass,
    )


class _Iterate(NamedTuple):
    """Of the iteration: now, and the best so far.

    v                   M'^-1 J^T r (k,), and zeros that stand for no speed
    missed, size        at most, m/s; the largest impulse, N s
    least               what the best misses
    count, fails        eliminations; those that gained nothing
    stalls              those since the best
    sweeps              how many come next, at most
    """

    r: Any
    v: Any
    best: Any
    missed: Any
    size: Any
    least: Any
    count: Any
    fails: Any
    stalls: Any
    sweeps: Any


class _Scaled(NamedTuple):
    """A problem with its sizes.

    response   X (n, m, 3) by `couplings.felt`
    pushed     (n, 3) the column of W_ii of a push
    sizes      (n, 2) W_NN, and the largest of the tangents' W
    rho        (n,) 3 / the trace of W_ii; weight, the mean diagonal of W
    speed      m/s
    """

    problem: SparseProblem
    response: Any
    pushed: Any
    sizes: Any
    rho: Any
    weight: Any
    speed: Any

    @classmethod
    def of(cls, problem: SparseProblem) -> _Scaled:
        own = problem
        answers = answers_of(own.solve, own.couplings)
        n, L = own.jacobian.shape[0], own.couplings.speeds.shape[1]

        def one(k: Any, i: Any, found: Any) -> Any:
            columns, total, speed = found
            J, applied, q = row_of((own.jacobian, own.applied, own.free), k)
            X = answers(i, applied)
            W = J @ X[:L]
            across = W[1, 1] + W[2, 2]
            turn = (W[1, 1] - W[2, 2]) ** 2 + 4.0 * W[1, 2] * W[2, 1]
            tangents = (across + jnp.sqrt(jnp.maximum(turn, 0.0))) / 2
            sizes = jnp.stack([W[0, 0], tangents])
            sizes = jnp.where(sizes > 0, sizes, 1.0)
            trace = W[0, 0] + across
            trace = jnp.where(trace > 0, trace, 1.0)
            row = X, W[:, 0], sizes, 3.0 / trace
            most = jnp.maximum(speed, jnp.max(jnp.abs(q)))
            return with_row(columns, row, k), total + trace, most

        shapes = ((n, own.couplings.felt.shape[1], 3), (n, 3), (n, 2), (n,))
        none = tuple(jnp.zeros(shape) for shape in shapes)
        start = none, jnp.zeros(()), jnp.zeros(())
        columns, total, speed = own.active.each(one, start)
        X, pushed, sizes, rho = columns
        mean = total / (3.0 * jnp.maximum(own.active.count, 1))
        return cls(problem, X, pushed, sizes, rho, mean, speed + TINY)

    # ------------------------------------------------------------- impulses, speeds

    def change(self, r: Array) -> Any:
        """v = M'^-1 J^T r (k,), and zeros that stand for no speed"""
        own = self.problem

        def one(k: Any, i: Any, p: Any) -> Any:
            applied, r_k = row_of((own.applied, r), k)
            return p.at[self.speeds(i)].add(r_k @ applied)

        return longer(own.solve(own.active.each(one, self._none)[: self.speed_count]))

    def velocity(self, k: Any, i: Any, v: Array) -> Any:
        """u = J v + q (3,) of one contact"""
        J, q = row_of((self.problem.jacobian, self.problem.free), k)
        return J @ v[self.speeds(i)] + q

    def speeds(self, i: Any) -> Any:
        return row_of(self.problem.couplings.speeds, i)

    def missed(self, r: Array, v: Array) -> tuple[Any, Any]:
        """The most that is missed by the natural map; the largest impulse."""

        def one(k: Any, i: Any, found: Any) -> Any:
            r_k, residual = self._residual(k, i, (r, v))
            size = jnp.max(jnp.abs(r_k))
            return jnp.maximum(found[0], residual), jnp.maximum(found[1], size)

        zero = jnp.zeros(())
        return self.problem.active.each(one, (zero, zero))

    def told(self, r: Array, v: Array) -> tuple[Any, Any]:
        """u (n, 3) and what is missed (n,) by contact."""

        def one(k: Any, i: Any, found: Any) -> Any:
            row = self.velocity(k, i, v), self._residual(k, i, (r, v))[1]
            return with_row(found, row, k)

        return self.problem.active.each(one, (jnp.zeros_like(r), jnp.zeros(len(r))))

    def _residual(self, k: Any, i: Any, at: tuple[Any, Any]) -> tuple[Any, Any]:
        r, mu, rho = row_of((at[0], self.problem.friction, self.rho), k)
        u = self.velocity(k, i, at[1])
        return r, natural_map(*(x[None] for x in (r, u, mu, rho)))[1][0]

    @property
    def speed_count(self) -> int:
        """k"""
        return int(self.problem.inertia.shape[0])

    @property
    def _none(self) -> Any:
        return longer(jnp.zeros(self.problem.inertia.shape[0]))

    # -------------------------------------------------------------------- iteration

    def first(self, guess: Any) -> _Iterate:
        """The better of a guess and no impulses."""
        none, v = jnp.zeros_like(guess), self.change(guess)
        missed, size = self.missed(guess, v)
        left, _ = self.missed(none, self._none)
        r, v, missed, size = lax.cond(
            missed < left,
            lambda: (guess, v, missed, size),
            lambda: (none, self._none, left, jnp.zeros(())),
        )
        zero = jnp.zeros((), jnp.int64)
        return _Iterate(r, v, r, missed, size, missed, zero, zero, zero, zero + FIRST)

    def goes_on(self, now: _Iterate) -> Any:
        """Whether another step is worth it."""
        missed = now.least > ROUNDING * self.speed
        is_near = now.least <= NEAR * self.speed
        return (now.count < STEPS + len(LATE)) & missed & ~(is_near & (now.stalls > 0))

    def improved(self, now: _Iterate) -> _Iterate:
        """By sweeps, if the last step has failed, and steps of one elimination."""
        now = lax.cond(now.sweeps > 0, partial(_swept, self), lambda now: now, now)
        late = now.count - STEPS
        is_start = (late >= 0) & (late % START == 0)
        now = lax.cond(is_start, partial(_from_best, self), lambda now: now, now)
        moved = _steps(self, now, _term(self, now))
        gains = moved.missed < GAIN * now.missed
        better = moved.missed < now.least
        is_sound = jnp.isfinite(moved.missed)
        r, best = lax.cond(
            better, lambda: (moved.r, moved.r), lambda: (moved.r, now.best)
        )
        r, v, missed, size = lax.cond(
            is_sound,
            lambda: (r, moved.v, moved.missed, moved.size),
            lambda: (best, self.change(best), now.least, now.size),
        )
        fails = now.fails + jnp.where(gains, 0, 1)
        return _Iterate(
            r,
            v,
            best,
            missed,
            size,
            jnp.where(better, missed, now.least),
            now.count + 1,
            fails,
            jnp.where(better, 0, now.stalls + 1),
            jnp.where(gains | (late >= -1), 0, MORE * (1 + fails % ROUND)),
        )


def _from_best(scaled: _Scaled, now: _Iterate) -> _Iterate:
    r, v = now.best, scaled.change(now.best)
    missed, size = scaled.missed(r, v)
    return now._replace(r=r, v=v, missed=missed, size=size)


def _term(scaled: _Scaled, now: _Iterate) -> Any:
    """What is added to W in the next elimination, 1/kg."""
    share = row_of(TERMS, jnp.minimum(now.fails, STEPS - 1))
    term = share * now.missed / jnp.maximum(now.size, TINY)
    term = jnp.clip(term, PROXIMAL * scaled.weight + TINY, MOST * scaled.weight)
    fixed = row_of(LATE, jnp.maximum(now.count - STEPS, 0)) * scaled.weight + TINY
    return jnp.where(now.count < STEPS, term, fixed)


def _swept(scaled: _Scaled, now: _Iterate) -> _Iterate:
    """Sweeps of Gauss and Seidel; the first until a few have changed no contact."""

    def goes_on(state: Any) -> Any:
        count, same = state[:2]
        return (count < now.sweeps) & ((now.count > 0) | (same < SAME))

    def sweep(state: Any) -> Any:
        count, same, *rest = state
        start = (jnp.array(False), *rest)
        changed, *rest = scaled.problem.active.each(partial(_sweep, scaled), start)
        return count + 1, jnp.where(changed, 0, same + 1), *rest

    zero = jnp.zeros((), jnp.int64)
    status = jnp.full(scaled.rho.shape, -1.0)
    start = zero, zero - 1, now.r, now.v, status
    r, v = lax.while_loop(goes_on, sweep, start)[2:4]
    missed, size = scaled.missed(r, v)
    better = missed < now.least
    best = lax.cond(better, lambda: r, lambda: now.best)
    least = jnp.where(better, missed, now.least)
    return now._replace(r=r, v=v, best=best, missed=missed, size=size, least=least)


def _sweep(scaled: _Scaled, k: Any, i: Any, state: Any) -> Any:
    """One contact's impulse from the speeds that the others give; its status."""
    changed, r, v, status = state
    own = row_of((r, scaled.pushed, scaled.sizes, scaled.problem.friction, status), k)
    r_k, pushed, sizes, mu, before = own
    u = scaled.velocity(k, i, v)
    push = jnp.maximum(0.0, r_k[0] - u[0] / sizes[0])
    u = u + pushed * (push - r_k[0])
    y = r_k[1:] - u[1:] / sizes[1]
    share = _share(y, mu * push)
    further = jnp.concatenate([push[None], share * y])
    further = r_k + RELAXED * (further - r_k)
    push = jnp.maximum(0.0, further[0])
    new = jnp.concatenate([push[None], further[1:] * _share(further[1:], mu * push)])
    now = jnp.where(push > 0, jnp.where(share < 1, 2.0, 1.0), 0.0)
    felt = row_of(scaled.problem.couplings.felt, i)
    v = v.at[felt].add(row_of(scaled.response, k) @ (new - r_k))
    r, status = with_row((r, status), (new, now), k)
    return changed | (now != before), r, v, status


def _share(y: Array, radius: Any) -> Any:
    """Of y (2,) what lies within a radius."""
    size = jnp.sqrt(y[0] * y[0] + y[1] * y[1])
    return jnp.where(size > radius, radius / jnp.where(size > 0, size, 1.0), 1.0)


class _Moved(NamedTuple):
    """Where steps of one elimination have come; whether another is worth it."""

    r: Any
    v: Any
    missed: Any
    size: Any
    count: Any
    goes_on: Any


def _steps(scaled: _Scaled, now: _Iterate, term: Any) -> _Moved:
    """Newton's steps of one elimination; the first is exact."""
    own = scaled.problem
    each, solve, blocks = own.active.each, *_matrix(scaled, now, term)

    def step(moved: _Moved) -> _Moved:
        r, v = moved.r, moved.v

        def pressed(k: Any, i: Any, found: Any) -> Any:
            f, rights = found
            b = _blocks(scaled, (k, i), (r, v))[2]
            inverse, applied = row_of((blocks[0], own.applied), k)
            right = inverse @ b
            f = f.at[scaled.speeds(i)].add(right @ applied)
            return f, with_row(rights, right, k)

        f, rights = each(pressed, (scaled._none, jnp.zeros_like(r)))
        moves = longer(solve(f[: scaled.speed_count]))

        def one(k: Any, i: Any, found: Any) -> Any:
            p, r = found
            speeds = scaled.speeds(i)
            columns = (own.jacobian, own.applied, blocks[1], rights, r)
            J, applied, Q, right, r_k = row_of(columns, k)
            new = r_k + right - Q @ (J @ moves[speeds])
            return p.at[speeds].add(new @ applied), with_row(r, new, k)

        p, r = each(one, (scaled._none, r))
        v = longer(own.solve(p[: scaled.speed_count]))
        missed, size = scaled.missed(r, v)
        goes_on = missed < SHARE * moved.missed
        return _Moved(r, v, missed, size, moved.count + 1, goes_on)

    def goes_on(moved: _Moved) -> Any:
        is_left = moved.missed > ROUNDING * scaled.speed
        return moved.goes_on & is_left & (moved.count < CHORDS)

    zero = jnp.zeros((), jnp.int64)
    start = _Moved(now.r, now.v, now.missed, now.size, zero, jnp.array(True))
    return lax.while_loop(goes_on, step, start)


def _blocks(scaled: _Scaled, place: Any, at: tuple[Any, Any]) -> tuple[Any, Any, Any]:
    """B, C and b of the k-th active contact, of number i, at r and v."""
    (k, i), (r, v) = place, at
    r_k, mu, rho = row_of((r, scaled.problem.friction, scaled.rho), k)
    u = scaled.velocity(k, i, v)
    sized = r_k[None], u[None], mu[None], rho[None]
    B, C, b = (x[0] for x in newton_blocks(*sized, jnp.ones(1, bool)))
    return B, C, b


def _matrix(scaled: _Scaled, now: _Iterate, term: Any) -> tuple[Solver, Any]:
    """f -> v; by contact (n, 3, 3) the inverses of B' and Q = B'^-1 C."""
    own, n = scaled.problem, scaled.rho.shape[0]
    k = own.inertia.shape[0]
    size = SIDE * (k // SIDE + 1)
    near, first = block_tables(own.couplings, k)

    def assembled(at: Any, i: Any, found: Any) -> Any:
        K, flags, columns = found
        B, C, _ = _blocks(scaled, (at, i), (now.r, now.v))
        inverse = inverse_blocks((B + term * C)[None])[0]
        Q = inverse @ C
        J, applied = row_of((own.jacobian, own.applied), at)
        speeds, blocks = scaled.speeds(i), row_of(near, i)
        K = K.at[speeds[:, None], speeds].add(applied.T @ (Q @ J))
        flags = flags.at[blocks[:, None], blocks].set(True)
        return K, flags, with_row(columns, (inverse, Q), at)

    none = jnp.zeros((n, 3, 3)), jnp.zeros((n, 3, 3))
    start = jnp.zeros((size, size)), jnp.asarray(first), none
    K, flags, columns = own.active.each(assembled, start)
    few = eliminated(_Sum(K, own.inertia), own.couplings.whole)
    if few is not None:
        return few, columns
    entered = entered_inertia(K, own.inertia, own.couplings.mass)
    whole = eliminated_in_blocks(entered, flags)

    def solve(f: Any) -> Any:
        return whole(jnp.concatenate([f, jnp.zeros(size - k)]))[:k]

    return solve, columns


class _Sum:
    """K + M' where it is read."""

    def __init__(self, K: Array, M: Array):
        self.parts = K, M

    def __getitem__(self, places: Any) -> Any:
        K, M = self.parts
        return K[places] + M[places]
