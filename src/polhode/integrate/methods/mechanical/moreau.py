r"""Moreau's midpoint scheme: contacts and friction by impulses, a fixed step at a time.

    q_m = q (+) h/2 z                           contacts with g(q_m) <= 0 are active
    M' (z_f - z) = h M a(t + h/2, q_m, z)       M' = M (1 - h/2 da/dz)
    u   = W r + J z_f                           K \ni r _|_ u + e u^- n + mu |u_T| n
    M' (z+ - z_f) = J^T r                       W = J S^-1 J^T, see `impulse_answer`
    q+  = q_m (+) h/2 z+                        then overlaps are removed

Forces that depend on speeds are those of the mean speed, (z + z+)/2, to first order:
also of what contacts change in it, or a ball that rolls would turn its own momentum.

The cone is exact: what must stick sticks. With ubar of the mean speed (z + z+)/2 the
work of each contact is r . ubar, and T changes by the work of all forces on it.

A step begins with the impulses of the step before it (see `contact_guess`): what rests
needs no matrix. Shares of contacts of which there are more than are needed are then
those that change least; from no impulses on, they are about even.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.errors import IntegrationError
from polhode.formulation.solve.contact_guess import (
    ContactGuess,
    guess_width,
    look_at,
)
from polhode.formulation.solve.contact_problem import (
    PROXIMAL,
    ContactProblem,
    ContactSolution,
    each_active,
    law_defect,
    solve_contacts,
)
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.implicit.newton import (
    followed,
    implicit,
    without_derivative,
)
from polhode.integrate.methods.mechanical.impulse_answer import Answer, answer_of
from polhode.integrate.methods.mechanical.moreau_result import (
    LEVEL,
    RESTING,
    TOUCHING,
    MoreauStep,
    passes,
)
from polhode.integrate.methods.mechanical.moreau_tables import table_step
from polhode.integrate.methods.mechanical.overlap import (
    Closed,
    End,
    Normals,
    Placed,
    apart,
)
from polhode.integrate.methods.method import Attempt, FixedStep
from polhode.matter.parameter import Table, at
from polhode.system import contacts
from polhode.system.natural_sizes import length_at_rest
from polhode.system.rolled import contact_tables

if TYPE_CHECKING:
    from polhode.system.system import System


@final
@dataclass(frozen=True)
class Moreau(FixedStep):
    """Order 1 through impacts and changes of friction, 2 between them; for supports.

    Contacts are solved together with the exact cone of Coulomb, and impacts by
    Newton's restitution: a number is Newton's here, and a `Stronge` or `Poisson` of a
    rough support is refused, for a step does not have the two halves of an impact.
    What was closed in the step before does not strike, and where restitutions of
    contacts that wedge each other contradict, that step has none.
    Overlaps of contacts that rest are removed step by step, and the work of that is in
    the ledger. Where contacts are more than are needed to hold a body, their shares
    follow from those of the step before. Derivatives (`ph.sensitivity`, `ph.gradient`)
    are those of steps whose contacts keep their modes, by the theorem of implicit
    functions: across the time of an impact, which moves by whole steps, they are wrong.

    >>> import polhode as ph
    >>> ball = ph.Body("ball", ph.solids.sphere(mass=1.0, radius=0.1))
    >>> skin = ph.surfaces.sphere(ball.origin, 0.1)
    >>> rest = ph.Support(skin, ph.World().origin, friction=ph.Coulomb(0.5))
    >>> system = ph.System([ball], [ph.Weight(9.81)], supports=[rest])
    >>> start = system.state(ball={"z": 0.1})
    >>> motion = ph.simulate(system, start, until=0.1, method=ph.methods.Moreau(0.01))
    >>> bool(abs(motion.final.z).max() < 1e-13)
    True
    """

    name: ClassVar[str] = "Moreau midpoint"
    order: ClassVar[int] = 1

    def attempt(
        self, field: Field, t: Scalar, x: Array, x_dot: Array, h: Scalar
    ) -> Attempt:
        """One step, traced; impulses begin with those of the step before."""
        told, width = field.carried, x.shape[0]
        if told is None or told.shape[0] == width:
            return Attempt(moreau_step(field, t, x, h, is_shown=False).x)
        step = moreau_step(field, t, x, h, told[width:], is_shown=False)
        return Attempt(step.x, carried=jnp.concatenate([told[:width], step.kept]))

    def keeps(self, system: System) -> int:
        """How many numbers a step leaves for the next."""
        return guess_width(len(contacts.names(system)))


def moreau_step(
    field: Field,
    t: Scalar,
    x: Array,
    h: Scalar,
    kept: Any = None,
    *,
    is_shown: bool = True,
) -> MoreauStep:
    """One step of h from x at t, traced; `kept` (10n + 1,) is what the last has left.

    Where it is not shown, velocities of open contacts may be zeros.
    """
    _require_speeds(field)
    if contact_tables.serves(field.system):
        return table_step(field, t, x, h, kept, is_shown=is_shown)
    step = _Step.begun(field, t, x, h)
    rows, mu, z = step.rows, step.friction, step.z

    def solved(kept: Any) -> tuple[Any, ContactSolution, ContactGuess]:
        if kept is None or contacts.pads(field.system):
            z1, found = passes(step, None)
            return z1, found, _anew(found)
        return _from_guess(step, ContactGuess.of(kept))

    z1, found, after = without_derivative(solved, kept)
    u, z1 = found.velocity, followed(z1, _by_modes(step, found))
    way = h / 2 * z1
    there = field.local(step.middle, way)
    # What leaves by itself is left alone: to lift it as well would give it energy.
    rests = step.is_active & (u[:, 0] <= RESTING * step.size)
    closed = Closed(rests, found.impulse[:, 0] > 0)
    least = LEVEL * step.size
    q1 = apart(step.normals, step.placed, End(there, way), closed, least)
    support = rows.velocity - rows.jacobian @ z
    return MoreauStep(
        jnp.concatenate([q1, z1]),
        jnp.concatenate([there, z1]),
        found,
        step.before,
        support + rows.jacobian @ ((z + z1) / 2),
        support,
        rows.gap,
        mu,
        rows.axes,
        after.column,
    )


def _from_guess(
    step: _Step, kept: ContactGuess
) -> tuple[Any, ContactSolution, ContactGuess]:
    """z+, the solution that a guess is or that follows from it, and the next guess."""
    guess, mu, on = kept.pressing(step.is_active), step.friction, step.is_active
    step = step._replace(rebound=kept.striking(step.rebound))
    change = step.change(guess.impulse)
    u = step.velocity(change)
    told = look_at(guess, u.at[:, 0].add(step.rebound), mu, on)

    def holds() -> tuple[Any, ContactSolution, ContactGuess]:
        none = jnp.zeros((), jnp.int64)
        own = (guess.impulse, u, told.residual, none, change, guess.mass)
        return step.free + change, ContactSolution(*own), told.next

    def fails() -> tuple[Any, ContactSolution, ContactGuess]:
        z1, found = passes(step, guess.impulse)
        return z1, found, guess.further(found, step.answered)

    z1, found, after = lax.cond(told.holds, holds, fails)
    # None where it is open: what closes again strikes.
    mass = jnp.where(on, found[-1], 0.0)
    return z1, ContactSolution(*found), ContactGuess(*after)._replace(mass=mass)


def _by_modes(step: _Step, found: ContactSolution) -> Any:
    """z+ while its contacts open, stick and slide as they do: for derivatives."""
    r, share = found.impulse, PROXIMAL / jnp.mean(found.mass)

    def lacks(r: Array) -> Any:
        u = step.velocity(step.change(r)).at[:, 0].add(step.rebound)
        # Loads that more contacts share than are needed stay those that are nearest.
        u = u + share * (r - lax.stop_gradient(found.impulse))
        return law_defect(r, u, step.friction, found.mass, step.is_active)

    return step.free + step.change(implicit(r, lacks))


def _anew(found: ContactSolution) -> ContactGuess:
    none = jnp.zeros_like(found.impulse)
    return ContactGuess(found.impulse, none, none, found.mass, jnp.ones(()))


class _Step(NamedTuple):
    """A step before its impulses are known; see the module.

    end        q_m (+) h/2 z, where speeds after the step are read: they may be along
               axes of bodies that turn
    rows       of contacts at q_m
    answer     how speeds answer
    before     u (n, 3) at its start; rebound (n,) what restitution asks of u_N
    friction   mu (n,)
    size       the system's length
    """

    field: Field
    t: Any
    h: Any
    z: Any
    middle: Any
    end: Any
    table: Any
    rows: contacts.ContactRows
    answer: Answer
    before: Any
    rebound: Any
    friction: Any
    is_active: Any
    size: Any

    @classmethod
    def begun(cls, field: Field, t: Scalar, x: Array, h: Scalar) -> _Step:
        """From x at t."""
        system, n = field.system, field.coordinates
        q, z = x[:n], x[n:]
        then = t + h / 2
        middle = field.local(q, h / 2 * z)
        end = field.local(middle, h / 2 * z)
        table = field.table_at(then, middle, z)
        rows = contacts.contact_rows(system, then, middle, z, table)
        size = length_at_rest(system)
        before = contacts.velocities_of(
            system, contacts.Place(then, middle), contacts.Place(t, q), z, table
        )
        slip = jnp.sqrt(before[:, 1] ** 2 + before[:, 2] ** 2)
        return cls(
            field=field,
            t=t,
            h=h,
            z=z,
            middle=middle,
            end=end,
            table=table,
            rows=rows,
            answer=answer_of(field, then, middle, z, h=h, table=table),
            before=before,
            rebound=rows.restitution * jnp.minimum(before[:, 0], 0.0),
            friction=jnp.where(slip <= RESTING * size, rows.static, rows.dynamic),
            is_active=rows.gap <= TOUCHING * size,
            size=size,
        )

    def bent(self, more: Any) -> _Step:
        """With more of a drift."""
        drift = self.answer.drift + more
        return self._replace(answer=self.answer._replace(drift=drift))

    @property
    def free(self) -> Any:
        """z_f"""
        return self.z + self.answer.drift

    def velocity(self, change: Any) -> Any:
        """u (n, 3) after it, where z_f has changed."""
        here = contacts.Place(self.t + self.h / 2, self.middle)
        there = contacts.Place(self.t + self.h, self.end)
        own = self.field.system, here, there, self.free + change, self.table
        return contacts.velocities_of(*own)

    def _along(self, z: Array) -> Any:
        """u (n, 3) of z at its middle."""
        t, system = self.t + self.h / 2, self.field.system
        return contacts.velocities(system, t, self.middle, z, self.table)

    def change(self, r: Array) -> Any:
        """z+ - z_f of impulses r (n, 3), without a matrix."""
        return self.answer.to(jax.vjp(self._along, self.z)[1](r)[0])

    def answered(self, r: Array) -> Any:
        """W r (n, 3): u that impulses give."""
        still = self._along(jnp.zeros_like(self.z))
        return self._along(self.change(r)) - still

    def problem(self, guess: Any) -> ContactProblem:
        """That of its contacts, with all matrices.

        By a guess of the impulses q is what they would miss, were u read at the end of
        the step and not at its middle.
        """
        system, then = self.field.system, self.t + self.h / 2
        rows = contacts.contact_rows(system, then, self.middle, self.z, self.table)
        J, answer = rows.jacobian, self.answer
        change = met = jnp.zeros_like(self.z)
        if guess is not None:
            (p,) = jax.vjp(self._along, self.z)[1](guess)
            change, met = answer.to(p), answer.met(p)
        z = self.free + change
        return ContactProblem(
            J,
            each_active(self.is_active, lambda J: answer.met(J.T), J),
            answer.inertia,
            J,
            self._along(z - met),
            self.friction,
            self.is_active,
            self.rebound,
            self.velocity(change) - self._along(z),
        )

    def solved(self, guess: Any) -> ContactSolution:
        """By Newton's steps from a guess (n, 3), or from no impulses."""
        system = self.field.system
        problem = _pressed(system, self.problem(guess), self.h, self.table)
        return solve_contacts(problem, guess)

    def normals(self) -> Normals:
        """Of the contacts that are active, at its middle."""
        system, then = self.field.system, self.t + self.h / 2
        rows = contacts.contact_rows(system, then, self.middle, self.z, self.table)
        J = rows.jacobian[:, 0]
        return Normals(J, each_active(self.is_active, self.answer.met, J))

    @property
    def placed(self) -> Placed:
        """Gaps at its end, and how coordinates move."""
        system, t, table = self.field.system, self.t + self.h, self.table
        passing = contacts.passing(system)

        def gaps(q: Array, way: Array) -> Any:
            own = contacts.gaps(system, t, q, table)
            if not np.any(passing):
                return own
            # Where places are those of one instant, the ones of the middle go on.
            first = self.rows.gap + self.rows.jacobian[:, 0] @ way
            return jnp.where(passing, first, own)

        return Placed(gaps, self.field.local)


def _pressed(system: System, problem: ContactProblem, h: Scalar, table: Table) -> Any:
    """The problem in which pads are pressed: by a load, or by the push of a contact.

    Nothing moves along their normals. Each has a speed of its own there, s (N - h L) or
    s (N - N of its contact), which is zero where it is pressed by just that.
    """
    own = contacts.pads(system)
    if not own:
        return problem
    J, X, M, applied, free = problem[:5]
    n, k = J.shape[0], len(own)
    reads, acts, sizes = np.zeros((n, 3, k)), np.zeros((n, 3, k)), []
    for p, pad in enumerate(own):
        size = J[pad.candidate, 1] @ X[pad.candidate, :, 1]
        sizes.append(jnp.where(size > 0, size, 1.0))
        reads[pad.candidate, 0, p] = acts[pad.candidate, 0, p] = 1.0
        if pad.contact is not None:
            acts[pad.contact, 0, p] = -1.0
        load = 0.0 if pad.load is None else at(pad.load, table)
        free = free.at[pad.candidate, 0].add(-sizes[-1] * h * load)
    s = jnp.stack(sizes)
    moved = s[:, None] * np.swapaxes(acts, 1, 2)
    if M is not None:
        M = jnp.block([
            [M, jnp.zeros((M.shape[0], k))],
            [jnp.zeros((k, M.shape[0])), jnp.diag(1.0 / s)],
        ])  # fmt: skip
    return problem._replace(
        jacobian=jnp.concatenate([J, reads], axis=2),
        response=jnp.concatenate([X, moved], axis=1),
        inertia=M,
        applied=jnp.concatenate([applied, acts], axis=2),
        free=free,
    )


def stepped_rates(field: Field) -> Callable[[Any, Any], Any]:
    """(t, x) -> [q_dot; 0]: speeds that jump have no rates."""
    n = field.coordinates

    def x_dot(t: Scalar, x: Array) -> Any:
        q_dot = field.system.rates(t, x[:n], x[n:], field.table_at(t, x[:n], x[n:]))
        return jnp.concatenate([1.0 * q_dot, jnp.zeros_like(x[n:])])

    return x_dot


def _require_speeds(field: Field) -> None:
    system = field.system
    if not system.supports:
        raise IntegrationError(
            f"Moreau's scheme has nothing to do in {system.name!r}.",
            "It is for contacts that open, and the system has no supports.",
            "Give ph.System(..., supports=[...]), or take ph.methods.DormandPrince().",
        )
    if not field.is_in_speeds:
        raise IntegrationError(
            f"Moreau's scheme cannot step {system.name!r} in this form.",
            "Impulses change the system's own speeds.",
            "Give the system itself, not equations in other velocities.",
        )
