"""Velocities of the user's own, in place of the speeds of joints.

    z = zeta(t, q, y),      V = V(t, q, zeta),      z_dot = E y_dot + shift

E = dz/dy and shift = zeta_t + zeta_q q_dot. They may be linear in the speeds, affine,
moving in time, or not linear at all; any invertible choice gives the same motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.formulation.equations import Core, Equations, Terms, solved
from polhode.formulation.questions.reactions import by_balance
from polhode.formulation.shared.speeds import along, drift
from polhode.geometry.vector import shown
from polhode.matter.parameter import Table
from polhode.system.natural_sizes import NaturalSizes, natural_sizes
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System

STEPS = 40  # of Newton's, for the direction that the user did not give
INVERTED = 1e-9  # of the speeds: what going there and back may change
DEPENDENT = 1e-10  # a singular value of dz/dy, of columns of unit length
DRAWS = 4

Choice = Callable[[Any, Any, Any], Any]


@final
@dataclass(frozen=True)
class Velocities:
    """Velocities y of the user's own: z = to_speeds(t, q, y), linear in y or not.

    `from_speeds(t, q, z)` is the inverse; one of the two is enough, and the other is
    found from it by Newton's steps. Both are traceable. Fewer velocities than speeds,
    with both directions given, hold the system to the motions that they describe: so
    are drivers eliminated, z = Z(t, q) y + b(t, q).

    >>> import jax.numpy as jnp
    >>> Velocities(("a", "b"), from_speeds=lambda t, q, z: jnp.sinh(z)).names
    ('a', 'b')
    """

    names: Sequence[str]
    to_speeds: Choice | None = None
    from_speeds: Choice | None = None

    def __post_init__(self) -> None:
        names = tuple(self.names)
        object.__setattr__(self, "names", names)
        if len(set(names)) < len(names) or not (self.to_speeds or self.from_speeds):
            raise ModelError(
                f"velocities {', '.join(names)} cannot be used.",
                "Each needs a name of its own, and how they and the speeds of joints"
                " follow from each other.",
                "Give to_speeds(t, q, y), from_speeds(t, q, z), or both.",
            )

    @cached_property
    def zeta(self) -> Choice:
        """z of (t, q, y)."""
        return self.to_speeds or _inverse(self.from_speeds, len(self.names))

    @cached_property
    def inverse(self) -> Choice:
        """y of (t, q, z)."""
        return self.from_speeds or _inverse(self.to_speeds, len(self.names))


def own_speeds(system: System) -> Velocities:
    """The choice y = z: the speeds of the joints themselves."""

    def same(t: Scalar, q: Array, y: Array) -> Any:
        return 1.0 * y

    return Velocities(system.speed_names, same, same)


def speeds_and_rates(
    system: System, chosen: Velocities, at: StateArrays, y_dot: Array, table: Table
) -> tuple[Any, Any]:
    """z, and z_dot along the motion; `at` is (t, q, y)."""
    t, q, y = 1.0 * jnp.asarray(at[0]), at[1], 1.0 * at[2]
    q_dot = system.rates(t, q, chosen.zeta(t, q, y), table)
    return jax.jvp(chosen.zeta, (t, q, y), (jnp.ones_like(t), 1.0 * q_dot, y_dot))


def rows_in(
    system: System, chosen: Velocities, at: StateArrays, table: Table
) -> tuple[Any, Any]:
    """The constraint rows on y_dot:   A E y_dot = gamma - A shift"""
    t, q, y = at
    z, shift = speeds_and_rates(system, chosen, at, jnp.zeros_like(y), table)
    A, gamma = system.constraint_rows(t, q, z, table)
    return A @ jax.jacfwd(chosen.zeta, 2)(t, q, y), gamma - A @ shift


def in_velocities(
    name: str, system: System, chosen: Velocities, terms: Callable[..., Terms]
) -> Equations:
    """Equations in chosen velocities, from their terms; the choice is checked."""
    require_invertible(system, chosen)

    def bodies(t: Scalar, q: Array, y: Array, y_dot: Array, table: Table) -> Any:
        z, z_dot = speeds_and_rates(system, chosen, StateArrays(t, q, y), y_dot, table)
        return system.jacobians(t, q, table) @ z_dot + drift(system, t, q, z, table)

    def forces(t: Scalar, q: Array, y: Array, W: Array, table: Table) -> Any:
        E = jax.jacfwd(chosen.zeta, 2)(t, q, y)
        return E.T @ along(system, t, q, W, table)

    def speeds(t: Scalar, q: Array, y: Array, table: Table) -> Any:
        return chosen.zeta(t, q, y)

    core = Core(
        start=lambda t, q, z, table: chosen.inverse(t, q, z),
        speeds=speeds,
        rates=lambda t, q, y, table: system.rates(t, q, chosen.zeta(t, q, y), table),
        terms=terms,
        accelerations=solved(terms, _natural_sizes(system, chosen)),
        bodies=bodies,
        along=forces,
        joint_wrenches=by_balance(system, speeds, bodies),
    )
    return Equations(name, system, tuple(chosen.names), system.row_names, core)


def _natural_sizes(system: System, chosen: Velocities) -> NaturalSizes:
    """A velocity's is what moves the joints by a radian or a length, at rest."""
    own = natural_sizes(system)
    if not system.constraints:
        return own  # nothing is weighed against rows
    still = np.zeros(len(chosen.names))
    slope = doubled(jax.jacfwd(chosen.zeta, 2))
    E = np.asarray(slope(0.0, system.rest().q, still), float)
    return own._replace(speeds=1.0 / np.linalg.norm(E / own.speeds[:, None], axis=0))


def require_invertible(system: System, chosen: Velocities) -> None:
    """Refuse velocities that do not determine the speeds, or not each other."""
    names, n = ", ".join(chosen.names), system.speeds
    both = chosen.to_speeds is not None and chosen.from_speeds is not None
    if len(chosen.names) < n and both:
        _require_embedded(system, chosen)
        return
    if len(chosen.names) != n:
        raise ModelError(
            f"velocities {names} cannot describe {system.name!r}.",
            f"It has {n} speeds, and {len(chosen.names)} velocities are given.",
            f"Give one for each of {', '.join(system.speed_names)}; where constraints"
            " leave fewer free, ph.maggi takes independent ones.",
        )

    def residual(t: Scalar, q: Array, z: Array) -> Any:
        y = chosen.inverse(t, q, z)
        return chosen.zeta(t, q, y), jax.jacfwd(chosen.zeta, 2)(t, q, y)

    rng, ask = np.random.default_rng(0), doubled(residual)
    for _ in range(DRAWS):
        t, z = float(rng.uniform()), rng.normal(size=n)
        q = system.local(system.rest().q, rng.uniform(-0.5, 0.5, n))
        back, E = (np.asarray(part, float) for part in ask(t, q, z))
        _require_regular(system, chosen, E)
        if not np.max(np.abs(back - z)) <= INVERTED * np.max(np.abs(z)):
            raise ModelError(
                f"velocities {names} of {system.name!r} do not come back.",
                f"From speeds {shown(z)} to these velocities and back to speeds gives"
                f" {shown(back)}.",
                "to_speeds and from_speeds must be inverse to each other; leave one of"
                " them out to have it found.",
            )


def _require_embedded(system: System, chosen: Velocities) -> None:
    """Refuse fewer velocities than speeds if they do not come back from the speeds."""

    def residual(t: Scalar, q: Array, y: Array) -> Any:
        z = chosen.zeta(t, q, y)
        return chosen.inverse(t, q, z), jax.jacfwd(chosen.zeta, 2)(t, q, y)

    rng, ask = np.random.default_rng(0), doubled(residual)
    for _ in range(DRAWS):
        t, y = float(rng.uniform()), rng.normal(size=len(chosen.names))
        q = system.local(system.rest().q, rng.uniform(-0.5, 0.5, system.speeds))
        back, E = (np.asarray(part, float) for part in ask(t, q, y))
        _require_regular(system, chosen, E)
        if not np.max(np.abs(back - y)) <= INVERTED * np.max(np.abs(y)):
            raise ModelError(
                f"velocities {', '.join(chosen.names)} of {system.name!r} do not come"
                " back.",
                f"From {shown(y)} to the speeds of joints and back gives"
                f" {shown(back)}.",
                "from_speeds must undo to_speeds.",
            )


def _require_regular(system: System, chosen: Velocities, E: np.ndarray) -> None:
    if not np.all(np.isfinite(E)):
        raise ModelError(
            f"velocities {', '.join(chosen.names)} of {system.name!r} have no slope.",
            "Their derivatives are not numbers where the system can be, or no"
            " velocities were found that give its speeds.",
            "Give functions that are smooth and invertible.",
        )
    unit = E / np.maximum(np.linalg.norm(E, axis=0), np.finfo(float).tiny)
    _, sizes, right = np.linalg.svd(unit)
    if sizes[-1] <= DEPENDENT:
        rank = int(np.sum(sizes > DEPENDENT))
        raise ModelError(
            f"velocities {', '.join(chosen.names)} of {system.name!r} are dependent:"
            f" rank {rank} of {len(chosen.names)}.",
            "Some change of them moves nothing, so Gauss's function has no single"
            " minimum and the motion no single acceleration.",
            "Give as many independent velocities as the system has speeds.",
            f"Loose direction in ({', '.join(chosen.names)}): {shown(right[-1])}.",
        )


def _inverse(function: Choice | None, size: int) -> Choice:
    """x of (t, q, value) with function(t, q, x) = value; not a number where none is.

    Newton's steps from zero find it, of which derivatives know nothing; the last two
    are taken again inside the derivative, and make its first three orders exact.
    """
    assert function is not None

    def found(t: Scalar, q: Array, value: Array) -> Any:
        def better(x: Array, held: tuple) -> Any:
            t, q, value = held
            slope = jax.jacfwd(function, 2)(t, q, x)
            return x + jnp.linalg.solve(slope, value - function(t, q, x))

        held = lax.stop_gradient((t, q, value))
        x = lax.fori_loop(0, STEPS, lambda _, x: better(x, held), jnp.zeros(size))
        x = better(better(lax.stop_gradient(x), (t, q, value)), (t, q, value))
        missed = jnp.max(jnp.abs(function(t, q, x) - value))
        kept = missed <= INVERTED * (1.0 + jnp.max(jnp.abs(value)))
        return jnp.where(kept, x, jnp.nan)

    # Equations ask it many times over; a call that JAX has traced it traces no more.
    return jax.jit(found)
