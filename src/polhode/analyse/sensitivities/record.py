"""Records: what was measured, at which times, from arrays, CSV files and DataFrames.

Rows are sorted by the clock of the record, gaps are left out number by number, and rows
closer together than needed are averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import jax.numpy as jnp
import numpy as np

from polhode.analyse.machinery.naming import state_names
from polhode.arrays import Scalar
from polhode.errors import AnalysisError, FileError
from polhode.system.members import suggestion

if TYPE_CHECKING:
    from polhode.system.state import State
    from polhode.system.system import System

CLOCKS = ("t", "time", "t, s", "time [s]", "seconds")  # columns that tell the time
MISSING = ("", "nan", "na", "null", "none")  # what a cell says where nothing was read


@final
@dataclass(frozen=True, eq=False, repr=False)
class Record:
    """What was measured: times (n,), values (n, m), not a number where there is a gap.

    names   (m,) of the columns
    """

    times: np.ndarray
    values: np.ndarray
    names: tuple[str, ...]

    @property
    def is_there(self) -> np.ndarray:
        """(n, m): which numbers were measured."""
        return np.isfinite(self.values)

    def since(self, clock: float, first: float) -> Record:
        """From the time `clock` on, which becomes `first`; earlier rows are dropped."""
        times = self.times - clock + first
        keep = times >= first
        return replace(self, times=times[keep], values=self.values[keep])

    def averaged(self, every: float) -> Record:
        """Rows within each `every` seconds as one, at their mean time."""
        if not (np.isfinite(every) and every > 0):
            raise AnalysisError(
                f"a record cannot be averaged over {every!r} s.",
                "It is the time that one row stands for.",
                "Give every > 0, in seconds.",
            )
        cell = np.floor((self.times - self.times[0]) / every * (1 + 1e-12)).astype(int)
        _, group = np.unique(cell, return_inverse=True)
        count = np.bincount(group)
        t = np.bincount(group, self.times) / count
        there = self.is_there
        columns = []
        for k in range(self.values.shape[1]):
            own = np.where(there[:, k], self.values[:, k], 0.0)
            known = np.bincount(group, there[:, k])
            with np.errstate(invalid="ignore"):
                columns.append(np.bincount(group, own) / known)
        return replace(self, times=t, values=np.column_stack(columns))

    def __repr__(self) -> str:
        span = f"{self.times[0]:g} to {self.times[-1]:g} s"
        gaps = int(np.sum(~self.is_there))
        words = f"{len(self.times)} rows of {', '.join(self.names)}, {span}"
        return f"Record({words}{f', {gaps} gaps' if gaps else ''})"


def table_record(source: Any, columns: Any, time: str | None) -> Record:
    """A record from a CSV file or a DataFrame of pandas or polars.

    columns   {quantity: column} or names of columns; `time` is that of the clock, else
              one called 't' or 'time', else the first
    """
    table = _csv_columns(Path(source)) if _is_path(source) else _frame_columns(source)
    clock = _clock(table, time)
    chosen = dict(columns) if isinstance(columns, Mapping) else {c: c for c in columns}
    for name in chosen.values():
        _require_column(table, name)
    t = table[clock]
    values = np.column_stack([table[name] for name in chosen.values()])
    order = np.argsort(t, kind="stable")
    keep = order[np.isfinite(t[order])]
    return Record(t[keep], values[keep], tuple(chosen))


def is_table(source: Any) -> bool:
    """Whether it is a file, or a frame with columns by name."""
    return _is_path(source) or hasattr(source, "columns")


def quantity_measure(
    system: System, names: Sequence[str]
) -> Callable[[Any, State], Any]:
    """(m,) coordinates and 'speed of ...' of a state, traced."""
    known = state_names(system)
    for name in names:
        if name not in known:
            raise AnalysisError(
                f"{system.name!r} has no quantity {name!r} to compare with.",
                "Columns are compared with coordinates and speeds, or with"
                " measure(t, state).",
                suggestion(name, known),
            )
    places = [known.index(name) for name in names]

    def measure(t: Scalar, state: State) -> Any:
        whole = jnp.concatenate([state.q, state.z])
        return jnp.stack([whole[place] for place in places])

    return measure


def _is_path(source: Any) -> bool:
    return isinstance(source, str | Path)


def _csv_columns(path: Path) -> dict[str, np.ndarray]:
    import csv

    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            rows = list(csv.reader(file, _dialect(path)))
    except OSError as reason:
        raise FileError(
            f"{str(path)!r} cannot be read: {reason.strerror}.",
            repair="Check the path.",
        ) from reason
    rows = [row for row in rows if row and not row[0].lstrip().startswith("#")]
    if len(rows) < 2:
        raise FileError(
            f"{str(path)!r} has no rows.",
            "A record has the names of its columns first, then numbers.",
            "Write a heading and a row a time.",
        )
    names = [name.strip() for name in rows[0]]
    found = [[_number(path, k, cell) for cell in row] for k, row in enumerate(rows[1:])]
    width = len(names)
    table = np.array([(row + [np.nan] * width)[:width] for row in found], float)
    return {name: table[:, k] for k, name in enumerate(names)}


def _dialect(path: Path) -> Any:
    import csv

    with path.open(encoding="utf-8-sig") as file:
        head = file.readline()
    counts = {mark: head.count(mark) for mark in (";", "\t", ",")}

    class Chosen(csv.excel):
        delimiter = max(counts, key=lambda mark: counts[mark])

    return Chosen


def _number(path: Path, row: int, cell: str) -> float:
    text = cell.strip()
    if text.lower() in MISSING:
        return float("nan")
    try:
        return float(text)
    except ValueError as reason:
        raise FileError(
            f"{str(path)!r} has {text!r} in row {row + 1}, which is not a number.",
            "A record has numbers below the names of its columns.",
            "Leave a cell empty where nothing was read.",
        ) from reason


def _frame_columns(frame: Any) -> dict[str, np.ndarray]:
    """Columns of a DataFrame of pandas or polars; an index of numbers is 't'."""
    found = {str(n): np.array(frame[n], dtype=float) for n in frame.columns}
    index = getattr(frame, "index", None)
    if index is not None and not any(name in found for name in CLOCKS):
        kind = getattr(index, "dtype", None)
        is_count = type(index).__name__ == "RangeIndex"
        if kind is not None and np.issubdtype(kind, np.number) and not is_count:
            found = {"t": np.array(index, dtype=float), **found}
    return found


def _clock(table: Mapping[str, np.ndarray], time: str | None) -> str:
    if time is not None:
        _require_column(table, time)
        return time
    known = [name for name in table if name.lower() in CLOCKS]
    return known[0] if known else next(iter(table))


def _require_column(table: Mapping[str, np.ndarray], name: str) -> None:
    if name not in table:
        raise AnalysisError(
            f"the record has no column {name!r}.",
            "Columns are called by their headings.",
            suggestion(str(name), table),
        )
