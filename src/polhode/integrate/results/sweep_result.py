"""What a sweep leaves: states of all runs at the goals, and how each run ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, final

import numpy as np

from polhode.arrays import itself
from polhode.errors import IntegrationError
from polhode.integrate.field.input_table import UNDRIVEN, Drive
from polhode.integrate.kernel.outcome import Ending, Outcome, outcome_of
from polhode.integrate.kernel.status import DONE, EVENT, INTERRUPTED
from polhode.integrate.results.failures import Failures, failures_of
from polhode.integrate.results.sweep_events import SweepEvents, join_events

if TYPE_CHECKING:
    from pathlib import Path

    from polhode.system.system import System


class SweepLedger(NamedTuple):
    """Energy and work of all runs, from their starts to their ends.

    kinetic, potential   (runs, 2) J, at the start and at the end
    work                 action -> (runs,) J
    momentum, angular_momentum   (runs, 2, 3), about the world's origin
    """

    kinetic: np.ndarray
    potential: np.ndarray
    work: dict[str, np.ndarray]
    momentum: np.ndarray
    angular_momentum: np.ndarray

    @property
    def balance(self) -> np.ndarray:
        """The energy that nothing accounts for (runs,), J."""
        energy = self.kinetic + self.potential
        done = sum(self.work.values(), np.zeros(len(energy)))
        return energy[:, 1] - energy[:, 0] - done


@final
@dataclass(frozen=True, eq=False, repr=False)
class Sweep:
    """States of many runs at the goals, and how each ended.

    t (runs, s), q (runs, s, nq), z (runs, s, nz). Of a run that stopped early the rows
    after its end are its last state, at its own time; of one that could not begin they
    are what it was to begin from.
    status, accepted, rejected, stiff (runs,); parameters name -> (runs,). Where events
    were watched for, `events.of(k)` are those of run k. told has the sentences of runs
    that events ended, and of those that could not begin. drive has the
    laws that drove them.
    """

    system: System
    until: float
    t: np.ndarray
    q: np.ndarray
    z: np.ndarray
    status: np.ndarray
    accepted: np.ndarray
    rejected: np.ndarray
    stiff: np.ndarray
    tried: np.ndarray
    parameters: dict[str, np.ndarray]
    ledger: SweepLedger | None = None
    events: SweepEvents | None = None
    told: dict[int, str] = field(default_factory=dict)
    drive: Drive = UNDRIVEN

    __copy__ = __deepcopy__ = itself

    def __len__(self) -> int:
        return len(self.t)

    @property
    def final_q(self) -> np.ndarray:
        """The last coordinates of each (runs, nq)."""
        return self.q[:, -1]

    @property
    def final_z(self) -> np.ndarray:
        """The last speeds of each (runs, nz)."""
        return self.z[:, -1]

    @property
    def failed(self) -> np.ndarray:
        """The numbers of the runs that did not reach their end."""
        return np.flatnonzero((self.status != DONE) & (self.status != EVENT))

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return bool(np.any(self.status == INTERRUPTED))

    def outcome(self, k: int) -> Outcome:
        """How run k ended, in words."""
        require_run(k, len(self.t))
        facts = (float(self.tried[k]), int(self.accepted[k]), int(self.rejected[k]))
        end = Ending(
            int(self.status[k]), float(self.t[k, -1]), self.q[k, -1], self.z[k, -1],
            *facts, int(self.stiff[k]), self.told.get(int(k), ""),
        )  # fmt: skip
        own = {name: values[k] for name, values in self.parameters.items()}
        table = self.drive.table_function(own, np.zeros(self.drive.width))
        return outcome_of(self.system, end, self.until, table)

    @property
    def failures(self) -> Failures:
        """The runs that did not reach their end, by why they did not."""
        return failures_of(self, self.failed, self.status[self.failed])

    def to_parquet(self, folder: Any) -> Path:
        """Write the runs as Parquet files of a folder, which is returned."""
        from polhode.integrate.results.arrow import sweep_table, write_parquet

        return write_parquet(folder, [(0, sweep_table(self))])

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The runs as a table of Arrow: pandas, polars and duckdb read it."""
        from polhode.integrate.results.arrow import stream_of, sweep_table

        return stream_of([sweep_table(self)], requested_schema)

    def plot(self, *names: str, against: str | None = None) -> Any:
        """The runs in a `Picture`: see `polhode.show.plots.sweep_picture`.

        names     coordinates, "speed of hinge", or parameters; all coordinates if none
        against   a parameter or another quantity: a scatter; "t": bands over time
        """
        from polhode.show.plots.sweep_picture import sweep_picture

        return sweep_picture(self, names, against=against)

    def page(self, path: Any, *, outcomes: Sequence[str] | None = None) -> Path:
        """Write the runs as one HTML page that opens anywhere, and return its path.

        `outcomes` are what is drawn: coordinates, "speed of hinge"; all if left out.
        """
        from polhode.show.page.sweep_page import sweep_page

        return sweep_page(self, path, outcomes=outcomes)

    def to_xarray(self) -> Any:
        """An `xarray.Dataset`: q and z over run and sample, parameters over run."""
        import xarray

        rows = {
            "q": (("run", "sample", "coordinate"), self.q),
            "z": (("run", "sample", "speed"), self.z),
            "t": (("run", "sample"), self.t, {"units": "s"}),
            "status": ("run", self.status),
        }
        rows |= {name: ("run", values) for name, values in self.parameters.items()}
        places = {
            "coordinate": list(self.system.coordinate_names),
            "speed": list(self.system.speed_names),
        }
        return xarray.Dataset(rows, places, {"title": f"sweep of {self.system.name}"})

    def __repr__(self) -> str:
        done = len(self) - len(self.failed)
        steps = int(np.sum(self.accepted))
        return (
            f"Sweep({self.system.name!r}: {len(self)} runs to {self.until:g} s, {done}"
            f" complete, {steps} steps)"
        )


def join_parts(parts: list[Sweep]) -> Sweep:
    """Several parts as one sweep."""
    first = parts[0]
    if len(parts) == 1:
        return first
    found: dict[str, Any] = {
        word: getattr(first, word) for word in ("system", "until", "drive")
    }
    firsts = np.cumsum([0, *(len(part) for part in parts[:-1])]).tolist()
    pairs = list(zip(parts, firsts, strict=True))
    found["told"] = {at + k: word for p, at in pairs for k, word in p.told.items()}
    events = [part.events for part in parts if part.events is not None]
    found["events"] = join_events(events, firsts) if events else None
    for own in fields(Sweep):
        if own.name not in found:
            found[own.name] = _whole([getattr(part, own.name) for part in parts])
    return Sweep(**found)


def _whole(values: list[Any]) -> Any:
    first = values[0]
    if first is None:
        return None
    if isinstance(first, dict):
        return {name: _whole([v[name] for v in values]) for name in first}
    if isinstance(first, tuple):
        return type(first)(*(_whole(list(each)) for each in zip(*values, strict=True)))
    return np.concatenate(values)


def require_run(k: int, count: int) -> None:
    """Refuse the number of a run that a sweep does not have."""
    if not -count <= k < count:
        raise IntegrationError(
            f"a sweep of {count} runs has no run {k}.",
            "Runs are counted from 0 in the order of their states.",
            f"Ask for one of 0 to {count - 1}.",
        )
