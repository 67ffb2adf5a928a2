"""Formation keeping in orbit: a force on a follower by its place before its leader.

    F = -m R_WO K [x - x_d; x'],      x = R_WO^T (p - p_leader)

x and x' are outwards, ahead and normal, in the frame that turns with the leader.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from polhode.actions.space.frames import local_rate, rtn
from polhode.arrays import Numbers, Scalar
from polhode.control.tracking import craft_motor
from polhode.errors import ModelError
from polhode.geometry.vector import cross
from polhode.joints.free import Free
from polhode.joints.translation import Translation
from polhode.matter.parameter import at
from polhode.system.checked_argument import system_argument
from polhode.system.members import suggestion
from polhode.system.state import State
from polhode.system.system import System


@system_argument
def formation_keeping(
    system: System,
    leader: str,
    follower: str,
    gain: Numbers,
    offset: Numbers = (0.0, 0.0, 0.0),
) -> dict[str, Callable[..., Any]]:
    """The law that keeps a follower at an offset of its leader: inputs of a run.

    leader, follower   names of bodies; the follower hangs on the world by a joint, free
                       or of translation, with a `Motor`
    gain               K (3, 6) by `linear_quadratic(hill(n), Q, R)`: m/s^2 of m and m/s
    offset             (3,) outwards, ahead, normal, m; or a function of time
    """
    K = np.asarray(gain, float)
    if K.shape != (3, 6):
        raise ModelError(
            f"the gain of {follower!r} has the shape {K.shape}.",
            "Three accelerations follow from three places and three rates.",
            "Give K (3, 6): ph.linear_quadratic(ph.formations.hill(n), Q, R).",
        )
    names = [body.name for body in system.bodies]
    for name in (leader, follower):
        if name not in names:
            raise ModelError(
                f"{system.name!r} has no craft {name!r}.",
                "Craft are called by the names of their bodies.",
                suggestion(name, names),
            )
    first, second = names.index(leader), names.index(follower)
    edge = next(e for e in system.tree.edges if e.child == second)
    if edge.parent >= 0 or not isinstance(edge.joint, Free | Translation):
        raise ModelError(
            f"{follower!r} does not hang on the world by a free joint.",
            "Its motor must push it in any direction.",
            f"Give ph.Free({follower!r}, world.origin, body.origin) and a motor.",
        )
    motor = craft_motor(system, edge)

    def law(t: Scalar, state: State) -> Any:
        poses = system.poses(t, state.q)
        v = system.twists(t, state.q, state.z).linear
        r, here = poses.origins[first], v[first]
        R = rtn(r, here)
        apart = poses.origins[second] - r
        carried = cross(local_rate(r, here), apart)
        x = jnp.concatenate([R.T @ apart, R.T @ (v[second] - here - carried)])
        wanted = offset(t) if callable(offset) else offset
        x = x - jnp.concatenate([jnp.asarray(wanted, dtype=x.dtype), jnp.zeros(3)])
        mass = at(system.bodies[second].moments(system.table()).mass)
        force = -mass * (R @ (jnp.asarray(K) @ x))
        if isinstance(edge.joint, Translation):
            return force
        own = poses.rotations[second].T @ force
        centre = jnp.asarray(system.bodies[second].moments(system.table()).centre)
        return jnp.concatenate([cross(centre, own), own])

    return {motor: law}
