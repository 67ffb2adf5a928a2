"""A joint of every kind, seated anyhow, and random motions of it."""

from __future__ import annotations

from functools import cache

import numpy as np

from polhode.geometry.rotations import so3
from polhode.joints.ball_roller import BallRoller
from polhode.joints.cylindrical import Cylindrical
from polhode.joints.joint import Joint
from polhode.joints.planar import Planar
from polhode.joints.prismatic import Prismatic
from polhode.joints.registry import ALL_JOINTS
from polhode.joints.revolute import Revolute
from polhode.joints.roller import Roller
from polhode.joints.screw import Screw
from polhode.joints.slider import Slider
from polhode.joints.universal import Universal
from polhode.joints.user_joint import UserJoint
from polhode.matter.rigid_body import Body
from polhode.matter.solids import box
from polhode.matter.world import World

AXIS, OTHER = (1.0, -2.0, 0.5), (0.3, 1.0, 2.0)

WORLD = World()
BLOCK = Body("block", box(mass=2.0, x=0.3, y=0.4, z=0.5))


def cam(q):
    """A follower that turns about Z and is lifted by the turn, and slides along X."""
    import jax.numpy as jnp

    turn = so3.exp(jnp.stack([0.2 * q[1], 0.0 * q[0], q[0]]))
    lift = 0.3 * (1 - jnp.cos(q[0]))
    return turn, jnp.stack([q[1], 0.1 * q[0] * q[1], lift])


OWN: dict[type[Joint], dict] = {
    Revolute: {"axis": AXIS},
    Prismatic: {"axis": AXIS},
    Slider: {"normal": AXIS},
    Cylindrical: {"axis": AXIS},
    Screw: {"axis": AXIS, "pitch": 0.3},
    Universal: {"axis": AXIS, "second_axis": OTHER},
    Planar: {"normal": AXIS},
    Roller: {"normal": AXIS, "axis": OTHER},
    BallRoller: {"normal": AXIS},
    UserJoint: {"law": cam, "names": ("turn", "slide"), "kinds": ("rad", "m")},
}


@cache
def joint_of(kind: type[Joint]) -> Joint:
    """One joint of a kind, from the world to a block, its axes oblique."""
    ends = WORLD.point(0.1, 0.2, 0.3), BLOCK.point(-0.1, 0.2, 0.25)
    axes = {
        "first_axes": so3.exp(np.array([0.3, -0.2, 0.5])),
        "second_axes": so3.exp(np.array([-0.4, 0.1, 0.7])),
    }
    return kind("joint", *ends, **OWN.get(kind, {}), **axes)


def kind_of(kind: type[Joint]) -> str:
    """The name of a kind, for the ids of tests."""
    return kind.__name__


def random_coordinates(joint: Joint, rng: np.random.Generator) -> np.ndarray:
    """Any pose: angles below π, quaternions of either sign, places of scale one."""
    reach = 0.8 if isinstance(joint, UserJoint) else 1.0
    delta = reach * rng.uniform(-1, 1, joint.speeds)
    q = joint.local(joint.neutral(), delta)
    turns = np.array(joint.angles)
    q = np.where(turns, rng.uniform(-np.pi, np.pi, joint.coordinates), q)
    if joint.coordinates != joint.speeds:
        q[:4] = rng.normal(size=4)
    return joint.normalised(q)


def random_motion(joint: Joint, rng: np.random.Generator) -> tuple:
    """Coordinates and speeds of scale one."""
    return random_coordinates(joint, rng), rng.normal(size=joint.speeds)


JOINTS = [joint_of(kind) for kind in ALL_JOINTS]
