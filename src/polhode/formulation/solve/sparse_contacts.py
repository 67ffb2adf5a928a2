r"""Impulses of many contacts that touch few bodies each: sweeps, then Newton's steps.

The equations are those of `contact_problem`. Of n candidates contact i has rows
J_i (3, L) over the speeds of its own bodies, so that

    M + sum of J_i^T B_i'^-1 C_i J_i

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

What is left after a start of 30 eliminations is tried again from no impulses, with more
sweeps, and then from the best by steps alone: near a solution sweeps may lead away.
W is symmetric and never negative, so that without restitution there are impulses
however bodies are jammed. With it there may be none, for where contacts wedge each
other their restitutions contradict: a problem that three starts leave is solved without
restitution.

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
    AGAIN,
    FEWER,
    FIRST,
    GAIN,
    LAGS,
    MORE,
    MOST,
    PROXIMAL,
    ROUND,
    ROUNDING,
    START,
    TERMS,
    TINY,
    ContactSolution,
    inverse_blocks,
    natural_map,
    newton_blocks,
)
from polhode.formulation.solve.row_elimination import for_rows

# Of the largest velocity: what misses less is solved where steps gain nothing more.
NEAR = 5e-10
# Eliminations of one problem at most, and steps of each.
STEPS, CHORDS = 6 * START, 6
# Starts: from no impulses, from the best, and twice as long without restitution; then
# from the best of that.
ANEW, FURTHER, DROPPED, LAST = START, 2 * START, 3 * START, 5 * START
# A step that leaves more of what is missed is the last of its elimination.
SHARE = 0.3
# Sweeps before a start end when so many have changed no contact. In the first start
# they go too far by a share.
SAME, RELAXED = 4, 1.3


class SparseProblem(NamedTuple):
    """What is given of n contacts and k speeds; see `ContactProblem`.

    Rows are those of active contacts, side by side.

    jacobian   (n, 3, L) by `couplings.speeds`
    free       (n, 3); rebound (n,) and lag (n, 3) as there
    friction   (n,)
    inertia    M (k, k), symmetric; solve: p -> M^-1 p
    """

    active: ActiveContacts
    jacobian: Any
    free: Any
    rebound: Any
    lag: Any
    friction: Any
    inertia: Any
    solve: Solver
    couplings: Couplings


def solve_sparse(problem: SparseProblem, guess: Any) -> ContactSolution:
    """The impulses of a problem from a guess (n, 3) of all contacts; traced."""
    scaled = _Scaled.of(problem, problem.active.rows(guess)).caught_up()
    found = lax.while_loop(scaled.goes_on, scaled.improved, scaled.first())
    v = scaled.change(found.best)
    spread = problem.active.spread
    u, missed = scaled.keeping(found.keeps).told(found.best, v)
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

    v                   M^-1 J^T r (k,), and zeros that stand for no speed
    missed, size        at most, m/s; the largest impulse, N s
    least               what the best misses
    count, fails        eliminations; those that gained nothing
    stalls              those since the best
    sweeps              how many come next, at most
    keeps               1 of restitution, 0 where it is dropped
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
    keeps: Any


class _Scaled(NamedTuple):  # limit: one iteration, its starts, sweeps and steps
    """A problem with its sizes.

    response   X (n, m, 3) by `couplings.answering`
    pushed     (n, 3) the column of W_ii of a push
    sizes      (n, 2) W_NN, and the largest of the tangents' W
    rho        (n,) 3 / the trace of W_ii; weight, the mean diagonal of W
    speed      m/s
    guess      (n, 3)
    rebound    (n,) that of the problem, or zeros
    """

    problem: SparseProblem
    response: Any
    pushed: Any
    sizes: Any
    rho: Any
    weight: Any
    speed: Any
    guess: Any
    rebound: Any

    @classmethod
    def of(cls, problem: SparseProblem, guess: Array) -> _Scaled:
        own = problem
        answers = answers_of(own.solve, own.couplings)
        n, L = own.jacobian.shape[0], own.couplings.speeds.shape[1]

        def one(k: Any, i: Any, found: Any) -> Any:
            columns, total, speed = found
            J, q = row_of((own.jacobian, own.free), k)
            X = answers(i, J)
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

        shapes = ((n, own.couplings.answering.shape[1], 3), (n, 3), (n, 2), (n,))
        none = tuple(jnp.zeros(shape) for shape in shapes)
        start = none, jnp.zeros(()), jnp.zeros(())
        columns, total, speed = own.active.each(one, start)
        X, pushed, sizes, rho = columns
        mean = total / (3.0 * jnp.maximum(own.active.count, 1))
        speed, none = speed + TINY, problem.rebound
        return cls(problem, X, pushed, sizes, rho, mean, speed, guess, none)

    def caught_up(self) -> _Scaled:
        """With velocities that lag behind as `caught_up` has it."""
        own = self.problem

        def one(k: Any, i: Any, d: Any) -> Any:
            J, X, lag, sizes = row_of(
                (own.jacobian, self.response, own.lag, self.sizes), k
            )
            left = lag - J @ d[self.speeds(i)]
            answering = row_of(own.couplings.answering, i)
            return d.at[answering].add(X @ (left / sizes[np.array([0, 1, 1])]))

        d = for_rows(LAGS, lambda _, d: own.active.each(one, d), self._none)

        def caught(k: Any, i: Any, free: Any) -> Any:
            J, q = row_of((own.jacobian, free), k)
            return with_row(free, q + J @ d[self.speeds(i)], k)

        free = own.active.each(caught, own.free)
        return self._replace(problem=own._replace(free=free))

    def keeping(self, share: Any) -> _Scaled:
        """With all of restitution, 1, or none of it, 0."""
        return self._replace(rebound=share * self.problem.rebound)

    # ------------------------------------------------------------- impulses, speeds

    def change(self, r: Array) -> Any:
        """v = M^-1 J^T r (k,), and zeros that stand for no speed"""
        own = self.problem

        def one(k: Any, i: Any, p: Any) -> Any:
            J, r_k = row_of((own.jacobian, r), k)
            return p.at[self.speeds(i)].add(r_k @ J)

        return longer(own.solve(own.active.each(one, self._none)[: self.speed_count]))

    def velocity(self, k: Any, i: Any, v: Array) -> Any:
        """u = J v + q (3,) of one contact, restitution added"""
        own = self.problem
        J, q, rebound = row_of((own.jacobian, own.free, self.rebound), k)
        return (J @ v[self.speeds(i)] + q).at[0].add(rebound)

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
        """u (n, 3), restitution left out, and what is missed (n,) by contact."""

        def one(k: Any, i: Any, found: Any) -> Any:
            u = self.velocity(k, i, v).at[0].add(-row_of(self.rebound, k))
            return with_row(found, (u, self._residual(k, i, (r, v))[1]), k)

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

    def first(self) -> _Iterate:
        """The better of a guess and no impulses."""
        guess, none = self.guess, jnp.zeros_like(self.guess)
        v = self.change(guess)
        missed, size = self.missed(guess, v)
        left, _ = self.missed(none, self._none)
        r, v, missed, size = lax.cond(
            missed < left,
            lambda: (guess, v, missed, size),
            lambda: (none, self._none, left, jnp.zeros(())),
        )
        zero, keeps = jnp.zeros((), jnp.int64), jnp.ones(())
        start = r, v, r, missed, size, missed
        return _Iterate(*start, zero, zero, zero, zero + FIRST, keeps)

    def goes_on(self, now: _Iterate) -> Any:
        """Whether another step is worth it."""
        missed = now.least > ROUNDING * self.speed
        is_near = now.least <= NEAR * self.speed
        return (now.count < STEPS) & missed & ~(is_near & (now.stalls > 0))

    def improved(self, now: _Iterate) -> _Iterate:
        """By sweeps, if the last step has failed, and steps of one elimination."""
        count = now.count
        is_start = (count == ANEW) | (count == FURTHER)
        is_start = is_start | (count == DROPPED) | (count == LAST)
        now = lax.cond(is_start, self._again, lambda now: now, now)
        return self.keeping(now.keeps)._moved(now)

    def _again(self, now: _Iterate) -> _Iterate:
        """The next start."""
        is_anew, is_dropped = now.count == ANEW, now.count == DROPPED
        r = jnp.where(is_dropped, self.guess, jnp.where(is_anew, 0.0, now.best))
        keeps = jnp.where(is_dropped, 0.0, now.keeps)
        v = self.change(r)
        missed, size = self.keeping(keeps).missed(r, v)
        zero = jnp.zeros_like(now.count)
        # What is best with restitution says nothing without it.
        best, least = lax.cond(
            is_dropped, lambda: (r, missed), lambda: (now.best, now.least)
        )
        sweeps = jnp.where(is_anew | is_dropped, zero + AGAIN, zero)
        start = r, v, best, missed, size, least
        return _Iterate(*start, now.count, zero, zero, sweeps, keeps)

    def _moved(self, now: _Iterate) -> _Iterate:
        now = lax.cond(now.sweeps > 0, partial(_swept, self), lambda now: now, now)
        is_left = now.least > ROUNDING * self.speed
        return lax.cond(is_left, self._stepped, lambda now: now, now)

    def _stepped(self, now: _Iterate) -> _Iterate:
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
            jnp.where(gains | _is_further(now), 0, MORE * (1 + fails % ROUND)),
            now.keeps,
        )


def _is_further(now: _Iterate) -> Any:
    """Whether a start is by steps alone."""
    is_third = (now.count >= FURTHER) & (now.count < DROPPED)
    return is_third | (now.count >= LAST)


def _term(scaled: _Scaled, now: _Iterate) -> Any:
    """What is added to W in the next elimination, 1/kg."""
    share = row_of(TERMS, jnp.minimum(now.fails, START - 1))
    share = jnp.where(_is_further(now), FEWER, 1.0) * share
    term = share * now.missed / jnp.maximum(now.size, TINY)
    return jnp.clip(term, PROXIMAL * scaled.weight + TINY, MOST * scaled.weight)


def _swept(scaled: _Scaled, now: _Iterate) -> _Iterate:
    """Sweeps of Gauss and Seidel; the first until a few have changed no contact."""
    is_first = (now.count == 0) | (now.count == ANEW) | (now.count == DROPPED)
    relaxed = jnp.where(now.count < START, RELAXED, 1.0)

    is_near = now.missed <= NEAR * scaled.speed

    def goes_on(state: Any) -> Any:
        count, same = state[:2]
        return (count < now.sweeps) & (~is_first | (same < SAME) | is_near)

    def sweep(state: Any) -> Any:
        count, same, *rest = state
        start, one = (jnp.array(False), *rest), partial(_sweep, scaled, relaxed)
        changed, *rest = scaled.problem.active.each(one, start)
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


def _sweep(scaled: _Scaled, relaxed: Any, k: Any, i: Any, state: Any) -> Any:
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
    further = r_k + relaxed * (further - r_k)
    push = jnp.maximum(0.0, further[0])
    new = jnp.concatenate([push[None], further[1:] * _share(further[1:], mu * push)])
    now = jnp.where(push > 0, jnp.where(share < 1, 2.0, 1.0), 0.0)
    answering = row_of(scaled.problem.couplings.answering, i)
    v = v.at[answering].add(row_of(scaled.response, k) @ (new - r_k))
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
            inverse, J = row_of((blocks[0], own.jacobian), k)
            right = inverse @ b
            f = f.at[scaled.speeds(i)].add(right @ J)
            return f, with_row(rights, right, k)

        f, rights = each(pressed, (scaled._none, jnp.zeros_like(r)))
        moves = longer(solve(f[: scaled.speed_count]))

        def one(k: Any, i: Any, found: Any) -> Any:
            p, r = found
            speeds = scaled.speeds(i)
            columns = (own.jacobian, blocks[1], rights, r)
            J, Q, right, r_k = row_of(columns, k)
            new = r_k + right - Q @ (J @ moves[speeds])
            return p.at[speeds].add(new @ J), with_row(r, new, k)

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
        J = row_of(own.jacobian, at)
        speeds, blocks = scaled.speeds(i), row_of(near, i)
        K = K.at[speeds[:, None], speeds].add(J.T @ (Q @ J))
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
