"""Kinds of joints and of constraints of which one code serves all alike.

Their kernels read their own numbers, and of constraints their own bodies and joints.
"""

from __future__ import annotations

from polhode.constraints.distance import Distance
from polhode.constraints.gear import Gear
from polhode.constraints.holonomic import PointOn
from polhode.constraints.loop import Loop
from polhode.joints.cylindrical import Cylindrical
from polhode.joints.fixed import Fixed
from polhode.joints.free import Free
from polhode.joints.joint import Joint
from polhode.joints.planar import Planar
from polhode.joints.prismatic import Prismatic
from polhode.joints.revolute import Revolute
from polhode.joints.spherical import Spherical
from polhode.joints.translation import Translation
from polhode.joints.universal import Universal

# Joints whose kernels read their own numbers from arrays, known or not.
KINDS: tuple[type[Joint], ...] = (
    *(Revolute, Prismatic, Cylindrical, Universal, Spherical),
    *(Planar, Translation, Free, Fixed),
)
ALIKE = (Loop, PointOn, Distance, Gear)
