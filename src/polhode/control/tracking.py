"""Tracking by passivity: a craft follows a motion as if it were made of friction.

    s = V - V_r,      F = M V_r' + C(V) V_r - K s,      d/dt (s^T M s/2) = -s^T K s

exactly where M' - 2 C is skew (Slotine and Li). In rates of the body M is constant and
C skew. The reference velocity V_r leads back to the wanted motion, on SE(3):

    V_r = Ad V_d - rate e,      e = [log R_e; R_e^T x_e],      (R_e, x_e) = T_d^-1 T

V_d is the wanted twist, Ad V_d the same motion at the craft in its own axes. On s = 0
both errors shrink as exp(-rate t): the turn from anywhere but half a turn away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from polhode.actions.force_elements.joint_law import Motor
from polhode.arrays import Array, Scalar
from polhode.errors import ModelError
from polhode.formulation.spatial_forms.choices import (
    DEFAULT,
    CoriolisChoice,
    choice_named,
)
from polhode.geometry.rotations import so3
from polhode.geometry.vector import cross, vee
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.matter.parameter import NOMINAL, Table
from polhode.system.checked_argument import system_argument
from polhode.system.state import State
from polhode.system.state_arrays import StateArrays
from polhode.system.system import System
from polhode.system.tree import Edge

Reference = Callable[[Any], tuple[Any, Any]]


class Pursuit(NamedTuple):
    """A craft after its reference, in its own axes and about its origin, each (6,).

    error      e = [turn; way]
    speeds     V_r
    rates      V_r', along the true motion
    sliding    s = V - V_r
    """

    error: Any
    speeds: Any
    rates: Any
    sliding: Any


@system_argument
def tracking(
    system: System,
    references: Mapping[str, Reference],
    *,
    rate: float = 1.0,
    gain: Any = 1.0,
    choice: str | CoriolisChoice = DEFAULT,
) -> dict[str, Callable[..., Any]]:
    """Laws for the motors of some craft, each after its reference: inputs of a run.

    references   by name of craft: t -> (R_WD (3, 3), p_WoDo_W (3,)), traceable
    rate         how fast errors shrink, 1/s
    gain         K: one number, or (6, 6) symmetric and positive
    choice       the Coriolis dyadic; it must be passive for the law to be stable

    A craft hangs on the world by a free joint with a `Motor`. What else acts is taken
    off: the law knows the model.
    """
    K = np.eye(6) * gain if np.ndim(gain) == 0 else np.asarray(gain, float)
    rule = choice_named(choice)
    edges = {name: craft_edge(system, name) for name in references}
    motors = {name: craft_motor(system, edges[name]) for name in references}

    def law_of(name: str) -> Callable[..., Any]:
        edge = edges[name]

        def law(t: Scalar, state: State) -> Any:
            p = pursuit(edge, references[name], rate, StateArrays(t, state.q, state.z))
            V = state.z[edge.z]
            M = system.inertias()[edge.child]
            others = acting(system, motors.values(), StateArrays(t, state.q, state.z))
            wanted = M @ p.rates + rule.dyadic(M, V) @ p.speeds - K @ p.sliding
            return wanted - others[edge.child]

        return law

    return {motors[name]: law_of(name) for name in references}


def pursuit(edge: Edge, reference: Reference, rate: Scalar, at: StateArrays) -> Pursuit:
    """Where a craft is behind its reference; `at` is (t, q, z) of its system."""
    t, q, V = 1.0 * jnp.asarray(at[0]), at[1][edge.q], at[2][edge.z]
    joint = edge.joint

    def both(t: Scalar, q: Array) -> tuple[Any, Any]:
        R_WD, p_WoDo_W = (1.0 * jnp.asarray(part) for part in reference(t))
        R_WB, p_WoBo_W = joint.pose(q)
        w_D, v_D = _twist(reference, t)
        R_BD = R_WB.T @ R_WD
        way = R_WB.T @ (p_WoBo_W - p_WoDo_W)
        error = jnp.concatenate([so3.log(R_BD.T), way])
        w = R_BD @ w_D
        carried = jnp.concatenate([w, R_BD @ v_D + cross(w, way)])
        return carried - rate * error, error

    now, along = (t, 1.0 * q), (jnp.ones_like(t), joint.rates(q, V))
    (V_r, error), (V_r_dot, _) = jax.jvp(both, now, along)
    return Pursuit(error, V_r, V_r_dot, V - V_r)


def acting(system: System, motors: Any, at: StateArrays, table: Table = NOMINAL) -> Any:
    """What acts on all bodies (n, 6) beside some motors, in their own axes."""
    t, q, z = at
    idle = {**table, **{name: np.zeros(6) for name in motors}}
    return system.applied(t, q, z, idle)


def _twist(reference: Reference, t: Scalar) -> tuple[Any, Any]:
    """w and v of the wanted motion, in its own axes."""
    (R, _), (R_dot, p_dot) = jax.jvp(
        lambda t: tuple(1.0 * jnp.asarray(part) for part in reference(t)),
        (t,),
        (jnp.ones_like(t),),
    )
    return vee(R.T @ R_dot), R.T @ p_dot


def craft_edge(system: System, name: str) -> Edge:
    """The free joint of a craft; refused where it has none."""
    edge = next((e for e in system.tree.edges if e.joint.name == name), None)
    if edge is None or edge.parent >= 0 or not _is_plain(edge.joint):
        raise ModelError(
            f"{system.name!r} has no free craft {name!r} to be led along a motion.",
            "A craft that tracks a pose has six freedoms before the world.",
            f"Give ph.Free({name!r}, world.origin, body.origin), and a motor on it.",
        )
    return edge


def _is_plain(joint: Joint) -> bool:
    """Whether its coordinates are the pose of the body itself."""
    seats = (joint.first_frame(), joint.second_frame())
    return isinstance(joint, Free) and all(
        np.array_equal(R, np.eye(3)) and not np.any(p) for R, p in seats
    )


def craft_motor(system: System, edge: Edge) -> str:
    """The name of the motor along a craft's free joint; refused where there is none."""
    for action in system.actions:
        if isinstance(action, Motor) and action.joint is edge.joint:
            return action.name
    raise ModelError(
        f"craft {edge.joint.name!r} has no motor.",
        "A law gives efforts to motors: of a free joint, a torque and a force.",
        "Give ph.Motor(joint, 0.0) among the actions.",
    )
