"""Dry friction at rest, of which a run must be warned: nothing sticks by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.actions.contact.carried_friction import JointFriction
from polhode.actions.contact.friction import Coulomb
from polhode.errors import IntegrationWarning
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.integrate.field.states import States


def warn_static_friction(states: States) -> None:
    """Tell of dry friction that does not slip where the first run begins."""
    system, z = states.system, states.z[0]
    for action in system.actions:
        law: Any = getattr(action, "law", None)
        if not isinstance(law, Coulomb):
            continue
        rubs = isinstance(action, JointFriction)
        own = z[system.edge(action.joint.name).z] if rubs else z
        if np.any(own):
            continue
        warn(
            f"{system.name!r} begins at rest where {action.name!r} is dry: {law!r} has"
            " no force at rest, and holds nothing there, whatever its static"
            " coefficient. What sticks are supports: give a ph.JointFriction among"
            " supports=[...], ph.Brake(joint, law, load=...) where the push is known,"
            " ph.Support where bodies touch; or give ph.contact.Regularised(mu, speed),"
            " which creeps instead.",
            IntegrationWarning,
        )
