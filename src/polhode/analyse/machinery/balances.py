"""What a system might keep, its rate of change, and what changes it.

    dP/dt = sum of forces                      momentum
    dL_H/dt + v_H x P = sum of moments         angular momentum about any pole H
    dJ/dt = dT along Y + sum of f . Y + l A Y  momentum J = dT/dz . Y along a field Y
    dE/dt = power of what is not stored        energy T + V

Each balance has a value (d,) of the state; its rate along the motion is exact, and
`parts` say what each action gives to it. What they leave over is named by the balance:
the reactions of supports, or how the kinetic energy depends on the place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import jax
import jax.numpy as jnp

from polhode.arrays import Array, Scalar
from polhode.constraints.constraint import coordinates_of
from polhode.formulation.equations import Equations
from polhode.formulation.questions.powers import energy_function
from polhode.formulation.shared.spatial import momenta, turned
from polhode.geometry.vector import cross, vee
from polhode.integrate.audit.rates import audit_function
from polhode.integrate.field.input_table import UNDRIVEN
from polhode.matter.parameter import Table
from polhode.system.loads import with_world

if TYPE_CHECKING:
    from polhode.system.system import System

AXES = ("x", "y", "z")
Group = Callable[[Any], Any]  # q -> speeds (nz,)
Value = Callable[[Any, Any, Any, Table], Any]
Shares = Callable[[Any, Any, Any, Table], dict[str, Any]]


class Rate(NamedTuple):
    """A balance at a state: value and rate (d,), and parts by name (d,).

    gross, size   what value and rate would be if nothing cancelled
    """

    value: Any
    rate: Any
    gross: Any
    size: Any
    parts: dict[str, Any]


@final
@dataclass(frozen=True, eq=False)
class Balance:
    """One balance: what its entries (d,) are called, and what it is made of.

    value, shares         functions of (t, q, z, table), see `Rate`
    sizes                 of (t, q, z, table): (gross, size)
    rest                  what is called so that the shares leave over
    symmetries            what each entry is kept by, in words
    """

    names: tuple[str, ...]
    value: Value
    shares: Shares
    sizes: Callable[..., tuple[Any, Any]]
    rest: str
    symmetries: tuple[str, ...]


def rates_of(
    equations: Equations, balances: list[Balance]
) -> Callable[..., list[Rate]]:
    """(t, q, z, table) -> the rate of each balance as the equations move the system."""
    core = equations.functions

    def rates(t: Scalar, q: Array, z: Array, table: Table) -> list[Rate]:
        y = core.start(t, q, z, table)
        y_dot, _ = core.accelerations(t, q, y, table)
        now, change = (1.0 * t, q, y), (jnp.ones(()), core.rates(t, q, y, table), y_dot)
        z, z_dot = jax.jvp(lambda t, q, y: core.speeds(t, q, y, table), now, change)
        flow = (*change[:2], z_dot)

        def found(balance: Balance) -> Rate:
            def value(t: Scalar, q: Array, z: Array) -> Any:
                return balance.value(t, q, z, table)

            here, rate = jax.jvp(value, (1.0 * t, q, z), flow)
            parts = balance.shares(t, q, z, table)
            rest = rate - sum(parts.values(), jnp.zeros_like(rate))
            gross, size = balance.sizes(t, q, z, table)
            return Rate(here, rate, gross, size + gross, {**parts, balance.rest: rest})

        return [found(balance) for balance in balances]

    return rates


def whole(system: System) -> Balance:
    """Momentum and angular momentum about the world's origin: (6,)."""

    def shares(t: Scalar, q: Array, z: Array, table: Table) -> dict[str, Any]:
        every = _moments(system, t, q, z, table)
        return {name: jnp.sum(each, axis=0) for name, each in every.items()}

    def sizes(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
        return _gross(system, t, q, z, table)

    names = (*(f"momentum {a}" for a in AXES), *(f"angular momentum {a}" for a in AXES))
    words = (*(f"moved along {a}" for a in AXES), *(f"turned about {a}" for a in AXES))
    kept = tuple(f"{word} as one, it moves as before" for word in words)
    return Balance(names, _whole(system), shares, sizes, "supports", kept)


def about(system: System, name: str, pole: Any) -> Balance:
    """Angular momentum about a moving pole: L_H = L_O - x_H x P; (3,).

    pole(t, q, table) is the place x_H (3,).
    """
    momenta_of = _whole(system)

    def value(t: Any, q: Any, z: Array, table: Table) -> Any:
        h = momenta_of(t, q, z, table)
        return h[3:] - cross(pole(t, q, table), h[:3])

    def pole_motion(t: Any, q: Any, z: Array, table: Table) -> tuple[Any, Any]:
        flow = (jnp.ones(()), q * 0 + system.rates(t, q, z, table))
        return jax.jvp(lambda t, q: pole(t, q, table), (1.0 * t, 1.0 * q), flow)

    def shares(t: Scalar, q: Array, z: Array, table: Table) -> dict[str, Any]:
        x, v = pole_motion(t, q, z, table)
        every = _moments(system, t, q, z, table)
        found = {n: _at(jnp.sum(each, axis=0), x) for n, each in every.items()}
        P = momenta_of(t, q, z, table)[:3]
        return {**found, "motion of the pole": -cross(v, P)}

    def sizes(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
        x, v = pole_motion(t, q, z, table)
        h, W = _gross(system, t, q, z, table)
        # Lengths may vanish: their slopes are not asked.
        far, fast = jnp.sqrt(x @ x), jnp.sqrt(v @ v)
        return h[3:] + far * h[:3], W[3:] + far * W[:3] + fast * h[:3]

    names = tuple(f"angular momentum {a} about {name}" for a in AXES)
    word = f"no moment about {name}, and {name} moves not or along the momentum"
    return Balance(names, value, shares, sizes, "supports", (word,) * 3)


def mass_centre(system: System) -> Callable[..., Any]:
    """(t, q, table) -> where the mass centre of the whole is (3,)."""

    def pole(t: Scalar, q: Array, table: Table) -> Any:
        inertias, poses = system.inertias(table), system.poses(t, q, table)
        masses, first = inertias[:, 3, 3], vee(inertias[:, :3, 3:])
        away = (poses.rotations @ first[..., None])[..., 0]
        return (masses[:, None] * poses.origins + away).sum(0) / masses.sum()

    return pole


def place_of(system: System, point: Any) -> Callable[..., Any]:
    """(t, q, table) -> where a point of a body, or of the world, is (3,)."""
    (body,) = system.places_of([point.frame])

    def pole(t: Scalar, q: Array, table: Table) -> Any:
        poses = with_world(system.poses(t, q, table))
        arm = poses.rotations[body] @ coordinates_of(point, system.table(table))
        return poses.origins[body] + arm

    return pole


def along_fields(
    equations: Equations, names: tuple[str, ...], field: Callable[[Any], Any], rest: str
) -> Balance:
    """Momenta J = Y^T dT/dz along fields Y(q) (d, nz), one a name."""
    core, system = equations.functions, equations.system

    def momentum(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return jax.grad(lambda z: system.kinetic_energy(t, q, z, table))(1.0 * z)

    def efforts(t: Scalar, q: Array, z: Array, table: Table) -> dict[str, Any]:
        rotations = system.poses(t, q, table).rotations.swapaxes(-1, -2)
        found = {}
        for name, pair in system.wrenches(t, q, z, table).items():
            W = turned(rotations, jnp.concatenate(pair, axis=-1))
            found[name] = core.along(t, q, z, W, table)
        if system.constraints:
            A, _ = system.constraint_rows(t, q, z, table)
            own = core.accelerations(t, q, z, table)[1][-A.shape[0] :]
            found["constraints"] = own @ A
        return found

    def shares(t: Scalar, q: Array, z: Array, table: Table) -> dict[str, Any]:
        every = efforts(t, q, z, table).items()
        return {name: field(q) @ f for name, f in every}

    def sizes(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
        Y, every = jnp.abs(field(q)), efforts(t, q, z, table).values()
        z_dot, _ = core.accelerations(t, q, z, table)
        M = jnp.abs(system.mass_matrix(t, q, table))
        rate = sum((jnp.abs(f) for f in every), M @ jnp.abs(z_dot))
        return Y @ (M @ jnp.abs(z)), Y @ rate

    def value(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return field(q) @ momentum(t, q, z, table)

    kept = tuple(f"{n.removeprefix('momentum of ')} is in no energy" for n in names)
    return Balance(names, value, shares, sizes, rest, kept)


def energy(equations: Equations) -> Balance:
    """T + V (1,)."""
    system, audit = equations.system, audit_function(equations, UNDRIVEN)

    def value(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        stored = system.potential_energy(t, q, table)
        return (system.kinetic_energy(t, q, z, table) + stored)[None]

    def shares(t: Scalar, q: Array, z: Array, table: Table) -> dict[str, Any]:
        powers = audit(t, jnp.concatenate([q, z]), jnp.zeros(0), table).powers
        return {name: jnp.reshape(p, (1,)) for name, p in powers.items()}

    kept = ("nothing does work but what is stored, and no law knows the time",)
    sizes = _powers(system)
    return Balance(("energy",), value, shares, sizes, "explicit time", kept)


def generalised_energy(equations: Equations, model: Equations) -> Balance:
    """y . dT/dy - T + V of a formulation whose velocities y hide a motion: (1,)."""
    core, energies = model.functions, energy_function(model)

    def value(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        return energies(t, q, core.start(t, q, z, table), table).hamiltonian[None]

    def none(t: Scalar, q: Array, z: Array, table: Table) -> dict[str, Any]:
        return {}

    sizes, kept = _powers(equations.system), ("L does not know the time",)
    name = ("generalised energy",)
    return Balance(name, value, none, sizes, "explicit time", kept)


def _powers(system: System) -> Callable[..., tuple[Any, Any]]:
    """Energies, and the power of everything, as if nothing cancelled: (1,)."""

    def sizes(t: Scalar, q: Array, z: Array, table: Table) -> tuple[Any, Any]:
        twists = system.twists(t, q, z, table)
        V = jnp.abs(jnp.concatenate([twists.angular, twists.linear], axis=-1))
        every = system.wrenches(t, q, z, table).values()
        W = sum((jnp.abs(jnp.concatenate(p, axis=-1)) for p in every), 0.0 * V)
        stored = jnp.abs(system.potential_energy(t, q, table))
        kinetic = system.kinetic_energy(t, q, z, table)
        return (kinetic + stored)[None], jnp.sum(W * V)[None]

    return sizes


def _whole(system: System) -> Value:
    """[P; L] (6,) about the world's origin."""

    def value(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        V, poses = system.body_twists(t, q, z, table), system.poses(t, q, table)
        h = turned(poses.rotations, momenta(system.inertias(table), V))
        about_origin = h[:, :3] + cross(poses.origins, h[:, 3:])
        return jnp.concatenate([h[:, 3:].sum(0), about_origin.sum(0)])

    return value


def _moments(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> Mapping[str, Any]:
    """By action: force, and moment about the world's origin, on each body (n, 6)."""
    origins = system.poses(t, q, table).origins
    return {
        name: jnp.concatenate([forces, torques + cross(origins, forces)], axis=-1)
        for name, (torques, forces) in system.wrenches(t, q, z, table).items()
    }


def _gross(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> tuple[Any, Any]:
    """[P; L] and [force; moment] (6,), lengths summed over bodies and actions."""
    V, poses = system.body_twists(t, q, z, table), system.poses(t, q, table)
    h = momenta(system.inertias(table), V)
    arms = _lengths(poses.origins)
    held = _sum_on_bodies(h[:, :3], h[:, 3:], arms)
    every = system.wrenches(t, q, z, table).values()
    return held, sum((_sum_on_bodies(*pair, arms) for pair in every), jnp.zeros(6))


def _sum_on_bodies(turning: Any, linear: Any, arms: Any) -> Any:
    straight = _lengths(linear)
    about_origin = jnp.sum(_lengths(turning) + arms * straight)
    return jnp.repeat(jnp.stack([jnp.sum(straight), about_origin]), 3)


def _lengths(vectors: Array) -> Any:
    return jnp.sqrt(jnp.sum(vectors**2, axis=-1))


def _at(moment: Any, x: Array) -> Any:
    """The moment about x from [force; moment about the origin] (..., 6)."""
    return moment[..., 3:] - cross(x, moment[..., :3])
