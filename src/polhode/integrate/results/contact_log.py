"""What contacts did along a motion: modes between switches, and impacts.

`motion["rest"]` of a support is asked from it, row by row.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax.numpy as jnp
import numpy as np

from polhode.formulation.contact.delassus import contact_problem_of
from polhode.formulation.contact.mode_forces import (
    Modes,
    mode_forces,
    modes_in,
    table_with,
)
from polhode.integrate.results.body_motion import Reaction
from polhode.lowering.compile import compile
from polhode.system.contacts import owners

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory


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


@final
@dataclass(frozen=True, eq=False, repr=False)
class ContactLog:
    """Modes along all rows of a motion, impacts, and the works that are not powers.

    settled   row -> energy that closing and projecting at a switch have taken, J
    """

    spans: tuple[ModeSpan, ...]
    impacts: tuple[ImpactRow, ...]
    settled: tuple[tuple[int, float], ...]

    def at_rows(self, rows: np.ndarray) -> ContactLog:
        """The log of a motion made of some rows of this one."""
        if not self.spans:
            return self
        starts = np.array([span.first for span in self.spans])
        owner = np.searchsorted(starts, rows, side="right") - 1
        edges = np.flatnonzero(np.diff(owner)) + 1
        ends = [0, *edges.tolist(), len(rows)]
        spans = tuple(
            ModeSpan(first, stop, self.spans[owner[first]].modes)
            for first, stop in itertools.pairwise(ends)
            if stop > first
        )

        def there(row: int) -> int:
            place = int(np.searchsorted(rows, row))
            return place if place < len(rows) else 0

        impacts = tuple(i._replace(row=there(i.row)) for i in self.impacts)
        settled = tuple((there(row), by) for row, by in self.settled)
        return ContactLog(spans, impacts, settled)


NO_CONTACTS = ContactLog((), (), ())


class ContactRow(NamedTuple):
    """Of all n candidates at one row, in the world's axes."""

    gap: Any
    push: Any
    friction: Any
    slip: Any
    power: Any
    belt: Any
    point: Any
    normal: Any


def contact_rows_along(motion: Trajectory, t: Any, x: Any, modes: Modes) -> ContactRow:
    """Gaps, forces, slips and powers at times and states that have the same modes."""
    equations, system = motion.equations, motion.system
    table = {**motion.table, **table_with(system, modes)}
    key = ("contact rows", tuple(sorted(table)))
    if key not in equations.programs:
        n = system.coordinates

        def row(t: Any, x: Any, table: Any) -> ContactRow:
            problem = contact_problem_of(system, t, x[:n], x[n:], table)
            r = mode_forces(problem, modes_in(system, table)).force
            axes, u = problem.rows.axes, problem.rows.velocity
            friction = jnp.sum(axes[:, :, 1:] * r[:, None, 1:], axis=2)
            slip = jnp.sum(axes[:, :, 1:] * u[:, None, 1:], axis=2)
            work = jnp.sum(r[:, 1:] * u[:, 1:], axis=1)
            J = problem.rows.jacobian
            # What a moving plane or belt adds: the force on its velocity.
            whole = jnp.sum(r * (J @ x[n:]), axis=1)
            belt = whole - jnp.sum(r * u, axis=1)
            return ContactRow(
                problem.rows.gap, r[:, 0], friction, slip, work, belt,
                problem.rows.point, axes[:, :, 0],
            )  # fmt: skip

        example = (0.0, np.zeros(x.shape[-1]), table)
        equations.programs[key] = compile(row, *example, batched=["t", "x"])
    return equations.programs[key](t, x, table)


def all_rows(motion: Trajectory) -> ContactRow:
    """The same at every row of a motion, span by span."""
    parts = []
    for span in motion.contacts.spans:
        pick = slice(span.first, span.stop)
        if span.stop > span.first:
            x = motion.steps.x[pick]
            parts.append(contact_rows_along(motion, motion.t[pick], x, span.modes))
    return ContactRow(*(np.concatenate(c) for c in zip(*parts, strict=True)))


@final
@dataclass(frozen=True, eq=False, repr=False)
class SupportMotion:  # limit: its questions are the columns of a table
    """How a support went: rows of the motion, one column for each of its k points.

    status    (n, k) "open", "slides" or "sticks"
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
        words = np.empty((len(self.motion), len(self.points)), dtype=object)
        for first, stop, modes in self.motion.contacts.spans:
            closed, sticks = modes.closed[self._own], modes.sticks[self._own]
            sliding = np.where(sticks > 0, "sticks", "slides")
            words[first:stop] = np.where(closed > 0, sliding, "open")
        return words

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
