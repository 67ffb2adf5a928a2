"""A run of `simulate` and its file: from where the file has it, rows into the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polhode.integrate.kernel.chunk import Runs
from polhode.integrate.kernel.outcome import Outcome
from polhode.integrate.kernel.stepper_state import RunBounds, StepperState
from polhode.integrate.results.checkpoint import Checkpoint
from polhode.integrate.results.trajectory import Trajectory, project_rows
from polhode.integrate.storage import session

if TYPE_CHECKING:
    from polhode.integrate.field.dense_output import Steps
    from polhode.integrate.field.states import States
    from polhode.integrate.host.loop import RunOptions
    from polhode.integrate.host.method_choice import MadeBy


def open_run_file(
    to: Any,
    made_by: MadeBy,
    states: States,
    runs: Runs,
    options: RunOptions,
) -> tuple[Runs, RunOptions]:
    """The run from where its file has it, and options with the file as its store."""
    path = session.require_one(to, len(runs.stepper_states.t))
    own = {name: values[0] for name, values in runs.table.items()}
    made = session.Made(*made_by, own)
    if options.context is not None:
        made = made._replace(**session.event_facts(options.context))
    until = float(runs.bounds.stop[0])
    checkpoint = Checkpoint(
        StepperState(*(v[0] for v in runs.stepper_states)),
        RunBounds(*(v[0] for v in runs.bounds)),
        states.at(0),
        until,
        options.samples,
        options.limit,
    )

    def settle(steps: Steps) -> Steps:
        whole = Outcome("DONE", until, "", 0, 0)
        motion = Trajectory(*made_by[:2], steps, whole, own, "", False)
        return project_rows(motion).steps

    store, checkpoint = session.open_session(path, made, checkpoint, settle)
    try:
        lifted = [
            [np.asarray(leaf)[None] for leaf in tree]
            for tree in (checkpoint.stepper_state, checkpoint.bounds)
        ]
        store.past = session.past_of(to, states.system)
        store.told = session.reason_of_end(to, checkpoint.stepper_state)
        there = Runs(StepperState(*lifted[0]), RunBounds(*lifted[1]), runs.table)
        return there, options._replace(store=store)
    except BaseException:
        store.discard()
        raise
