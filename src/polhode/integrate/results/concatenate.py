"""Two motions as one: the second begins where the first ends."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polhode.errors import IntegrationError
from polhode.integrate.events.event import Events
from polhode.integrate.field.dense_output import Steps, join_steps
from polhode.integrate.kernel.outcome import Outcome

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory


def one_after_the_other(first: Trajectory, second: Trajectory) -> Trajectory:
    """The motion that is the first and then the second.

    They are of the same equations and parameters, and meet in time. A state that
    changed in between is kept on both sides, as a reset is.
    """
    _require_meeting(first, second)
    terms = max(first.steps.dense.shape[1], second.steps.dense.shape[1])
    one, other = (_pad_dense(motion.steps, terms) for motion in (first, second))
    same = np.array_equal(one.x[-1], other.x[0])
    if same and np.array_equal(one.x_dot[-1], other.x_dot[0]):
        other = other.part(slice(1, None))
    steps = join_steps([one, other])
    known = set(map(id, first.events))
    later = [event for event in second.events if id(event) not in known]
    events = Events((*first.events, *later), _names(first, second))
    dense = first.is_dense and second.is_dense
    whole = replace(
        second, steps=steps, outcome=_outcome(first, second), is_dense=dense
    )
    return replace(whole, checkpoint=None, events=events)


def _outcome(first: Trajectory, second: Trajectory) -> Outcome:
    """How the second ended; of parts of one run its steps are counted once."""
    one, other = first.outcome, second.outcome
    if one is other:
        return one
    accepted, rejected = one.accepted + other.accepted, one.rejected + other.rejected
    return replace(other, accepted=accepted, rejected=rejected)


def _names(first: Trajectory, second: Trajectory) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*first.events.names, *second.events.names]))


def _pad_dense(steps: Steps, terms: int) -> Steps:
    """With as many terms of dense output; those that are added are zero."""
    missing = terms - steps.dense.shape[1]
    return steps._replace(dense=np.pad(steps.dense, ((0, 0), (0, missing), (0, 0))))


def _require_meeting(first: Trajectory, second: Trajectory) -> None:
    name, why = first.system.name, ""
    if first.equations is not second.equations:
        why = "They are motions of different equations."
    elif dict(first.table) != dict(second.table):
        why = "They have different parameters."
    elif first.inputs.inputs.words or second.inputs.inputs.words:
        why = "They were driven, and a motion has one list of inputs."
    elif not len(first) or not len(second) or first.t[-1] != second.t[0]:
        why = f"The first is {first.t[-1:]} s at its end, the second {second.t[:1]} s."
    elif np.sign(first.t[-1] - first.t[0]) * np.sign(second.t[-1] - second.t[0]) < 0:
        why = "One runs forwards and the other backwards."
    if why:
        raise IntegrationError(
            f"two motions of {name!r} cannot be made one.",
            why,
            "Start the second from first.final, with the same equations.",
        )
