"""A switch: what contacts do after a guard has fired, or where a run begins.

The fired switch is forced first: at its instant the laws also allow the mode that has
just ended. Then complementarity of accelerations decides all others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from polhode.errors import NoMotion, SeveralMotions
from polhode.formulation.contact.collide import (
    Struck,
    routh,
    simultaneous,
    together,
)
from polhode.formulation.contact.decide import (
    OPEN,
    SLIDES,
    STICKS,
    ContactMotion,
    Instant,
    decided,
    instant_of,
    jamming_friction,
    lift,
    solved,
)
from polhode.formulation.contact.instant import STILL, Seen, laws_of, seen
from polhode.formulation.contact.mode_forces import Modes, slow_slips
from polhode.formulation.contact.questions import strike
from polhode.formulation.contact.switch_traced import (
    CLEARANCE,
    IDLE,
    PARTS,
    PARTS_SETTLED,
    SETTLED,
    SLIPS,
    STOPPED,
    SUNK,
)
from polhode.matter.parameter import Table
from polhode.system.contacts import names, owners
from polhode.system.state import State


class Switch(NamedTuple):
    """The state and modes from which a run goes on, and the impact there, if any."""

    state: State
    modes: Modes
    status: np.ndarray
    struck: Struck | None
    before: np.ndarray
    still: np.ndarray
    settles: bool


class Slips(NamedTuple):
    """Slips (n,) before a switch: lines (n, 2) of those that slide, `Modes.slow`, and
    which of them are that no more.
    """

    begun: np.ndarray
    was: np.ndarray
    leaves: np.ndarray


def begun(state: State, table: Table, order: str) -> Switch:
    """Where a run begins: what approaches strikes at once."""
    now = seen(state, table)
    guess = np.where(now.touching, STICKS, OPEN)
    return _switched(now, guess, {}, table=table, order=order, settles=False)


def after_guard(
    state: State,
    modes: Modes,
    *,
    contact: int,
    kind: str,
    table: Table,
    order: str,
    settles: bool,
) -> Switch:
    """What happens where a guard has fired at (candidate, kind)."""
    now = seen(state, table, near=SETTLED if settles else 1e-9)
    rows = now.problem.rows
    closed = modes.closed > 0
    touching = now.touching | closed
    if kind == "touches":
        rate = rows.velocity[contact, 0]
        touching[contact] = settles or rate <= STILL * now.speed
        if settles:  # with all that chatter beside it, whichever way they go just now
            near = rows.gap <= SETTLED * now.length
            touching |= near & (rows.velocity[:, 0] <= STOPPED * now.speed)
        approaching = now.approaching.copy()
        approaching[contact] = approaching[contact] or rate < 0
        now = now._replace(approaching=approaching)
    # A closed contact does not approach: what its rate shows is rounding.
    approaching = now.approaching & ~closed
    # Of a slip that has hardly begun there is no direction but rounding's.
    smooth = closed & (rows.static == 0)
    slipping = (now.slipping | smooth) & ~(closed & (modes.sticks > 0))
    forced: dict[int, int] = {}
    if kind == "opens":
        forced[contact] = OPEN
    if kind == "breaks away" and modes.sticks[contact] > 0:
        forced[contact] = SLIDES
        slipping[contact] = False
    if kind == "stops":
        # Points of one body stop together, those beside the fired one by rounding.
        speeds = np.linalg.norm(rows.velocity[:, 1:], axis=1)
        slipping &= speeds > STOPPED * now.speed
    now = now._replace(touching=touching, approaching=approaching, slipping=slipping)
    guess = np.where(closed, np.where(modes.sticks > 0, STICKS, SLIDES), OPEN)
    if kind == "stops":
        guess = np.where(closed & ~slipping, STICKS, guess)
    if kind == "touches":
        guess[contact] = STICKS
    begun = np.where((closed & (modes.sticks == 0))[:, None], modes.direction, 0.0)
    leaves = (np.arange(len(closed)) == contact) & (kind == "breaks away")
    slips = Slips(begun, modes.slow * closed, leaves & (modes.sticks == 0))
    return _switched(
        now, guess, forced, table=table, order=order, settles=settles, slips=slips
    )


def _switched(
    now: Seen,
    guess: np.ndarray,
    forced: dict[int, int],
    *,
    table: Table,
    order: str,
    settles: bool,
    slips: Slips | None = None,
) -> Switch:
    struck, before = None, now.problem.rows.velocity
    if np.any(now.approaching):
        struck, state = _struck(now, order, settles)
        hit = now.touching | now.approaching
        after = seen(state, table)
        u = struck.velocity
        parts = u[:, 0] > (PARTS_SETTLED if settles else PARTS) * now.speed
        # What an impact has stopped or pressed stays; the rest parts.
        touching = hit & ~parts
        stops = np.max(np.abs(u[:, 1:]), axis=1) <= SLIPS * now.speed
        now = after._replace(
            touching=touching,
            approaching=np.zeros_like(touching),
            slipping=touching & ~stops,
        )
        guess = np.where(touching, np.where(stops, STICKS, SLIDES), OPEN)
    at = instant_of(now.problem, now.touching, now.slipping, forced)
    if slips is None:
        none = np.zeros(at.points)
        slips = Slips(at.slip, none, none > 0)
    at = at._replace(slip=np.where(now.slipping[:, None], at.slip, slips.begun))
    at = _with_breaking(at, now, forced)
    found = decided(at, guess)
    k = _jammed(at)
    if not found and _may_jam(now, k):
        blow, now = _jam(now, k, table)
        struck = blow if struck is None else together(struck, blow)
        at = instant_of(now.problem, now.touching, now.slipping)
        found = decided(at, np.where(now.touching, STICKS, OPEN))
    motion = _only(now, at, found)
    modes = _modes(now, at, motion)._replace(slow=_slow(now, at, motion, slips))
    still = modes.closed * ~at.slipping
    return Switch(now.state, modes, motion.status, struck, before, still, settles)


def _jammed(at: Instant) -> int:
    """Of contacts that slide the one that a push of its own lifts least."""
    slides = [int(k) for k in np.flatnonzero(at.touching & at.slipping)]
    return min(slides or [0], key=lambda k: lift(at, k))


def _may_jam(now: Seen, k: int) -> bool:
    system = now.state.system
    return bool(system.supports[owners(system)[k]].jam)


def _jam(now: Seen, k: int, table: Table) -> tuple[Struck, Seen]:
    """An impact without collision: Routh's path from a rate of zero.

    The push grows without bound and presses the point in, until friction has stopped
    its slip; then it is thrown back, by the law of restitution.
    """
    u, z = now.problem.rows.velocity.copy(), now.state.z
    u[k, 0] = 0.0
    struck = routh(now.problem.delassus, u, laws_of(now), k)
    z = z + now.problem.speeds @ struck.impulse.reshape(-1)
    after = seen(State(now.state.system, now.state.t, now.state.q, z), table)
    v = struck.velocity
    touching = now.touching & (v[:, 0] <= PARTS * now.speed)
    stops = np.max(np.abs(v[:, 1:]), axis=1) <= SLIPS * now.speed
    none = np.zeros_like(touching)
    return struck, after._replace(
        touching=touching, approaching=none, slipping=touching & ~stops
    )


def _struck(now: Seen, order: str, settles: bool) -> tuple[Struck, State]:
    if not settles:
        return strike(now, order)
    laws = laws_of(now)
    still = laws._replace(restitution=np.zeros_like(laws.restitution))
    rows, touching = now.problem.rows, now.touching | now.approaching
    struck = simultaneous(now.problem.delassus, rows.velocity, still, touching)
    z = now.state.z + now.problem.speeds @ struck.impulse.reshape(-1)
    return struck, State(now.state.system, now.state.t, now.state.q, z)


def _with_breaking(at: Instant, now: Seen, forced: dict[int, int]) -> Instant:
    """A contact that breaks away begins to slip against the friction that held it."""
    slip = at.slip.copy()
    for k, word in forced.items():
        if word == SLIDES and not at.slipping[k]:
            held = np.where(at.touching & ~at.slipping, STICKS, OPEN)
            held = np.where(at.touching & at.slipping, SLIDES, held)
            T = solved(at, held, at.slip).force[k, 1:]
            size = float(np.hypot(*T))
            slip[k] = -T / size if size > 0 else (1.0, 0.0)
    return at._replace(slip=slip)


def _only(now: Seen, at: Instant, found: list[ContactMotion]) -> ContactMotion:
    """The one motion, or an error that says why there is none, or several."""
    if len(found) == 1:
        return found[0]
    system, t = now.state.system, float(now.state.t)
    k = _jammed(at)
    name = names(system)[k]
    if found:
        words = " or ".join(
            "it opens"
            if motion.status[k] == OPEN
            else f"it is pressed by {motion.force[k, 0]:.4g} N"
            for motion in found
        )
        raise SeveralMotions(
            f"{system.name!r} may go on in {len(found)} ways at t = {t:.6g} s: at"
            f" {name!r} {words}.",
            "Friction turns the body so that a push presses the contact (Painleve).",
            "ph.contact_modes(state) tells all; lower the friction, or give the"
            " contact a stiffness.",
        )
    if not (at.touching[k] and at.slipping[k] and lift(at, k) <= 0):
        raise NoMotion(
            f"no motion of {system.name!r} was found at t = {t:.6g} s, with"
            f" {int(np.sum(at.touching))} points that touch.",
            "Points that open, slide or stick were changed until no law was broken;"
            " some always was.",
            "Take steps over contacts: method=ph.methods.Moreau(step=1e-3).",
        )
    speed, mu = now.problem.rows.velocity[k, 1:], now.problem.rows.dynamic[k]
    raise NoMotion(
        f"{system.name!r} has no motion at t = {t:.6g} s: {name!r} slides at"
        f" {float(np.hypot(*speed)):.3g} m/s and no push keeps it out of what it"
        " touches.",
        f"A push of 1 N would move it by {lift(at, k):.3g} m/s^2 along the normal"
        f" (Painleve): friction {mu:g} is above {jamming_friction(at, k):.4g} here.",
        "Let it jam (jam=True of its support), lower the friction, or give the contact"
        " a stiffness (ph.CompliantContact).",
    )


def _modes(now: Seen, at: Instant, motion: ContactMotion) -> Modes:
    closed = (motion.status != OPEN).astype(float)
    sticks = (motion.status == STICKS).astype(float)
    size = np.linalg.norm(motion.direction, axis=1)
    some = np.where(size[:, None] > 0, motion.direction, np.array([1.0, 0.0]))
    # Open contacts that touch and do not part bear nothing, and are not to be struck.
    rate = np.max(np.abs(now.problem.free), initial=0.0)
    idle = at.touching & (motion.status == OPEN)
    idle &= np.abs(motion.acceleration[:, 0]) <= IDLE * rate
    clearance = np.where(idle, CLEARANCE * now.length, 0.0)
    gap = now.problem.rows.gap
    sunk = (motion.status == OPEN) & (gap < -SUNK * now.length)
    clearance = np.maximum(clearance, np.where(sunk, -gap, 0.0))
    return Modes(closed, sticks, some, clearance, np.zeros_like(closed))


def _slow(now: Seen, at: Instant, motion: ContactMotion, slips: Slips) -> np.ndarray:
    rows = now.problem.rows
    v = np.linalg.norm(rows.velocity[:, 1:], axis=1) / now.length
    slides = (motion.status == SLIDES) & (rows.dynamic > 0)
    return np.asarray(slow_slips(slides, at.slipping, v, slips.was, slips.leaves))
