"""Contacts of a run as limits: gap, push, cone, slip and pivot of every candidate.

Modes (open, slides, sticks) are held values of the run. Where a limit falls, an impact
changes the speeds if something approaches, complementarity of accelerations decides
all modes at once, and bounces that accumulate (Zeno) settle: the contact closes, and
the energy that was left is booked. What the loop cannot decide the host does, by
combinations, or says why there is no motion, or several.

memory   [fired, count, t, span, (n,) last touches, (n,) those before]: the limit that
         has fallen; how many fell at the instant t; the length of the run
record   see `SwitchRecord`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar, namespace, shared
from polhode.errors import ContactError
from polhode.formulation.contact.decide import OPEN, SLIDES, STICKS
from polhode.formulation.contact.mode_forces import (
    GUARDS,
    MEMORY,
    MODES,
    Modes,
    guards,
    mode_column,
    modes_in,
    modes_of,
    table_with,
    without_modes,
)
from polhode.formulation.contact.routh_traced import BASE, MOST_PHASES, PHASES
from polhode.formulation.contact.switch import Switch, after_guard, begun
from polhode.formulation.contact.switch_traced import (
    TOUCH,
    FiredGuard,
    switched_traced,
)
from polhode.integrate.events.limits import NONE, LimitChange, Limits, LimitValues
from polhode.integrate.field.vector_field import settled
from polhode.matter.parameter import Table
from polhode.system.contacts import names
from polhode.system.state import State
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.matter.parameter import Table
    from polhode.system.system import System

# Chatter: the time that its next bounces would take, of the run's.
ZENO = 1e-9
# Of the run's: bounces so short that decay no more are of the gap's own rounding, and
# there would be tens of millions of them.
GRAIN, LEVEL = 3e-8, 0.99
# Switches at one instant: more are a cycle that no law breaks. Times are one instant
# within this share of the run, and within the rounding of the time itself.
CYCLE = 30
INSTANT, ROUNDED = 1e-14, 4 * np.finfo(float).eps
FIRED, COUNT, TIME, SPAN, FACTS = range(5)
# The time of a touch that was not; its square is still a number.
NEVER = -1e100


class SwitchRecord(NamedTuple):
    """What is told of a switch, n candidates; as a row of numbers in this order.

    fired            the number of the limit, 5 a candidate; 5n where all was decided
    is_struck, settles   whether there was an impact, and whether it ended a chatter
    phases           of an impact, digits of a number (see `routh_traced`)
    settled          energy beyond the works of the impact that the switch gave, J
    moving           kinetic energy before it, J
    was, status      (n,) before and after
    before, after    (n, 3) velocities of contacts at an impact
    impulse          (n, 3) N s
    push, friction   (n,) work, J
    """

    fired: Any
    is_struck: Any
    settles: Any
    phases: Any
    settled: Any
    moving: Any
    was: Any
    status: Any
    before: Any
    after: Any
    impulse: Any
    push: Any
    friction: Any

    @classmethod
    def width(cls, n: int) -> int:
        """How many numbers a row has."""
        return 6 + 13 * n

    def row(self) -> Any:
        """As one row; traced or not."""
        xp = namespace(*self)
        return xp.concatenate([xp.asarray(part, float).reshape(-1) for part in self])

    @classmethod
    def of(cls, row: np.ndarray, n: int) -> SwitchRecord:
        """From a row; numbers behind it are not its own."""
        sizes = [1] * 6 + [n, n, 3 * n, 3 * n, 3 * n, n, n]
        ends = np.cumsum(sizes)
        parts = np.split(np.asarray(row)[: ends[-1]], ends[:-1])
        shaped = [part.reshape(n, 3) for part in parts[8:11]]
        facts = [float(part[0]) for part in parts[:6]]
        return cls(*facts, *parts[6:8], *shaped, *parts[11:])


def contact_limits(equations: Equations, order: str) -> Limits:
    """The limits of a system with supports."""
    system = equations.system
    n = len(names(system))

    @shared
    def written_once(t: Scalar, q: Array, z: Array, table: Table) -> LimitValues:
        found = guards(system, t, q, z, table)
        return LimitValues(found.value.reshape(-1), found.rounding.reshape(-1))

    def values(t: Scalar, q: Array, z: Array, table: Table) -> LimitValues:
        own = {name: v for name, v in table.items() if name != MEMORY}
        return LimitValues(*written_once(t, q, z, own))

    def change(t: Scalar, q: Array, z: Array, fired: Any, table: Table) -> LimitChange:
        return _changed(equations, order, StateArrays(t, q, z), fired, table)

    def by_host(
        t: Scalar, q: Array, z: Array, held: Any, table: Table, *, land: Any
    ) -> LimitChange:
        made, still, by_impact = _by_host(
            system, order, StateArrays(t, q, z), held, without_modes(table)
        )
        x, k = land(made._replace(modes={**made.modes, **still})).x, system.coordinates
        made = made._replace(q=x[:k], z=x[k:])
        before, after = (
            system.kinetic_energy(t, q, z, table) + system.potential_energy(t, q, table)
            for q, z in ((q, z), (x[:k], x[k:]))
        )
        record = SwitchRecord.of(made.record, n)
        record = record._replace(settled=float(after - before) - by_impact)
        return made._replace(record=record.row())

    key = ("contacts", order)
    width = SwitchRecord.width(n)
    return Limits(values, change, by_host, len(GUARDS) * n, width, MEMORY, key)


def first_modes(system: Any, span: float) -> dict[str, np.ndarray]:
    """Where the modes of a run begin: all open, and all is to be decided."""
    n = len(names(system))
    along = np.tile([1.0, 0.0], (n, 1))
    none = np.zeros(n)
    modes = Modes(none, none, along, none, none)
    memory = np.concatenate([[len(GUARDS) * n, 0.0, 0.0, span], np.full(2 * n, NEVER)])
    return {MODES: mode_column(modes)[None], MEMORY: memory[None]}


def _status(modes: Modes) -> Any:
    """(n,) of OPEN, SLIDES, STICKS."""
    xp = namespace(*modes)
    return xp.where(modes.closed > 0, xp.where(modes.sticks > 0, STICKS, SLIDES), OPEN)


def _is_first(memory: Any) -> Any:
    """Whether a run begins: what its contacts then do is no change."""
    return memory[COUNT] == 0


def _accumulates(memory: Any, t: Scalar, is_touch: Any) -> Any:
    """Whether the bounces of a contact end at once: intervals in a falling ratio."""
    n = len(is_touch)
    xp = namespace(memory, t)
    last, older = memory[FACTS : FACTS + n], memory[FACTS + n :]
    one, two = last - older, t - last
    ratio = two / xp.where(one > 0, one, 1.0)
    left = two * ratio / xp.where(ratio < 1, 1 - ratio, 1.0)
    known, span = (older > NEVER) & (one > 0), memory[SPAN]
    falls = (ratio < 1) & (left < ZENO * span)
    grates = (ratio > LEVEL) & (two < GRAIN * span)
    return xp.any(is_touch & known & (falls | grates))


def _is_same_instant(memory: Any, t: Scalar) -> Any:
    """Whether t is the instant at which switches are counted."""
    xp = namespace(memory, t)
    since = memory[TIME]
    close = xp.maximum(INSTANT * memory[SPAN], ROUNDED * xp.abs(since))
    return (memory[COUNT] > 0) & (t - since <= close)


def _remembered(memory: Any, t: Scalar, is_struck: Any) -> Any:
    """The memory after a switch at t that struck some contacts (n,)."""
    n = len(is_struck)
    xp = namespace(memory, t, is_struck)
    last, older = memory[FACTS : FACTS + n], memory[FACTS + n :]
    is_same = _is_same_instant(memory, t)
    # A switch that changes nothing counts as well: no event tells of it.
    count = xp.where(is_same, memory[COUNT] + 1, 1.0)
    since = xp.where(is_same, memory[TIME], 1.0 * xp.asarray(t))
    facts = xp.stack([xp.asarray(NONE), count, since, memory[SPAN]])
    new, old = xp.where(is_struck, t, last), xp.where(is_struck, last, older)
    return xp.concatenate([facts, new, old])


def _changed(
    equations: Equations, order: str, state: StateArrays, fired: Any,
    table: Table,
) -> LimitChange:  # fmt: skip
    system, (t, q, z) = equations.system, state
    modes, memory = modes_in(system, table), jnp.asarray(table[MEMORY])
    n, kinds = len(modes.closed), len(GUARDS)
    is_begun = fired >= kinds * n
    contact = (jnp.floor(fired / kinds) == jnp.arange(n)) & ~is_begun
    kind = jnp.where(is_begun, -1, fired - kinds * jnp.floor(fired / kinds))
    is_touch = contact & (kind == TOUCH)
    settles = _accumulates(memory, t, is_touch)
    guard = FiredGuard(contact, kind, is_begun, settles)
    made = switched_traced(system, state, modes, guard, table, order=order)
    # A slip that begins sets out from none: what rounding has left of the one before
    # would stop at once, again and again.
    whole = {**table, **table_with(made.modes._replace(sticks=made.still))}
    x = settled(equations, t, jnp.concatenate([q, made.z]), whole)
    k = system.coordinates
    struck = made.struck
    is_struck = made.is_struck & jnp.any(struck.impulse != 0, axis=1)
    moving = system.kinetic_energy(t, q, z, table)
    rest = system.potential_energy(t, x[:k], table) - system.potential_energy(
        t, q, table
    )
    jump = system.kinetic_energy(t, x[:k], x[k:], table) - moving + rest
    by_impact = jnp.sum(struck.push + struck.friction)
    record = SwitchRecord(
        fired, made.is_struck, settles, struck.phases, jump - by_impact, moving,
        jnp.where(_is_first(memory), made.status, _status(modes)), made.status,
        made.before, struck.velocity, struck.impulse, struck.push, struck.friction,
    )  # fmt: skip
    remembered = _remembered(memory, t, is_struck)
    is_made = made.is_made & (remembered[COUNT] < CYCLE)
    own = {**table_with(made.modes), MEMORY: remembered}
    return LimitChange(x[:k], x[k:], own, record.row(), is_made)


# ------------------------------------------------------------------ on the host


def _by_host(
    system: System, order: str, state: StateArrays, held: Any, table: Table
) -> tuple[LimitChange, dict[str, Any], float]:
    """The same by NumPy, modes in which slips begin, and the work of the impact, J.

    It raises where contacts have no motion, or several.
    """
    t, q, z = state
    modes, memory = modes_of(held[MODES]), np.asarray(held[MEMORY])
    here = State(system, float(t), q, z)
    n, kinds = len(modes.closed), len(GUARDS)
    number = int(memory[FIRED])
    is_begun = not 0 <= number < kinds * n
    contact, kind = divmod(number, kinds)
    is_touch = (np.arange(n) == contact) & (kind == TOUCH) & (not is_begun)
    settles = bool(_accumulates(memory, t, is_touch))
    if is_begun:
        made = begun(here, table, order)
    else:
        _require_progress(memory, here, contact=contact, kind=kind)
        made = after_guard(
            here,
            modes,
            contact=contact,
            kind=GUARDS[kind],
            table=table,
            order=order,
            settles=settles,
        )
    was = np.asarray(made.status if _is_first(memory) else _status(modes), float)
    record, is_struck = _record(made, number, settles, was)
    remembered = _remembered(memory, float(t), is_struck)
    own = {**table_with(made.modes), MEMORY: remembered}
    record = record._replace(moving=float(system.kinetic_energy(t, q, z, table)))
    change = LimitChange(made.state.q, made.state.z, own, record.row(), True)
    still = table_with(made.modes._replace(sticks=made.still))
    return change, still, float(np.sum(record.push + record.friction))


def _record(
    made: Switch, number: int, settles: bool, was: Any
) -> tuple[SwitchRecord, np.ndarray]:
    n, struck = len(made.status), made.struck
    none, nothing = np.zeros(n), np.zeros((n, 3))
    parts: tuple[Any, ...] = (nothing, nothing, nothing, none, none)
    phases = 0.0
    if struck is not None:
        parts = (made.before, struck.velocity, struck.impulse)
        parts = (*parts, struck.push, struck.friction)
        digits = [PHASES.index(word) for word in struck.phases[:MOST_PHASES]]
        phases = float(sum(d * BASE**k for k, d in enumerate(digits)))
    status = np.asarray(made.status, float)
    facts = (number, struck is not None, settles, phases, 0.0, 0.0)
    record = SwitchRecord(*facts, was, status, *parts)
    return record, np.any(parts[2] != 0, axis=1)


def _require_progress(memory: Any, state: State, *, contact: int, kind: int) -> None:
    if memory[COUNT] + 1 < CYCLE or not _is_same_instant(memory, float(state.t)):
        return
    system = state.system
    raise ContactError(
        f"{system.name!r} switches again and again at t = {float(state.t):.9g} s.",
        f"{names(system)[contact]!r} {GUARDS[kind]} without end: the laws of"
        " contact disagree within rounding.",
        "Change the start or a coefficient a little, or take a method that steps"
        " over contacts.",
    )
