"""What every door asks of its arguments: `simulate`, `sweep`, `stepper`, `resume`.

One function for each argument, and one for all that a run is made from, so that a slip
is refused in the same words wherever it is made. Where one run of many is wrong, it is
a value (`Admitted.refused`): `simulate` raises the first, `sweep` goes on with the
others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.arrays import Array
from polhode.errors import (
    InconsistentState,
    IntegrationError,
    ModelError,
    PolhodeError,
)
from polhode.integrate.field.states import States, repeated, states_of
from polhode.integrate.host.checks import warn_of_start, warn_static_friction
from polhode.integrate.host.prescribed_jumps import require_smooth_drivers
from polhode.integrate.inputs.controller import controller_parameters
from polhode.integrate.kernel.start import MOST_STEPS
from polhode.integrate.methods.method import real_number
from polhode.integrate.results.indexing import ROUNDING
from polhode.lowering.backends.cuda.device import in_memory
from polhode.system.values import require_mapping

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.system import System


class Admitted(NamedTuple):
    """What runs are made from, checked.

    runs      their states; those that are refused may not be finite
    until     the time that they run to
    times     of samples, or None
    table     parameter -> a value for each run
    refused   run -> why it cannot begin
    """

    runs: States
    until: float
    times: np.ndarray | None
    table: dict[str, np.ndarray]
    refused: dict[int, PolhodeError]

    def require_all(self) -> None:
        """Raise why the first run that cannot begin cannot."""
        if self.refused:
            raise_of_run(min(self.refused), self.refused, len(self.runs))


def admit_runs(
    equations: Equations,
    state: Any,
    *,
    until: Any,
    samples: Any,
    parameters: Any,
    memory: float = np.inf,
    inputs: Any = None,
) -> Admitted:
    """The runs of a call, each argument checked against the others."""
    system, given = equations.system, {} if parameters is None else parameters
    runs = states_of(system, state)
    require_mapping("parameters", given)
    runs = repeated(runs, _most_values(given)) if given else runs
    end = admit_until(until)
    times = admit_samples(samples, _common_start(runs, samples), end, memory)
    # Constants of controllers are parameters of a run, not of the system.
    others = [p.name for p in controller_parameters(inputs)] if inputs else []
    table, wrong = (
        admit_parameters(system, given, len(runs), others) if given else ({}, {})
    )
    if system.constraints:
        require_smooth_drivers(system, float(np.min(runs.t)), end)
    warn_static_friction(runs)
    warn_of_start(runs)
    faults = runs.faults
    if table:
        # The constraints are those with these values: each start is held against them
        # where it is launched, and need not keep those of the system as it is.
        faults = {
            k: error
            for k, error in faults.items()
            if not isinstance(error, InconsistentState)
        }
    return Admitted(runs, end, times, table, {**wrong, **faults})


def raise_of_run(k: int, refused: Mapping[int, PolhodeError], runs: int) -> None:
    """Raise why a run is refused; among several, which."""
    error = refused[k]
    if runs == 1:
        raise error
    what = error.what if f" {k} of " in error.what else f"run {k}: {error.what}"
    raise type(error)(what, error.why, error.repair, error.fact) from error


def _most_values(parameters: Mapping[str, Any]) -> int:
    """How many runs the values of parameters are for."""
    counts = (len(np.atleast_1d(_column(n, v))) for n, v in parameters.items())
    return max(counts, default=1)


def _common_start(states: States, samples: Array | None) -> float:
    if samples is not None and np.any(states.t != states.t[0]):
        raise IntegrationError(
            "runs that start at different times cannot share sample times.",
            f"They start between {states.t.min():g} and {states.t.max():g} s.",
            "Leave samples out, or give all states one time.",
        )
    return float(states.t[0])


def admit_until(until: Any) -> float:
    """A time to run to: finite."""
    t = real_number(until)
    if not np.isfinite(t):
        raise IntegrationError(
            f"a run cannot end at until = {until!r}.",
            "The end is a time in seconds; before the start, the run goes backwards.",
            "Give a finite number.",
        )
    return t


def admit_limit(limit: Any) -> int:
    """A number of attempts: whole, one or more."""
    try:
        count = int(limit)
    except (TypeError, ValueError, OverflowError):
        count = 0
    if not 1 <= count <= MOST_STEPS or count != limit:
        raise IntegrationError(
            f"a run cannot be limited to {limit!r} steps.",
            "The limit is a number of attempts at a step.",
            f"Give a whole number, from one to {MOST_STEPS:g}.",
        )
    return count


def admit_backend(backend: Any) -> None:
    """Refuse words that are no backend of runs."""
    if backend not in ("llvm", "cuda"):
        raise IntegrationError(
            f"runs have no backend {backend!r}.",
            "They are made by native code or on a GPU.",
            'Give backend="llvm" or backend="cuda".',
        )


def admit_threads(threads: Any) -> int | None:
    """How many threads a call may take: one or more; or None."""
    is_whole = isinstance(threads, int) and not isinstance(threads, bool)
    if threads is not None and not (is_whole and threads >= 1):
        raise IntegrationError(
            f"a run cannot take {threads!r} threads.",
            "It is a number of threads, at most one for each core.",
            "Give a whole number from one on, or leave it out.",
        )
    return threads


def admit_samples(
    samples: Array | None, start: float, until: float, memory: float = np.inf
) -> np.ndarray | None:
    """Sample times in the order of the run, each once, all within it."""
    if samples is None:
        return None
    if isinstance(samples, int | np.integer) and not isinstance(samples, bool):
        if samples < 2:
            raise IntegrationError(
                f"a run cannot be sampled {samples} times.",
                "A number of samples counts both ends.",
                "Give 2 or more, or a list of times.",
            )
        if 8.0 * int(samples) > memory:
            raise IntegrationError(
                f"{samples} samples would need more than {memory / 1e9:.3g} GB for"
                " their times alone.",
                "Every sample is kept in memory.",
                "Give fewer samples=..., or allow more with memory=... (bytes).",
            )
        return np.linspace(start, until, int(samples))
    try:
        times = np.array(samples, dtype=float)
    except (TypeError, ValueError):
        times = np.array([])
    low, high = min(start, until), max(start, until)
    sign = 1.0 if until >= start else -1.0
    times = _meeting(times, low, high)
    wrong = ""
    if times.ndim != 1 or not len(times) or not np.all(np.isfinite(times)):
        wrong = "they are not a list of finite times"
    elif np.any(sign * np.diff(times) <= 0):
        k = int(np.argmax(sign * np.diff(times) <= 0))
        wrong = f"{times[k + 1]:g} s follows {times[k]:g} s"
    elif np.any((times < low) | (times > high)):
        out = times[(times < low) | (times > high)][0]
        wrong = f"{out:g} s is outside {start:g} to {until:g} s"
    if wrong:
        raise IntegrationError(
            f"the sample times cannot be used: {wrong}.",
            "Samples follow the run: each once, in its order, within its ends.",
            "Sort them, drop doubles, and keep them between the start and until.",
        )
    return times


def _meeting(times: np.ndarray, low: float, high: float) -> np.ndarray:
    """Times such as 20 * 0.1, a few units of rounding off the end they mean, there."""
    slack = ROUNDING * max(abs(low), abs(high))
    for end in (low, high):
        times = np.where(np.abs(times - end) <= slack, end, times)
    return times


def admit_memory(memory: Any) -> float:
    """Bytes that rows may take."""
    size = real_number(memory)
    if not (size > 0 or memory == np.inf):
        raise IntegrationError(
            f"a run cannot keep its rows in memory = {memory!r}.",
            "It is a number of bytes.",
            "Give a number above zero, such as 4e9.",
        )
    return size


def admit_watch(watch: Any) -> Any:
    """The watch, or none; refused if it cannot be told of progress."""
    if watch is not None and not callable(watch):
        raise IntegrationError(
            f"progress cannot be reported to {watch!r}.",
            "A watch is called between chunks with share, steps and seconds.",
            "Give watch=lambda progress: ..., or leave it out.",
        )
    return watch


def _column(name: str, value: Any) -> np.ndarray:
    """The values of a parameter as they came: real numbers, at least one."""
    try:
        column = np.asarray(in_memory(value))
    except ValueError:
        column = np.array(None)
    if column.dtype.kind not in "fiu" or not column.size:
        raise ModelError(
            f"parameter {name!r} cannot be {value!r}.",
            "A quantity of a model is a real number, or one for each run.",
            "Give a number, or a list of them.",
        )
    return column.astype(float)


def admit_parameters(
    system: System,
    parameters: Mapping[str, Any],
    runs: int,
    others: Sequence[str] = (),
) -> tuple[dict[str, np.ndarray], dict[int, PolhodeError]]:
    """Values of parameters, one or one a run; and which runs they make no system for.

    Unknown names and wrong shapes are refused for all.
    """
    system.require_parameters(parameters, others)
    table: dict[str, np.ndarray] = {}
    for name, value in parameters.items():
        column = _column(name, value)
        if column.shape not in ((), (runs,)):
            raise IntegrationError(
                f"parameter {name!r} has {column.size} values for {runs} runs.",
                "A parameter has one value for all runs, or one for each.",
                "Give a number, or as many as there are states.",
            )
        table[name] = np.broadcast_to(column, (runs,)).copy()
    own = {name: v for name, v in table.items() if name in system.parameters}
    wrong = _unsound(system, own) if own else {}
    return table, {**_unfinite(table), **wrong}


def _unfinite(table: dict[str, np.ndarray]) -> dict[int, PolhodeError]:
    """Runs with a value that is not finite, and which."""
    return {
        int(k): ModelError(
            f"parameter {name!r} is not finite: {column[k]}.",
            "NaN and infinity measure nothing.",
            "Look where the number comes from: a division by zero or a missing value.",
        )
        for name, column in table.items()
        for k in np.flatnonzero(~np.isfinite(column))
    }


def _unsound(system: System, table: dict[str, np.ndarray]) -> dict[int, PolhodeError]:
    """Runs whose parameters make no sound system, and why."""
    runs = np.stack(list(table.values()), axis=1)
    finite = np.all(np.isfinite(runs), axis=1)
    if np.all(finite):
        # What is sound at both ends is taken to be so between: few systems are made.
        try:
            for edge in (np.min, np.max):
                system.with_({n: float(edge(v)) for n, v in table.items()})
            return {}
        except PolhodeError:
            pass
    names = [*table]
    refused: dict[int, PolhodeError] = {}
    values, which = np.unique(runs, axis=0, return_inverse=True, equal_nan=False)
    for k, row in enumerate(values):
        try:
            system.with_(dict(zip(names, row.tolist(), strict=True)))
        except PolhodeError as error:
            refused |= dict.fromkeys(np.flatnonzero(which == k).tolist(), error)
    return dict(sorted(refused.items()))
