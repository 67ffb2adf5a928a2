r"""Impulses of many contacts that touch few bodies each: Newton's steps in loops.

The equations and the steps are those of `contact_problem`. Of n candidates contact i
has rows J_i (3, L) over the speeds of its own bodies, so that

    M' + sum of J_i^T B_i'^-1 C_i J_i

couples those alone. It is eliminated by entries where bodies hang on one tree, and by
blocks where they touch each other. M'^-1 J^T is asked of sums of impulses, never of
each contact, but where sweeps of Gauss and Seidel need it. Loops go over all candidates
and pass those that are open.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, scanned
from polhode.formulation.solve.block_elimination import (
    SIDE,
    Solver,
    eliminated,
    eliminated_in_blocks,
)
from polhode.formulation.solve.contact_problem import (
    HALVINGS,
    NEWTON,
    PROXIMAL,
    ROUNDING,
    STEPS,
    SWEEPS,
    TINY,
    ContactSolution,
    for_active,
    for_rows,
    inverse_blocks,
    natural_map,
    newton_blocks,
)

# Of the largest velocity: what misses less is solved where steps gain nothing more.
NEAR = 1e-9
# The proximal term grows where a start has gained nothing: where W is singular, as of
# what wedges, steps may turn in circles.
GROWTH, MOST = 100.0, 1e-3 / PROXIMAL


class Couplings(NamedTuple):
    """What is known of n candidates when a program is made, NumPy's.

    speeds   (n, L) numbers of the speeds that a candidate has rows over, k where fewer
    felt     (n, m) numbers of the speeds that answer to it, k where fewer
    mass     (k, k) bool, entries of M'
    whole    (k, k) bool, those and what candidates may couple
    """

    speeds: np.ndarray
    felt: np.ndarray
    mass: np.ndarray
    whole: np.ndarray


class SparseProblem(NamedTuple):
    """What is given of n contacts and k speeds; see `ContactProblem`.

    jacobian, applied  (n, 3, L) by `couplings.speeds`
    free               (n, 3)
    friction           (n,)
    is_active          (n,)
    mass               (n,) effective masses that are known; 0 where they are not
    inertia            M' (k, k); solve: p -> M'^-1 p
    """

    jacobian: Any
    applied: Any
    free: Any
    friction: Any
    is_active: Any
    mass: Any
    inertia: Any
    solve: Solver
    couplings: Couplings


def solve_sparse(problem: SparseProblem, guess: Any) -> ContactSolution:
    """The impulses of a problem from a guess (n, 3); traced."""
    held = _Sized.of(problem)
    found = lax.while_loop(held.goes_on, held.improved, held.first(guess))
    v = held.change(found.best)
    u = held.velocity(v)
    return ContactSolution(
        found.best, u, held.residuals(found.best, u), found.count, v, held.rho
    )


class _Iterate(NamedTuple):
    """As `contact_problem` has it: now, the best so far, steps, those without gain.

    swept, mark  where sweeps stopped, and what the best missed then
    growth       of the proximal term
    """

    r: Any
    u: Any
    best: Any
    least: Any
    swept: Any
    mark: Any
    count: Any
    since: Any
    stalls: Any
    growth: Any


class _Sized(NamedTuple):
    """A problem with its sizes: rho (n,), the proximal term e, and a speed, m/s."""

    problem: SparseProblem
    rho: Any
    proximal: Any
    speed: Any

    @classmethod
    def of(cls, problem: SparseProblem) -> _Sized:
        p = problem

        def one(sizes: Any, row: Any) -> Any:
            J, applied, speeds, mass, q = row
            known = lax.cond(
                mass > 0, lambda: mass, lambda: _mass(p, J, applied, speeds)
            )
            count, total, speed = sizes
            speed = jnp.maximum(speed, jnp.max(jnp.abs(q)))
            return (count + 1.0, total + 3.0 / known, speed), known

        rows = (p.jacobian, p.applied, p.couplings.speeds, p.mass, p.free)
        start = (jnp.zeros(()),) * 3
        (count, total, speed), rho = for_active(p.is_active, one, start, rows)
        mean = total / (3.0 * jnp.maximum(count, 1.0))
        return cls(problem, rho, PROXIMAL * mean + TINY, speed + TINY)

    # ------------------------------------------------------------- impulses, speeds

    def impulse(self, r: Array) -> Any:
        """p = J^T r (k,) of the applied rows."""
        own = self.problem

        def one(p: Any, row: Any) -> Any:
            applied, speeds, r = row
            return p.at[speeds].add(r @ applied), ()

        rows = (own.applied, own.couplings.speeds, r)
        return for_active(own.is_active, one, self._none, rows)[0][:-1]

    def change(self, r: Array) -> Any:
        """v = M'^-1 J^T r (k,)"""
        return self.problem.solve(self.impulse(r))

    def velocity(self, v: Array) -> Any:
        """u = J v + q (n, 3) where contacts are active."""
        own = self.problem
        v = _longer(v)

        def one(_: Any, row: Any) -> Any:
            J, speeds, q = row
            return (), J @ v[speeds] + q

        rows = (own.jacobian, own.couplings.speeds, own.free)
        return for_active(own.is_active, one, (), rows)[1]

    @property
    def _none(self) -> Any:
        return jnp.zeros(self.problem.inertia.shape[0] + 1)

    # -------------------------------------------------------------------- iteration

    def first(self, guess: Any) -> _Iterate:
        """The better of a guess and no impulses, before the first step."""
        own = self.problem
        r, u = jnp.zeros_like(own.free), own.free
        least = self.missed(r, u)
        if guess is not None:
            moving = self.velocity(self.change(guess))
            left = self.missed(guess, moving)
            r, u, least = lax.cond(
                left < least, lambda: (guess, moving, left), lambda: (r, u, least)
            )
        none = jnp.zeros((), jnp.int64)
        counts = (none,) * 3
        return _Iterate(r, u, r, least, r, least, *counts, jnp.ones(()))

    def goes_on(self, now: _Iterate) -> Any:
        """Whether another step is worth it."""
        missed = now.least > ROUNDING * self.speed
        is_near = now.least <= NEAR * self.speed
        return (now.count < STEPS) & missed & ~(is_near & (now.stalls > 0))

    def improved(self, now: _Iterate) -> _Iterate:
        """The next iterate: Newton's, from sweeps where a start has failed."""
        fails = (now.since >= NEWTON) & (now.least > NEAR * self.speed)
        return self.step(lax.cond(fails, self._anew, lambda now: now, now))

    def _anew(self, now: _Iterate) -> _Iterate:
        # Sweeps go on where the last ones stopped, if steps since have gained nothing.
        has_gained = now.least < 0.5 * now.mark
        growth = jnp.minimum(GROWTH * now.growth, MOST)
        r = _swept(self, lax.cond(has_gained, lambda: now.best, lambda: now.swept))
        u = self.velocity(self.change(r))
        least = self.missed(r, u)
        better = least < now.least
        return now._replace(
            r=r,
            u=u,
            best=lax.cond(better, lambda: r, lambda: now.best),
            least=jnp.where(better, least, now.least),
            swept=r,
            mark=jnp.where(better, least, now.least),
            since=jnp.zeros_like(now.since),
            stalls=jnp.zeros_like(now.stalls),
            growth=jnp.where(has_gained, 1.0, growth),
        )

    def residuals(self, r: Array, u: Array) -> Any:
        """What is missed (n,), m/s, by the natural map of the cone."""
        own = self.problem

        def one(_: Any, row: Any) -> Any:
            return (), natural_map(*(x[None] for x in row))[1][0]

        rows = (r, u, own.friction, self.rho)
        return for_active(own.is_active, one, (), rows)[1]

    def missed(self, r: Array, u: Array, way: Any = None, length: Any = 0.0) -> Any:
        """The most of it, at r and u or some length along a way (dr, du) from there."""
        own = self.problem
        dr, du = (r, u) if way is None else way

        def one(most: Any, row: Any) -> Any:
            r, u, dr, du, mu, rho = row
            there = (r, u) if way is None else (r + length * dr, u + length * du)
            found = natural_map(*(x[None] for x in (*there, mu, rho)))[1][0]
            return jnp.maximum(most, found), ()

        rows = (r, u, dr, du, own.friction, self.rho)
        return for_active(own.is_active, one, jnp.zeros(()), rows)[0]

    def step(self, now: _Iterate) -> _Iterate:
        """Newton's step, halved where that misses less."""
        grown = self._replace(proximal=now.growth * self.proximal)
        way = _newton(grown, now.r, now.u)

        def halved(whole: Any) -> tuple[Any, Any]:
            lengths = jnp.array(HALVINGS[1:])
            best = (jnp.ones(()), whole)

            def one(best: Any, a: Array) -> tuple[Any, None]:
                found = self.missed(now.r, now.u, way, a)
                is_better = found < best[1]
                pair = ((a, best[0]), (found, best[1]))
                return tuple(jnp.where(is_better, x, y) for x, y in pair), None

            return scanned(one, best, lengths)[0]

        whole = self.missed(now.r, now.u, way, 1.0)
        a, least = lax.cond(
            whole < now.least, lambda whole: (jnp.ones(()), whole), halved, whole
        )
        better = least < now.least

        def one(_: Any, row: Any) -> Any:
            r, u, dr, du, best = row
            r = r + a * dr
            return (), (r, u + a * du, jnp.where(better, r, best))

        rows = (now.r, now.u, *way, now.best)
        r, u, best = for_active(self.problem.is_active, one, (), rows)[1]
        return now._replace(
            r=r,
            u=u,
            best=best,
            least=jnp.where(better, least, now.least),
            count=now.count + 1,
            since=now.since + 1,
            stalls=jnp.where(better, 0, now.stalls + 1),
        )


def _newton(held: _Sized, r: Any, u: Any) -> tuple[Any, Any]:
    """dr and du (n, 3) of Newton's step; what it leaves is solved for once more."""
    own = held.problem
    on, speeds = own.is_active, own.couplings.speeds
    sized = (r, u, own.friction, held.rho)
    solve, f, pressed = _matrix(held, sized)

    def answer(f: Any, rights: Any) -> tuple[Any, Any]:
        """dr, and the change of speeds that they make."""
        v = _longer(solve(f))

        def one(p: Any, row: Any) -> Any:
            J, applied, speeds, Q, right = row
            dr = right - Q @ (J @ v[speeds])
            return p.at[speeds].add(dr @ applied), dr

        rows = (own.jacobian, own.applied, speeds, pressed, rights)
        p, dr = for_active(on, one, held._none, rows)
        return dr, own.solve(p[:-1])

    dr, moved = answer(f[0], f[1])
    moved = _longer(moved)

    def left(f: Any, row: Any) -> Any:
        J, applied, speeds, dr, *sizes = row
        inverse, B, C, b = _blocks(held, *sizes)
        du = J @ moved[speeds]
        right = inverse @ (b - B @ dr - C @ du)
        return f.at[speeds].add(right @ applied), (du, right)

    rows = (own.jacobian, own.applied, speeds, dr, *sized)
    f, (du, rights) = for_active(on, left, held._none, rows)
    more, further = answer(f[:-1], rights)
    further = _longer(further)

    def both(is_sound: Any, row: Any) -> Any:
        J, speeds, dr, more, du = row
        whole = dr + more, du + J @ further[speeds]
        return is_sound & jnp.all(jnp.isfinite(whole[0])), whole

    steps = (own.jacobian, speeds, dr, more, du)
    is_sound, (dr, du) = for_active(on, both, jnp.array(True), steps)
    return lax.cond(
        is_sound, lambda: (dr, du), lambda: (jnp.zeros_like(r), jnp.zeros_like(u))
    )


def _blocks(
    held: _Sized, r: Any, u: Any, mu: Any, rho: Any
) -> tuple[Any, Any, Any, Any]:
    """B'^-1, B, C and b of one contact that is active."""
    sized = r[None], u[None], mu[None], rho[None]
    B, C, b = (x[0] for x in newton_blocks(*sized, jnp.ones(1, bool)))
    return inverse_blocks((B + held.proximal * C)[None])[0], B, C, b


def _matrix(held: _Sized, sized: Any) -> tuple[Solver, tuple[Any, Any], Any]:
    """f -> v, the right sides f (k,) and by contact (n, 3), and Q (n, 3, 3)."""
    own = held.problem
    k = own.inertia.shape[0]
    size = SIDE * (k // SIDE + 1)
    blocks, first = _block_tables(own.couplings, k)

    def assembled(total: Any, row: Any) -> Any:
        K, flags, f = total
        J, applied, speeds, near, *sizes = row
        inverse, _, C, b = _blocks(held, *sizes)
        Q, right = inverse @ C, inverse @ b
        K = K.at[speeds[:, None], speeds].add(applied.T @ (Q @ J))
        flags = flags.at[near[:, None], near].set(True)
        return (K, flags, f.at[speeds].add(right @ applied)), (Q, right)

    rows = (own.jacobian, own.applied, own.couplings.speeds, blocks, *sized)
    start = (jnp.zeros((size, size)), jnp.asarray(first), held._none)
    (K, flags, f), (Q, rights) = for_active(own.is_active, assembled, start, rows)
    few = eliminated(_Sum(K, own.inertia), own.couplings.whole)
    if few is not None:
        return few, (f[:-1], rights), Q
    entered = _entered(K, own.inertia, own.couplings.mass)
    whole = eliminated_in_blocks(entered, flags)

    def solve(f: Any) -> Any:
        return whole(jnp.concatenate([f, jnp.zeros(size - k)]))[:k]

    return solve, (f[:-1], rights), Q


def _swept(held: _Sized, r: Array) -> Any:
    """Sweeps of Gauss and Seidel over the contacts."""
    own = held.problem
    on, couplings = own.is_active, own.couplings

    def response(_: Any, row: Any) -> Any:
        applied, J, speeds, felt = row
        X = responses(own.solve, own.inertia.shape[0], applied, speeds)
        W = jnp.stack([J @ x[speeds] for x in X], axis=1)
        normal, across = W[0, 0], W[1, 1] + W[2, 2]
        sizes = jnp.stack([normal, across])
        return (), (X[:, felt], W[:, 0], jnp.where(sizes > 0, sizes, 1.0))

    rows = (own.applied, own.jacobian, couplings.speeds, couplings.felt)
    X, pushed, sizes = for_active(on, response, (), rows)[1]

    def one(v: Any, row: Any) -> tuple[Any, Any]:
        J, speeds, felt, X, pushed, sizes, q, mu, r = row
        u = J @ v[speeds] + q
        push = jnp.maximum(0.0, r[0] - u[0] / sizes[0])
        u = u + pushed * (push - r[0])
        y = r[1:] - u[1:] / sizes[1]
        size = jnp.sqrt(jnp.sum(y * y))
        share = jnp.minimum(1.0, mu * push / jnp.where(size > 0, size, 1.0))
        new = jnp.concatenate([push[None], share * y])
        return v.at[felt].add((new - r) @ X), new

    fixed = (own.jacobian, couplings.speeds, couplings.felt)
    given = (*fixed, X, pushed, sizes, own.free, own.friction)

    def sweep(_: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        v, r = for_active(on, one, state[1], (*given, state[0]))
        return r, v

    return for_rows(SWEEPS, sweep, (r, _longer(held.change(r))))[0]


class _Sum:
    """K + M' where it is read."""

    def __init__(self, K: Array, M: Array):
        self.parts = K, M

    def __getitem__(self, places: Any) -> Any:
        K, M = self.parts
        return K[places] + M[places]


def _longer(v: Array) -> Any:
    """A speed more, of nothing: rows that have fewer speeds read it."""
    return jnp.concatenate([v, jnp.zeros(1)])


def responses(solve: Solver, count: int, applied: Any, speeds: Array) -> Any:
    """(m, count + 1): M'^-1 times each of some rows (m, L) over few of all speeds."""
    none = jnp.zeros(count + 1)

    def one(_: Any, row: Any) -> Any:
        return None, _longer(solve(none.at[speeds].add(row)[:-1]))

    return scanned(one, None, applied)[1]


def _mass(problem: SparseProblem, J: Array, applied: Any, speeds: Array) -> Any:
    """3 / the trace of W_ii, kg."""
    X = responses(problem.solve, problem.inertia.shape[0], applied, speeds)
    trace = jnp.sum(J * X[:, speeds])
    return 3.0 / jnp.where(trace > 0, trace, 1.0)


def _block_tables(couplings: Couplings, k: int) -> tuple[np.ndarray, np.ndarray]:
    """By candidate the blocks of its speeds (n, b), and those of M' (m, m)."""
    m = k // SIDE + 1
    each = [sorted({int(s) // SIDE for s in row if s < k}) for row in couplings.speeds]
    widest = max(map(len, each))
    # A block twice is no harm.
    blocks = np.array([own + own[-1:] * (widest - len(own)) for own in each])
    first = np.eye(m, dtype=bool)
    i, j = np.nonzero(couplings.mass)
    first[i // SIDE, j // SIDE] = True
    return blocks, first


def _entered(K: Array, M: Array, mass: np.ndarray) -> Any:
    """K + M', and ones where there are no speeds, in a loop over the entries."""
    k, size = M.shape[0], K.shape[0]
    i, j = np.nonzero(mass)
    rest = np.arange(k, size)
    values = jnp.concatenate([M[i, j], np.ones(size - k)])
    places = np.concatenate([i, rest]), np.concatenate([j, rest])

    def one(K: Any, row: Any) -> tuple[Any, None]:
        i, j, value = row
        return K.at[i, j].add(value), None

    return scanned(one, K, (*places, values))[0]
