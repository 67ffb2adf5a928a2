"""Springs and dampers by one name each: between two points, or along a joint."""

from __future__ import annotations

from typing import Any

from polhode.actions.attachment import Attachment
from polhode.actions.force_elements import damper, spring
from polhode.actions.force_elements.joint_law import JointDamper, JointSpring
from polhode.joints.joint import Joint


def Spring(
    on: Joint | Attachment, *numbers: Any, **options: Any
) -> spring.Spring | JointSpring:
    """A linear spring between two points of bodies, or along a joint.

    Spring(point, point, stiffness, rest_length=0)     F = -k (|d| - L0) d/|d|
    Spring(joint, stiffness, rest=0)                   tau = -k (q - rest)
    """
    if isinstance(on, Joint):
        return JointSpring(on, *numbers, **options)
    return spring.Spring(on, *numbers, **options)


def Damper(
    on: Joint | Attachment, *numbers: Any, **options: Any
) -> damper.Damper | JointDamper:
    """A linear damper between two points of bodies, or along a joint.

    Damper(point, point, damping)     F = -c (rate of the distance) along the line
    Damper(joint, damping)            tau = -c z
    """
    if isinstance(on, Joint):
        return JointDamper(on, *numbers, **options)
    return damper.Damper(on, *numbers, **options)
