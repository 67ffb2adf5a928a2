r"""Impacts inside a compiled loop: velocities after contacts have struck.

As `collide`, in shapes that never change: contacts that do not touch have rows of their
own and no impulse. One contact goes along Routh's path; several strike at once, by
Alart and Curnier's semismooth Newton with a proximal term, or one after the other.
Where Newton's iteration does not arrive the host is asked (`is_good`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.formulation.contact.collide import SEQUENCE, STILL
from polhode.formulation.contact.held_forces import refined_solution
from polhode.formulation.contact.routh_traced import (
    AT_ONCE,
    BASE,
    MOST_PHASES,
    SETTLING,
    Law,
    routh_path,
)

# Newton's iterations, halvings of one, and how many may pass without a better iterate.
ITERATIONS, HALVINGS, PATIENCE = 80, 6, 4
PROXIMAL = 1e-9
# Of the velocities: residuals at which it stops, and that are good enough.
EXACT, ENOUGH = 1e-15, 1e-10


class TracedStruck(NamedTuple):
    """As `collide.Struck`; phases are digits of a number (see `routh_traced`)."""

    velocity: Any
    impulse: Any
    push: Any
    friction: Any
    phases: Any
    is_good: Any


class TracedLaws(NamedTuple):
    """As `collide.Laws`: (n,) each."""

    dynamic: Any
    static: Any
    restitution: Any
    law: Any


class ImpactOrder(NamedTuple):
    """How several contacts strike, by its name; what settles stops at once."""

    name: str
    settles: Any


def collide_traced(
    W: Array, u: Array, laws: TracedLaws, touching: Any, order: ImpactOrder
) -> TracedStruck:
    """The impact of all contacts that touch; one alone goes along Routh's path."""
    if order.name == "in sequence":
        return _in_sequence(W, u, laws, touching)
    if len(u) == 1:
        return _routh(W, u, laws, jnp.ones(1, bool))
    speed = jnp.max(jnp.where(touching[:, None], jnp.abs(u), 0.0))
    approaching = touching & (u[:, 0] < -STILL * speed)
    is_it = approaching & (jnp.cumsum(approaching) == 1)

    def alone(_: object) -> TracedStruck:
        return _routh(W, u, laws, is_it)

    def many(_: object) -> TracedStruck:
        return simultaneous_traced(W, u, laws, touching)

    is_alone = (jnp.sum(approaching) == 1) & ~order.settles
    first = TracedStruck(*lax.cond(is_alone, alone, _nothing(u), None))
    others = touching & ~is_it
    after = first.velocity
    # Other contacts that the impact lifts, or leaves, take no part in it.
    driven = others & (after[:, 0] < -STILL * speed)
    stays = jnp.abs(after[:, 0]) <= STILL * speed
    changed = jnp.max(jnp.abs(after[:, 1:] - u[:, 1:]), axis=1) > STILL * speed
    drags = others & stays & changed & (laws.dynamic > 0)
    is_free = is_alone & ~jnp.any(driven | drags)
    return TracedStruck(*lax.cond(is_free, lambda _: first, many, None))


def _nothing(u: Array) -> Any:
    none = jnp.zeros(len(u))
    nothing = TracedStruck(
        u, jnp.zeros_like(u), none, none, jnp.zeros(()), jnp.array(True)
    )
    return lambda _: nothing


def _routh(W: Array, u: Array, laws: TracedLaws, is_it: Any) -> TracedStruck:
    """An impact at one contact alone, which `is_it` (n,) marks."""
    n, one = len(u), 1.0 * is_it
    blocks = W.reshape(n, 3, n, 3)[np.arange(n), :, np.arange(n), :]
    own = jnp.sum(one[:, None, None] * blocks, axis=0)
    law = Law(*(jnp.sum(jnp.where(is_it, part, 0)) for part in laws))
    path = routh_path(own, one @ u, law)
    impulse = one[:, None] * jnp.concatenate([path.p[None], path.T])
    after = u + (W @ impulse.reshape(-1)).reshape(n, 3)
    # Exactly what is left of the whole: P . (u+ + u-) / 2.
    rest = jnp.sum(impulse * (after + u) / 2, axis=1) - one * path.work
    return TracedStruck(
        after, impulse, one * path.work, rest, path.phases, path.is_good
    )


def simultaneous_traced(
    W: Array, u: Array, laws: TracedLaws, touching: Any
) -> TracedStruck:
    """All that touch, at once: 0 <= P_N _|_ u_N+ + e u_N- >= 0, and Coulomb."""
    n = len(u)
    aim = u * jnp.stack([1 + laws.restitution, jnp.ones(n), jnp.ones(n)], axis=1)
    P, missed = _newton(_Problem(W, aim, laws.dynamic, touching))
    after = u + (W @ P.reshape(-1)).reshape(n, 3)
    mean = P * (after + u) / 2
    enough = ENOUGH * jnp.maximum(1.0, jnp.max(jnp.abs(aim)))
    return TracedStruck(
        after, P, mean[:, 0], jnp.sum(mean[:, 1:], axis=1),
        jnp.asarray(float(AT_ONCE)), missed <= enough,
    )  # fmt: skip


class _Problem(NamedTuple):
    """u = W P + aim with 0 <= P_N _|_ u_N >= 0 and Coulomb's law, of what touches."""

    W: Any
    aim: Any
    mu: Any
    touching: Any

    @property
    def trace(self) -> Any:
        """(n,) of each contact's own block."""
        n = len(self.mu)
        each = jnp.sum(jnp.diagonal(self.W).reshape(n, 3), axis=1)
        return jnp.where(each > 0, each, 1.0)

    def velocity(self, P: Array) -> Any:
        """u (n, 3)."""
        return (self.W @ P.reshape(-1)).reshape(P.shape) + self.aim

    def residual(self, P: Array) -> Any:
        """How far impulses are from the laws, m/s."""
        rho, u = 1 / self.trace, self.velocity(P)
        slip = jnp.sqrt(jnp.sum(u[:, 1:] ** 2, axis=1))
        lifted = u.at[:, 0].add(self.mu * slip)  # De Saxce's
        moved = _projected(P - rho[:, None] * lifted, self.mu)
        each = jnp.max(jnp.abs(P - moved), axis=1) / rho
        return jnp.max(jnp.where(self.touching, each, 0.0))


def _projected(P: Array, mu: Scalar) -> Any:
    """The nearest impulses (n, 3) in Coulomb's cones."""
    N, size = P[:, 0], jnp.sqrt(jnp.sum(P[:, 1:] ** 2, axis=1))
    scale = (N + mu * size) / (1 + mu * mu)
    T = (mu * scale / jnp.where(size > 0, size, 1.0))[:, None] * P[:, 1:]
    edge = jnp.concatenate([scale[:, None], T], axis=1)
    found = jnp.where((mu * size <= -N)[:, None], 0.0, edge)
    return jnp.where((size <= mu * N)[:, None], P, found)


class _Iterate(NamedTuple):
    P: Any
    best: Any
    least: Any
    count: Any
    since: Any


def _newton(problem: _Problem) -> tuple[Any, Any]:
    """The best iterate of Alart and Curnier's Newton, and its residual."""
    P = jnp.zeros_like(problem.aim)
    enough = EXACT * jnp.maximum(jnp.max(jnp.abs(problem.aim)), 1e-300)
    none = jnp.zeros((), np.int64)
    first = _Iterate(P, P, problem.residual(P), none, none)

    def turn(now: _Iterate) -> _Iterate:
        step = _newton_step(problem, now.P)
        share = _share(problem, now, step)
        P = now.P + share * step
        missed = problem.residual(P)
        better = missed < now.least
        return _Iterate(
            P, jnp.where(better, P, now.best), jnp.where(better, missed, now.least),
            now.count + 1, jnp.where(better, 0, now.since + 1),
        )  # fmt: skip

    def goes_on(now: _Iterate) -> Any:
        # An iterate that is good enough is improved while that is quick.
        near = now.least <= 1e3 * enough
        tired = near & (now.since >= PATIENCE)
        return (now.least > enough) & (now.count < ITERATIONS) & ~tired

    last = lax.while_loop(goes_on, turn, first)
    return last.best, last.least


def _share(problem: _Problem, now: _Iterate, step: Any) -> Any:
    """The first of 1, 1/2, 1/4 ... that betters the residual; 1 where none does."""

    def halve(carry: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        share, k, _ = carry
        is_better = problem.residual(now.P + share * step) < now.least
        return jnp.where(is_better, share, share / 2), k + 1, is_better

    first = (jnp.ones(()), jnp.zeros((), np.int64), jnp.zeros((), bool))
    share, _, found = lax.while_loop(lambda c: ~c[2] & (c[1] < HALVINGS), halve, first)
    return jnp.where(found, share, 1.0)


def _newton_step(problem: _Problem, P: Array) -> Any:
    """Newton's step (n, 3): rows of open, sticking and sliding contacts."""
    W, n, mu = problem.W, len(P), problem.mu
    rho, u = 3 / problem.trace, problem.velocity(P)
    y = P - rho[:, None] * u
    size = jnp.sqrt(jnp.sum(y[:, 1:] ** 2, axis=1))
    on = problem.touching & (y[:, 0] > 0)
    slides = on & (size > mu * y[:, 0])
    d = y[:, 1:] / jnp.where(size > 0, size, 1.0)[:, None]
    kappa = jnp.where(slides, mu * y[:, 0] / jnp.where(size > 0, size, 1.0), 0.0)
    eps = PROXIMAL * jnp.sum(jnp.diagonal(W)) / (3 * n)
    unit = jnp.eye(3 * n)
    We = rho[:, None, None] * (W + eps * unit).reshape(n, 3, 3 * n)
    unit = unit.reshape(n, 3, 3 * n)
    slope = unit - We
    across = kappa[:, None, None] * (jnp.eye(2) - d[:, :, None] * d[:, None, :])
    tangent = unit[:, 1:] - jnp.einsum("kij,kjm->kim", across, slope[:, 1:])
    tangent = tangent - mu[:, None, None] * d[:, :, None] * slope[:, :1]
    own = jnp.concatenate([We[:, :1], jnp.where(slides[:, None, None], tangent,
                                                We[:, 1:])], axis=1)  # fmt: skip
    rows = jnp.where(on[:, None, None], own, unit)
    pressed = -rho[:, None] * u
    edge = -(P[:, 1:] - (mu * y[:, 0])[:, None] * d)
    side = jnp.where(slides[:, None], edge, pressed[:, 1:])
    right = jnp.concatenate([pressed[:, :1], side], axis=1)
    right = jnp.where(on[:, None], right, -P)
    # Not constants: the function is written once.
    none = jnp.repeat(jnp.where(problem.trace > 0, 0.0, np.float64(1.0)), 3)
    step = refined_solution(rows.reshape(3 * n, 3 * n), none, right.reshape(-1))
    return step.reshape(n, 3)


def _in_sequence(W: Array, u: Array, laws: TracedLaws, touching: Any) -> TracedStruck:
    """Contacts one after the other, the quickest approach first, until none is left."""
    speed = jnp.max(jnp.abs(u))
    nothing = _nothing(u)(None)

    def most(velocity: Array) -> Any:
        return jnp.where(touching, velocity[:, 0], jnp.inf)

    def strike(carry: tuple[TracedStruck, Any]) -> tuple[TracedStruck, Any]:
        whole, k = carry
        is_it = jnp.arange(len(u)) == jnp.argmin(most(whole.velocity))
        return _added(whole, _routh(W, whole.velocity, laws, is_it)), k + 1

    def goes_on(carry: tuple[TracedStruck, Any]) -> Any:
        whole, k = carry
        left = jnp.min(most(whole.velocity)) < -STILL * speed
        return left & (k < SEQUENCE) & whole.is_good

    whole, _ = lax.while_loop(goes_on, strike, (nothing, jnp.zeros((), np.int64)))

    def stop(whole: TracedStruck) -> TracedStruck:
        still = laws._replace(restitution=jnp.zeros_like(laws.restitution))
        last = simultaneous_traced(W, whole.velocity, still, touching)
        return _added(whole, last._replace(phases=jnp.asarray(float(SETTLING))))

    left = jnp.min(most(whole.velocity)) < -STILL * speed
    return TracedStruck(*lax.cond(left, stop, lambda whole: whole, whole))


def _added(one: TracedStruck, other: TracedStruck) -> TracedStruck:
    digits = jnp.ceil(jnp.log2(one.phases + 1.0) / np.log2(BASE) - 1e-9)
    fits = digits < MOST_PHASES
    later = jnp.where(fits, other.phases * BASE**digits, 0.0)
    whole = one.phases + later
    return TracedStruck(
        other.velocity,
        one.impulse + other.impulse,
        one.push + other.push,
        one.friction + other.friction,
        jnp.where(whole < BASE**MOST_PHASES, whole, one.phases),
        one.is_good & other.is_good,
    )
