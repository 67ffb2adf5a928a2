"""What contacts did along a motion by Moreau's scheme: found again, step by step.

A step of the scheme is a function of its first row and of the impulses of the step
before, so that impulses, residuals and the work of removing overlaps need not be kept:
the steps are made once more, each from its row and from what was found of the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.integrate.field.vector_field import field_of
from polhode.integrate.methods.mechanical.moreau import Moreau, moreau_step
from polhode.integrate.methods.mechanical.moreau_result import RESTING
from polhode.integrate.results.rolling_status import with_rolling
from polhode.lowering.compile import compile
from polhode.matter.parameter import Table
from polhode.system import contacts
from polhode.system.contacts import friction_label
from polhode.system.natural_sizes import length_at_rest

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

ROWS = 256  # steps of one call


class ContactSteps(NamedTuple):
    """Of m steps and n candidate points, in contact axes: normal, then tangents.

    impulse         (m, n, 3) N s
    before, after   (m, n, 3) u of the contact, m/s
    mean            (m, n, 3) u of the mean speed, on which the impulse works
    residual        (m, n) what the law of contact is missed by, m/s
    overlap         (m, n) gap at the end of the step, where it is negative, m
    friction        (m, n) the coefficient that the step took
    support         (m, n, 3) what of u is the motion of the support: a belt, a driver
    axes            (m, n, 3, 3) columns n, t1, t2 along the world's axes
    correction      (m,) what removing overlaps gave the system, J
    """

    impulse: Any
    before: Any
    after: Any
    mean: Any
    residual: Any
    overlap: Any
    friction: Any
    support: Any
    axes: Any
    correction: Any

    @property
    def push_work(self) -> Any:
        """(m, n) of the normal impulses, J."""
        return self.impulse[..., 0] * self.mean[..., 0]

    @property
    def friction_work(self) -> Any:
        """(m, n) of the tangential impulses, J."""
        return (self.impulse[..., 1:] * self.mean[..., 1:]).sum(-1)

    @property
    def drive_work(self) -> Any:
        """(m, n) of supports that move: what belts and drivers give the system, J."""
        return -(self.impulse * self.support).sum(-1)


def contact_steps(motion: Trajectory) -> ContactSteps:
    """All steps of a motion by Moreau's scheme, made again from their rows."""
    driven = bool(motion.inputs.inputs.words)
    if not isinstance(motion.method, Moreau) or not motion.is_dense or driven:
        raise IntegrationError(
            f"what the contacts did along {motion!r} cannot be known.",
            "It is found by making each step of Moreau's scheme again from its row:"
            " samples, inputs and other methods do not keep that.",
            "Simulate without samples=... and inputs, by ph.methods.Moreau(step).",
        )
    t, x, table = motion.steps.t, motion.steps.x, dict(motion.table)
    program, h = _program(motion), np.diff(t)
    kept, parts = np.zeros(_kept(motion)), []
    for first in range(0, max(len(h), 1), ROWS):
        own = [_filled(column[first : first + ROWS]) for column in (t[:-1], x[:-1], h)]
        kept, made = program(*own, kept, table)
        parts.append(made)
    columns = zip(*parts, strict=True)
    return ContactSteps(*(np.concatenate(c)[: len(h)] for c in columns))


def _filled(rows: np.ndarray) -> np.ndarray:
    """Zeros after them, as many as a call of the program takes; steps of no time."""
    more = np.zeros((ROWS - len(rows), *rows.shape[1:]))
    return np.concatenate([rows, more])


def _kept(motion: Trajectory) -> int:
    assert isinstance(motion.method, Moreau)
    return motion.method.keeps(motion.system)


def _program(motion: Trajectory) -> Any:
    equations, table = motion.equations, dict(motion.table)
    key = ("contact steps", tuple(sorted(table)))
    if key not in equations.programs:
        system, n = equations.system, equations.system.coordinates

        def energy(t: Any, x: Array, table: Table) -> Any:
            kinetic = system.kinetic_energy(t, x[:n], x[n:], table)
            return kinetic + system.potential_energy(t, x[:n], table)

        def again(row: Any, kept: Any, table: Table) -> tuple[Any, ContactSteps]:
            t, x, h = row
            step = moreau_step(field_of(equations, table), t, x, h, kept)
            lifted = energy(t + h, step.x, table)
            gaps = contacts.gaps(system, t + h, step.x[:n], table)
            found = step.solution
            return step.kept, ContactSteps(
                found.impulse,
                step.before,
                found.velocity,
                step.mean,
                found.residual,
                jnp.minimum(gaps, 0.0),
                step.friction,
                step.support,
                step.axes,
                lifted - energy(t + h, step.unprojected, table),
            )

        def chain(
            t: Scalar, x: Array, h: Scalar, kept: Any, table: Table
        ) -> tuple[Any, Any]:
            def one(kept: Any, row: Any) -> tuple[Any, Any]:
                # A row of no time begins a segment, as runs do, from no impulses.
                idle = jnp.zeros_like(kept), _nothing(again, row, kept, table)
                return lax.cond(
                    row[2] != 0, lambda: again(row, kept, table), lambda: idle
                )

            return lax.scan(one, kept, (t, x, h))

        width = motion.steps.x.shape[1]
        rows = (np.zeros(ROWS), np.zeros((ROWS, width)), np.zeros(ROWS))
        example = (*rows, np.zeros(_kept(motion)), table)
        equations.programs[key] = compile(chain, *example)
    return equations.programs[key]


def _nothing(again: Any, *given: Any) -> ContactSteps:
    """What a step of no time does."""
    made = jax.eval_shape(again, *given)[1]
    return ContactSteps(*(jnp.zeros(leaf.shape, leaf.dtype) for leaf in made))


class ContactPromises(NamedTuple):
    """How well the laws of contact were kept along a run: the worst of each.

    overlap           m, of contacts that rest or strike
    least_push        N; never below zero but by rounding
    complementarity   J, the most push times gap
    cone              N, the most by which friction was above mu N
    slip_at_rest      m/s, of points that friction holds
    residual          m/s, of the solver; at t and of a point
    """

    overlap: float
    least_push: float
    complementarity: float
    cone: float
    slip_at_rest: float
    residual: float
    t: float
    point: str

    def residuals(self) -> list[tuple[str, float]]:
        """By the name that a ledger prints."""
        where = f", at t = {self.t:.6g} s, {self.point}" if self.residual else ""
        return [
            ("overlap, at most, m", self.overlap),
            ("least push, N", self.least_push),
            ("push times gap, at most, J", self.complementarity),
            ("friction above mu N, N", self.cone),
            ("slip at rest, m/s", self.slip_at_rest),
            (f"contact residual, m/s{where}", self.residual),
        ]


def contact_promises(motion: Trajectory, steps: ContactSteps) -> ContactPromises | None:
    """The worst of all steps; None of a motion without steps."""
    h = np.diff(motion.t)
    if not len(h):
        return None
    force = steps.impulse / h[:, None, None]
    size = np.linalg.norm(force[..., 1:], axis=-1)
    held = (force[..., 0] > 0) & (size < steps.friction * force[..., 0] * (1 - 1e-9))
    slip = np.linalg.norm(steps.after[..., 1:], axis=-1)
    k, i = np.unravel_index(np.argmax(steps.residual), steps.residual.shape)
    return ContactPromises(
        float(-np.min(steps.overlap)),
        float(np.min(force[..., 0])),
        float(np.max(np.abs(force[..., 0] * steps.overlap))),
        float(np.max(size - steps.friction * force[..., 0])),
        float(np.max(np.where(held, slip, 0.0))),
        float(steps.residual[k, i]),
        float(motion.t[k]),
        contacts.names(motion.system)[i],
    )


def stepped_work(motion: Trajectory, steps: ContactSteps) -> dict[str, np.ndarray]:
    """By support, work (rows,) since the first row: of pushes and of friction."""
    owners, found = contacts.owners(motion.system), {}

    def summed(each: np.ndarray) -> np.ndarray:
        return np.concatenate([[0.0], np.cumsum(each)])

    for k, support in enumerate(motion.system.supports):
        own = owners == k
        found[f"impacts of {support.name}"] = summed(steps.push_work[:, own].sum(1))
        if support.friction is not None:
            rubbed = steps.friction_work[:, own].sum(1)
            found[friction_label(support)] = summed(rubbed)
        driven = steps.drive_work[:, own].sum(1)
        # Of a support at rest this is the rounding of a difference.
        speeds = np.abs(steps.mean[:, own]).max(initial=0.0)
        if np.abs(steps.support[:, own]).max(initial=0.0) > 1e-12 * speeds:
            found[f"drive of {support.name}"] = summed(driven)
    found["position correction"] = summed(steps.correction)
    return found


@final
@dataclass(frozen=True, eq=False, repr=False)
class SteppedSupport:
    """How a support went in Moreau's scheme: rows of the motion, a column for a point.

    At each row stands what the step that ends there did; at the first row nothing.

    status    (n, k) "open", "slides", "sticks", or of a round one that does "rolls"
    gap       (n, k) m
    push      (n, k) N, the mean over the step
    friction  (n, k, 3) N on the body that rests, along the world's axes
    slip      (n, k, 3) m/s of the material points, after the step
    """

    motion: Trajectory
    number: int
    steps: ContactSteps

    @property
    def points(self) -> tuple[str, ...]:
        """The names of its candidate points."""
        return self.motion.system.supports[self.number].candidates.names

    @property
    def t(self) -> np.ndarray:
        """Times (n,)."""
        return self.motion.t

    @property
    def gap(self) -> np.ndarray:
        """How far each point is from what it may touch."""
        return _gaps(self.motion)[:, self._own]

    @property
    def push(self) -> np.ndarray:
        """The normal force on each point."""
        return self._force[..., 0]

    @property
    def friction(self) -> np.ndarray:
        """The tangential force on each point."""
        return self._turned(self._force[1:, :, 1:])

    @property
    def slip(self) -> np.ndarray:
        """The material slip of each point."""
        return self._turned(self.steps.after[:, self._own, 1:])

    @property
    def status(self) -> np.ndarray:
        """What each point did in the step that ends at the row."""
        size = length_at_rest(self.motion.system)
        slips = np.linalg.norm(self.slip, axis=-1) > RESTING * size
        closed = np.where(slips, "slides", "sticks")
        found = np.where(self.push > 0, closed, "open")
        support = self.motion.system.supports[self.number]
        return with_rolling(self.motion, support, found, self._normals)

    def _normals(self) -> np.ndarray:
        each = self.steps.axes[:, self._own][..., 0]
        return np.concatenate([each[:1], each])

    @property
    def _force(self) -> np.ndarray:
        h = np.diff(self.motion.t)[:, None, None]
        each = self.steps.impulse[:, self._own] / h
        return np.concatenate([np.zeros_like(each[:1]), each])

    def _turned(self, tangential: np.ndarray) -> np.ndarray:
        axes = self.steps.axes[:, self._own][..., 1:]
        each = (axes @ tangential[..., None])[..., 0]
        return np.concatenate([np.zeros_like(each[:1]), each])

    @property
    def _own(self) -> np.ndarray:
        return np.flatnonzero(contacts.owners(self.motion.system) == self.number)

    def __repr__(self) -> str:
        name = self.motion.system.supports[self.number].name
        return f"SteppedSupport({name!r}, {len(self.points)} points)"


def stepped_support(motion: Trajectory, number: int) -> SteppedSupport:
    """What `motion["rest"]` is."""
    return SteppedSupport(motion, number, contact_steps(motion))


def _gaps(motion: Trajectory) -> np.ndarray:
    equations, table = motion.equations, dict(motion.table)
    key = ("gaps along", tuple(sorted(table)))
    if key not in equations.programs:
        system, n = equations.system, equations.system.coordinates

        def gaps(t: Scalar, x: Array, table: Table) -> Any:
            return contacts.gaps(system, t, x[:n], table)

        example = (0.0, np.zeros(motion.steps.x.shape[1]), table)
        equations.programs[key] = compile(gaps, *example, batched=["t", "x"])
    return equations.programs[key](motion.t, motion.steps.x, table)
