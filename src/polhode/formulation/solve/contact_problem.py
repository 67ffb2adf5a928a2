r"""Impulses of n contacts with Coulomb's friction: the exact cone, by Newton's steps.

    u = W r + q,      K_i  \ni  r_i   _|_   u_i + mu |u_T| n   \in  K_i*

r_i = (N, T1, T2) of contact i, K_i: |T| <= mu N. Restitution is part of q. W = J X with
X = M^-1 J^T is never decided upon: it may be singular (four legs), and then proximal
steps share the load about evenly.

Newton's step on the equations of Alart and Curnier has rows, for each contact,

    B dr + C (W + e) dr = b

with blocks (3, 3) that say open, sticks or slides; e, a share of W, makes it regular,
and as it is centred on the iterate it moves no solution. Either the 3n unknowns are
eliminated, or where speeds are fewer, v = X dr:

    (M + J^T B'^-1 C J) v = J^T B'^-1 b,      B' = B + e C

Steps are halved where they do not help, the best iterate is kept, and where Newton's
iteration fails sweeps of Gauss and Seidel make another start for it. Restitutions of
contacts that wedge each other may contradict: what is not solved is solved without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar, scanned
from polhode.formulation.solve.row_elimination import eliminated_in_order, for_rows

PROXIMAL = 1e-7  # of the mean diagonal of W
NEWTON = 16  # steps from one start
HALVINGS = (1.0, 0.5, 0.25, 0.125)
LAGS = 3  # sweeps over what speeds lag behind
# Then starts of steps that are not halved: from the best, from no impulses, from the
# best without sweeps; without restitution from none, twice as long, and from the best.
START = 30
STEPS = NEWTON + 6 * START
# A step has failed that leaves more of what is missed.
GAIN = 0.9
# Of what is missed over the largest impulse: their proximal term, after so many steps
# that failed, and of it without sweeps. Of the mean diagonal of W: it at most.
TERMS, FEWER, MOST = 0.3 * 1.25 ** np.arange(START), 0.1, 1e-2
# Sweeps before a start at first and later. After a step that has failed there are
# `MORE`, then more, up to `ROUND` times as many, and then few again: what many lead
# back to is left by few.
FIRST, AGAIN, MORE, ROUND = 40, 100, 5, 7
# Iterations stop at this share of the largest velocity: the next would be rounding.
ROUNDING = 1e-13
# Above this share Newton's iteration has failed, and sweeps are tried.
ENOUGH = 1e-10
TINY = 1e-300


class ContactProblem(NamedTuple):
    """What is given of n contacts.

    jacobian     J (n, 3, k)   u = J v + q of k speeds v; rows normal, tangents
    response     X (n, k, 3)   v = sum_i X_i r_i; asked of active contacts alone
    inertia      M (k, k), or None where speeds are not to be eliminated
    applied      J (n, 3, k)   M X = J^T: J, or where impulses are applied a half step
                               before u is asked, the one from there
    free         q (n, 3)      u without impulses; restitution added to its normal part
    friction     mu (n,)
    is_active    (n,) bool     others bear nothing
    rebound      (n,)          what restitution adds to the normal part of q
    lag          (n, 3)        what q should have besides, see `caught_up`
    """

    jacobian: Any
    response: Any
    inertia: Any
    applied: Any
    free: Any
    friction: Any
    is_active: Any
    rebound: Any = 0.0
    lag: Any = None


class ContactSolution(NamedTuple):
    """Impulses r (n, 3), N s; velocities u (n, 3), m/s; what is missed; iterations.

    u is J v + q without the part of restitution.
    residual (n,) is |r - P_K(r - rho (u + mu |u_T| n))|/rho, m/s.
    change (k,) of speeds, X r. mass (n,) is rho = 3 / the trace of W_ii, kg.
    """

    impulse: Any
    velocity: Any
    residual: Any
    iterations: Any
    change: Any
    mass: Any


def delassus_problem(W: Array, q: Array, mu: Any, is_active: Any) -> ContactProblem:
    """The problem of a given W (3n, 3n) and q (n, 3)."""
    n = mu.shape[0]
    J = jnp.eye(3 * n).reshape(n, 3, 3 * n)
    X = jnp.swapaxes(jnp.asarray(W).reshape(3 * n, n, 3), 0, 1)
    given = (jnp.asarray(x) for x in (q, mu, is_active))
    return ContactProblem(J, X, None, J, *given)


def solve_contacts(problem: ContactProblem, guess: Any) -> ContactSolution:
    """The impulses of a problem from a guess (n, 3); traced."""
    given = ContactProblem(*(x if x is None else jnp.asarray(x) for x in problem))
    rebound = jnp.broadcast_to(given.rebound, given.friction.shape)
    given = given._replace(is_active=given.is_active != 0, rebound=rebound)
    if given.lag is not None:
        given = caught_up(given)
    held = _Scaled.of(given)
    found = lax.while_loop(held.goes_on, held.improved, held.first(guess))
    v = held.change(found.best)
    u = given.free + given.jacobian @ v
    _, missed = held.residual(found.best, u.at[:, 0].add(found.keeps * rebound))
    return ContactSolution(found.best, u, missed, found.count, v, held.rho)


def caught_up(problem: ContactProblem) -> ContactProblem:
    """With J d of a change of speeds d for which it is about the lag; by sweeps.

    What is added to q is what speeds can give, to the last digit: impulses of contacts
    that wedge each other can do nothing against anything else.
    """
    J, X, on = problem.jacobian, problem.response, problem.is_active
    own = jnp.sum(J * jnp.swapaxes(X, 1, 2), axis=2)  # the diagonals of W_ii
    own = jnp.where(own > 0, own, 1.0)

    def one(d: Any, row: Any) -> tuple[Any, Any]:
        J, X, own, lag = row
        return d + X @ ((lag - J @ d) / own), ()

    def sweep(_: Any, d: Any) -> Any:
        return for_active(on, one, d, (J, X, own, problem.lag))[0]

    d = for_rows(LAGS, sweep, jnp.zeros(X.shape[1]))
    return problem._replace(free=problem.free + J @ d, lag=None)


class Regular(NamedTuple):
    """The proximal term of a step, and how much of what it leaves is solved for."""

    term: Any
    share: Any


class _Iterate(NamedTuple):
    """Of the iteration: now, the best so far; what they miss.

    u              of r, where contacts are active
    count, fails   steps in all, and those of a start that gained nothing
    stalls         steps since the last that missed less than all before
    sweeps         how many come next
    keeps          1 of restitution, 0 where it is dropped
    """

    r: Any
    u: Any
    missed: Any
    best: Any
    least: Any
    count: Any
    fails: Any
    stalls: Any
    sweeps: Any
    keeps: Any


class _Scaled(NamedTuple):  # limit: one iteration, its starts, sweeps and steps
    """A problem with its sizes: rho (n,), the proximal term e, and a speed, m/s."""

    problem: ContactProblem
    rho: Any
    proximal: Any
    speed: Any

    @classmethod
    def of(cls, problem: ContactProblem) -> _Scaled:
        J, X, q, on = (
            problem.jacobian,
            problem.response,
            problem.free,
            problem.is_active,
        )
        own = jnp.sum(J * jnp.swapaxes(X, 1, 2), axis=(1, 2))  # the trace of W_ii
        own = jnp.where(own > 0, own, 1.0)
        count = jnp.maximum(jnp.sum(on), 1)
        mean = jnp.sum(jnp.where(on, own, 0.0)) / (3.0 * count)
        speed = jnp.max(jnp.abs(jnp.where(on[:, None], q, 0.0)), initial=0.0)
        return cls(problem, 3.0 / own, PROXIMAL * mean + TINY, speed + TINY)

    def change(self, r: Array) -> Any:
        """v = X r (k,)"""
        X, on = self.problem.response, self.problem.is_active

        def added(v: Array, row: Any) -> Any:
            X, r = row
            return v + X @ r, ()

        return for_active(on, added, jnp.zeros(X.shape[1]), (X, r))[0]

    def velocity(self, r: Array) -> Any:
        """u = J X r + q, restitution added"""
        own = self.problem
        u = own.free + own.jacobian @ self.change(r)
        return u.at[:, 0].add(own.rebound)

    def first(self, guess: Any) -> _Iterate:
        """The better of a guess and no impulses, before the first step."""
        r = jnp.zeros_like(self.problem.free)
        u = self.problem.free.at[:, 0].add(self.problem.rebound)
        least, _ = self.residual(r, u)
        if guess is not None:
            near = jnp.where(self.problem.is_active[:, None], guess, 0.0)
            moving = self.velocity(near)
            left, _ = self.residual(near, moving)
            pairs = ((near, r), (moving, u), (left, least))
            r, u, least = (jnp.where(left < least, a, b) for a, b in pairs)
        none = jnp.zeros((), jnp.int64)
        start = r, u, least, r, least
        return _Iterate(*start, none, none, none, none, jnp.ones(()))

    def goes_on(self, now: _Iterate) -> Any:
        """Whether another step is worth it."""
        missed = now.least > ROUNDING * self.speed
        # Near the solution steps that gain nothing have met rounding.
        is_near = now.least <= ENOUGH * self.speed
        return (now.count < STEPS) & missed & ~(is_near & (now.stalls > 0))

    def improved(self, now: _Iterate) -> _Iterate:
        """The next iterate: Newton's, from a new start where that has failed."""
        later = now.count - NEWTON
        is_start = (later >= 0) & (later % START == 0) & (later != 4 * START)
        now = lax.cond(is_start, self._again, lambda now: now, now)
        own = self.keeping(now.keeps)
        return own.step(lax.cond(now.sweeps > 0, own._swept, lambda now: now, now))

    def keeping(self, share: Any) -> _Scaled:
        """With all of restitution, 1, or none of it, 0."""
        rebound = share * self.problem.rebound
        return self._replace(problem=self.problem._replace(rebound=rebound))

    def _again(self, now: _Iterate) -> _Iterate:
        """The next start."""
        k = (now.count - NEWTON) // START
        is_anew, is_dropped = (k == 1) | (k == 3), k == 3
        r = jnp.where(is_anew, 0.0, now.best)
        keeps = jnp.where(is_dropped, 0.0, now.keeps)
        own = self.keeping(keeps)
        u = own.velocity(r)
        missed, _ = own.residual(r, u)
        # What is best with restitution says nothing without it.
        best = jnp.where(is_dropped, r, now.best)
        least = jnp.where(is_dropped, missed, now.least)
        none = jnp.zeros_like(now.count)
        sweeps = jnp.where(k == 0, none + FIRST, jnp.where(is_anew, none + AGAIN, none))
        start = r, u, missed, best, least
        return _Iterate(*start, now.count, none, none, sweeps, keeps)

    def _swept(self, now: _Iterate) -> _Iterate:
        r = self.swept(now.r, now.sweeps)
        u = self.velocity(r)
        missed, _ = self.residual(r, u)
        better = missed < now.least
        best = jnp.where(better, r, now.best)
        least = jnp.where(better, missed, now.least)
        return now._replace(r=r, u=u, missed=missed, best=best, least=least)

    def residual(self, r: Array, u: Array) -> tuple[Any, Any]:
        """What is missed, m/s, by the natural map of the cone: at most, and (n,)."""
        mu, rho = self.problem.friction, self.rho

        def one(most: Any, row: Any) -> Any:
            _, (missed,) = natural_map(*(x[None] for x in row))
            return jnp.maximum(most, missed), missed

        return for_active(self.problem.is_active, one, jnp.zeros(()), (r, u, mu, rho))

    def step(self, now: _Iterate) -> _Iterate:
        """Newton's step; of the first start it is halved where that misses less."""
        J, M, u = self.problem.jacobian, self.problem.inertia, now.u
        has_few_speeds = M is not None and J.shape[2] < 3 * J.shape[0]
        eliminated = self._speeds_eliminated if has_few_speeds else self._eliminated
        later, k = now.count >= NEWTON, (now.count - NEWTON) // START
        is_alone = later & ((k == 2) | (k == 5))
        share = lax.dynamic_index_in_dim(
            jnp.asarray(TERMS), jnp.minimum(now.fails, START - 1), keepdims=False
        )
        share = jnp.where(is_alone, FEWER, 1.0) * share
        term = share * now.missed / jnp.maximum(jnp.max(jnp.abs(now.r)), TINY)
        most = MOST / PROXIMAL * self.proximal
        term = jnp.where(later, jnp.clip(term, self.proximal, most), self.proximal)
        dr, du = eliminated(now.r, u, Regular(term, jnp.where(later, 0.0, 1.0)))
        is_sound = jnp.all(jnp.isfinite(dr))
        dr, du = jnp.where(is_sound, dr, 0.0), jnp.where(is_sound, du, 0.0)

        def missed(a: Any) -> Any:
            return self.residual(now.r + a * dr, u + a * du)[0]

        def halved(whole: Any) -> tuple[Any, Any]:
            misses = jnp.stack([whole, *(missed(a) for a in HALVINGS[1:])])
            # Of equal ones the longest step.
            return jnp.array(HALVINGS)[jnp.argmin(misses)], jnp.min(misses)

        whole = missed(1.0)
        a, least = lax.cond(
            (whole < now.least) | later,
            lambda whole: (jnp.ones(()), whole),
            halved,
            whole,
        )
        r = now.r + a * dr
        better, fails = least < now.least, later & ~(least < GAIN * now.missed)
        sweeps = MORE * (1 + (now.fails + 1) % ROUND)
        return now._replace(
            r=r,
            u=u + a * du,
            missed=least,
            best=jnp.where(better, r, now.best),
            least=jnp.where(better, least, now.least),
            count=now.count + 1,
            fails=now.fails + fails,
            stalls=jnp.where(better, 0, now.stalls + 1),
            sweeps=jnp.where(fails & ~is_alone, sweeps, 0),
        )

    def _eliminated(self, r: Array, u: Array, how: Regular) -> tuple[Any, Any]:
        """dr (n, 3) of Newton's step on Alart's and Curnier's equations, and W dr.

        What the proximal term has left of a step is solved for once more, with the
        same elimination: else each step would miss by its share, and cost another.
        `how` is the term, and how much of what it leaves is solved for.
        """
        J, X, _, _, _, mu, on = self.problem[:7]
        n, (term, share) = J.shape[0], how
        B, C, b = newton_blocks(r, u, mu, self.rho, on)
        # Blocks of C W, contact by contact: (n, 3, n, 3).
        CW = jnp.einsum("iak,jkb->iajb", C @ J, X).reshape(3 * n, 3 * n)
        whole = eliminated_in_order(CW + _block_diagonal(B + term * C))

        def solve(b: Array) -> tuple[Any, Any]:
            dr = whole(b.reshape(-1)).reshape(n, 3)
            return dr, J @ self.change(dr)

        dr, du = solve(b)
        more, further = solve(b - _times(B, dr) - _times(C, du))
        return dr + share * more, du + share * further

    def _speeds_eliminated(self, r: Array, u: Array, how: Regular) -> tuple[Any, Any]:
        """The same by the k speeds, in loops over the contacts that are active.

        The change of speeds that is found is that of an inertia with stiff supports:
        it gives dr, and W dr is found from that, to rounding.
        """
        J, X, M, applied, _, mu, on = self.problem[:7]
        term, share = how

        def assembled(total: Any, row: Any) -> Any:
            J, applied = row[:2]
            r, u, mu, rho = (x[None] for x in row[2:])
            blocks = newton_blocks(r, u, mu, rho, jnp.ones(1, bool))
            B, C, b = (x[0] for x in blocks)
            inverse = inverse_blocks((B + term * C)[None])[0]
            CJ, right = (inverse @ C) @ J, inverse @ b
            K, f = total
            total = K + applied.T @ CJ, f + applied.T @ right
            return total, (CJ, right, inverse, B, C, b)

        start = M, jnp.zeros(M.shape[0])
        given = (J, applied, r, u, mu, self.rho)
        (K, f), found = for_active(on, assembled, start, given)
        CJ, right, inverse, B, C, b = found
        few, none = eliminated_in_order(K), jnp.zeros(M.shape[0])

        def pressed(f: Any, right: Any) -> tuple[Any, Any]:
            v = few(f)

            def one(moved: Any, row: Any) -> Any:
                X, CJ, right = row
                dr = right - CJ @ v
                return moved + X @ dr, dr

            return for_active(on, one, none, (X, CJ, right))

        moved, dr = pressed(f, right)

        def left(f: Any, row: Any) -> Any:
            J, applied, inverse, B, C, b, dr = row
            du = J @ moved
            right = inverse @ (b - B @ dr - C @ du)
            return f + applied.T @ right, (du, right)

        rows = (J, applied, inverse, B, C, b, dr)
        f, (du, right) = for_active(on, left, none, rows)
        further, more = pressed(f, right)

        def added(row: Any) -> Any:
            return row[1] + share * (row[0] @ further)

        return dr + share * more, each_active(on, added, (J, du))

    def swept(self, r: Array, count: Any) -> Any:
        """Sweeps of Gauss and Seidel over the contacts."""
        J, X, _, _, q, mu, on, rebound = self.problem[:8]
        q = q.at[:, 0].add(rebound)
        own = J @ X  # W_ii (n, 3, 3)
        normal = jnp.where(own[:, 0, 0] > 0, own[:, 0, 0], 1.0)
        across = own[:, 1, 1] + own[:, 2, 2]
        across = jnp.where(across > 0, across, 1.0)

        def one(v: Any, row: Any) -> tuple[Any, Any]:
            (J, X, q, mu), (own, normal, across), r = row
            u = J @ v + q
            push = jnp.maximum(0.0, r[0] - u[0] / normal)
            u = u + own[:, 0] * (push - r[0])
            y = r[1:] - u[1:] / across
            size = _length(y[None])[0]
            share = jnp.minimum(1.0, mu * push / jnp.where(size > 0, size, 1.0))
            new = jnp.concatenate([push[None], share * y])
            return v + X @ (new - r), new

        def sweep(state: Any) -> Any:
            left, r, v = state
            rows = ((J, X, q, mu), (own, normal, across), r)
            v, r = for_active(on, one, v, rows)
            return left - 1, r, v

        start = (count, r, self.change(r))
        return lax.while_loop(lambda state: state[0] > 0, sweep, start)[1]


def each_active(on: Any, one: Callable[..., Any], rows: Any) -> Any:
    """`one(row)` of the contacts that are active, and zeros of others, in a loop."""
    return for_active(on, lambda state, row: (state, one(row)), (), rows)[1]


def for_active(on: Any, one: Callable[..., Any], start: Any, rows: Any) -> Any:
    """`one(state, row) -> (state, result)` in a loop over the contacts that are active.

    Others leave the state as it is and give zeros: what is open costs a look.
    """

    def turn(state: Any, given: Any) -> Any:
        is_active, row = given
        _, result = jax.eval_shape(one, state, row)
        nothing = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), result)
        return lax.cond(is_active, one, lambda state, _: (state, nothing), state, row)

    return scanned(turn, start, (on, rows))


def newton_blocks(
    r: Array, u: Array, mu: Any, rho: Any, is_active: Any
) -> tuple[Any, Any, Any]:
    """B, C (n, 3, 3) and b (n, 3) of B dr + C W dr = b.

    open      dr = -r
    closed    rho (W dr)_N = -rho u_N
    sticks    rho (W dr)_T = -rho u_T
    slides    T - mu y_N d = 0,  d = y_T/|y_T|,  y = r - rho u
    """
    y = r - rho[:, None] * u
    size = _length(y[:, 1:])
    safe = jnp.where(size > 0, size, 1.0)
    d = y[:, 1:] / safe[:, None]
    radius = mu * jnp.maximum(y[:, 0], 0.0)
    is_closed = is_active & (y[:, 0] > 0)
    sticks = (is_closed & (size <= radius))[:, None, None]
    share = (radius / safe)[:, None, None]
    one = jnp.eye(2)
    across = share * (one - d[:, :, None] * d[:, None, :])
    pushed = mu[:, None, None] * d[:, :, None]
    closed, rate = is_closed[:, None, None], rho[:, None, None]
    B_T = jnp.where(sticks, 0.0, jnp.where(closed, one - across, one))
    C_T = jnp.where(sticks, one, jnp.where(closed, across, 0.0)) * rate
    B_TN = jnp.where(sticks | ~closed, 0.0, -pushed)
    C_TN = jnp.where(sticks | ~closed, 0.0, pushed) * rate
    zero = jnp.zeros_like(B_TN)
    B_N = jnp.where(closed, 0.0, 1.0)
    C_N = jnp.where(closed, rate, 0.0)
    B, C = (
        jnp.concatenate(
            [
                jnp.concatenate([N, jnp.swapaxes(zero, 1, 2)], axis=2),
                jnp.concatenate([TN, T], axis=2),
            ],
            axis=1,
        )
        for N, TN, T in ((B_N, B_TN, B_T), (C_N, C_TN, C_T))
    )
    b_N = jnp.where(is_closed, -rho * u[:, 0], -r[:, 0])
    slid = -(r[:, 1:] - radius[:, None] * d)
    b_T = jnp.where(sticks[:, 0], -rho[:, None] * u[:, 1:], slid)
    b_T = jnp.where(is_closed[:, None], b_T, -r[:, 1:])
    return B, C, jnp.concatenate([b_N[:, None], b_T], axis=1)


def law_defect(r: Array, u: Array, mu: Any, rho: Any, is_active: Any) -> Any:
    """r - p (n, 3), whose Jacobian has the blocks of `newton_blocks`.

    p_N = max(0, y_N),  |p_T| <= mu p_N on the way of y_T,  y = r - rho u
    """
    y = r - rho[:, None] * u
    is_closed = is_active & (y[:, 0] > 0)
    push = jnp.where(is_closed, y[:, 0], 0.0)
    square = jnp.sum(y[:, 1:] ** 2, axis=1)
    slides = square > (mu * push) ** 2
    share = jnp.where(slides, mu * push / jnp.sqrt(jnp.where(slides, square, 1.0)), 1.0)
    share = jnp.where(is_closed, share, 0.0)
    return r - jnp.concatenate([push[:, None], share[:, None] * y[:, 1:]], axis=1)


def natural_map(r: Array, u: Array, mu: Scalar, rho: Any) -> tuple[Any, Any]:
    """P_K(r - rho (u + mu |u_T| n)) (n, 3), of a solution r; how far from r, /rho."""
    lifted = u[:, 0] + mu * _length(u[:, 1:])
    y = r - rho[:, None] * jnp.concatenate([lifted[:, None], u[:, 1:]], axis=1)
    found = onto_cone(y, mu)
    return found, _norm3(r - found) / rho


def onto_cone(y: Array, mu: Scalar) -> Any:
    """The nearest points (n, 3) of the cones |T| <= mu N."""
    push, size = y[:, 0], _length(y[:, 1:])
    inside, below = size <= mu * push, mu * size <= -push
    edge = (push + mu * size) / (1.0 + mu * mu)
    along = mu * edge / jnp.where(size > 0, size, 1.0)
    shadow = jnp.concatenate([edge[:, None], along[:, None] * y[:, 1:]], axis=1)
    kept = jnp.where(inside[:, None], y, shadow)
    return jnp.where((below & ~inside)[:, None], 0.0, kept)


def _length(pairs: Any) -> Any:
    """|x| of (n, 2)."""
    return jnp.sqrt(pairs[:, 0] * pairs[:, 0] + pairs[:, 1] * pairs[:, 1])


def _norm3(x: Array) -> Any:
    return jnp.sqrt(jnp.sum(x * x, axis=1))


def inverse_blocks(B: Array) -> Any:
    """Of blocks [[a, 0], [c, D]] (n, 3, 3)."""
    a, c, D = B[:, 0, 0], B[:, 1:, 0], B[:, 1:, 1:]
    det = D[:, 0, 0] * D[:, 1, 1] - D[:, 0, 1] * D[:, 1, 0]
    turned = jnp.stack(
        [
            jnp.stack([D[:, 1, 1], -D[:, 0, 1]], axis=1),
            jnp.stack([-D[:, 1, 0], D[:, 0, 0]], axis=1),
        ],
        axis=1,
    )
    inner = turned / det[:, None, None]
    left = -(inner @ c[:, :, None]) / a[:, None, None]
    top = jnp.concatenate([1.0 / a[:, None, None], jnp.zeros((a.shape[0], 1, 2))], 2)
    return jnp.concatenate([top, jnp.concatenate([left, inner], axis=2)], axis=1)


def _block_diagonal(B: Array) -> Any:
    n = B.shape[0]
    spread = jnp.eye(n)[:, None, :, None] * B[:, :, None, :]
    return spread.reshape(3 * n, 3 * n)


def _times(blocks: Any, x: Array) -> Any:
    """Blocks (n, 3, 3) times x (n, 3)."""
    return (blocks @ x[:, :, None])[..., 0]
