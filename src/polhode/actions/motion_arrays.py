"""The plain arrays that actions read and write: poses, twists and wrenches of bodies.

Everything is written along the axes of one observer W. Body i has the frame Bi with
origin Oi; the torque on it is about its own Oi. Leading axes are batches.

    poses     R_WB (..., n, 3, 3),  p_WoO_W (..., n, 3)
    twists    w_WB_W (..., n, 3),   v_WO_W (..., n, 3)
    wrenches  torque about O,  force on the body
"""

from __future__ import annotations

from typing import Any, NamedTuple

from polhode.arrays import Array, namespace
from polhode.geometry.vector import cross, dot


class Poses(NamedTuple):
    """Where n bodies are: rotations R_WB (n, 3, 3) and origins p_WoO_W (n, 3)."""

    rotations: Any
    origins: Any


class Twists(NamedTuple):
    """How n bodies move: angular velocities (n, 3) and velocities of origins (n, 3)."""

    angular: Any
    linear: Any


class Wrenches(NamedTuple):
    """What acts on n bodies: torques about their origins (n, 3) and forces (n, 3)."""

    torques: Any
    forces: Any


def place(poses: Poses, body: int, coordinates: Array) -> Any:
    """Where the material point of a body is.   p_WoP_W = p_WoO_W + R_WB p_OP_B"""
    return poses.origins[..., body, :] + turn(poses, body, coordinates)


def turn(poses: Poses, body: int, components: Array) -> Any:
    """A vector fixed in a body, along the observer's axes.   a_W = R_WB a_B"""
    R_WB = poses.rotations[..., body, :, :]
    return (R_WB * components[..., None, :]).sum(-1)


def velocity_at(poses: Poses, twists: Twists, body: int, at: Array) -> Any:
    """The velocity of the material point of a body that is now at a place.

    v_WP_W = v_WO_W + w_WB_W x p_OP_W
    """
    arm = at - poses.origins[..., body, :]
    return twists.linear[..., body, :] + cross(twists.angular[..., body, :], arm)


def velocity_of(twists: Twists, body: int, arm: Array) -> Any:
    """The velocity of the material point of a body at an arm from its origin.

    v_WP_W = v_WO_W + w_WB_W x p_OP_W
    """
    return twists.linear[..., body, :] + cross(twists.angular[..., body, :], arm)


def arm_from_other(poses: Poses, arm: Array) -> Any:
    """From the origin of body 1, the place that is at an arm from that of body 0.

    Far from the observer the difference of origins keeps digits that places lose.
    """
    return (poses.origins[..., 0, :] - poses.origins[..., 1, :]) + arm


def interaction(poses: Poses, arm: Array, force: Array, couple: Array) -> Wrenches:
    """The wrenches on two bodies that act on each other: the third law by construction.

        on 0:  force F at P and couple C       about O0:  C + (P - O0) x F
        on 1:  force -F at P and couple -C     about O1: -C - (P - O1) x F

    `arm` is P - O0, of one place for both: for a central force any place on its line
    will do. It is not P: of a body far from the observer P has lost the arm's digits.
    """
    xp = namespace(poses.origins, arm, force, couple)
    first = couple + cross(arm, force)
    second = -couple - cross(arm_from_other(poses, arm), force)
    torques = xp.stack([first, second], axis=-2)
    return Wrenches(torques, xp.stack([force, -force], axis=-2))


def power(wrenches: Wrenches, twists: Twists) -> Any:
    """The power of the wrenches on the moving bodies, summed over them.

    P = sum_i  torque_i . w_i + force_i . v_i
    """
    each = dot(wrenches.torques, twists.angular) + dot(wrenches.forces, twists.linear)
    return each.sum(-1)


def total(poses: Poses, wrenches: Wrenches) -> tuple[Any, Any]:
    """The resultant moment about the observer's origin, and the resultant force.

        M_Wo = sum_i torque_i + p_i x F_i,        R = sum_i F_i

    Both are zero exactly if the bodies act only on each other (third law).
    """
    moments = wrenches.torques + cross(poses.origins, wrenches.forces)
    return moments.sum(-2), wrenches.forces.sum(-2)
