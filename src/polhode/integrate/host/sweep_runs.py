"""The runs of a sweep, slab by slab: given as arrays, or drawn by their numbers.

Arrays are checked once, all together. An ensemble is drawn where its runs are made, so
that a sweep of any length needs the memory of one slab, here and in each worker.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, final

import numpy as np

from polhode.errors import IntegrationError, PolhodeError
from polhode.fingerprint import NoFingerprint, fingerprint
from polhode.integrate.field.ensemble import Ensemble, ensemble_from
from polhode.integrate.field.states import States, require_own, unchecked
from polhode.integrate.host.admission import Admitted, admit_runs
from polhode.integrate.host.progress import Progress, Watch
from polhode.system.state import State

if TYPE_CHECKING:
    from polhode.formulation.equations import Equations
    from polhode.system.system import System

MOST_RUNS = 10**7  # of a slab: its states and their programs are in memory


class Slab(NamedTuple):
    """Runs that are under way together: the first is number `first` of `total`."""

    asked: Admitted
    first: int
    total: int


@final
class Overall:
    """Progress of all slabs, from that of the one that is under way."""

    def __init__(self, watch: Watch | None, slabs: int):
        self._watch, self._slabs = watch, slabs
        self._begun, self._started = 0, time.perf_counter()
        self._steps = self._now = 0

    def of(self, slab: Slab) -> Watch | None:
        """What is told of the next slab."""
        if self._watch is None:
            return None
        before, self._begun = self._begun, self._begun + 1
        self._steps, self._now = self._steps + self._now, 0
        watch, runs, total = self._watch, len(slab.asked.runs), slab.total

        def tell(progress: Progress) -> None:
            self._now = progress.steps
            own = (progress.share * total - slab.first) / runs
            whole = (before + min(max(own, 0.0), 1.0)) / self._slabs
            seconds = time.perf_counter() - self._started
            watch(Progress(whole, self._steps + self._now, seconds))

        return tell


class Swept(NamedTuple):
    """What a folder says of its runs: how many, in which slabs, and their hash."""

    runs: int
    slab: int
    until: float
    varied: list[str]
    states_sha256: str
    ensemble: dict[str, Any] | None = None


class Times(NamedTuple):
    """To when runs go, and the times of their samples, or None."""

    until: float
    samples: np.ndarray | None


class Runs(Protocol):
    """Where slabs come from."""

    @property
    def asked(self) -> Admitted:
        """What was admitted: all runs, or those of the first slab."""

    @property
    def count(self) -> int:
        """How many runs there are."""

    def slab(self, first: int, stop: int) -> Slab:
        """The runs from `first` to before `stop`, checked."""

    def swept(self, slab: int) -> Swept:
        """What a folder says of them."""

    def carried(self, first: int, stop: int) -> Carried:
        """The same as plain numbers, for another process."""


class Carried(Protocol):
    """Runs on their way to another process."""

    def slab(self, equations: Equations, times: Times) -> Slab:
        """The runs again, of the system that was built there."""


@final
@dataclass(frozen=True, eq=False)
class GivenRuns:
    """Runs whose states and parameters were given, all checked."""

    asked: Admitted

    @property
    def count(self) -> int:
        """How many runs there are."""
        return len(self.asked.runs)

    def slab(self, first: int, stop: int) -> Slab:
        """The runs from `first` to before `stop`."""
        asked, pick = self.asked, slice(first, stop)
        own = asked._replace(
            runs=asked.runs.part(pick),
            table={name: values[pick] for name, values in asked.table.items()},
            refused={
                k - first: error
                for k, error in asked.refused.items()
                if first <= k < stop
            },
        )
        return Slab(own, first, self.count)

    def swept(self, slab: int) -> Swept:
        """What a folder says of them: the hash of all arrays."""
        runs, table, state = self.asked.runs, self.asked.table, hashlib.sha256()
        columns = (runs.t, runs.q, runs.z, *(table[name] for name in sorted(table)))
        for column in columns:
            state.update(np.ascontiguousarray(column).tobytes())
        facts = (self.count, slab, self.asked.until)
        return Swept(*facts, sorted(table), state.hexdigest())

    def carried(self, first: int, stop: int) -> CarriedArrays:
        """Their arrays."""
        own = self.slab(first, stop).asked
        arrays = (own.runs.t, own.runs.q, own.runs.z)
        return CarriedArrays(arrays, own.table, own.refused, (first, self.count))


@final
@dataclass(frozen=True, eq=False)
class CarriedArrays:
    """The states and parameters of a slab, as arrays."""

    arrays: tuple[np.ndarray, ...]
    table: dict[str, np.ndarray]
    refused: dict[int, PolhodeError]
    place: tuple[int, int]

    def slab(self, equations: Equations, times: Times) -> Slab:
        """The runs again."""
        states = unchecked(equations.system, *(np.array(each) for each in self.arrays))
        return Slab(Admitted(states, *times, self.table, self.refused), *self.place)


@final
@dataclass(frozen=True, eq=False)
class DrawnRuns:
    """Runs of an ensemble; `asked` is its first slab."""

    equations: Equations
    ensemble: Ensemble
    times: Times
    asked: Admitted

    @property
    def count(self) -> int:
        """How many runs there are."""
        return self.ensemble.runs

    def slab(self, first: int, stop: int) -> Slab:
        """The runs from `first` to before `stop`, drawn now."""
        asked = _drawn(self.equations, self.ensemble, (first, stop), self.times)
        return Slab(asked, first, self.count)

    def swept(self, slab: int) -> Swept:
        """What a folder says of them: what they are drawn from."""
        drawn = self.ensemble
        facts = (self.count, slab, self.times.until)
        names = sorted(drawn.parameters)
        return Swept(*facts, names, drawn.digest(), drawn.described())

    def carried(self, first: int, stop: int) -> CarriedDraws:
        """What they are drawn from."""
        start = self.ensemble.start
        own = (float(start.t), start.q.tolist(), start.z.tolist())
        return CarriedDraws(self.ensemble.described(), own, (first, stop))


@final
@dataclass(frozen=True, eq=False)
class CarriedDraws:
    """What the runs of a slab are drawn from, in words and numbers."""

    described: dict[str, Any]
    start: tuple[float, list[float], list[float]]
    span: tuple[int, int]

    def slab(self, equations: Equations, times: Times) -> Slab:
        """The runs again, drawn there."""
        t, q, z = self.start
        start = State(equations.system, t, np.array(q), np.array(z))
        ensemble = ensemble_from(start, self.described)
        asked = _drawn(equations, ensemble, self.span, times)
        return Slab(asked, self.span[0], ensemble.runs)


def moved_to(system: System, states: Any) -> Any:
    """States as those of a system that a function has built again.

    Who gives the function made them with a system of its own, from the same function.
    """
    if isinstance(states, Ensemble):
        return ensemble_from(_of_system(system, states.start), states.described())
    if isinstance(states, State):
        return _of_system(system, states)
    if isinstance(states, States):
        _require_alike(system, states.system)
        found = unchecked(system, states.t, states.q, states.z)
        object.__setattr__(found, "faults", states.faults)
        return found
    return [_of_system(system, state) for state in states]


def _of_system(system: System, state: State) -> State:
    _require_alike(system, state.system)
    return State(system, state.t, state.q, state.z)


def _require_alike(system: System, other: System) -> None:
    """Refuse states of a system that differs; what cannot be told apart, by names."""
    try:
        alike = fingerprint(system) == fingerprint(other)
    except NoFingerprint:
        names = ("name", "coordinate_names", "speed_names")
        alike = all(getattr(system, n) == getattr(other, n) for n in names)
    if not alike:
        require_own(system, other.rest())


def given_runs(
    equations: Equations,
    states: Any,
    *,
    until: Any,
    samples: Any,
    parameters: Any,
    inputs: Any,
) -> GivenRuns:
    """Runs from states and parameters, each argument as given."""
    return GivenRuns(
        admit_runs(
            equations,
            states,
            until=until,
            samples=samples,
            parameters=parameters,
            inputs=inputs,
        )
    )


def drawn_runs(
    equations: Equations, ensemble: Ensemble, first: int, *, until: Any, samples: Any
) -> DrawnRuns:
    """Runs of an ensemble, of which so many are looked at before any is run."""
    require_own(equations.system, ensemble.start)
    drawn = ensemble.part(0, min(first, ensemble.runs))
    head = admit_runs(
        equations,
        drawn.states,
        until=until,
        samples=samples,
        parameters=drawn.parameters or None,
    )
    return DrawnRuns(equations, ensemble, Times(head.until, head.times), head)


def _drawn(
    equations: Equations, ensemble: Ensemble, span: tuple[int, int], times: Times
) -> Admitted:
    drawn = ensemble.part(*span)
    return admit_runs(
        equations,
        drawn.states,
        until=times.until,
        samples=None if times.samples is None else times.samples,
        parameters=drawn.parameters or None,
    )


def require_drawn_alone(parameters: Mapping[str, Any] | None) -> None:
    """Refuse parameters beside an ensemble, which has its own."""
    if parameters:
        raise IntegrationError(
            f"an ensemble cannot be swept with parameters {', '.join(parameters)}.",
            "Parameters of its runs are drawn by their numbers.",
            "Give them to ph.Ensemble(..., parameters={...}), or system.with_(...).",
        )


def admit_slab(slab: Any, usual: int) -> int:
    """How many runs a part has: one or more."""
    if slab is None:
        return usual
    is_whole = isinstance(slab, int) and not isinstance(slab, bool)
    if not is_whole or not 1 <= slab <= MOST_RUNS:
        raise IntegrationError(
            f"a part of a sweep cannot have {slab!r} runs.",
            f"It has a whole number of them, from 1 to {MOST_RUNS:g}.",
            f"Give slab={usual}, or leave it out.",
        )
    return slab
