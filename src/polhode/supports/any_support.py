"""All that a system takes among its supports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from polhode.actions.contact.carried_friction import JointFriction
from polhode.supports.dry_joint import DryJoint, dry_joint
from polhode.supports.joint_supports import Brake, JointCandidates, Stop
from polhode.supports.rolling_friction import RollingFriction, SpinningFriction
from polhode.supports.slack_rope import SlackRope, StrandCandidates
from polhode.supports.support import Support

AnySupport: TypeAlias = (
    Support | Stop | Brake | DryJoint | RollingFriction | SpinningFriction | SlackRope
)


def as_supports(given: Iterable[Any]) -> tuple[Any, ...]:
    """Friction of a joint among the supports is dry, and sticks."""
    return tuple(dry_joint(s) if isinstance(s, JointFriction) else s for s in given)


def acts_at_points(support: AnySupport) -> bool:
    """Whether its forces are at its candidate points, on its two bodies.

    Stops and pads act along the speed of a joint, ropes at all points along them.
    """
    own = support.candidates
    return not isinstance(own, JointCandidates | StrandCandidates)
