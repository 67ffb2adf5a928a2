"""Every kind of joint, one line each."""

from __future__ import annotations

from polhode.joints.fixed import Fixed
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.joints.prismatic import Prismatic
from polhode.joints.revolute import Revolute
from polhode.joints.spherical import Spherical

ALL_JOINTS: tuple[type[Joint], ...] = (
    Fixed,
    Revolute,
    Prismatic,
    Spherical,
    Free,
)
