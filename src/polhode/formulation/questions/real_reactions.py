"""Ideal and real: what friction adds to a reaction, and the reaction it depends on.

    M z_dot + b = f + f_r(N) + A^T l,      A z_dot = g,      N = load(W(z_dot, l))

N (k,) are the pushes of all real joints and constraints. Forces enter accelerations and
reactions linearly, so that W = W_0 + P N with constant P (k, 6, k) at a state, and only

    N = load(W_0 + P N)

is left to solve, by Newton's steps. It has one solution while a unit of push changes
the reactions by less than one; where the steps find none the pushes are not numbers,
the force of the law is none, and a run stops and says that it jams.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from polhode.actions.contact.carried_friction import REAL, JointFriction
from polhode.actions.motion_arrays import power
from polhode.arrays import Array, Scalar
from polhode.double import doubled
from polhode.formulation.questions.reactions import constraint_wrenches
from polhode.formulation.recursive.recursive import recursive
from polhode.formulation.shared.checked_argument import equations_argument
from polhode.geometry.point import Point
from polhode.geometry.vector import cross
from polhode.geometry.wrench import Wrench
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.checked_argument import system_argument
from polhode.system.loads import with_world
from polhode.system.state_arrays import StateArrays

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.state import State
    from polhode.system.system import System

STEPS = 12  # of Newton's; on one push they close in from one side
SOLVED = 1e-9  # of the pushes: what may be left


class ReactionParts(NamedTuple):
    """What a real joint or constraint exerts on a body, all along the world's axes.

    ideal   no power in any motion that is allowed at a frozen time
    real    what friction adds, about the same point
    load    the push N that friction is under, N
    power   of the real part on both bodies, W: never above zero
    """

    ideal: Wrench
    real: Wrench
    load: float
    power: float


@system_argument
def ideal(system: System) -> dict[str, bool]:
    """By name of each joint and constraint: whether nothing real was added to it.

    >>> import polhode as ph
    >>> ideal(ph.models.double_pendulum())
    {'shoulder': True, 'elbow': True}
    """
    rubbing = {_owner(action).name for action in _real(system)}
    things = (*system.joints, *system.constraints)
    return {each.name: each.name not in rubbing for each in things}


@equations_argument
def reaction_parts(
    equations: Equations, state: State, table: Table = NOMINAL
) -> dict[str, ReactionParts]:
    """The ideal and the real part of each reaction that is not ideal, by action.

    A joint's are on its second body about its point there, a constraint's on the body
    that slides, about its origin.
    """
    system = equations.system
    at = state.t, state.q, state.z
    known = with_pushes(system, *at, system.table(table))
    wrenches = system.wrenches(*at, known)
    twists, poses = system.twists(*at, known), with_world(system.poses(*at[:2], known))
    reactions = equations.reactions(state, table)
    found = {}
    for action in _real(system):
        carried = reactions[_reaction_name(action)]
        given = wrenches[action.name]
        on = system.places_of([carried.on])[0]
        if on >= 0:
            body, sign = on, 1.0
        else:  # the world is not among the bodies: it feels the opposite
            body, sign = system.places_of([action.bodies[1]])[0], -1.0
        force = sign * given.forces[body]
        arm = _place(system, poses, carried.point) - poses.origins[body]
        torque = sign * given.torques[body] - cross(arm, force)
        real = Wrench(
            torque=torque,
            force=force,
            on=carried.on,
            by=carried.by,
            point=carried.point,
            frame=carried.frame,
        )
        load = float(known[action.load_name])
        found[action.name] = ReactionParts(
            carried, real, load, float(power(given, twists))
        )
    return found


def with_pushes(system: System, t: Scalar, q: Array, z: Array, table: Table) -> Table:
    """The table with the pushes of all real joints and constraints in it.

    A table that has them already, or a system that is ideal, is left as it is.
    """
    missing = [a for a in _real(system) if a.load_name not in table]
    if not missing:
        return table
    key = ("pushes", tuple(a.name for a in missing))
    pushes = system.remembered(key, lambda: doubled(_pushes(system, missing)))
    N = pushes(t, q, z, dict(table))
    return {**table, **{a.load_name: N[k] for k, a in enumerate(missing)}}


def _pushes(system: System, actions: list[Any]) -> Callable[..., Any]:
    """(t, q, z, table) -> N (k,)"""
    core = recursive(system).functions
    known = [system.edge(_owner(a).name).child if _along(a) else -1 for a in actions]

    def found(t: Scalar, q: Array, z: Array, table: Table) -> Any:
        def reactions(N: Array) -> Any:
            whole = {**table, **{a.load_name: N[k] for k, a in enumerate(actions)}}
            solution = core.accelerations(t, q, z, whole)
            joints = core.joint_wrenches(t, q, z, solution, whole)
            held = constraint_wrenches(system, StateArrays(t, q, z), solution[1], whole)
            return jnp.stack(
                [
                    joints[k] if k >= 0 else _on_body(system, a, held)
                    for k, a in zip(known, actions, strict=True)
                ]
            )

        def loads(reactions: Any) -> Any:
            pairs = zip(actions, reactions, strict=True)
            return jnp.stack([a.load(W, table) for a, W in pairs])

        still = jnp.zeros(len(actions))
        P, W_0 = jax.jacfwd(lambda N: (reactions(N),) * 2, has_aux=True)(still)
        return solve_pushes(lambda N: loads(W_0 + P @ N), loads(W_0))

    # Forces ask it many times over; a call that JAX has traced it traces no more.
    return jax.jit(found)


def solve_pushes(load: Callable[[Any], Any], start: Any) -> Any:
    """N (k,) with N = load(N), by Newton's steps; not numbers where none is found.

    The last two steps are inside the derivative, the others are not.
    """

    def better(N: Array) -> Any:
        slope = jnp.eye(N.shape[0]) - jax.jacfwd(load)(N)
        return N + jnp.linalg.solve(slope, load(N) - N)

    N = lax.fori_loop(0, STEPS - 2, lambda _, N: better(N), start)
    N = better(better(lax.stop_gradient(N)))
    missed = jnp.max(jnp.abs(load(N) - N))
    # Beside the pushes without friction too: those with it may all but vanish.
    size = jnp.max(jnp.abs(N)) + jnp.max(jnp.abs(start))
    kept = (missed <= SOLVED * size) & jnp.all(N >= 0.0)
    return jnp.where(kept, N, jnp.nan)


def _real(system: System) -> list[Any]:
    return [action for action in system.actions if isinstance(action, REAL)]


def _along(action: Any) -> bool:
    return isinstance(action, JointFriction)


def _owner(action: Any) -> Any:
    """The joint or constraint to which the action belongs."""
    return action.joint if _along(action) else action.constraint


def _reaction_name(action: Any) -> str:
    """What `Equations.reactions` calls the ideal part."""
    if _along(action):
        return action.joint.name
    return f"{action.constraint.name} on {action.bodies[0].name}"


def _on_body(system: System, action: Any, held: list[Any]) -> Any:
    """What the action's constraint exerts on the body that slides (6,)."""
    number = [c is action.constraint for c in system.constraints].index(True)
    return held[number][system.places_of(action.bodies[:1])[0]]


def _place(system: System, poses: Any, point: Point) -> np.ndarray:
    (body,) = system.places_of([point.frame])
    return poses.origins[body] + poses.rotations[body] @ np.asarray(point.coordinates)
