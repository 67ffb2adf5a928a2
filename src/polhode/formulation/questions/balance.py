"""Newton's and Euler's balances of a system or of a part of it, about any pole.

    Q_dot = R^e,      L_H_dot + v_H x Q = M_H^e,      K_dot = P^e + P^i

Q, L_H, K are momentum, angular momentum about the pole H and kinetic energy of the
part. What acts is itemised: actions, and reactions of joints and constraints. An item
is internal if all bodies between which it acts belong to the part: then it is in
neither R^e nor M_H^e, but its power need not be zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.actions.motion_arrays import Poses
from polhode.actions.weight import WeightOf
from polhode.arrays import Array, Scalar
from polhode.constraints.constraint import Constraint
from polhode.errors import ModelError
from polhode.formulation.shared.checked_argument import equations_argument
from polhode.formulation.shared.spatial import inertial_wrenches, momenta, turned
from polhode.geometry.vector import cross
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.loads import with_world
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State
    from polhode.system.system import System


class Item(NamedTuple):
    """One thing that acts on the part.

    moment (3,) about the pole, force (3,), power (W); whether it is internal
    """

    moment: np.ndarray
    force: np.ndarray
    power: float
    is_internal: bool


@final
@dataclass(frozen=True, eq=False)
class Balance:
    """What a part of a system has, how it changes, and what acts, by name.

    All along the world's axes. `angular_momentum_rate` is that of L about the moving
    pole, `moment_needed` is L_dot + v_H x Q.
    """

    momentum: np.ndarray
    momentum_rate: np.ndarray
    angular_momentum: np.ndarray
    angular_momentum_rate: np.ndarray
    moment_needed: np.ndarray
    kinetic_energy: float
    kinetic_energy_rate: float
    items: dict[str, Item]

    @property
    def force(self) -> np.ndarray:
        """R^e: the resultant of what is external (3,), N."""
        return self._sum("force", internal=False)

    @property
    def moment(self) -> np.ndarray:
        """M_H^e of what is external (3,), N m."""
        return self._sum("moment", internal=False)

    @property
    def external_power(self) -> float:
        """P^e, W."""
        return float(self._sum("power", internal=False))

    @property
    def internal_power(self) -> float:
        """P^i, W: of what acts between bodies of the part."""
        return float(self._sum("power", internal=True))

    def _sum(self, word: str, internal: bool) -> Any:
        zero = 0.0 if word == "power" else np.zeros(3)
        chosen = (i for i in self.items.values() if i.is_internal == internal)
        return sum((getattr(item, word) for item in chosen), zero)


@equations_argument
def balance(
    equations: Equations,
    state: State,
    of: Iterable[str] | None = None,
    *,
    pole: Any = (0.0, 0.0, 0.0),
    pole_velocity: Any = (0.0, 0.0, 0.0),
    table: Table = NOMINAL,
) -> Balance:
    """The balances of the bodies named in `of`, or of all, about a pole in the world.

    The pole is a place (3,), with any velocity (3,): it need not belong to a body.
    """
    system, H, v_H = equations.system, np.array(pole, float), np.array(pole_velocity)
    part = _part(system, of)
    poses = system.poses(state.t, state.q, table)
    found = equations.ask("balance", _motion(equations), state, table)
    h, needed, twists = found
    L, Q = _about(H, poses, h, part)
    M, R = _about(H, poses, needed, part)
    items = {
        name: _item(on_bodies, inside, H=H, poses=poses, twists=twists, part=part)
        for name, on_bodies, inside in _acting(equations, state, part, table)
    }
    rate = np.sum(needed[part] * twists[part])
    return Balance(
        momentum=Q,
        momentum_rate=R,
        angular_momentum=L,
        angular_momentum_rate=M - np.cross(v_H, Q),
        moment_needed=M,
        kinetic_energy=float(np.sum(h[part] * twists[part]) / 2),
        kinetic_energy_rate=float(rate),
        items=items,
    )


def _motion(equations: Equations) -> Callable[..., Any]:
    """(t, q, y, table) -> momenta, wrenches needed and twists (n, 6) of all bodies.

    About bodies' origins, along the world's axes.
    """
    system, core = equations.system, equations.functions

    def motion(t: Scalar, q: Array, y: Array, table: Table) -> tuple[Any, Any, Any]:
        V = system.body_twists(t, q, core.speeds(t, q, y, table), table)
        V_dot = equations.body_function(t, q, y, table)
        inertias = system.inertias(table)
        rows = momenta(inertias, V), inertial_wrenches(inertias, V, V_dot), V
        R_WB = system.poses(t, q, table).rotations
        h, needed, twists = (turned(R_WB, each) for each in rows)
        return h, needed, twists

    return motion


def _part(system: System, of: Iterable[str] | None) -> list[int]:
    names = [body.name for body in system.bodies]
    chosen = names if of is None else list(of)
    for name in chosen:
        if name not in names:
            raise ModelError(
                f"{system.name!r} has no body {name!r}.",
                "A balance is of bodies of the system.",
                suggestion(name, names),
            )
    return [names.index(name) for name in chosen]


def _about(H: Array, poses: Poses, rows: Array, part: list[int]) -> tuple[Any, Any]:
    """The sum about H of rows [moment about a body's origin; vector] of the part."""
    moments = rows[part, :3] + cross(poses.origins[part] - H, rows[part, 3:])
    return moments.sum(axis=0), rows[part, 3:].sum(axis=0)


def _item(
    on_bodies: np.ndarray,
    inside: bool,
    *,
    H: Array,
    poses: Any,
    twists: Array,
    part: Any,
) -> Item:
    moment, force = _about(H, poses, on_bodies, part)
    power = float(np.sum(on_bodies[part] * twists[part]))
    return Item(moment, force, power, inside)


def _acting(
    equations: Equations, state: State, part: list[int], table: Table
) -> Iterable[tuple[str, np.ndarray, bool]]:
    """By name: wrenches on all bodies (n, 6) about their origins, and if internal."""
    system = equations.system
    own = {system.bodies[k].frame for k in part}
    each = system.wrenches(state.t, state.q, state.z, table)
    for action in system.actions:
        torques, forces = each[action.name]
        outside = isinstance(action, WeightOf) or not own.issuperset(action.bodies)
        yield action.name, np.concatenate([torques, forces], axis=1), not outside
    for name, rows, ends in reactions_on_bodies(equations, state, table):
        yield name, rows, own.issuperset(ends)


def reactions_on_bodies(
    equations: Equations, state: State, table: Table = NOMINAL
) -> Iterable[tuple[str, np.ndarray, set]]:
    """By name of each joint and constraint: what it exerts on all bodies (n, 6).

    [torque; force] about bodies' origins, the world's axes; and the frames it joins.
    """
    system = equations.system
    poses = with_world(system.poses(state.t, state.q, table))
    joined: dict[str, list[tuple[np.ndarray, set]]] = {}
    for name, wrench in equations.reactions(state, table).items():
        ends = {wrench.on, wrench.by} - {None}
        key = next((c.name for c in system.constraints if _is_of(name, c)), name)
        joined.setdefault(key, []).append(
            (_on_both_bodies(system, poses, wrench), ends)
        )
    for name, parts in joined.items():
        ends = set().union(*(ends for _, ends in parts))
        yield name, np.sum([each for each, _ in parts], axis=0), ends


def _is_of(name: str, constraint: Constraint) -> bool:
    """Whether a reaction is one of the several of a constraint."""
    frames = [frame.name for frame in constraint.bodies]
    words = [*frames, *(joint.name for joint in constraint.joints)]
    return name in {f"{constraint.name} on {word}" for word in words}


def _on_both_bodies(system: System, poses: Poses, wrench: Any) -> np.ndarray:
    """A wrench on one body, and its opposite on the other, about origins (n, 6)."""
    found = np.zeros((len(system.bodies), 6))
    (k,) = system.places_of([wrench.point.frame])
    place = poses.origins[k] + poses.rotations[k] @ wrench.point.coordinates
    ends = [(wrench.on, 1.0)] + ([(wrench.by, -1.0)] if wrench.by else [])
    for frame, sign in ends:
        (body,) = system.places_of([frame])
        if body >= 0:
            torque = wrench.torque + cross(place - poses.origins[body], wrench.force)
            found[body] += sign * np.concatenate([torque, wrench.force])
    return found
