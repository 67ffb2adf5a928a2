"""`ph.sweep`: one call for many runs, of which only the requested output is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import IntegrationError, IntegrationWarning
from polhode.formulation.contact.questions import require_order
from polhode.formulation.equations import Equations
from polhode.integrate.contact_start import with_contacts
from polhode.integrate.events.context import RunContext
from polhode.integrate.events.event import Event
from polhode.integrate.field.ensemble import Ensemble
from polhode.integrate.field.input_table import Drive
from polhode.integrate.field.states import States
from polhode.integrate.gpu_workers import WORD as GPUS
from polhode.integrate.gpu_workers import executor_of
from polhode.integrate.host.admission import (
    Admitted,
    admit_backend,
    admit_limit,
    admit_threads,
    admit_watch,
)
from polhode.integrate.host.batch_loop import Given, Place
from polhode.integrate.host.checks import start_faults
from polhode.integrate.host.event_request import (
    require_forward,
    run_context,
    sample_starts,
    unsampled_inputs,
)
from polhode.integrate.host.method_choice import (
    NO_DECAY,
    Decay,
    Start,
    choose_method,
    decay_of,
    may_decay,
    suit_decay,
)
from polhode.integrate.host.progress import Watch, progress_report
from polhode.integrate.host.sweep_runs import (
    GivenRuns,
    Overall,
    Runs,
    admit_slab,
    drawn_runs,
    given_runs,
    moved_to,
    require_drawn_alone,
)
from polhode.integrate.kernel.outcome import warn_of_growth, warn_of_loose_runs
from polhode.integrate.kernel.start import initial_derivative
from polhode.integrate.methods.method import Method, is_adaptive
from polhode.integrate.model_source import ModelSource, model_source
from polhode.integrate.results.sweep_result import Sweep, join_parts
from polhode.integrate.simulate import LIMIT
from polhode.integrate.sweep_start import initial_batch, slab_result
from polhode.lowering.backends.thread_limit import at_most_threads
from polhode.system.state import State
from polhode.system.system import System
from polhode.tracebacks import warn

if TYPE_CHECKING:
    from polhode.integrate.storage.sweep_parts import SweepParts
    from polhode.integrate.sweep_executor import SweepJob

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
    device: bool = False,
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
    `inputs` are laws of time, or of time and state, by the names of what they drive;
    sampled controllers in jax.numpy, and noise, which each run draws by its number.
    What supports of a system do is among the events; `impacts` is as in `simulate`.

    `states` may be a `ph.Ensemble`: runs drawn by their numbers. `form` is that of the
    parts, "netcdf" or "parquet". An `executor`, any of `concurrent.futures`, has the
    parts made by its workers, on other machines too, where they reach the folder: see
    docs/scale.md. `model` is then a system that a model file can hold, or a function at
    the top level of a module that returns a system or equations. `threads` is how many
    a call takes (a worker's: one), `slab` how many runs a part has. `part="17/200"` is
    the 17th of 200 shares of the parts, for job arrays; `part="missing"` those that are
    not there yet, in an order of chance, so that two processes seldom make the same.
    `backend="cuda"` makes the runs on a GPU, with the same bits; with `device=True` the
    states that are kept stay there, as arrays of CuPy. executor="gpus" takes a process
    for each GPU of the machine.

    >>> import polhode as ph
    >>> ball = ph.Particle("ball", 0.1)
    >>> thrown = ph.System([ball], actions=[ph.Weight(ph.Parameter("g", 9.81))])
    >>> start = thrown.state(speeds={"ball": (3, 0, 4)})
    >>> found = sweep(thrown, start, until=1.0, parameters={"g": [1.6, 9.8]})
    >>> found.final_q[:, 2].round(6).tolist()
    [3.2, -0.9]
    """
    _require_folder(to, form, executor, part)
    admit_threads(threads)
    admit_backend(backend)
    slab = admit_slab(slab, SLAB_OF_DEVICE if backend == "cuda" else SLAB)
    watch = admit_watch(watch)
    choices = _Choices(
        method,
        rtol,
        atol,
        limit=admit_limit(limit),
        audited=audited,
        events=events,
        inputs=inputs,
        impacts=impacts,
        place=Place(backend, device),
    )
    require_order(impacts)
    source = model_source(model, method, executor, impacts)
    runs = _runs(
        source,
        states,
        until=until,
        samples=samples,
        parameters=parameters,
        inputs=inputs,
        looked_at=slab if to is not None else None,
    )
    given = _given(source.equations, runs, choices)
    _require_device(given, to, executor)
    name = given.equations.system.name
    with at_most_threads(threads), progress_report(watch, name) as report:
        if to is None:
            found = _in_memory(given, runs, slab, report)
        else:
            folder = _folder(to, given, runs, slab=slab, form=form, text=source.text)
            if executor is None:
                _into_folder(given, runs, folder, part, report)
            else:
                from polhode.integrate.sweep_executor import Driven, SweepJob

                driven, start = Driven(events, inputs, threads), runs.asked.runs.t[0]
                job = SweepJob.of(given, folder, source, driven, float(start))
                _make_on_workers(executor, job, runs, folder, report)
    if to is not None:
        return _finish(folder, is_spread=executor is not None)
    _warn(found, found.failed)
    return found


class _Choices(NamedTuple):
    """What a caller chose of the runs of a sweep; `sweep` says what each is."""

    method: Method | None
    rtol: float | None
    atol: float | None
    limit: int
    audited: bool
    events: Any
    inputs: Any
    impacts: str
    place: Place


def _runs(
    source: ModelSource,
    states: Any,
    *,
    until: Any,
    samples: Any,
    parameters: Any,
    inputs: Any,
    looked_at: int | None,
) -> Runs:
    """The runs, of which one at least can begin, all at one time.

    Of an ensemble that goes to a folder only so many are looked at.
    """
    equations = source.equations
    if source.factory is not None:
        states = moved_to(equations.system, states)
    runs: Runs
    if isinstance(states, Ensemble):
        require_drawn_alone(parameters)
        # The runs of an ensemble; to a folder slab by slab, never all in memory.
        first = states.runs if looked_at is None else looked_at
        drawn = drawn_runs(equations, states, first, until=until, samples=samples)
        runs = GivenRuns(drawn.asked) if looked_at is None else drawn
    else:
        runs = given_runs(
            equations,
            states,
            until=until,
            samples=samples,
            parameters=parameters,
            inputs=inputs,
        )
    _require_one_start(runs.asked.runs)
    if len(runs.asked.refused) == runs.count:
        runs.asked.require_all()
    return runs


def _given(equations: Equations, runs: Runs, choices: _Choices) -> Given:
    """What all runs share: method, times, events and inputs, each admitted."""
    asked, (method, rtol, atol, *_) = runs.asked, choices
    chosen = choose_method(equations, method, rtol, atol)
    context = run_context(
        equations, chosen.method, choices.events, choices.inputs, runs.count
    )
    context = with_contacts(context, asked.runs.t, asked.until, choices.impacts)
    drive = _drive(context, asked)
    if method is None and context.limits is None:
        decay = _decay(context, asked)
        chosen = suit_decay(context.equations, chosen, rtol, atol, decay)
    context = context._replace(method=chosen.method)
    times = asked.times
    return Given(
        context.equations,
        chosen.method,
        np.array([asked.until]) if times is None else times,
        choices.limit,
        choices.audited,
        times is not None,
        context if context.watched.is_needed else None,
        drive,
        choices.place,
        context if drive.samplers else None,
    )


def _make_on_workers(
    executor: Any, job: SweepJob, runs: Runs, folder: SweepParts, report: Watch | None
) -> None:
    """The parts of the folder by workers of an executor."""
    from polhode.integrate.sweep_executor import make_on_workers

    with executor_of(executor) as workers:
        make_on_workers(workers, job, runs, folder, report)


def _folder(
    to: Any, given: Given, runs: Runs, *, slab: int, form: str, text: str
) -> SweepParts:
    """The folder of the sweep: it is made for runs that begin, as a file is."""
    from polhode.integrate.storage.sweep_parts import sweep_parts

    initial_batch(given, runs.slab(0, min(slab, runs.count)))
    return sweep_parts(to, given, runs.swept(slab), form, text)


def _finish(folder: SweepParts, is_spread: bool) -> SweepParts:
    """The folder, sealed where all is there; a warning says which runs failed, why."""
    from polhode.integrate.storage.sweep_parts import complete, failed_runs

    if not folder.missing:
        complete(folder)
    if is_spread:  # to check all that others made would take long
        _warn(folder, failed_runs(folder.files, folder.files.status)[0])
    else:
        _warn(folder, folder.failed)
    return folder


def _drive(context: RunContext, asked: Admitted) -> Drive:
    """The laws that drive all runs; what only the host can sample is refused."""
    inputs = context.inputs
    if not inputs.sources:
        return inputs.drive
    if not inputs.drive.samplers:
        raise IntegrationError(
            f"the input {inputs.sources[0].name!r} of a sweep cannot be sampled.",
            "Its law, or that of another, is plain Python, which runs between"
            " steps, run by run, and runs of a sweep go side by side without halting.",
            "Write the laws in jax.numpy, with what they remember in"
            " ph.Sampled(..., state=[...]); or ask ph.simulate for these states, with"
            " samples=... to keep little of each.",
        )
    require_forward(context, asked.runs, asked.until)
    return inputs.drive


def _require_device(given: Given, to: Any, executor: Any) -> None:
    """Refuse arrays of a GPU, and a process for each, where runs are made here."""
    if executor == GPUS and given.backend != "cuda":
        raise IntegrationError(
            "processes for GPUs cannot make runs by native code.",
            f"The sweep runs by {given.backend!r}.",
            'Give backend="cuda" with executor="gpus".',
        )
    if given.on_device and (given.backend != "cuda" or to is not None):
        raise IntegrationError(
            "a sweep leaves arrays on a GPU only where it runs there, and in memory.",
            f"It runs by {given.backend!r}"
            + (", and goes to a folder." if to is not None else "."),
            'Give backend="cuda" with device=True, and no folder.',
        )


def _decay(context: RunContext, asked: Admitted) -> Decay:
    """How quickly something decays at the start of the first run that can begin."""
    equations, drive = context.equations, context.inputs.drive
    if not may_decay(equations.system, drive):
        return NO_DECAY
    runs = asked.runs
    first = next(k for k in range(len(runs)) if k not in asked.refused)
    two = slice(first, first + 2) if len(runs) > first + 1 else slice(first, first + 1)
    states, own = runs.part(two), {n: v[two] for n, v in asked.table.items()}
    held = np.zeros((len(states), drive.width))
    if drive.samplers:
        numbers = first + np.arange(len(states))
        held = sample_starts(
            context, states, unsampled_inputs(context, numbers), own
        ).held
    start = initial_derivative(equations, states, own, drive, held)
    others = [k - first for k in asked.refused]
    if start_faults(drive, states, start, table=own, held=held, refused=others):
        return NO_DECAY  # it is refused, or a failed run, where it is launched
    return decay_of(equations, Start(states, own, drive, held, start), asked.until)


def _in_memory(given: Given, runs: Runs, slab: int, watch: Watch | None) -> Sweep:
    """Slab after slab to the end, or to Ctrl-C: what is done is given."""
    found: list[Sweep] = []
    firsts = range(0, runs.count, slab)
    progress = Overall(watch, len(firsts))
    for first in firsts:
        own = runs.slab(first, min(first + slab, runs.count))
        try:
            found.append(slab_result(given, own, progress.of(own)))
        except KeyboardInterrupt:
            if not found:
                raise
            warn(
                f"the sweep was interrupted: it has the first {first} of"
                f" {runs.count} runs.",
                IntegrationWarning,
            )
            break
        if found[-1].is_interrupted:
            break
    accepted = np.concatenate([part.accepted for part in found])
    warn_of_loose_runs(given.method, accepted)
    whole = join_parts(found)
    _warn_of_growth(given, whole)
    return whole


def _warn_of_growth(given: Given, found: Sweep) -> None:
    """Of runs that failed another warning speaks."""
    if is_adaptive(given.method):
        return  # and no copy of all samples
    failed = found.failed
    speeds = np.delete(found.z, failed, axis=0) if len(failed) else found.z
    warn_of_growth(given.equations.system, given.method, speeds)


def _into_folder(
    given: Given, runs: Runs, folder: SweepParts, part: str | None, watch: Watch | None
) -> None:
    """The parts that a folder lacks, or a share of them, made one after the other."""
    from polhode.integrate.storage.sweep_parts import share_of

    files, firsts = folder.files, share_of(folder, part)
    progress, accepted = Overall(watch, len(firsts)), []
    for first in firsts:
        own = runs.slab(first, min(first + files.swept.slab, runs.count))
        if files.place(first).exists():
            continue  # another process was quicker
        found = slab_result(given, own, progress.of(own))
        if found.is_interrupted:
            break
        accepted.append(found.accepted)
        _warn_of_growth(given, found)
        files.put(first, found)
    if accepted:
        warn_of_loose_runs(given.method, np.concatenate(accepted))


def _require_folder(to: Any, form: str, executor: Any, part: str | None) -> None:
    """Refuse forms and workers of parts where there is no folder for parts."""
    is_known = executor is None or executor == GPUS
    if not is_known and not callable(getattr(executor, "submit", None)):
        raise IntegrationError(
            f"{executor!r} cannot make parts of a sweep.",
            "Work is handed out by the submit of a concurrent.futures.Executor.",
            "Give ProcessPoolExecutor(mp_context=get_context('spawn')), or"
            " client.get_executor() of dask.distributed; with backend='cuda'"
            " executor='gpus', a process for each GPU.",
        )
    if executor is not None and part is not None:
        raise IntegrationError(
            f"a sweep by an executor cannot make the share {part!r} alone.",
            "An executor hands all missing parts out to its workers; a share is made by"
            " the process that is given it.",
            "Leave part out, or the executor.",
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
        warn(
            f"{len(failed)} of {len(found)} runs stopped; run {first}:"
            f" {found.outcome(first).sentence}",
            IntegrationWarning,
        )
