r"""Moreau's midpoint scheme: contacts and friction by impulses, a fixed step at a time.

    q_m = q (+) h/2 z                           contacts with g(q_m) <= 0 are active
    M' (z_f - z) = h M a(t + h/2, q_m, z)       M' = M (1 - h/2 da/dz)
    u   = W r + J z_f                           K \ni r _|_ u + e u^- n + mu |u_T| n
    M' (z+ - z_f) = J^T r
    q+  = q_m (+) h/2 z+                        then overlaps are removed

Forces that depend on speeds are those of the mean speed, (z + z+)/2, to first order:
also of what contacts change in it, or a ball that rolls would turn its own momentum.

The cone is exact: what must stick sticks. With ubar of the mean speed (z + z+)/2 the
work of each contact is r . ubar, and T changes by the work of all forces on it. A step
is a function of its first row alone, so that impulses are found again from rows that
were kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.errors import IntegrationError
from polhode.formulation.solve.contact_problem import (
    ContactProblem,
    ContactSolution,
    each_active,
    eliminated_in_order,
    solve_contacts,
)
from polhode.formulation.solve.equations_of_motion import solve_rows
from polhode.integrate.field.vector_field import Field
from polhode.integrate.methods.method import Attempt, FixedStep
from polhode.matter.parameter import at
from polhode.system import contacts
from polhode.system.natural_sizes import length_at_rest, natural_sizes

if TYPE_CHECKING:
    from polhode.system.system import System

# Of the system's length: gaps below it count as closed. Rounding of a position that
# rests would else open and close its contacts in turn.
TOUCHING = 1e-10
# Of the system's length, a second: slower slip is rest, where friction is static.
RESTING = 1e-9


LIFTS = 10  # sweeps over the overlaps


@final
@dataclass(frozen=True)
class Moreau(FixedStep):
    """Order 1 through impacts and changes of friction, 2 between them; for supports.

    Contacts are solved together with the exact cone of Coulomb, and impacts by
    Newton's restitution: of a `Stronge` or `Poisson` its number is taken. Overlaps of
    contacts that rest are removed step by step, and the work of that is in the ledger.

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

    def attempt(self, field: Field, t: Any, x: Any, x_dot: Any, h: Any) -> Attempt:
        """One step, traced."""
        return Attempt(moreau_step(field, t, x, h).x)


class MoreauStep(NamedTuple):
    """One step, and what its contacts did.

    x                   at t + h, overlaps removed
    unprojected         the same before they were
    solution            impulses r (n, 3), u after (n, 3), residual (n,), iterations
    before              u (n, 3) before the step
    mean                u (n, 3) of the mean speed at its middle, on which r works
    support             (n, 3) what of that is the motion of the support itself
    gap                 (n,) at its middle
    friction            mu (n,) that it took, static where nothing slipped
    axes                (n, 3, 3) columns n, t1, t2 along the world's axes
    """

    x: Any
    unprojected: Any
    solution: ContactSolution
    before: Any
    mean: Any
    support: Any
    gap: Any
    friction: Any
    axes: Any


def moreau_step(field: Field, t: Any, x: Any, h: Any) -> MoreauStep:
    """A step of h from x at t, traced."""
    system, n = field.system, field.coordinates
    _require_speeds(field)
    q, z = x[:n], x[n:]
    then = t + h / 2
    middle = field.local(q, h / 2 * z)
    table = field.table_at(then, middle, z)
    rows = contacts.contact_rows(system, then, middle, z, table)
    size = length_at_rest(system)
    is_active = rows.gap <= TOUCHING * size
    drift, response, M = _responses(
        field, then, middle, z, h=h, J=rows.jacobian, on=is_active, table=table
    )
    free = z + drift
    # Speeds may be along axes of bodies that turn: those of the end are read there.
    end = field.local(middle, h / 2 * free)
    last = contacts.contact_rows(system, t + h, end, free, table)
    before = contacts.velocities(system, t, q, z, table)
    rebound = rows.restitution * jnp.minimum(before[:, 0], 0.0)
    slip = jnp.sqrt(before[:, 1] ** 2 + before[:, 2] ** 2)
    mu = jnp.where(slip <= RESTING * size, rows.static, rows.dynamic)
    problem = ContactProblem(
        last.jacobian,
        response,
        M,
        rows.jacobian,
        last.velocity.at[:, 0].add(rebound),
        mu,
        is_active,
    )
    found = solve_contacts(_pressed(system, problem, h, table), None)
    after = found.velocity.at[:, 0].add(-rebound)
    z1 = free + found.change[: free.shape[0]]
    there = field.local(middle, h / 2 * z1)
    unprojected = jnp.concatenate([there, z1])
    # What leaves by itself is left alone: to lift it as well would give it energy.
    rests = is_active & (after[:, 0] <= RESTING * size)
    gaps = contacts.gaps(system, t + h, there, table)
    overlaps = rests & (gaps < 0)

    def lifted() -> Any:
        first, pushed = _lift(problem, gaps, overlaps, least=0.0)
        higher = field.local(there, first)
        # Gaps are not straight in the coordinates: what was lifted too far would open
        # and fall again, for ever.
        left = contacts.gaps(system, t + h, higher, table)
        second, _ = _lift(problem, left, pushed > 0, least=-jnp.inf)
        return field.local(higher, second)

    q1 = lax.cond(jnp.any(overlaps), lifted, lambda: there)
    support = rows.velocity - rows.jacobian @ z
    return MoreauStep(
        jnp.concatenate([q1, z1]),
        unprojected,
        found._replace(velocity=after),
        before,
        support + rows.jacobian @ ((z + z1) / 2),
        support,
        rows.gap,
        mu,
        rows.axes,
    )


def _pressed(system: System, problem: ContactProblem, h: Any, table: Any) -> Any:
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

    def x_dot(t: Any, x: Any) -> Any:
        q_dot = field.system.rates(t, x[:n], x[n:], field.table_at(t, x[:n], x[n:]))
        return jnp.concatenate([1.0 * q_dot, jnp.zeros_like(x[n:])])

    return x_dot


def _lift(
    problem: ContactProblem, gaps: Any, chosen: Any, *, least: Any
) -> tuple[Any, Any]:
    """The motion (nz,) of least inertia that closes the chosen gaps, and lambda (n,).

    0 <= lambda  _|_  g + W_NN lambda >= 0, by sweeps; what they leave the next step has
    again. With `least` below zero, g + W_NN lambda = 0.
    """
    J, X = problem.jacobian[:, 0], problem.response[:, :, 0]
    own = jnp.sum(J * X, axis=1)
    own = jnp.where(own > 0, own, 1.0)

    def one(i: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        pushed, moved = state
        gap = gaps[i] + jnp.sum(J[i] * moved)
        new = jnp.where(chosen[i], jnp.maximum(least, pushed[i] - gap / own[i]), 0.0)
        return pushed.at[i].set(new), moved + X[i] * (new - pushed[i])

    def sweep(_: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        return lax.fori_loop(0, gaps.shape[0], one, state)

    start = (jnp.zeros_like(gaps), jnp.zeros(X.shape[1]))
    pushed, moved = lax.fori_loop(0, LIFTS, sweep, start)
    return moved, pushed


def _responses(
    field: Field, t: Any, q: Any, z: Any, *, h: Any, J: Any, on: Any, table: Any
) -> tuple[Any, Any, Any]:
    """z_f - z (nz,), X (n, nz, 3) with z+ - z_f = sum_i X_i r_i, and M'.

    X is that of the contacts that are `on`; of others it is nothing.

    M' dz = J^T r + A^T l with A dz = 0: joints and loops answer with impulses. M' is
    None where they do, for then it is not M' alone that resists.
    """
    n, _, k = J.shape

    def a(z: Any) -> Any:
        return field.accelerations(t, q, z)

    M = field.system.mass_matrix(t, q, table)
    inertia = M - h / 2 * (M @ jax.jacfwd(a)(z))
    solve = eliminated_in_order(inertia)
    drift = solve(h * (M @ a(z)))
    X = each_active(on, lambda J: solve(J.T), J)
    if not field.system.constraints:
        return drift, X, inertia
    A, _ = field.system.constraint_rows(t, q, z, table)
    yielding, sizes = solve(A.T), natural_sizes(field.system).rows
    S, columns = A @ yielding, jnp.swapaxes(X, 0, 1).reshape(k, 3 * n)
    held = [solve_rows(S, A @ columns[:, j], sizes) for j in range(3 * n)]
    columns = columns - yielding @ jnp.stack(held, axis=1)
    return drift, jnp.swapaxes(columns.reshape(k, n, 3), 0, 1), None


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
