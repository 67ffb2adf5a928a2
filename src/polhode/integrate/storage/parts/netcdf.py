"""A part of a sweep as a netCDF-4 file: a variable for each column."""

from __future__ import annotations

import io
from pathlib import Path

import h5netcdf
import h5py
import numpy as np

from polhode.integrate.results.sweep_columns import EVENT, columns_of, is_column
from polhode.integrate.results.sweep_result import Sweep
from polhode.integrate.storage.datasets import open_datasets, require_stored
from polhode.integrate.storage.layout import LIBRARY, SUPERBLOCK, columns_digest

SUFFIX = ".nc"
PLACES = {
    "t": ("run", "sample"),
    "q": ("run", "sample", "coordinate"),
    "z": ("run", "sample", "speed"),
    "told": ("letter",),
    "event_names": ("event_letter",),
    f"{EVENT}before": ("event", "state"),
    f"{EVENT}after": ("event", "state"),
    f"{EVENT}told": ("event", "fact"),
}


def content(part: Sweep, first: int, facts: tuple[str, ...]) -> bytes:
    """The bytes of the file of a part.

    HDF5 does not live through a disk that fills: it writes to memory.
    """
    columns = columns_of(part)
    made = io.BytesIO()
    with h5netcdf.File(made, "w", libver=LIBRARY) as file:
        file.dimensions = dimensions(columns)
        for name, values in columns.items():
            place = dimensions_of(name, values.ndim)
            file.create_variable(name, place, values.dtype, data=values)
    with h5py.File(made, "r+", libver=LIBRARY) as file:
        # Of fixed length, and so within the object that has them.
        file.attrs["title"] = np.bytes_(f"sweep of {part.system.name}".encode())
        file.attrs["sha256"] = np.bytes_(columns_digest(columns, *facts))
    return made.getvalue()


def columns(path: Path, first: int, facts: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The columns of a part, which must have their hash."""
    with path.open("rb") as file:
        if file.read(9)[8:] != bytes([SUPERBLOCK]):
            raise ValueError("It is no file that this version wrote.")
    with h5py.File(path, "r", locking=False) as file:
        own = open_datasets(path, file)
        names = sorted(name for name in own if is_column(name))
        found = {name: require_stored(name, own[name])[()] for name in names}
        known = bytes(file.attrs["sha256"])
    if columns_digest(found, *facts).encode() != known:
        raise ValueError("It does not have the hash of this part of this sweep.")
    return found


def status(path: Path) -> np.ndarray:
    """How its runs ended, read alone and without the hash."""
    with h5py.File(path, "r", locking=False) as file:
        return require_stored("status", open_datasets(path, file)["status"])[()]


def dimensions(columns: dict[str, np.ndarray]) -> dict[str, int]:
    """The dimensions of all columns, and their sizes."""
    found: dict[str, int] = {}
    for name in ("t", "q", "z", *columns):
        values = columns[name]
        found |= zip(dimensions_of(name, values.ndim), values.shape, strict=True)
    return found


def dimensions_of(name: str, axes: int) -> tuple[str, ...]:
    """The dimensions of one column."""
    if name in PLACES:
        return PLACES[name]
    if name.startswith(EVENT):
        return ("event",)
    return ("run", "end", "axis")[:axes]
