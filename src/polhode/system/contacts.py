r"""The candidate points of all supports of a system, stacked as arrays.

One function serves everything that knows of contacts. Of n candidates, in the order of
`names`, three rows each: along the normal and along two tangents.

    contact_rows(system, t, q, z, table) -> ContactRows             traced

    g (n,)           gaps, >= 0 where nothing overlaps
    u (n, 3)         [g', slip, slip]: velocities of the material points (K-23)
    J (n, 3, nz)     u = J z + u at rest
    bias (n, 3)      u' = J z' + bias, from second derivatives
    P (n, 3)         where the candidates are, in the world
    axes (n, 3, 3)   columns n, t1, t2 in the world: a contact force on the body that
                     rests is axes @ (N, T1, T2), and J^T (N, T1, T2) on the speeds
    mu_d, mu_s, e    (n,) coefficients; `laws(system)` says which law of restitution

Gaps change as the material points part: g' is the first of their velocities along
the axes, for these points are where surfaces are nearest. Biases are found by JAX.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.actions.contact.friction_laws import Anisotropic, Stribeck
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.errors import ModelError
from polhode.geometry.vector import cross
from polhode.matter.parameter import NOMINAL, Table
from polhode.supports.candidates import RimCandidates
from polhode.supports.friction import elliptic
from polhode.supports.geometry import Geometry
from polhode.supports.joint_supports import JointCandidates
from polhode.supports.polytope_pairs import CapsuleOnPolytope, PolytopePair
from polhode.supports.rolling_friction import CoupleCandidates
from polhode.supports.segments import SegmentCandidates
from polhode.system import kinematics
from polhode.system.loads import still_world, with_world
from polhode.system.natural_sizes import length_at_rest
from polhode.system.rows import placed
from polhode.system.strands import Strands, with_strands

if TYPE_CHECKING:
    from polhode.system.system import System


class ContactRows(NamedTuple):
    """What contacts are made of at (t, q, z); see the module."""

    gap: Any
    velocity: Any
    jacobian: Any
    bias: Any
    point: Any
    axes: Any
    dynamic: Any
    static: Any
    restitution: Any


def names(system: System) -> tuple[str, ...]:
    """One name a candidate: the support's, and which of its points."""
    return tuple(name for s in system.supports for name in s.candidates.names)


def friction_label(support: Any) -> str:
    """What the work of a support's friction is called."""
    name = str(support.name)
    return name if "friction of" in name else f"friction of {name}"


def laws(system: System) -> np.ndarray:
    """The number (n,) of each candidate's law of restitution, see `supports`."""
    return _repeated(system, [s.law.number for s in system.supports])


def owners(system: System) -> np.ndarray:
    """The number (n,) of the support that each candidate belongs to."""
    return _repeated(system, range(len(system.supports)))


def tangent_scales(system: System, table: Table = NOMINAL) -> np.ndarray:
    """(n, 3): how long normals and tangents are; 1 but where friction is an ellipse."""
    each, whole = [], system.table(table)
    for s in system.supports:
        rubs = s.friction
        both = rubs.scales(whole) if isinstance(rubs, Anisotropic) else np.ones(2)
        each += [np.array([1.0, *both])] * len(s.candidates.names)
    return np.array(each)


def _repeated(system: System, each: Any) -> Any:
    counts = [len(s.candidates.names) for s in system.supports]
    return np.repeat(np.array([*each], dtype=int), counts)


def refuse_supports(system: System, who: str) -> None:
    """Refuse a system with supports where nothing knows of them.

    Left out in silence, bodies would fall through their floors.
    """
    if not system.supports:
        return
    listed = ", ".join(repr(support.name) for support in system.supports[:4])
    raise ModelError(
        f"{who} cannot take {system.name!r}, which has supports: {listed}.",
        "Its equations change where a contact opens, slips, sticks or strikes, and"
        " here they are taken to be the same throughout.",
        "Ask ph.simulate, ph.contact_modes or ph.impact; give ph.in_mode(system, {name:"
        ' "sticks"}), in which contacts keep a mode; or system.without_supports.',
    )


def contact_length(system: System) -> float:
    """The natural length with which gaps are compared, measured once.

    First asked outside a trace: a driver's law is a number only there.
    """
    key = "contact length"
    if key not in system.compiled:
        system.compiled[key] = length_at_rest(system)
    return system.compiled[key]


def gaps(system: System, t: Scalar, q: Array, table: Table = NOMINAL) -> Any:
    """g (n,)."""
    return _compiled(system, "gaps", _gaps)(t, q, dict(table))


def velocities(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> Any:
    """u (n, 3): rates of the gaps, and slips."""
    return _compiled(system, "contact velocities", _velocities)(t, q, z, dict(table))


def passing(system: System) -> np.ndarray:
    """(n,) bool: candidates that are places of one instant, and others in the next."""
    kinds = PolytopePair | CapsuleOnPolytope | SegmentCandidates | RimCandidates
    return _repeated(system, [isinstance(s.candidates, kinds) for s in system.supports])


class Place(NamedTuple):
    """Where candidates are found: at a time and coordinates."""

    t: Any
    q: Any


def velocities_of(
    system: System,
    found: Place,
    state: Place,
    z: Array,
    table: Table,
) -> Any:
    """u (n, 3) of z at a state (t, q), of candidates found at another; traced.

    Those that stay the same are where they are in the state. Of places of one instant
    arms and axes are those that were found.
    """
    import jax.numpy as jnp

    (then, middle), (t, q) = found, state
    own = velocities(system, t, q, z, table)
    if not np.any(passing(system)):
        return own
    table = system.table(table)
    here = _geometry(system, then, middle, table)
    origins = with_world(kinematics.poses(system, then, middle, table)).origins
    v = _slips(system, t, q, z, table, at=(here.point, origins))
    u = jnp.sum(here.axes * v[:, :, None], axis=1)
    return jnp.where(passing(system)[:, None], u, own)


def contact_rows(
    system: System, t: Scalar, q: Array, z: Array, table: Table = NOMINAL
) -> ContactRows:
    """Everything about all candidates; outside a trace in double, as NumPy arrays."""
    return _compiled(system, "contact rows", _contact_rows)(t, q, z, dict(table))


def _geometry(system: System, t: Scalar, q: Array, table: Table) -> Geometry:
    """Gaps (n,), points (n, 3) and axes (n, 3, 3) of all candidates."""
    import jax.numpy as jnp

    poses = with_world(kinematics.poses(system, t, q, table))
    found = [_shaped(system, s, poses, q, table) for s in system.supports]
    return Geometry(*(jnp.concatenate(x) for x in zip(*found, strict=True)))


def _shaped(system: System, s: Any, poses: Any, q: Array, table: Table) -> Geometry:
    """Of one support; tangents scaled where its friction is an ellipse."""
    where = placed(system, s, poses, q)
    own = s.candidates.geometry(where, table)
    if isinstance(s.candidates, CoupleCandidates):
        # Times a length, so that couples count as forces do.
        return own._replace(axes=contact_length(system) * own.axes)
    if not isinstance(s.friction, Anisotropic):
        return own
    return elliptic(own, s.friction, where.rotations, table)


def _gaps(system: System, t: Scalar, q: Array, table: Table) -> Any:
    return _geometry(system, t, q, system.table(table)).gap


def _velocities(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    import jax.numpy as jnp

    table = system.table(table)
    here = _geometry(system, t, q, table)
    v = _slips(system, t, q, z, table)
    u = jnp.sum(here.axes * v[:, :, None], axis=1)
    u = _with_joints(system, u, lambda rows, own: rows @ z[own.speed], table)
    return with_strands(system, u, lambda own: own.rates(t, q, z, table))


def _slips(
    system: System, t: Scalar, q: Array, z: Array, table: Table, at: Any = None
) -> Any:  # limit: a system at a state and a table, and points found elsewhere
    """Velocities (n, 3) of material points against those they rest on, world's axes.

    Of a couple it is the angular velocity. Points and origins are those of (t, q), or
    others `at` which they are asked.
    """
    import jax.numpy as jnp

    if at is None:
        origins = with_world(kinematics.poses(system, t, q, table)).origins
        at = _geometry(system, t, q, table).point, origins
    point, origins = at
    angular, linear = still_world(kinematics.twists(system, t, q, z, table))

    def of(body: np.ndarray) -> Any:
        v = linear[body] + cross(angular[body], point - origins[body])
        return v if turns is None else jnp.where(turns, angular[body], v)

    turns = _turning(system)
    first, second = _pairs(system)
    return of(first) - of(second) - _belts(system, t, q, table)


def _turning(system: System) -> Any:
    """(n, 1): whether u is of angular velocity; None where there are no couples."""
    found = couples(system)
    return found[:, None] if np.any(found) else None


def slips(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Any:
    """(n, 3): how material points slip on what they rest on, in the world; traced.

    Of a brake it is along the axis of its joint, of a couple the angular velocity about
    its axes, rad/s.
    """
    import jax.numpy as jnp

    table = system.table(table)
    v, axes = _slips(system, t, q, z, table), _geometry(system, t, q, table).axes
    n = axes[:, :, 0]
    slip = v - n * jnp.sum(v * n, axis=1, keepdims=True)
    if np.any(couples(system)):
        about = axes[:, :, 1:] / contact_length(system)
        turning = jnp.sum(about * jnp.sum(about * v[:, :, None], axis=1)[:, None], 2)
        slip = jnp.where(couples(system)[:, None], turning, slip)

    def along(rows: Any, own: _AlongJoint) -> Any:
        slip = (rows @ z[own.speed])[:, 1:]
        return jnp.sum(axes[own.first : own.last, :, 1:] * slip[:, None, :], axis=2)

    slip = _with_joints(system, slip, along, table)
    return with_strands(system, slip, lambda own: 0.0 * slip[own.first : own.last, 0])


class _AlongJoint(NamedTuple):
    """Candidates first..last - 1 of a support along a joint, and its speeds in z."""

    support: Any
    first: int
    last: int
    speed: slice


def along_joints(system: System) -> list[_AlongJoint]:
    """The stops and brakes of a system."""
    return [
        _AlongJoint(
            s, first, first + len(s.candidates.names), system.edge(s.joints[0].name).z
        )
        for s, first in zip(system.supports, _firsts(system), strict=True)
        if isinstance(s.candidates, JointCandidates)
    ]


class Pad(NamedTuple):
    """A candidate that only rubs: its push is that of something else.

    load     of a brake: what presses it, N
    edge     of a dry joint: the joint that carries its push, and over which span
    contact  of a couple: the candidate whose push is also its own
    """

    candidate: int
    load: Any = None
    edge: int | None = None
    span: Any = None
    contact: int | None = None


def pads(system: System) -> list[Pad]:
    """Candidates whose push does not follow from their own gap."""
    found = []
    for own in along_joints(system):
        each = own.support.candidates
        if each.load is not None:
            found.append(Pad(own.first, load=each.load))
        if each.carries:
            edge = system.tree.edges.index(system.edge(each.joint.name))
            found.append(Pad(own.first, edge=edge, span=each.span))
    firsts = dict(zip(system.supports, _firsts(system), strict=True))
    for s, first in firsts.items():
        if isinstance(s.candidates, CoupleCandidates):
            count = range(len(s.candidates.names))
            pressed = firsts[s.candidates.support]
            found += [Pad(first + k, contact=pressed + k) for k in count]
    return found


def pressed_pads(system: System) -> dict[int, Any]:
    """Candidates that a load presses, and no reaction: the pads of brakes."""
    return {pad.candidate: pad.load for pad in pads(system) if pad.load is not None}


def strikes(system: System) -> np.ndarray:
    """1 (n,) of candidates that take part in impacts: pads rub by finite forces."""
    own = np.ones(len(names(system)))
    own[[pad.candidate for pad in pads(system)]] = 0.0
    return own


def couples(system: System) -> np.ndarray:
    """Whether each candidate (n,) is a couple about its axes, and no force."""
    kinds = [isinstance(s.candidates, CoupleCandidates) for s in system.supports]
    return _repeated(system, kinds).astype(bool)


def _firsts(system: System) -> list[int]:
    """The first candidate of each support."""
    counts = [len(s.candidates.names) for s in system.supports]
    return np.cumsum([0, *counts])[:-1].tolist()


def _with_joints(system: System, found: Any, rows: Any, table: Table) -> Any:
    """Of all candidates (n, ...); of those along joints `rows(u of unit speeds, it)`.

    Of a system without such it is what was given, bit by bit.
    """
    import jax.numpy as jnp

    for own in along_joints(system):
        part = jnp.asarray(rows(own.support.candidates.rows(table), own))
        found = jnp.concatenate([found[: own.first], part, found[own.last :]])
    return found


def _pairs(system: System) -> tuple[np.ndarray, np.ndarray]:
    """The numbers (n,) of the body that rests, and of the one it rests on."""
    pairs = [system.places_of(s.bodies) for s in system.supports]
    return _repeated(system, [p[0] for p in pairs]), _repeated(
        system, [p[-1] for p in pairs]
    )


def _belts(system: System, t: Scalar, q: Array, table: Table) -> Any:
    """Velocities (n, 3) of belts along the world's axes; zeros where none runs."""
    import jax.numpy as jnp

    counts = [len(s.candidates.names) for s in system.supports]
    if all(s.belt is None for s in system.supports):
        return np.zeros((sum(counts), 3))
    rotations = with_world(kinematics.poses(system, t, q, table)).rotations
    each = []
    for support in system.supports:
        R_WG = rotations[system.places_of(support.bodies)[-1]]
        own = (
            jnp.zeros(3)
            if support.belt is None
            else jnp.asarray(support.belt(t, table))
        )
        each.append(R_WG @ own)
    return jnp.repeat(jnp.stack(each), np.array(counts), axis=0)


def _contact_rows(
    system: System, t: Scalar, q: Array, z: Array, table: Table
) -> ContactRows:
    import jax
    import jax.numpy as jnp

    table = system.table(table)
    t, q, z = (1.0 * jnp.asarray(x) for x in (t, q, z))

    def u(t: Scalar, q: Array) -> Any:
        return _velocities(system, t, q, z, table)

    q_dot = 1.0 * jnp.asarray(kinematics.rates(system, t, q, z, table))
    velocity, bias = jax.jvp(u, (t, q), (jnp.ones_like(t), q_dot))
    here = _geometry(system, t, q, table)
    numbers = [s.coefficients(table) for s in system.supports]
    counts = np.array([len(s.candidates.names) for s in system.supports])
    mu_d, mu_s, e = (
        jnp.repeat(jnp.stack([1.0 * jnp.asarray(x) for x in column]), counts)
        for column in zip(*numbers, strict=True)
    )
    mu_d = _at_slips(system, mu_d, velocity, table)
    if np.any(couples(system)):
        arms = np.where(couples(system), 1 / contact_length(system), 1.0)
        mu_d, mu_s = mu_d * arms, mu_s * arms
    J = _jacobians(system, t, q, here, table)
    return ContactRows(
        here.gap, velocity, J, bias, here.point, here.axes, mu_d, mu_s, e
    )


def _jacobians(
    system: System, t: Scalar, q: Array, here: Geometry, table: Table
) -> Any:
    """J (n, 3, nz): by speeds, of the material points along the axes."""
    import jax
    import jax.numpy as jnp

    poses = with_world(kinematics.poses(system, t, q, table))
    bodies = jnp.asarray(kinematics.jacobians(system, t, q, table))
    bodies = jnp.concatenate([bodies, jnp.zeros_like(bodies[:1])])
    J_w, J_v = (poses.rotations @ part for part in (bodies[:, :3], bodies[:, 3:]))

    def of(body: np.ndarray) -> Any:
        arm = (here.point - poses.origins[body])[:, None, :]
        turning = jnp.swapaxes(cross(jnp.swapaxes(J_w[body], 1, 2), arm), 1, 2)
        own = J_v[body] + turning
        return own if turns is None else jnp.where(turns[:, :, None], J_w[body], own)

    turns = _turning(system)
    first, second = _pairs(system)
    J = jnp.swapaxes(here.axes, 1, 2) @ (of(first) - of(second))
    unit = np.eye(system.speeds)
    J = _with_joints(system, J, lambda rows, own: rows @ unit[own.speed], table)

    def by_speeds(own: Strands) -> Any:
        rates = jax.jacfwd(lambda z: own.rates(t, q, z, table))
        return rates(jnp.zeros(system.speeds))

    return with_strands(system, J, by_speeds)


def _at_slips(system: System, mu: Scalar, u: Array, table: Table) -> Any:
    """Coefficients (n,) of sliding; those by Stribeck's law are of their slips."""
    import jax.numpy as jnp

    if not any(isinstance(s.friction, Stribeck) for s in system.supports):
        return mu
    square = jnp.sum(u[:, 1:] ** 2, axis=1)
    slip = jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0)
    owner = owners(system)
    for k, s in enumerate(system.supports):
        if isinstance(s.friction, Stribeck):
            mu = jnp.where(owner == k, s.friction.coefficient(slip, table), mu)
    return mu


def _compiled(system: System, key: str, function: Any) -> Any:
    if key not in system.compiled:
        contact_length(system)
        system.compiled[key] = doubled(lambda *arguments: function(system, *arguments))
    return system.compiled[key]
