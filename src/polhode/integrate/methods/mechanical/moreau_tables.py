"""A step of Moreau's scheme of many contacts: loops over a table of candidates.

The scheme is that of `moreau`, its sums are taken in another order. Open contacts cost
a look at their gaps; rows, velocities and impulses are made of active ones, over the
speeds of the bodies that touch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.actions.motion_arrays import Poses, Twists
from polhode.arrays import Array, Scalar
from polhode.formulation.solve.active_contacts import (
    ActiveContacts,
    row_of,
    with_row,
)
from polhode.formulation.solve.contact_couplings import (
    Couplings,
    answers_of,
    hanging_together,
)
from polhode.formulation.solve.contact_guess import (
    ContactGuess,
    guess_width,
    look_in_loops,
)
from polhode.formulation.solve.contact_problem import ContactSolution
from polhode.formulation.solve.sparse_contacts import (
    SparseProblem,
    solve_sparse,
)
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.mechanical.impulse_answer import Answer
from polhode.integrate.methods.mechanical.moreau_result import (
    LEVEL,
    RESTING,
    TOUCHING,
    MoreauStep,
    passes,
)
from polhode.integrate.methods.mechanical.table_overlap import (
    Lifting,
    SparseNormals,
    table_apart,
)
from polhode.integrate.methods.mechanical.tree_answer import (
    coupled_speeds,
    has_inputs,
    tree_answer,
)
from polhode.system.natural_sizes import length_at_rest
from polhode.system.rolled import contact_tables as tables

if TYPE_CHECKING:
    from polhode.system.system import System


def table_step(
    field: Field, t: Scalar, x: Array, h: Scalar, kept: Any, *, is_shown: bool
) -> MoreauStep:
    """One step; of open contacts velocities are found too where they `is_shown`."""
    step = _TableStep.begun(field, t, x, h, is_shown=is_shown)
    guess = ContactGuess.of(
        jnp.zeros(guess_width(len(step.rows.radius))) if kept is None else kept
    )
    rebound = guess.striking(step.seen.rebound)
    step = step._replace(seen=step.seen._replace(rebound=rebound))
    z1, found, after = _from_guess(step, guess)
    there = field.local(step.middle, h / 2 * z1)
    rests = step.rests(found.velocity)
    q1 = table_apart(
        step.lifting(), there, rests, found.impulse[:, 0] > 0, LEVEL * step.size
    )
    u, mean = found.velocity, jnp.zeros_like(found.velocity)
    if is_shown:
        u = step.velocities_after(z1, found.velocity)
        mean = step.velocities_at_middle((step.z + z1) / 2)
    seen = step.seen
    return MoreauStep(
        jnp.concatenate([q1, z1]),
        jnp.concatenate([there, z1]),
        found._replace(velocity=u),
        seen.before,
        mean,
        jnp.zeros_like(mean),
        seen.touch.gap,
        seen.friction,
        seen.touch.axes,
        after.column,
    )


def _from_guess(
    step: _TableStep, kept: ContactGuess
) -> tuple[Any, ContactSolution, ContactGuess]:
    """z+, the solution that a guess is or that follows from it, and the next guess."""
    r, last, slope, mass = step.active.alone(tuple(kept[:4]))
    guess = ContactGuess(r, last, slope, mass, kept.count)
    change = step.change(guess.impulse)
    u = step.velocities(step.free + change)
    asked = u.at[:, 0].add(step.seen.rebound)
    told = look_in_loops(guess, asked, step.seen.friction, step.active)

    def holds() -> tuple[Any, ContactSolution, ContactGuess]:
        none = jnp.zeros((), jnp.int64)
        own = (guess.impulse, u, told.residual, none, change, guess.mass)
        return step.free + change, ContactSolution(*own), told.next

    def fails() -> tuple[Any, ContactSolution, ContactGuess]:
        z1, found = passes(step, guess.impulse)
        return z1, found, guess.further(found, step.answered)

    z1, found, after = lax.cond(told.holds, holds, fails)
    return z1, ContactSolution(*found), ContactGuess(*after)


class _Seen(NamedTuple):
    """Of n candidates at the middle of a step.

    touch      gaps, places and axes
    is_active  (n,)
    before     u (n, 3) at its start; rebound (n,) what restitution asks of u_N
    friction   mu (n,)
    """

    touch: tables.Touch
    is_active: Any
    before: Any
    rebound: Any
    friction: Any


class _TableStep(NamedTuple):  # limit: one method a velocity that a step asks for
    """A step before its impulses are known; as `moreau` has it.

    poses, poses_after  of all bodies at the middle, and where speeds after it are read
    """

    field: Field
    t: Any
    h: Any
    z: Any
    middle: Any
    end: Any
    table: Any
    rows: tables.Candidate
    couplings: Couplings
    poses: Poses
    poses_after: Poses
    answer: Answer
    seen: _Seen
    active: ActiveContacts
    size: Any

    @classmethod
    def begun(
        cls, field: Field, t: Scalar, x: Array, h: Scalar, *, is_shown: bool
    ) -> _TableStep:
        """From x at t."""
        system, n = field.system, field.coordinates
        q, z = x[:n], x[n:]
        then, way = t + h / 2, h / 2 * z
        middle = field.local(q, way)
        end = field.local(middle, way)
        table = field.table_at(then, middle, z)
        rows = tables.candidate_table(system, table)
        drives = has_inputs(field, then, middle, z)
        couplings = _couplings(system, rows, coupled_speeds(system, has_inputs=drives))
        rows = tables.Candidate(*(jnp.asarray(column) for column in rows))
        poses = tables.placed_bodies(system, then, middle, table)
        size = length_at_rest(system)
        first = tables.placed_bodies(system, t, q, table)
        moving = tables.moving_bodies(system, t, q, z, table)

        def one(row: tables.Candidate) -> _Seen:
            here = tables.touch(row, poses)
            is_active = here.gap <= TOUCHING * size

            def found() -> tuple[Any, Any, Any]:
                u = tables.velocity(row, tables.touch(row, first), first, moving)
                slip = jnp.sqrt(u[1] * u[1] + u[2] * u[2])
                mu = jnp.where(slip <= RESTING * size, row.static, row.dynamic)
                return u, row.restitution * jnp.minimum(u[0], 0.0), mu

            def none() -> tuple[Any, Any, Any]:
                return jnp.zeros(3), jnp.zeros(()), row.static

            if is_shown:
                return _Seen(here, is_active, *found())
            return _Seen(here, is_active, *lax.cond(is_active, found, none))

        seen = tables.each(rows, one)
        return cls(
            field=field,
            t=t,
            h=h,
            z=z,
            middle=middle,
            end=end,
            table=table,
            rows=rows,
            couplings=couplings,
            poses=poses,
            poses_after=tables.placed_bodies(system, t + h, end, table),
            answer=tree_answer(field, then, middle, z, h=h, table=table),
            seen=seen,
            active=ActiveContacts.of(seen.is_active),
            size=size,
        )

    def bent(self, more: Any) -> _TableStep:
        """With more of a drift."""
        drift = self.answer.drift + more
        return self._replace(answer=self.answer._replace(drift=drift))

    @property
    def free(self) -> Any:
        """z_f"""
        return self.z + self.answer.drift

    def change(self, r: Array) -> Any:
        """z+ - z_f of impulses r (n, 3)."""
        return self.answer.to(self.pressed(r))

    def pressed(self, r: Array) -> Any:
        """J^T r (nz,), by the bodies that impulses r (n, 3) act on."""
        none = jnp.zeros((self.poses.origins.shape[0], 3))

        def one(k: Any, i: Any, on: Any) -> Any:
            candidate, here, impulse = row_of((self.rows, self.seen.touch, r), i)
            return (*tables.pressed(candidate, here, self.poses, impulse, Twists(*on)),)

        on = self.active.each(one, (none, none))
        system, then = self.field.system, self.t + self.h / 2
        return tables.on_speeds(system, then, self.middle, Twists(*on), self.table)

    def velocities(self, z: Array) -> Any:
        """u (n, 3) after the step, of active contacts."""
        moving = self._moving(z)

        def one(k: Any, i: Any, found: Any) -> Any:
            candidate = row_of(self.rows, i)
            return with_row(found, self._velocity_after(candidate, moving), i)

        return self.active.each(one, jnp.zeros((len(self.seen.rebound), 3)))

    def answered(self, r: Array) -> Any:
        """W r (n, 3): u that impulses on active contacts give them."""
        change = self.change(r)
        return self.velocities(change) - self.velocities(jnp.zeros_like(change))

    def velocities_after(self, z: Array, u: Array) -> Any:
        """u (n, 3) after the step, of all contacts; of active ones those given."""
        moving = self._moving(z)

        def one(row: Any) -> Any:
            candidate, is_active, u = row
            return jnp.where(is_active, u, self._velocity_after(candidate, moving))

        return tables.each((self.rows, self.seen.is_active, u), one)

    def _moving(self, z: Array) -> Twists:
        system, then = self.field.system, self.t + self.h
        return tables.moving_bodies(system, then, self.end, z, self.table)

    def _velocity_after(self, row: tables.Candidate, moving: Twists) -> Any:
        here = tables.touch(row, self.poses_after)
        return tables.velocity(row, here, self.poses_after, moving)

    def _moving_at_middle(self, z: Array) -> Twists:
        system, then = self.field.system, self.t + self.h / 2
        return tables.moving_bodies(system, then, self.middle, z, self.table)

    def velocities_at_middle(self, z: Array) -> Any:
        """u (n, 3) of all contacts there."""
        moving = self._moving_at_middle(z)

        def one(row: Any) -> Any:
            return tables.velocity(row[0], row[1], self.poses, moving)

        return tables.each((self.rows, self.seen.touch), one)

    def solved(self, guess: Any) -> ContactSolution:
        """By Newton's steps from a guess (n, 3)."""
        moved = tables.screws(self.field.system, self.middle, self.poses, self.table)
        active, n, p = self.active, len(self.seen.rebound), self.pressed(guess)
        z = self.free + self.answer.to(p)
        last, now = self._moving(z), self._moving_at_middle(z)
        without = self._moving_at_middle(z - self.answer.met(p))

        def one(k: Any, i: Any, found: Any) -> Any:
            given = (self.rows, self.seen.touch, self.seen.rebound, self.seen.friction)
            candidate, here, rebound, mu = row_of(given, i)
            J = tables.jacobian(candidate, here, moved)
            q = tables.velocity(candidate, here, self.poses, without)
            lag = self._velocity_after(candidate, last)
            lag = lag - tables.velocity(candidate, here, self.poses, now)
            return with_row(found, (J, q, rebound, lag, mu), k)

        width = self.couplings.speeds.shape[1]
        shapes = ((n, 3, width), (n, 3), (n,), (n, 3), (n,))
        none = tuple(jnp.zeros(shape) for shape in shapes)
        J, q, rebound, lag, mu = active.each(one, none)
        problem = SparseProblem(
            active=active,
            jacobian=J,
            free=q,
            rebound=rebound,
            lag=lag,
            friction=mu,
            inertia=self.answer.inertia,
            solve=self.answer.met,
            couplings=self.couplings,
        )
        return solve_sparse(problem, guess)

    def rests(self, u: Array) -> ActiveContacts:
        """Of active contacts those that do not part, whose u (n, 3) is asked."""

        def one(k: Any, i: Any, marks: Any) -> Any:
            # What leaves by itself is left alone: lifting it would give it energy.
            return with_row(marks, row_of(u, i)[0] <= RESTING * self.size, i)

        none = jnp.zeros(self.seen.is_active.shape, bool)
        return ActiveContacts.of(self.active.each(one, none))

    def lifting(self) -> Lifting:
        """Gaps at its end, how coordinates move, and normals at its middle."""
        field, table, then = self.field, self.table, self.t + self.h
        system, n = field.system, len(self.seen.rebound)
        speeds, answering = self.couplings.speeds, self.couplings.answering

        def gaps(q: Array, some: ActiveContacts) -> Any:
            poses = tables.placed_bodies(system, then, q, table)

            def one(k: Any, i: Any, found: Any) -> Any:
                return with_row(found, tables.touch(row_of(self.rows, i), poses).gap, i)

            return some.each(one, jnp.zeros(n))

        def normals(some: ActiveContacts) -> SparseNormals:
            moved = tables.screws(system, self.middle, self.poses, table)
            answers = answers_of(self.answer.met, self.couplings)

            def one(k: Any, i: Any, found: Any) -> Any:
                given = (self.rows, self.seen.touch)
                candidate, here = row_of(given, i)
                J = tables.jacobian(candidate, here, moved)[0]
                X = answers(i, J[None])[:, 0]
                size = jnp.sum(J * X[: len(J)])
                row = J, X, jnp.where(size > 0, size, 1.0)
                return with_row(found, row, i)

            shapes = ((n, speeds.shape[1]), (n, answering.shape[1]), (n,))
            none = tuple(jnp.zeros(shape) for shape in shapes)
            J, X, own = some.each(one, none)
            return SparseNormals(J, X, speeds, answering, own, system.speeds)

        return Lifting(gaps, field.local, normals)


def _couplings(system: System, rows: tables.Candidate, mass: np.ndarray) -> Couplings:
    """Which speeds contacts and inertia couple."""
    nz, speeds = system.speeds, np.asarray(rows.speeds)
    part, _ = hanging_together(mass)
    each = []
    for own in speeds:
        near = np.flatnonzero(np.isin(part, part[own[own < nz]]))
        each.append(np.concatenate([own, np.setdiff1d(near, own)]))
    widest = max(map(len, each))
    answering = [np.concatenate([own, np.full(widest - len(own), nz)]) for own in each]
    whole = mass | tables.rows_coupled(system)
    return Couplings(speeds, np.array(answering, int), mass, whole)
