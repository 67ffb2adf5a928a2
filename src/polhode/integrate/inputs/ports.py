"""What of a system may be driven by an input: motors, loads, their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polhode.actions.applied import AppliedCouple, AppliedForce
from polhode.actions.force_elements.joint_law import Motor
from polhode.errors import ModelError
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.system.system import System


def port_size(system: System, name: str) -> int | None:
    """How many numbers drive an action of this name; 0 for one, None if none do."""
    action = next((a for a in system.actions if a.name == name), None)
    if isinstance(action, Motor):
        return action.joint.speeds if action.joint.speeds > 1 else 0
    size = getattr(action, "input_size", None)
    if size is not None:
        return int(size)
    return 3 if action is not None and _is_port(action) else None


def input_size(system: System, name: str) -> int:
    """How many numbers an input has; 0 for one bare number."""
    size = port_size(system, name)
    if size is not None:
        return size
    actions = {action.name: action for action in system.actions}
    input_log, barred = _fed(system), _barred(system)
    if name in input_log - barred:
        return 0
    why = "An input is a motor, a couple or follower force, or a parameter of such."
    if name in barred or name in actions:
        why = (
            f"{name!r} is part of what stores energy, has mass or constrains: were it"
            " to change in time, energy would come from nowhere."
        )
    known = [a.name for a in actions.values() if _is_port(a)] + sorted(
        input_log - barred
    )
    raise ModelError(
        f"{system.name!r} has no input {name!r}.", why, suggestion(str(name), known)
    )


def is_input(system: System, name: str) -> bool:
    """Whether something may drive it: any value of it leaves the system what it is."""
    return port_size(system, name) is not None or name in _fed(system) - _barred(system)


def _fed(system: System) -> set[str]:
    driven = [action for action in system.actions if not action.is_conservative]
    return {p.name for action in driven for p in action.parameters}


def _barred(system: System) -> set[str]:
    return {p.name for part in _others(system) for p in part.parameters}


def _is_port(action: Any) -> bool:
    if isinstance(action, AppliedForce | AppliedCouple):
        return not action.is_conservative
    has_size = getattr(action, "input_size", None) is not None
    return isinstance(action, Motor) or has_size


def _others(system: System) -> list[Any]:
    stored = [action for action in system.actions if action.is_conservative]
    return [*system.bodies, *system.joints, *system.constraints, *stored]
