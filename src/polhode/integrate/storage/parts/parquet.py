"""A part of a sweep as a Parquet file: a table that others read without Polhode.

The schema's metadata says of which columns of a sweep those of the table are, and has
their hash, so that a part is read back with the same checks as one of netCDF.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from polhode.integrate.results.arrow import (
    Flat,
    arrow,
    columns_from,
    flat_columns,
    parquet_bytes,
    shapes_of,
    sweep_table,
)
from polhode.integrate.results.sweep_columns import EVENT, TEXTS, columns_of
from polhode.integrate.results.sweep_result import Sweep
from polhode.integrate.storage.layout import columns_digest

SUFFIX = ".parquet"
KEY = b"polhode"
LONGEST = 10_000_000  # bytes of metadata that are read


def content(part: Sweep, first: int, facts: tuple[str, ...]) -> bytes:
    """The bytes of the file of a part; events have rows of their own, and are not."""
    columns = {n: c for n, c in columns_of(part).items() if not _is_event(n)}
    texts = {n: columns[n].tobytes().decode() for n in TEXTS if n in columns}
    numbers = {n: c for n, c in columns.items() if n not in TEXTS}
    about = {
        "columns": flat_columns(part.system, numbers),
        "shapes": shapes_of(numbers),
        "texts": texts,
        "first": first,
        "sha256": columns_digest(columns, *facts),
    }
    return parquet_bytes(sweep_table(part, first), {KEY: json.dumps(about)})


def columns(path: Path, first: int, facts: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The columns of a part, which must have their hash."""
    import pyarrow.parquet

    arrow()
    table = pyarrow.parquet.read_table(path)
    about = _about(table.schema)
    if about["first"] != first or not np.array_equal(
        np.unique(table["run"].to_numpy()), np.arange(first, first + _runs(about))
    ):
        raise ValueError("Its runs have other numbers than those of this part.")
    flats = [Flat(name, own, tuple(place)) for name, own, place, _ in about["columns"]]
    found = columns_from(flats, json.loads(about["shapes"]), table)
    for name, text in about["texts"].items():
        found[name] = np.frombuffer(text.encode(), np.uint8)
    found = {name: found[name] for name in sorted(found)}
    if columns_digest(found, *facts) != about["sha256"]:
        raise ValueError("It does not have the hash of this part of this sweep.")
    return found


def status(path: Path) -> np.ndarray:
    """How its runs ended, read alone and without the hash."""
    import pyarrow.parquet

    arrow()
    file = pyarrow.parquet.ParquetFile(path)
    about = _about(file.schema_arrow)
    samples = json.loads(about["shapes"])["t"][1][1]
    return file.read(["status"])["status"].to_numpy()[::samples]


def version() -> str:
    """Of the library that writes the bytes."""
    return str(arrow().__version__)


def _about(schema: Any) -> dict[str, Any]:
    text = (schema.metadata or {}).get(KEY, b"")
    if not text or len(text) > LONGEST:
        raise ValueError("It is no part of a sweep.")
    return json.loads(text)


def _runs(about: dict[str, Any]) -> int:
    return json.loads(about["shapes"])["t"][1][0]


def _is_event(name: str) -> bool:
    return name.startswith(EVENT) or name == "event_names"
