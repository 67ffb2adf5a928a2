"""What contacts did along a motion: modes between switches, and impacts.

`motion["rest"]` of a support is asked from it, row by row. Modes are held values of the
run: the log of its inputs has them, and rows of one time are before and after a switch.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np

from polhode.arrays import Array, Scalar
from polhode.formulation.contact.decide import OPEN
from polhode.formulation.contact.delassus import contact_problem_of
from polhode.formulation.contact.mode_forces import (
    MODES,
    Modes,
    mode_forces,
    modes_in,
    modes_of,
    without_modes,
)
from polhode.formulation.contact.routh_traced import phase_words
from polhode.integrate.contact.contact_rows import is_switch, record_of
from polhode.integrate.events.occurrence_buffer import T
from polhode.integrate.events.occurrence_rows import Met, tail_of
from polhode.integrate.results.body_motion import Reaction
from polhode.integrate.results.rolling_status import with_rolling
from polhode.lowering.compile import compile
from polhode.matter.parameter import Table
from polhode.system.contacts import names, owners, slips, tangent_scales

if TYPE_CHECKING:
    from polhode.integrate.field.input_table import Drive
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System


class ModeSpan(NamedTuple):
    """Rows first..stop - 1 of a motion, along which no contact changed its mode."""

    first: int
    stop: int
    modes: Modes


class ImpactRow(NamedTuple):
    """One contact in one impact.

    before, after   (3,) velocities of the contact: of the gap, and of slip
    impulse         (3,) N, T1, T2 in contact axes, N s
    push, friction  work of its two parts, J
    row             of the motion, the first after it; 0 of one at the very start
    """

    t: float
    point: str
    before: np.ndarray
    after: np.ndarray
    impulse: np.ndarray
    push: float
    friction: float
    phases: tuple[str, ...]
    row: int


class SwitchRow(NamedTuple):
    """A switch: the first row after it, the limit that fell, and what it struck.

    fired    number of the limit, 5 a candidate; 5n where all was decided anew
    hit      (n,) candidates that took part in an impact; none where there was none
    settles  whether it ended a chatter
    """

    row: int
    fired: int
    hit: np.ndarray
    settles: bool


class ContactParts(NamedTuple):
    """What a log holds.

    held      (n, m) values that each row of the motion has, modes among them
    switch    (n,) how many changes of held values were before each row
    impacts   in the order of time
    settled   row -> energy that closing and projecting at a switch have taken, J
    switches  in the order of time
    """

    held: np.ndarray
    switch: np.ndarray
    impacts: tuple[ImpactRow, ...]
    settled: tuple[tuple[int, float], ...]
    switches: tuple[SwitchRow, ...]


@final
class ContactLog:
    """Modes along all rows of a motion, impacts, and the works that are not powers.

    It is made when somebody asks: a switch takes the loop less than Python its row.
    `order` is that in which several contacts struck.
    """

    def __init__(self, make: Callable[[], ContactParts] | None = None, order: str = ""):
        self._make, self.order = make, order

    def __bool__(self) -> bool:
        return self._make is not None

    @cached_property
    def parts(self) -> ContactParts:
        """All of it."""
        assert self._make is not None
        return self._make()

    @property
    def impacts(self) -> tuple[ImpactRow, ...]:
        """What struck, in the order of time."""
        return self.parts.impacts if self else ()

    @property
    def settled(self) -> tuple[tuple[int, float], ...]:
        """Row -> energy that closing and projecting at a switch have taken, J."""
        return self.parts.settled if self else ()

    def modes(self, motion: Trajectory) -> Modes:
        """(rows, n, ...): what each contact does at each row."""
        columns = motion.inputs.inputs.drive.unpacked(self.parts.held)[MODES]
        rows = [modes_of(column) for column in columns]
        return Modes(*(np.array(part) for part in zip(*rows, strict=True)))

    def spans(self, motion: Trajectory) -> tuple[ModeSpan, ...]:
        """Rows along which no contact changed its mode, one after the other."""
        if not self:
            return ()
        edges = np.flatnonzero(np.diff(self.parts.switch)) + 1
        ends = [0, *edges.tolist(), len(self.parts.switch)]
        columns = motion.inputs.inputs.drive.unpacked(self.parts.held)[MODES]
        return tuple(
            ModeSpan(first, stop, modes_of(columns[first]))
            for first, stop in itertools.pairwise(ends)
            if stop > first
        )

    def at_rows(self, rows: np.ndarray) -> ContactLog:
        """The log of a motion made of some rows of this one."""
        if not self:
            return self
        return ContactLog(lambda: self._at_rows(rows), self.order)

    def _at_rows(self, rows: np.ndarray) -> ContactParts:
        own = self.parts

        def there(row: int) -> int:
            place = int(np.searchsorted(rows, row))
            return place if place < len(rows) else 0

        impacts = tuple(i._replace(row=there(i.row)) for i in own.impacts)
        settled = tuple((there(row), by) for row, by in own.settled)
        switches = tuple(s._replace(row=there(s.row)) for s in own.switches)
        held, switch = own.held[rows], own.switch[rows]
        return ContactParts(held, switch, impacts, settled, switches)


NO_CONTACTS = ContactLog()


def with_contact_log(motion: Trajectory, met: Sequence[Met], order: str) -> Trajectory:
    """A motion with the log of its contacts, from the events of its run."""
    return replace(motion, contacts=ContactLog(lambda: _parts(motion, met), order))


def _parts(motion: Trajectory, met: Sequence[Met]) -> ContactParts:
    log = motion.inputs
    place = _entries(motion)
    # Where a motion has samples a switch may lie beyond the last.
    impacts: list[ImpactRow] = []
    settled: list[tuple[int, float]] = []
    switches: list[SwitchRow] = []
    system, width = motion.system, log.inputs.drive.width
    supports = len(system.supports)
    words = motion.events.names[supports:]
    labels, entry, scales = names(system), 0, tangent_scales(system, motion.table)
    for each in met:
        if not isinstance(each, np.ndarray) or not is_switch(each, words):
            continue
        held = tail_of(system, each)[:width]
        entry = _entry(log, entry, float(each[T]), held)
        row = int(np.searchsorted(place, entry))
        row = row if row < len(place) else 0
        record = record_of(system, each, width)
        settled.append((row, float(record.settled)))
        struck = np.any(record.impulse != 0, axis=1) | (record.was != OPEN)
        hit = struck & bool(record.is_struck)
        switches.append(SwitchRow(row, int(record.fired), hit, bool(record.settles)))
        if not record.is_struck:
            continue
        for k in np.flatnonzero(np.any(record.impulse != 0, axis=1)).tolist():
            impacts.append(
                ImpactRow(
                    float(each[T]),
                    labels[k],
                    record.before[k] / np.where(scales[k] > 0, scales[k], np.inf),
                    record.after[k] / np.where(scales[k] > 0, scales[k], np.inf),
                    record.impulse[k] * scales[k],
                    float(record.push[k]),
                    float(record.friction[k]),
                    phase_words(record.phases),
                    row,
                )
            )
    own = (tuple(impacts), tuple(settled), tuple(switches))
    return ContactParts(log.values[place], place, *own)


def _entries(motion: Trajectory) -> np.ndarray:
    """The entry (n,) in the log of held values that each row has.

    Of rows of one time the last has the last entry of that time, and so on backwards:
    every change leaves a row. A sample is before what changes at its time.
    """
    t, times = motion.t, motion.inputs.t
    before = np.maximum(np.searchsorted(times, t, side="left") - 1, 0)
    if not motion.is_dense:
        return before
    last = np.searchsorted(times, t, side="right") - 1
    after = np.searchsorted(t, t, side="right") - 1 - np.arange(len(t))
    return np.maximum(last - after, before)


def _entry(log: Any, first: int, t: float, held: np.ndarray) -> int:
    """The entry of the log that a switch has left, at or after another."""
    k = max(first, int(np.searchsorted(log.t, t)))
    while k < len(log.t) - 1 and not np.array_equal(log.values[k], held):
        k += 1
    return k


class ContactRow(NamedTuple):
    """Of all n candidates at one row, in the world's axes.

    grip, creep   sizes of friction and slip as the cone counts them, an ellipse too
    """

    gap: Any
    push: Any
    friction: Any
    slip: Any
    power: Any
    belt: Any
    point: Any
    normal: Any
    grip: Any
    creep: Any


def _sizes(vectors: Array) -> Any:
    """(n,) of vectors (n, 2)."""
    return jnp.sqrt(jnp.sum(vectors * vectors, axis=1))


def contact_row_function(system: System, drive: Drive) -> Any:
    """(t, x, held, table) -> ContactRow, for use inside a trace."""
    n = system.coordinates

    def row(t: Scalar, x: Array, held: Any, table: Table) -> ContactRow:
        whole = drive.table(t, x[:n], x[n:], table, held)
        own = without_modes(whole)
        problem = contact_problem_of(system, t, x[:n], x[n:], own)
        r = mode_forces(problem, modes_in(system, whole)).force
        axes, u = problem.rows.axes, problem.rows.velocity
        friction = jnp.sum(axes[:, :, 1:] * r[:, None, 1:], axis=2)
        slip = slips(system, t, x[:n], x[n:], own)
        work = jnp.sum(r[:, 1:] * u[:, 1:], axis=1)
        J = problem.rows.jacobian
        # What a moving plane or belt adds: the force on its velocity.
        on_both = jnp.sum(r * (J @ x[n:]), axis=1)
        belt = on_both - jnp.sum(r * u, axis=1)
        return ContactRow(
            problem.rows.gap, r[:, 0], friction, slip, work, belt,
            problem.rows.point, axes[:, :, 0],
            _sizes(r[:, 1:]), _sizes(u[:, 1:]),
        )  # fmt: skip

    return row


def contact_rows_along(
    motion: Trajectory, t: Scalar, x: Array, held: Any
) -> ContactRow:
    """Gaps, forces, slips and powers at times and states, with held values (k, m)."""
    equations, system, table = motion.equations, motion.system, dict(motion.table)
    drive = motion.inputs.inputs.drive
    key = ("contact rows", tuple(sorted(table)), drive.key)
    if key not in equations.programs:
        row = contact_row_function(system, drive)
        example = (0.0, np.zeros(x.shape[-1]), np.zeros(held.shape[-1]), table)
        batched = ["t", "x", "held"]
        equations.programs[key] = compile(row, *example, batched=batched)
    return equations.programs[key](t, x, held, table)


def all_rows(motion: Trajectory) -> ContactRow:
    """The same at every row of a motion."""
    held = motion.contacts.parts.held
    return contact_rows_along(motion, motion.t, motion.steps.x, held)


@final
@dataclass(frozen=True, eq=False, repr=False)
class SupportMotion:  # limit: its questions are the columns of a table
    """How a support went: rows of the motion, one column for each of its k points.

    status    (n, k) "open", "slides", "sticks", or of a round one that does "rolls"
    gap       (n, k) m
    push      (n, k) N, never negative but by rounding
    friction  (n, k, 3) N on the body that rests, along the world's axes
    slip      (n, k, 3) m/s of the material points
    reaction  force and torque of all points together
    point     (n, k, 3) where they are;  normal (n, k, 3) there
    impacts   what struck, in the order of time
    """

    motion: Trajectory
    number: int

    @property
    def points(self) -> tuple[str, ...]:
        """The names of its candidate points."""
        return self.motion.system.supports[self.number].candidates.names

    @property
    def t(self) -> np.ndarray:
        """Times (n,)."""
        return self.motion.t

    @property
    def status(self) -> np.ndarray:
        """What each point does at each row; before the jump where there is one."""
        modes = self.motion.contacts.modes(self.motion)
        closed, sticks = modes.closed[:, self._own], modes.sticks[:, self._own]
        sliding = np.where(sticks > 0, "sticks", "slides")
        found = np.where(closed > 0, sliding, "open").astype(object)
        support = self.motion.system.supports[self.number]
        return with_rolling(self.motion, support, found, lambda: self.normal)

    @property
    def gap(self) -> np.ndarray:
        """How far each point is from what it may touch."""
        return self._rows.gap[:, self._own]

    @property
    def push(self) -> np.ndarray:
        """The normal force on each point."""
        return self._rows.push[:, self._own]

    @property
    def friction(self) -> np.ndarray:
        """The tangential force on each point."""
        return self._rows.friction[:, self._own]

    @property
    def slip(self) -> np.ndarray:
        """The material slip of each point."""
        return self._rows.slip[:, self._own]

    @property
    def point(self) -> np.ndarray:
        """Where each point is, (n, k, 3) m in the world."""
        return self._rows.point[:, self._own]

    @property
    def normal(self) -> np.ndarray:
        """The unit normal at each point, (n, k, 3), towards the body that rests."""
        return self._rows.normal[:, self._own]

    @property
    def reaction(self) -> Reaction:
        """What the support exerts on the body that rests: (n, 3) each, in the world.

        All its points together; the torque is about the world's origin.
        """
        force = self.push[..., None] * self.normal + self.friction
        torque = np.cross(self.point, force)
        return Reaction(torque.sum(axis=1), force.sum(axis=1))

    @property
    def impacts(self) -> tuple[ImpactRow, ...]:
        """What struck, one row a point and impact."""
        own = set(self.points)
        return tuple(i for i in self.motion.contacts.impacts if i.point in own)

    @property
    def _rows(self) -> ContactRow:
        cache = self.motion.equations.programs.setdefault("contacts along", {})
        key = id(self.motion.steps)
        if key not in cache:
            cache.clear()
            cache[key] = all_rows(self.motion)
        return cache[key]

    @property
    def _own(self) -> np.ndarray:
        return np.flatnonzero(owners(self.motion.system) == self.number)

    def __repr__(self) -> str:
        name = self.motion.system.supports[self.number].name
        counts = f"{len(self.points)} points, {len(self.impacts)} impacts"
        return f"SupportMotion({name!r}, {counts})"
