"""Sweeps and motions as tables of Apache Arrow, for pandas, polars, duckdb and others.

A row is a run at a sample: `run`, `t`, the coordinates by their names, `speed of ...`,
then what a run has once (outcome, parameters, counts of steps, energies), said again at
each of its samples. A field knows its unit.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import FileError
from polhode.integrate.kernel.status import CODES, Status
from polhode.integrate.results.sweep_columns import PARAMETER, TEXTS, columns_of
from polhode.matter.parameter import Table
from polhode.output_file import write_file

if TYPE_CHECKING:
    from polhode.integrate.results.sweep_result import Sweep
    from polhode.integrate.results.trajectory import Trajectory
    from polhode.system.system import System

# Level 1 is as small as higher ones for numbers of chance, and the quickest.
COMPRESSION: dict[str, Any] = {"compression": "zstd", "compression_level": 1}
# What repeats is kept in a dictionary; states of runs do not, and trying costs time.
REPEATED = ("run", "outcome", "status", "accepted", "rejected", "stiff")
ENDS, AXES = ("at start", "at end"), ("x", "y", "z")


class Flat(NamedTuple):
    """One column of a table: of which column of the sweep it is, and where in it."""

    name: str
    source: str
    place: tuple[int, ...]
    unit: str = ""


def arrow() -> Any:
    """The library, which is not installed with Polhode."""
    try:
        import pyarrow
    except ImportError as reason:
        raise FileError(
            "tables of Arrow and Parquet need the library pyarrow.",
            "It is not installed.",
            "pip install 'polhode[scale]'.",
        ) from reason
    return pyarrow


def sweep_table(part: Sweep, first: int = 0) -> Any:
    """A `pyarrow.Table` of a sweep whose first run has a number."""
    pyarrow, columns = arrow(), columns_of(part)
    runs, samples = part.t.shape
    numbers = np.repeat(np.arange(first, first + runs), samples)
    arrays: list[Any] = [numbers]
    fields = [pyarrow.field("run", pyarrow.int64())]
    for flat in flat_columns(part.system, columns):
        values = columns[flat.source]
        own = values[_index(flat)]
        whole = own.reshape(-1) if own.ndim == 2 else np.repeat(own, samples)
        arrays.append(np.ascontiguousarray(whole))
        about = {"unit": flat.unit} if flat.unit else None
        kind = pyarrow.from_numpy_dtype(whole.dtype)
        fields.append(pyarrow.field(flat.name, kind, metadata=about))
    arrays.append(_outcomes(pyarrow, np.repeat(part.status, samples)))
    fields.append(pyarrow.field("outcome", arrays[-1].type))
    schema = pyarrow.schema(fields, {"title": f"sweep of {part.system.name}"})
    return pyarrow.table(arrays, schema=schema)


def flat_columns(system: System, columns: dict[str, np.ndarray]) -> list[Flat]:
    """The columns of a table from those of a sweep: each a number a row."""
    units = [unit for joint in system.joints for unit in joint.units]
    rates = [unit for joint in system.joints for unit in joint.speed_units]
    found = [Flat("t", "t", (), "s")]
    for k, name in enumerate(system.coordinate_names):
        found.append(Flat(name, "q", (k,), units[k]))
    for k, name in enumerate(system.speed_names):
        found.append(Flat(f"speed of {name}", "z", (k,), rates[k]))
    for name, values in columns.items():
        if name in ("t", "q", "z", *TEXTS) or name.startswith("event "):
            continue
        plain = name.removeprefix(PARAMETER)
        taken = {"run", "outcome", *(flat.name for flat in found)}
        word = name if plain in taken or plain in columns else plain
        for place in np.ndindex(values.shape[1:]):
            where = [(ENDS, AXES)[axis][k] for axis, k in enumerate(place)]
            found.append(Flat(" ".join([word, *where]), name, place))
    return found


def columns_from(
    flats: Iterable[Flat], shapes: dict[str, Any], table: Table
) -> dict[str, np.ndarray]:
    """The columns of a sweep from those of its table; `shapes` name -> type, shape."""
    columns = {n: np.empty(shape, kind) for n, (kind, shape) in shapes.items()}
    samples = columns["t"].shape[1]
    for flat in flats:
        values = table[flat.name].to_numpy()
        into = columns[flat.source]
        if flat.source in ("t", "q", "z"):
            values = values.reshape(-1, samples)
        else:
            values = values[::samples]
        into[_index(flat)] = values
    return columns


def _index(flat: Flat) -> Any:
    """Where in its column it is: all runs, and all samples where it has some."""
    lead = 2 if flat.source in ("t", "q", "z") else 1
    return (*(slice(None),) * lead, *flat.place)


def _outcomes(pyarrow: Any, status: np.ndarray) -> Any:
    """The codes of outcomes, one of few words a row."""
    words = sorted(set(CODES.values()))
    places = np.full(max(Status) + 1, len(words), np.int8)
    for own, code in CODES.items():
        places[own] = words.index(code)
    found = places[status]
    unknown = found == len(words)
    indices = pyarrow.array(np.where(unknown, 0, found), mask=unknown)
    return pyarrow.DictionaryArray.from_arrays(indices, pyarrow.array(words))


def motion_table(motion: Trajectory, run: int | None = None) -> Any:
    """A `pyarrow.Table` of the rows of a motion: t, coordinates, 'speed of ...'."""
    pyarrow, system = arrow(), motion.system
    columns = motion.columns()
    units = [u for joint in system.joints for u in joint.units]
    units += [u for joint in system.joints for u in joint.speed_units]
    fields = [
        pyarrow.field(name, pyarrow.float64(), metadata={"unit": unit})
        for name, unit in zip(columns, ["s", *units], strict=True)
    ]
    arrays: list[Any] = list(columns.values())
    if run is not None:
        fields.insert(0, pyarrow.field("run", pyarrow.int64()))
        arrays.insert(0, np.full(len(motion), run))
    schema = pyarrow.schema(fields, {"title": f"motion of {system.name}"})
    return pyarrow.table(arrays, schema=schema)


def stream_of(tables: Iterable[Any], requested: Any = None) -> Any:
    """A capsule of Arrow's C stream over tables, which are made as they are asked."""
    pyarrow, each = arrow(), iter(tables)
    head = next(each)

    def batches() -> Iterator[Any]:
        yield from head.to_batches()
        for table in each:
            yield from table.to_batches()

    reader = pyarrow.RecordBatchReader.from_batches(head.schema, batches())
    return reader.__arrow_c_stream__(requested)


def parquet_bytes(table: Any, about: dict[Any, Any] | None = None) -> bytes:
    """The bytes of a Parquet file of a table, with more said of it in its schema."""
    arrow()
    import pyarrow.parquet

    own = {**(table.schema.metadata or {}), **(about or {})}
    made = io.BytesIO()
    pyarrow.parquet.write_table(
        table.replace_schema_metadata(own),
        made,
        use_dictionary=[name for name in REPEATED if name in table.column_names],
        **COMPRESSION,
    )
    return made.getvalue()


def write_parquet(folder: Any, tables: Iterable[tuple[int, Any]]) -> Path:
    """Tables, by the runs that they begin with, as files of a folder."""
    arrow()
    into = Path(folder)
    with _written_into(into):
        into.mkdir(exist_ok=True)
    for first, table in tables:  # what cannot be read is not the folder's fault
        content = parquet_bytes(table)
        with _written_into(into):
            write_file(into / f"part-{first:08d}.parquet", content)
    return into


@contextmanager
def _written_into(into: Path) -> Iterator[None]:
    try:
        yield
    except OSError as reason:
        raise FileError(
            f"{str(into)!r} cannot take Parquet files: {reason.strerror}.",
            "It is a folder, whose own folder must be there and yours to write in.",
            "Give another folder.",
        ) from reason


def shapes_of(columns: dict[str, np.ndarray]) -> str:
    """The types and shapes of columns, as text."""
    return json.dumps({n: [c.dtype.str, c.shape] for n, c in columns.items()})
