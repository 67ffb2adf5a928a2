"""Functions of relative poses: their arguments, slopes, rates and wrenches.

A function of the motion of bodies is unchanged by every superposed rigid motion exactly
if it is a function of the poses relative to one of them, the pivot p:

    y_D = Q_p^T (x_D - x_p),      Y_D = Q_p^T Q_D,      U = U(y, Y)

x is the place of a body's origin, Q its rotation. Any body may be the pivot. Bodies are
in one order everywhere here: the pivot first, then the others D.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from polhode.actions.motion_arrays import Poses, Twists, Wrenches
from polhode.arrays import Array, namespace
from polhode.geometry.rotations.rotational_gradient import from_matrix
from polhode.geometry.vector import cross, dot


class Placement(NamedTuple):
    """One body's place (3,) and rotation (3, 3), as some observer or pivot sees it."""

    position: Any
    rotation: Any


class Slopes(NamedTuple):
    """Derivatives of a scalar by the places (n, 3) and rotations (n, 3) of bodies.

    `by_rotation` is the vector s with dU = s . dtheta for a small turn dtheta.
    """

    by_position: Any
    by_rotation: Any


def relative(poses: Poses) -> Poses:
    """The invariant arguments: poses of the others in the axes of the first body.

    y = Q_p^T (x - x_p),      Y = Q_p^T Q
    """
    xp = namespace(*poses)
    back = xp.swapaxes(poses.rotations[..., :1, :, :], -1, -2)
    apart = poses.origins[..., 1:, :] - poses.origins[..., :1, :]
    places = (back @ apart[..., None])[..., 0]
    return Poses(back @ poses.rotations[..., 1:, :, :], places)


def placements(poses: Poses) -> tuple[Placement, ...]:
    """One placement a body."""
    count = poses.origins.shape[-2]
    return tuple(Placement(poses.origins[k], poses.rotations[k]) for k in range(count))


def slopes_of(function: Callable[[Poses], Any], poses: Poses) -> Slopes:
    """The derivatives of a scalar of n poses, by JAX, one vector a place and a turn."""
    import jax

    slope = jax.grad(function)(poses)
    return Slopes(slope.origins, from_matrix(poses.rotations, slope.rotations))


def turned_to_observer(poses: Poses, slopes: Slopes) -> Slopes:
    """Slopes by relative poses, from the pivot's axes to the observer's: Q_p U_y."""
    Q = poses.rotations[..., :1, :, :]
    by_position = (Q @ slopes.by_position[..., None])[..., 0]
    return Slopes(by_position, (Q @ slopes.by_rotation[..., None])[..., 0])


def rate_of_invariant(poses: Poses, twists: Twists, slopes: Slopes) -> Any:
    """How fast a function of relative poses changes in a motion.

        dU/dt = sum (Q U_y).(v_D - v_p) + sum (Q u_Y).(w_D - w_p)
                - sum ((x_D - x_p) x (Q U_y)).w_p

    `slopes` are in the pivot's axes. Printed with + before the last sum in places.
    """
    f, g = turned_to_observer(poses, slopes)
    apart = poses.origins[..., 1:, :] - poses.origins[..., :1, :]
    v = twists.linear[..., 1:, :] - twists.linear[..., :1, :]
    w = twists.angular[..., 1:, :] - twists.angular[..., :1, :]
    moment = dot(cross(apart, f), twists.angular[..., :1, :])
    return (dot(f, v) + dot(g, w) - moment).sum(-1)


def with_reaction(poses: Poses, wrenches: Wrenches) -> Wrenches:
    """The wrenches on the others, and before them the one on the first body.

        F_p = -sum F_D,      M_p = -sum ((x_D - x_p) x F_D + M_D)

    The generalised third law, by construction. For two bodies M_p is not -M_D unless
    the force passes through both origins.
    """
    xp = namespace(*poses, *wrenches)
    apart = poses.origins[..., 1:, :] - poses.origins[..., :1, :]
    moments = wrenches.torques + cross(apart, wrenches.forces)
    torque = -moments.sum(-2)[..., None, :]
    force = -wrenches.forces.sum(-2)[..., None, :]
    torques = xp.concatenate([torque, wrenches.torques], axis=-2)
    return Wrenches(torques, xp.concatenate([force, wrenches.forces], axis=-2))


def conservative_wrenches(poses: Poses, slopes: Slopes) -> Wrenches:
    """The wrenches of a potential energy of relative poses, on all bodies.

    F_D = -Q_p U_y,      M_D = -Q_p u_Y,      the pivot's by the third law
    """
    f, g = turned_to_observer(poses, slopes)
    return with_reaction(poses, Wrenches(-g, -f))


def constrained_wrenches(
    poses: Poses, slopes: Slopes, rows: Wrenches, multipliers: Array
) -> Wrenches:
    """All wrenches that balance the energy in motions which obey constraints.

        F_D = -Q_p U_y + sum_J mu_J f_JD,      M_D = -Q_p u_Y + sum_J mu_J g_JD

    `rows` are g, f (K, n - 1, 3) of K invariant constraints sum f.v + sum g.w = 0, in
    the observer's axes, and mu (K,) is arbitrary: the power in such motions cannot
    tell. The sum over J runs over the constraint terms only, in the pivot's moment too.
    """
    f, g = turned_to_observer(poses, slopes)
    weights = multipliers[:, None, None]
    torques = -g + (weights * rows.torques).sum(0)
    forces = -f + (weights * rows.forces).sum(0)
    return with_reaction(poses, Wrenches(torques, forces))


def superposed(
    poses: Poses, twists: Twists, turn: Poses, rate: Twists
) -> tuple[Poses, Twists]:
    """Poses and twists after a rigid motion S(t), s(t) of everything.

        x+ = S x + s,      v+ = S v + ax(Sdot S^T) x (S x) + sdot
        Q+ = S Q,          w+ = S w + ax(Sdot S^T)

    `turn` holds one rotation S and place s, `rate` the vector ax(Sdot S^T) and sdot.
    Leading axes of the poses (many times, many systems) are kept.
    """
    S, s = turn
    places = (S @ poses.origins[..., None])[..., 0]
    angular = (S @ twists.angular[..., None])[..., 0] + rate.angular
    linear = (S @ twists.linear[..., None])[..., 0]
    moved = linear + cross(rate.angular, places) + rate.linear
    return Poses(S @ poses.rotations, places + s), Twists(angular, moved)


def inner_products(positions: Array) -> Any:
    """The scalar products of the places of particles from the first one, i <= k.

    r_i . r_k with r_i = x_i - x_0: invariants of particles, even under reflections.
    """
    arms = positions[..., 1:, :] - positions[..., :1, :]
    count = arms.shape[-2]
    pairs = [(i, k) for i in range(count) for k in range(i, count)]
    parts = [dot(arms[..., i, :], arms[..., k, :]) for i, k in pairs]
    return namespace(positions).stack(parts, axis=-1)


def triple_products(positions: Array) -> Any:
    """The volumes r_i . (r_j x r_k), i < j < k, of the places from the first particle.

    Invariant under turns; a reflection changes their sign.
    """
    xp = namespace(positions)
    r = positions[..., 1:, :] - positions[..., :1, :]
    n = r.shape[-2]
    triples = [
        (i, j, k) for i in range(n) for j in range(i + 1, n) for k in range(j + 1, n)
    ]
    parts = [
        dot(r[..., i, :], cross(r[..., j, :], r[..., k, :])) for i, j, k in triples
    ]
    return xp.stack(parts, axis=-1) if parts else xp.zeros((*r.shape[:-2], 0))
