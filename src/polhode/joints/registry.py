"""Every kind of joint, one line each."""

from __future__ import annotations

from polhode.joints.ball_roller import BallRoller
from polhode.joints.cylindrical import Cylindrical
from polhode.joints.fixed import Fixed
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.joints.planar import Planar
from polhode.joints.prismatic import Prismatic
from polhode.joints.revolute import Revolute
from polhode.joints.roller import Roller
from polhode.joints.screw import Screw
from polhode.joints.slider import Slider
from polhode.joints.spherical import Spherical
from polhode.joints.translation import Translation
from polhode.joints.universal import Universal
from polhode.joints.user_joint import UserJoint

ALL_JOINTS: tuple[type[Joint], ...] = (
    Fixed,
    Revolute,
    Prismatic,
    Slider,
    Cylindrical,
    Screw,
    Universal,
    Spherical,
    Planar,
    Roller,
    BallRoller,
    Translation,
    Free,
    UserJoint,
)
