r"""Which contacts open, slide and stick, decided inside a compiled loop.

The same laws and the same order of trials as in `decide`, in shapes that never change:
statuses are numbers, contacts that do not touch are rows of zeros. What is left to the
host is told by `is_found`: friction that jams (Painleve), and guesses that cannot be
improved one contact at a time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array
from polhode.formulation.contact.carried import Carried, settled_forces
from polhode.formulation.contact.decide import (
    OPEN,
    ROUNDING,
    ROUNDS,
    SLIDES,
    STICKS,
)
from polhode.formulation.contact.held_forces import (
    Held,
    Onset,
    held_forces,
    slip_onset,
)

# No status: a guard has decided nothing about a contact.
FREE = -1


class TracedInstant(NamedTuple):
    """As `decide.Instant`, of arrays: (n,) truths, slip (n, 2), statuses forced (n,).

    delassus, free   W (3n, 3n), c (3n,)
    carried          pushes of pads that follow from reactions
    dynamic, static  (n,) coefficients
    """

    delassus: Any
    free: Any
    dynamic: Any
    static: Any
    touching: Any
    slipping: Any
    slip: Any
    forced: Any
    carried: Carried

    @property
    def may_stick(self) -> Any:
        """Contacts that friction can hold."""
        return ~self.slipping & (self.static > 0)

    @property
    def acceleration(self) -> Any:
        """The greatest acceleration, of free contacts too."""
        c, W = jnp.max(jnp.abs(self.free)), jnp.max(jnp.abs(self.delassus))
        return jnp.where(c > 0, c, jnp.where(W > 0, W, 1.0))


class Decided(NamedTuple):
    """One motion: status (n,), direction (n, 2), force and acceleration (n, 3)."""

    status: Any
    direction: Any
    force: Any
    acceleration: Any
    is_found: Any


def unit(vector: Array, otherwise: Any) -> Any:
    """Directions of vectors (n, 2); of those that are zero `otherwise`."""
    square = jnp.sum(vector * vector, axis=1, keepdims=True)
    size = jnp.sqrt(jnp.where(square > 0, square, 1.0))
    return jnp.where(square > 0, vector / size, otherwise)


def solved(at: TracedInstant, status: Any, direction: Array) -> tuple[Any, Any]:
    """Forces and accelerations (n, 3) of contacts that have given statuses."""
    held = _held(at, status, direction)
    r, rate, _ = settled_forces(
        at.delassus, at.free, at.carried, lambda W, c: held_forces(W, c, held)
    )
    return r, rate


def _held(at: TracedInstant, status: Any, direction: Array) -> Held:
    closed, sticks = (1.0 * (status != OPEN), 1.0 * (status == STICKS))
    T = -(closed * (1 - sticks) * at.dynamic)[:, None] * direction
    return Held(closed, sticks, T, at.static)


def lift(at: TracedInstant) -> Any:
    """u_N' (n,) of contacts for each unit of their own push, if they slide."""
    n = len(at.dynamic)
    blocks = at.delassus.reshape(n, 3, n, 3)[np.arange(n), :, np.arange(n), :]
    turned = jnp.sum(blocks[:, 0, 1:] * at.slip, axis=1)
    return blocks[:, 0, 0] - at.dynamic * turned


def _with_direction(at: TracedInstant, status: Any, guess: Any) -> tuple[Any, ...]:
    """The same, slips that begin taking the direction of their own acceleration."""
    begins = (status == SLIDES) & ~at.slipping & at.touching & (at.dynamic > 0)
    d = jnp.where(at.slipping[:, None], at.slip, guess)
    onset = Onset(1.0 * begins, d, at.dynamic)
    held = _held(at, status, d)
    d = slip_onset(at.delassus, at.free, at.carried, held, onset)
    return d, *solved(at, status, d)


class _Faults(NamedTuple):
    """Laws that a motion breaks, at most two (2, n) a contact: what each asks for."""

    share: Any
    status: Any


def _faults(at: TracedInstant, status: Any, d: Any, force: Array, rate: Any) -> _Faults:
    most = jnp.max(jnp.abs(force))
    forces, rates = jnp.where(most > 0, most, 1.0), at.acceleration
    N, size = force[:, 0], jnp.sqrt(jnp.sum(force[:, 1:] ** 2, axis=1))
    is_open, sticks, slides = (status == OPEN), (status == STICKS), (status == SLIDES)
    sinks = jnp.where(is_open, -rate[:, 0] / rates, -N / forces)
    wanted = jnp.where(is_open, jnp.where(at.may_stick, STICKS, SLIDES), OPEN)
    excess = (size - at.static * N) / forces
    back = -jnp.sum(rate[:, 1:] * d, axis=1) / rates
    begins = slides & at.may_stick
    # No direction was found in which it slips along its own acceleration.
    aside = jnp.abs(rate[:, 2] * d[:, 0] - rate[:, 1] * d[:, 1]) / rates
    aside = jnp.where(begins & (at.dynamic > 0), aside, 0.0)
    turns = jnp.where(sticks, excess, jnp.where(begins, jnp.maximum(back, aside), 0.0))
    sinks = jnp.maximum(sinks, aside)
    share = jnp.stack([sinks, jnp.where(is_open, 0.0, turns)])
    share = jnp.where(at.touching & (share > ROUNDING), share, 0.0)
    other = jnp.where(sticks, SLIDES, STICKS)
    return _Faults(share, jnp.stack([wanted, other]).astype(float))


class _Trial(NamedTuple):
    status: Any
    d: Any
    tried: Any
    count: Any
    force: Any
    rate: Any
    is_over: Any
    is_found: Any


def decided_traced(at: TracedInstant, first: Any) -> Decided:
    """A guess improved one contact at a time, until no law is broken."""
    n = len(at.touching)
    powers = 3.0 ** np.arange(n)
    nothing = jnp.zeros((n, 3))
    over = jnp.zeros((), bool)
    begin = _Trial(
        _first_status(at, first), at.slip, jnp.full(ROUNDS, -1.0),
        jnp.zeros((), np.int64), nothing, nothing, over, over,
    )  # fmt: skip
    fixed = at.forced != FREE

    def trial(now: _Trial) -> _Trial:
        d, force, rate = _with_direction(at, now.status, now.d)
        faults = _faults(at, now.status, d, force, rate)
        opens = jnp.any(fixed & (faults.share > 0) & (faults.status == OPEN))
        share = jnp.where(fixed, 0.0, faults.share)
        is_kept = ~jnp.any(share > 0)
        code = jnp.sum(now.status * powers)
        tried = jnp.where(jnp.arange(ROUNDS) == now.count, code, now.tried)
        codes = code + (faults.status - now.status) * powers
        seen = jnp.any(codes[..., None] == tried, axis=-1)
        share = jnp.where(seen, 0.0, share)
        worst = jnp.max(share)
        # One contact changes: the worst whose new combination was not tried.
        place = jnp.argmax(share.reshape(-1))
        is_it = (jnp.arange(2 * n) == place).reshape(2, n) & (worst > 0)
        chosen = jnp.any(is_it, axis=0)
        new = jnp.sum(jnp.where(is_it, faults.status, 0.0), axis=0)
        status = jnp.where(chosen, new, now.status)
        starts = chosen & (status == SLIDES) & ~at.slipping
        against = unit(-force[:, 1:], jnp.array([1.0, 0.0]))
        # Directions that trials have found stay, as the next one's guess.
        turned = jnp.where(starts[:, None], against, now.d)
        ended = is_kept | (worst <= 0)
        # Where it ends the status stays what was tried.
        return _Trial(
            jnp.where(ended, now.status, status),
            jnp.where(ended, d, turned),
            tried, now.count + 1, force, rate, ended, is_kept & ~opens,
        )  # fmt: skip

    last = lax.while_loop(lambda c: ~c.is_over & (c.count < ROUNDS), trial, begin)
    jams = jnp.any(at.touching & at.slipping & (lift(at) <= 0))
    is_sound = jnp.all(jnp.isfinite(last.force)) & jnp.all(jnp.isfinite(last.rate))
    found = last.is_found & last.is_over & ~jams & is_sound
    return Decided(last.status, last.d, last.force, last.rate, found)


def _first_status(at: TracedInstant, first: Any) -> Any:
    status = jnp.where(at.touching, 1.0 * first, OPEN)
    stuck = at.touching & (status == STICKS) & ~at.may_stick
    status = jnp.where(stuck, SLIDES, status)
    return jnp.where(at.forced != FREE, at.forced, status)


def with_breaking(at: TracedInstant, breaks: Any) -> TracedInstant:
    """A contact (n,) that breaks away slips against the friction that held it."""
    held = jnp.where(at.slipping, SLIDES, STICKS)
    status = jnp.where(at.touching, held, OPEN)
    force, _ = solved(at, 1.0 * status, at.slip)
    against = unit(-force[:, 1:], jnp.array([1.0, 0.0]))
    return at._replace(slip=jnp.where(breaks[:, None], against, at.slip))
