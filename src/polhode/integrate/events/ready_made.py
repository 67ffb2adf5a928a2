"""Events that many models need: limits of joints, motors at full effort, a surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jax.numpy as jnp
import numpy as np

from polhode.actions.force_elements.joint_law import Motor
from polhode.arrays import Scalar
from polhode.errors import IntegrationError
from polhode.geometry.admission import admit
from polhode.integrate.events.event import Event
from polhode.matter.parameter import Table, number
from polhode.system.checked_argument import system_argument
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.system.state import State
    from polhode.system.system import System


@system_argument
def limit_events(system: System, *, terminal: bool = False) -> list[Event]:
    """An event at each finite limit of a joint, reached from within.

        g = q - lower,      g = upper - q

    They are called 'hinge at its lower limit' and so on. A run that starts beyond a
    limit is refused.

    >>> import polhode as ph
    >>> rod = ph.Body("rod", ph.solids.rod(mass=1.2, length=0.8))
    >>> ends = ph.World().origin, rod.point(0, 0, 0.4)
    >>> hinge = ph.Revolute("hinge", *ends, axis=ph.Y, limits=(-1, 2))
    >>> [event.name for event in limit_events(ph.System([hinge]))]
    ['hinge at its lower limit', 'hinge at its upper limit']
    """
    found = []
    for edge in system.tree.edges:
        lower, upper = edge.joint.limits
        for k, name in enumerate(edge.joint.coordinate_names):
            place = edge.q.start + k
            for word, sign, bound in (("lower", 1, lower[k]), ("upper", -1, upper[k])):
                if np.isfinite(bound):
                    margin = _margin(place, sign, float(bound))
                    title = f"{name} at its {word} limit"
                    found.append(
                        Event(title, margin, -1, terminal=terminal, required=True)
                    )
    return found


def _margin(place: int, sign: int, bound: float) -> Any:
    return lambda t, state: sign * (state.q[place] - bound)


@system_argument
def saturation_events(system: System) -> list[Event]:
    """An event where the demand of a motor passes a limit of its effort.

        g = tau asked - lower,      g = upper - tau asked

    falling as the motor saturates, rising as it comes back.
    """
    found = []
    for motor in system.actions:
        if not isinstance(motor, Motor):
            continue
        lower, upper = motor.joint.effort_limits
        for k, name in enumerate(motor.joint.speed_names):
            whose = motor.name if len(lower) == 1 else f"{motor.name} along {name}"
            for word, sign, bound in (("lower", 1, lower[k]), ("upper", -1, upper[k])):
                if np.isfinite(bound):
                    room = _room(system, motor, k, sign, float(bound))
                    found.append(Event(f"{whose} at its {word} limit", room))
    return found


def _room(system: System, motor: Motor, k: int, sign: int, bound: float) -> Any:
    edge = system.edge(motor.joint.name)

    def room(t: Scalar, state: State, table: Table) -> Any:
        asked = motor.asked(state.q[edge.q], state.z[edge.z], t, table)
        return sign * (asked[k] - bound)

    return room


@system_argument
def surface_event(
    system: System,
    body: str,
    radius: float,
    *,
    centre: Any = (0.0, 0.0, 0.0),
    terminal: bool = True,
) -> Event:
    """A body's origin comes down to a sphere about a point of the world.

        altitude = |p - centre| - radius

    The run ends there unless `terminal` is False; it cannot start below.
    """
    names = [each.name for each in system.bodies]
    if body not in names:
        raise IntegrationError(
            f"{system.name!r} has no body {body!r} to come down.",
            "A surface is reached by the origin of a body.",
            suggestion(body, names),
        )
    place, c = names.index(body), admit(centre, (3,), "the centre of a surface")
    R = number(radius, "the radius of a surface")

    def altitude(t: Scalar, state: State, table: Table) -> Any:
        p = system.poses(t, state.q, table).origins[place] - c
        return jnp.sqrt(jnp.sum(p * p)) - R

    title = f"{body} at the surface"
    return Event(title, altitude, -1, terminal=terminal, required=True)
