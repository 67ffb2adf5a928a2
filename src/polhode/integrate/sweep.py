"""`ph.sweep`: one call for many runs, of which only what is asked is kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from polhode.errors import IntegrationError, IntegrationWarning, PolhodeError
from polhode.formulation.equations import Equations
from polhode.integrate.contact_start import (
    decided_starts,
    exact_equations,
    is_exact,
    overlaps,
    refuse_folder,
    with_contacts,
)
from polhode.integrate.events.context import RunContext
from polhode.integrate.events.event import Event
from polhode.integrate.field.ensemble import Ensemble
from polhode.integrate.field.input_table import Drive
from polhode.integrate.field.states import States
from polhode.integrate.host.admission import (
    Admitted,
    admit_limit,
    admit_threads,
    admit_watch,
    raise_of_run,
)
from polhode.integrate.host.batch_kernel import first_gliders
from polhode.integrate.host.batch_loop import Batch, Given, called, extent, run_batch
from polhode.integrate.host.checks import sentence_of, start_faults, status_of
from polhode.integrate.host.event_request import run_context
from polhode.integrate.host.loop import Watch
from polhode.integrate.host.method_choice import picked, suited
from polhode.integrate.host.progress import watched
from polhode.integrate.host.single_run import flown_alone
from polhode.integrate.host.sweep_part import part_of
from polhode.integrate.host.sweep_runs import (
    GivenRuns,
    Overall,
    Runs,
    Slab,
    admit_slab,
    drawn_runs,
    given_runs,
    moved_to,
    require_drawn_alone,
)
from polhode.integrate.kernel.chunk import RunBounds, StepperState
from polhode.integrate.kernel.chunk import Runs as ChunkRuns
from polhode.integrate.kernel.start import (
    initial_derivative,
    initialise,
    require_feasible,
    step_settings,
)
from polhode.integrate.kernel.stiffness import (
    NO_DECAY,
    Decay,
    Start,
    decay_of,
    may_decay,
)
from polhode.integrate.methods.method import Method
from polhode.integrate.model_source import ModelSource, model_source
from polhode.integrate.results.sweep_result import Sweep, joined
from polhode.integrate.simulate import LIMIT
from polhode.lowering.backends.thread_limit import at_most_threads
from polhode.system.state import State
from polhode.system.system import System

# Runs that are under way together: their lanes are refilled from among them.
SLAB = 16384
SLAB_OF_DEVICE = 2**20  # fewer than some 34 000 do not fill a GPU


def sweep(
    model: System | Equations | Callable[[], System | Equations],
    states: State | States | Sequence[State] | Ensemble,
    *,
    until: float,
    method: Method | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    samples: Sequence[float] | int | None = None,
    parameters: Mapping[str, Any] | None = None,
    audited: bool = False,
    limit: int = LIMIT,
    watch: Watch | None = None,
    to: Any = None,
    events: Event | Sequence[Event] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    impacts: str = "at once",
    form: str = "netcdf",
    executor: Any = None,
    threads: int | None = None,
    slab: int | None = None,
    part: str | None = None,
    backend: str = "llvm",
) -> Any:
    """Many runs at once, from 1 to millions of states or values of parameters.

    Kept are the last states, or states at `samples`; where `audited`, also energy and
    the work of each action. Every run chooses its own steps, the bits are those of
    `simulate` by the same method; without one, the first run picks for all. Runs go
    over all cores, a SIMD lane each; lanes of finished runs go to others. Failures are
    values: `sweep.failed`, `sweep.outcome(k)`; so is a run that cannot begin, with a
    state or parameters that are not finite or break its constraints, as long as another
    can. `to` is a folder: results go there part
    by part, memory stays bounded, and a sweep that was killed goes on with the parts
    that are missing. `events` are watched for as by `simulate`: `sweep.events.of(k)`.
    `inputs` are laws of time, or of time and state, by the names of what they drive.
    What supports of a system do is among the events; `impacts` is as in `simulate`.

    `states` may be a `ph.Ensemble`: runs drawn by their numbers. `form` is that of the
    parts, "netcdf" or "parquet". An `executor`, any of `concurrent.futures`, has the
    parts made by its workers, on other machines too, where they reach the folder: see
    docs/scale.md. `model` is then a system that a model file can hold, or a function at
    the top level of a module that returns a system or equations. `threads` is how many
    a call takes (a worker's: one), `slab` how many runs a part has. `part="17/200"` is
    the 17th of 200 shares of the parts, for job arrays; `part="missing"` those that are
    not there yet, in an order of chance, so that two processes seldom make the same.
    `backend="cuda"` makes the runs on a GPU, with the same bits; not with events.

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 0.1)
    >>> thrown = ph.System([ball], actions=[ph.Weight(ph.Parameter("g", 9.81))])
    >>> start = thrown.state(speeds={"ball": (3, 0, 4)})
    >>> found = sweep(thrown, start, until=1.0, parameters={"g": [1.6, 9.8]})
    >>> found.final_q[:, 2].round(6).tolist()
    [3.2, -0.9]
    """
    has_contacts = is_exact(model, method)
    if has_contacts:
        source = ModelSource(exact_equations(model, method, impacts))
        refuse_folder(source.equations.system, to)
    else:
        source = model_source(model, method, executor)
    equations = source.equations
    if source.factory is not None:
        states = moved_to(equations.system, states)
    pick = picked(equations, method, rtol, atol)
    usual = SLAB_OF_DEVICE if backend == "cuda" else SLAB
    watch, slab = admit_watch(watch), admit_slab(slab, usual)
    admit_threads(threads)
    _require_folder(to, form, executor, part)
    if isinstance(states, Ensemble):
        require_drawn_alone(parameters)
        looked_at = slab if to is not None else None
        runs: Runs = _drawn(equations, states, until, samples, slab=looked_at)
    else:
        runs = given_runs(
            equations,
            states,
            until=until,
            samples=samples,
            parameters=parameters,
            inputs=inputs,
        )
    asked = runs.asked
    _require_one_start(asked.runs)
    if len(asked.refused) == runs.count:
        asked.require_all()
    until, times = asked.until, asked.times
    output_times = np.array([until]) if times is None else times
    context = run_context(equations, pick[0], events, inputs, runs.count)
    context = with_contacts(context, asked, impacts)
    equations = context.equations
    drive = _drive(context)
    if method is None and not has_contacts:
        decay = _decay(equations, asked, drive)
        pick = suited(equations, pick, rtol, atol, decay)
    options = (output_times, admit_limit(limit), audited, times is not None)
    is_watched = context.watched.is_needed
    watched_for = context._replace(method=pick[0]) if is_watched else None
    given = Given(equations, pick[0], *options, watched_for, drive, backend)
    _require_unaudited(given)
    _require_device(given, executor)
    parts: Any = None
    if to is not None:
        from polhode.integrate.storage.sweep_parts import (
            complete,
            failed_runs,
            share_of,
            sweep_parts,
        )

    with at_most_threads(threads):
        if to is not None:
            # A folder is made for runs that begin, as a file is.
            _launched(given, runs.slab(0, min(slab, runs.count)))
            parts = sweep_parts(to, given, runs.swept(slab), form, source.text)
        with watched(watch, equations.system.name) as told:
            if executor is None:
                firsts = range(0, runs.count, slab)
                todo = firsts if parts is None else share_of(parts, part)
                found = _all(given, runs, parts, [*todo], told)
            else:
                from polhode.integrate.sweep_executor import Driven, SweepJob, spread

                driven = Driven(events, inputs, threads)
                job = SweepJob.of(given, parts, source, driven)
                spread(executor, job, runs, parts, told)
                found = None
    result: Any = found if parts is None else parts
    if parts is not None and not parts.missing:
        complete(parts)
    if executor is not None:  # to check all that others made would take long
        _warn(result, failed_runs(parts.files, parts.files.status)[0])
    else:
        _warn(result, result.failed)
    return result


def _drawn(
    equations: Equations,
    ensemble: Ensemble,
    until: Any,
    samples: Any,
    *,
    slab: int | None,
) -> Runs:
    """The runs of an ensemble; to a folder slab by slab, never all in memory."""
    first = ensemble.runs if slab is None else slab
    drawn = drawn_runs(equations, ensemble, (until, samples), first)
    return GivenRuns(drawn.asked) if slab is None else drawn


def _drive(context: RunContext) -> Drive:
    """The laws that drive all runs; what is sampled is refused."""
    for source in context.inputs.sources:
        raise IntegrationError(
            f"the input {source.name!r} of a sweep cannot be sampled.",
            "Samples are taken between steps, run by run, and runs of a sweep go side"
            " by side without halting.",
            "Give a law of time and state, or ask ph.simulate for these states, with"
            " samples=... to keep little of each.",
        )
    return context.inputs.drive


def _require_unaudited(given: Given) -> None:
    if given.context is not None and given.audited:
        raise IntegrationError(
            "a sweep with events cannot be audited.",
            "Works are reckoned over whole steps on the way, and events cut steps.",
            "Leave audited=True out, or ask ph.simulate(...)[k].ledger().",
        )


def _require_device(given: Given, executor: Any) -> None:
    """Refuse what does not run on a GPU, and words that are no backend."""
    if given.backend not in ("llvm", "cuda"):
        raise IntegrationError(
            f"a sweep has no backend {given.backend!r}.",
            "Runs are made by native code or on a GPU.",
            'Give backend="llvm" or backend="cuda".',
        )
    if given.backend != "cuda":
        return
    if given.context is not None or executor is not None:
        what = "with events" if executor is None else "by an executor"
        raise IntegrationError(
            f'a sweep {what} does not run with backend="cuda".',
            "Events that are not plain are looked at by the host, run by run, and"
            " workers would share one GPU.",
            'Leave backend="cuda" out.',
        )


def _decay(equations: Equations, asked: Admitted, drive: Drive) -> Decay:
    """How quickly something decays at the start of the first run that can begin."""
    if not may_decay(equations.system, drive):
        return NO_DECAY
    runs = asked.runs
    first = next(k for k in range(len(runs)) if k not in asked.refused)
    two = slice(first, first + 2) if len(runs) > first + 1 else slice(first, first + 1)
    states, own = runs.part(two), {n: v[two] for n, v in asked.table.items()}
    start = initial_derivative(equations, states, own, drive)
    none = np.zeros((len(states), drive.width))
    others = [k - first for k in asked.refused]
    if start_faults(drive, states, start, table=own, held=none, refused=others):
        return NO_DECAY  # it is refused, or a failed run, where it is launched
    return decay_of(equations, Start(states, own, drive, none, start), asked.until)


def _all(
    given: Given, runs: Runs, parts: Any, todo: list[int], watch: Watch | None
) -> Any:
    """Slab after slab; those that a folder has already are not run again."""
    found: list[Sweep] = []
    count = runs.count
    size = todo[1] - todo[0] if parts is None and len(todo) > 1 else count
    size = size if parts is None else parts.files.swept.slab
    told = Overall(watch, len(todo))
    for first in todo:
        slab = runs.slab(first, min(first + size, count))
        if (
            parts is not None and parts.files.place(first).exists()
        ):  # another process was quicker
            continue
        try:
            part = slab_result(given, slab, told.of(slab))
        except KeyboardInterrupt:
            if not found:
                raise
            _warn_of_missing(count, first)
            break
        if parts is not None and part.is_interrupted:
            break
        if parts is None:
            found.append(part)
        else:
            parts.files.put(first, part)
        if part.is_interrupted:
            break
    return joined(found) if parts is None else None


def slab_result(given: Given, slab: Slab, watch: Watch | None) -> Sweep:
    """The runs of one slab, to their goals."""
    asked, until = slab.asked, slab.asked.until
    refused: dict[int, PolhodeError] = {}
    if given.backend == "cuda":
        from polhode.integrate.host.device_loop import run_on_device

        fleet, refused = _launched(given, slab)
        flight = run_on_device(given, fleet, watch)
    elif slab.total == 1 and given.context is None:
        flight = flown_alone(given, (asked.runs, asked.table, until), watch)
    else:
        fleet, refused = _launched(given, slab)
        flight = run_batch(given, fleet, watch)
    part = part_of(given, flight, asked.table, until)
    part.told.update({k: sentence_of(error) for k, error in refused.items()})
    return part


def _warn_of_missing(runs: int, done: int) -> None:
    """Ctrl-C before a slab has begun, or after its end: what is done is given."""
    warnings.warn(
        f"the sweep was interrupted: it has the first {done} of {runs} runs.",
        IntegrationWarning,
        stacklevel=4,
    )


def _launched(given: Given, slab: Slab) -> tuple[Batch, dict[int, PolhodeError]]:
    """The runs of a slab, ready to go; and those that cannot begin, with the reason.

    Where no run of the sweep can, that is raised.
    """
    (states, until, _, table, before), first, total = slab
    if given.context is not None and given.context.limits is not None:
        before = {**overlaps(slab.asked), **before}
    settings, drive = step_settings(given.method, until), given.drive
    held = np.zeros((len(states), 0))
    if given.context is not None:
        own = slice(first, first + len(states))
        held = given.context.inputs.first_held(total)[own]
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
    stepper_states, bounds = go.stepper_state, go.bounds
    if refused:
        status = np.array(stepper_states.status)
        status[[*refused]] = [status_of(error) for error in refused.values()]
        stepper_states = stepper_states._replace(status=status)
    if given.context is not None:
        sides = np.zeros((len(states), len(given.context.events)), np.int64)
        stepper_states = stepper_states._replace(sides=sides, held=held)
    share = (first / total, len(states) / total)
    fleet = Batch(stepper_states, bounds, table, share)
    if given.context is None or given.context.limits is None:
        return fleet, refused
    return _with_contacts_decided(given, states, fleet, refused)


def _with_contacts_decided(
    given: Given, states: States, fleet: Batch, refused: dict[int, PolhodeError]
) -> tuple[Batch, dict[int, PolhodeError]]:
    """The fleet in the modes in which its runs begin, and those that cannot."""
    assert given.context is not None
    before = fleet.stepper_states

    def turn(first: StepperState, bounds: RunBounds) -> Any:
        gliders = first_gliders(first, *extent(given))
        every = np.arange(len(states))
        here = fleet._replace(bounds=bounds)
        after, buffer = called(given, here, gliders, every, np.inf, room=0)
        return after.stepper_state, buffer

    runs = ChunkRuns(before, fleet.bounds, fleet.table)
    begun = decided_starts(given.context, states, runs, turn)
    refused = {**begun.faults, **refused}
    if len(refused) == len(states):
        raise_of_run(0, refused, len(states))
    status = np.array(begun.go.stepper_state.status)
    status[[*refused]] = [status_of(error) for error in refused.values()]
    # Runs that are refused keep what they were to begin from.
    lost = np.isin(np.arange(len(states)), [*refused])[:, None]
    new = begun.go.stepper_state
    new = new._replace(
        x=np.where(lost, before.x, new.x), held=begun.held, sides=before.sides
    )
    met = [(k, row) for k, rows in enumerate(begun.met) for row in rows]
    met = [(k, row) for k, row in met if k not in refused]
    fleet = fleet._replace(stepper_states=new._replace(status=status), begun=met)
    return fleet._replace(bounds=begun.go.bounds), refused


def _require_folder(to: Any, form: str, executor: Any, part: str | None) -> None:
    """Refuse forms and workers of parts where there is no folder for parts."""
    if executor is not None and not callable(getattr(executor, "submit", None)):
        raise IntegrationError(
            f"{executor!r} cannot make parts of a sweep.",
            "Work is handed out by the submit of a concurrent.futures.Executor.",
            "Give ProcessPoolExecutor(mp_context=get_context('spawn')), or"
            " client.get_executor() of dask.distributed.",
        )
    if to is None and (executor is not None or part or form != "netcdf"):
        word = "an executor" if executor is not None else f"form={form!r}"
        word = f"part={part!r}" if part else word
        raise IntegrationError(
            f"a sweep with {word} needs a folder.",
            "The parts that are made are files in it, and nothing else comes back.",
            "Give to='folder', which every worker can reach.",
        )


def _require_one_start(runs: States) -> None:
    if len(runs) > 1 and np.any(runs.t != runs.t[0]):
        raise IntegrationError(
            "runs that start at different times cannot be one sweep.",
            f"They start between {runs.t.min():g} and {runs.t.max():g} s.",
            "Give all states one time, or use ph.simulate.",
        )


def _warn(found: Any, failed: np.ndarray) -> None:
    if len(failed):
        first = int(failed[0])
        warnings.warn(
            f"{len(failed)} of {len(found)} runs stopped; run {first}:"
            f" {found.outcome(first).sentence}",
            IntegrationWarning,
            stacklevel=3,
        )
