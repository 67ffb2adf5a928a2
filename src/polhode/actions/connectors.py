"""Springs and dampers by one name each: between two points, or along a joint."""

from __future__ import annotations

from typing import Any, overload

from polhode.actions import damper, spring
from polhode.actions.attachment import Attachment
from polhode.actions.joint_law import JointDamper, JointSpring
from polhode.joints.joint import Joint


@overload
def Spring(on: Joint, by: Any, rest: Any = 0.0, **options: Any) -> JointSpring: ...
@overload
def Spring(
    on: Attachment, by: Attachment, *arguments: Any, **options: Any
) -> spring.Spring: ...
def Spring(on: Any, by: Any, *arguments: Any, **options: Any) -> Any:
    """A linear spring between two points of bodies, or along a joint.

    Spring(point, point, stiffness, rest_length=0)     F = -k (|d| - L0) d/|d|
    Spring(joint, stiffness, rest=0)                   tau = -k (q - rest)
    """
    if isinstance(on, Joint):
        return JointSpring(on, by, *arguments, **options)
    return spring.Spring(on, by, *arguments, **options)


@overload
def Damper(on: Joint, by: Any, **options: Any) -> JointDamper: ...
@overload
def Damper(
    on: Attachment, by: Attachment, *arguments: Any, **options: Any
) -> damper.Damper: ...
def Damper(on: Any, by: Any, *arguments: Any, **options: Any) -> Any:
    """A linear damper between two points of bodies, or along a joint.

    Damper(point, point, damping)     F = -c (rate of the distance) along the line
    Damper(joint, damping)            tau = -c z
    """
    if isinstance(on, Joint):
        return JointDamper(on, by, *arguments, **options)
    return damper.Damper(on, by, *arguments, **options)
