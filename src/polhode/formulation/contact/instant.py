"""A state seen by its contacts: which of them touch, part, approach or slip.

Lengths are compared with the natural length of the system, speeds with the quickest
contact, or a natural length a second where all are slow.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from polhode.errors import ModelError, Overlap
from polhode.formulation.contact.collide import Laws
from polhode.formulation.contact.delassus import ContactProblem, contact_problem
from polhode.matter.parameter import NOMINAL, Table, number
from polhode.supports.admission import require_contact_numbers
from polhode.supports.support import Support
from polhode.system.contacts import contact_length, laws, names, owners, strikes
from polhode.system.state import State
from polhode.system.system import System

TOUCHES = 1e-9  # of the natural length
STILL = 1e-9  # of the quickest contact


class Seen(NamedTuple):
    """A state and its contacts.

    touching      (n,) g = 0, and not parting
    approaching   (n,) of these, those that strike
    slipping      (n,) |slip| > 0
    length, speed what gaps and velocities are compared with
    """

    state: State
    problem: ContactProblem
    touching: np.ndarray
    approaching: np.ndarray
    slipping: np.ndarray
    length: float
    speed: float


def seen(state: State, table: Table = NOMINAL, *, near: float = TOUCHES) -> Seen:
    """The contacts of a state; a gap below `near` of the length counts as none."""
    system = require_supports(state)
    problem = contact_problem(system, state.t, state.q, state.z, table)
    rows = problem.rows
    length = contact_length(system)
    speed = max(float(np.max(np.abs(rows.velocity), initial=0.0)), length)
    closed = rows.gap <= near * length
    rate = rows.velocity[:, 0]
    touching = closed & (rate <= STILL * speed)
    approaching = closed & (rate < -STILL * speed)
    slipping = np.linalg.norm(rows.velocity[:, 1:], axis=1) > STILL * speed
    return Seen(state, problem, touching, approaching, slipping, length, speed)


def admit_table(state: State, table: Table) -> Table:
    """Values that a question is asked with: of parameters of the system, and lawful."""
    if table:
        system = state.system
        system.require_parameters(table)
        values = {n: number(v, f"parameter {n!r}") for n, v in table.items()}
        require_contact_numbers(system.supports, system.table(values))
    return table


def require_supports(state: State) -> System:
    """The system of a state, refused if nothing of it can touch."""
    system = state.system
    if not system.supports:
        raise ModelError(
            f"{system.name!r} has no supports.",
            "Only a contact that can open strikes, slips or sticks.",
            "Give ph.System(..., supports=[ph.Support(...)]).",
        )
    return system


def require_apart(now: Seen) -> None:
    """Refuse a state in which bodies are inside what they rest on."""
    gap = now.problem.rows.gap
    if np.min(gap) < -TOUCHES * now.length:
        raise overlap(now.state.system, gap)


def overlap(system: System, gap: np.ndarray) -> Overlap:
    """What is told of a start with such gaps (n,)."""
    k = int(np.argmin(gap))
    support = system.supports[owners(system)[k]]
    if not isinstance(support, Support):
        (joint,) = support.joints
        return Overlap(
            f"joint {joint.name!r} starts {-gap[k]:.3g} {joint.units[0]} beyond"
            f" {names(system)[k]!r}.",
            "A stop pushes back from its bound; beyond it there is no motion to begin"
            " with.",
            "Start within the bounds, or move them.",
        )
    body, ground = (frame.name for frame in support.bodies)
    return Overlap(
        f"{body!r} starts {-gap[k]:.3g} m inside {ground!r} at {names(system)[k]!r}.",
        "A contact pushes from outside; inside there is no motion to begin with.",
        f"Raise it by {-gap[k]:.3g} m along the normal of {support.name!r}.",
    )


def laws_of(now: Seen) -> Laws:
    """Coefficients and laws of restitution of all candidates."""
    rows, system = now.problem.rows, now.state.system
    rubs = strikes(system)
    mu = (rubs * rows.dynamic, rubs * rows.static)
    return Laws(*mu, rows.restitution, laws(system))
