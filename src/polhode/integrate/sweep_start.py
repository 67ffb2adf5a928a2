"""The runs of a slab before their first step, and from there to their ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from polhode.errors import PolhodeError
from polhode.integrate.contact_start import decided_starts, overlaps
from polhode.integrate.events.restart import begin_segment
from polhode.integrate.field.states import States
from polhode.integrate.host.admission import raise_of_run
from polhode.integrate.host.batch_kernel import first_run_states
from polhode.integrate.host.batch_loop import Batch, Given, called, extent, run_batch
from polhode.integrate.host.checks import sentence_of, start_faults, status_of
from polhode.integrate.host.event_request import (
    FirstInputs,
    no_inputs,
    sample_starts,
    unsampled_inputs,
)
from polhode.integrate.host.progress import Watch
from polhode.integrate.host.single_run import run_single
from polhode.integrate.host.sweep_part import part_of
from polhode.integrate.host.sweep_runs import Slab
from polhode.integrate.kernel.chunk import Runs as ChunkRuns
from polhode.integrate.kernel.start import (
    initialise,
    require_feasible,
    step_settings,
    with_first_carried,
)
from polhode.integrate.kernel.stepper_state import RunBounds, StepperState
from polhode.integrate.results.sweep_result import Sweep


def slab_result(given: Given, slab: Slab, watch: Watch | None) -> Sweep:
    """The runs of one slab, to their goals."""
    asked, until = slab.asked, slab.asked.until
    refused: dict[int, PolhodeError] = {}
    if given.backend == "cuda":
        from polhode.integrate.host.device_loop import run_on_device

        batch, refused = initial_batch(given, slab)
        result = run_on_device(given, batch, watch)
    elif slab.total == 1 and given.context is None and given.sampling is None:
        result = run_single(given, asked.runs, asked.table, until=until, watch=watch)
    else:
        batch, refused = initial_batch(given, slab)
        result = run_batch(given, batch, watch)
    part = part_of(given, result, asked.table, until)
    part.told.update({k: sentence_of(error) for k, error in refused.items()})
    return part


def initial_batch(given: Given, slab: Slab) -> tuple[Batch, dict[int, PolhodeError]]:
    """The runs of a slab, ready to go; and those that cannot begin, with the reason.

    Where no run of the sweep can, that is raised.
    """
    (states, until, _, table, before), first, total = slab
    if given.context is not None and given.context.limits is not None:
        before = {**overlaps(slab.asked), **before}
    settings, drive = step_settings(given.method, until), given.drive
    inputs = _first_inputs(given, slab)
    held = inputs.held
    go = initialise(given.equations, states, table, settings, drive=drive, held=held)
    faults = start_faults(
        drive,
        states,
        go.initial_derivative,
        table=table,
        held=held,
        refused=before,
    )
    refused = {**before, **faults}
    if len(refused) == total:
        raise_of_run(0, refused, total)
    require_feasible(given.equations, go, given.method)
    system, bounds = given.equations.system, go.bounds
    stepper_states = with_first_carried(go.stepper_state, given.method, system)
    if refused:
        status = np.array(stepper_states.status)
        status[[*refused]] = [status_of(error) for error in refused.values()]
        stepper_states = stepper_states._replace(status=status)
    stepper_states = _begin_segments(given, stepper_states, bounds, inputs)
    share = (first / total, len(states) / total)
    batch = Batch(stepper_states, bounds, table, share)
    if given.context is None or given.context.limits is None:
        return batch, refused
    return _with_contacts_decided(given, states, batch, refused)


def _first_inputs(given: Given, slab: Slab) -> FirstInputs:
    """What runs hold at their starts, sampled inputs asked; of which events none."""
    (states, _, _, table, _), first, total = slab
    count = len(states)
    context = given.context or given.sampling
    if context is None:
        return no_inputs(count)
    bare = unsampled_inputs(context, first + np.arange(count))
    if context.inputs.modes:
        held = context.inputs.first_held(total)[first : first + count]
        bare = bare._replace(held=held)
    if not given.drive.samplers:
        return bare
    return sample_starts(context, states, bare, table)


def _begin_segments(
    given: Given, stepper_states: StepperState, bounds: RunBounds, inputs: FirstInputs
) -> StepperState:
    """Runs with what they hold, each to its next sample or to its end."""
    context = given.context or given.sampling
    if context is None:
        return stepper_states
    begun = stepper_states._replace(**inputs._asdict())
    return begin_segment(context, bounds, begun) if given.drive.samplers else begun


def _with_contacts_decided(
    given: Given, states: States, batch: Batch, refused: dict[int, PolhodeError]
) -> tuple[Batch, dict[int, PolhodeError]]:
    """The batch in the modes in which its runs begin, and those that cannot."""
    assert given.context is not None
    before = batch.stepper_states

    def turn(first: StepperState, bounds: RunBounds) -> Any:
        run_states = first_run_states(first, *extent(given))
        every = np.arange(len(states))
        here = batch._replace(bounds=bounds)
        after, buffer = called(given, here, run_states, every, np.inf, room=0)
        return after.stepper_state, buffer

    runs = ChunkRuns(before, batch.bounds, batch.table)
    begun = decided_starts(given.context, states, runs, turn)
    refused = {**begun.faults, **refused}
    if len(refused) == len(states):
        raise_of_run(0, refused, len(states))
    status = np.array(begun.go.stepper_state.status)
    status[[*refused]] = [status_of(error) for error in refused.values()]
    # Runs that are refused keep what they were to begin from.
    lost = np.isin(np.arange(len(states)), [*refused])[:, None]
    new = begun.go.stepper_state
    new = new._replace(x=np.where(lost, before.x, new.x))
    own = FirstInputs(begun.held, before.sample_count, before.recall, before.sides)
    new = _begin_segments(given, new, begun.go.bounds, own)
    met = [(k, row) for k, rows in enumerate(begun.met) for row in rows]
    met = [(k, row) for k, row in met if k not in refused]
    batch = batch._replace(stepper_states=new._replace(status=status), begun=met)
    return batch._replace(bounds=begun.go.bounds), refused
