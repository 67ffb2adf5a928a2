"""`sweep.nc`: one netCDF file over all parts of a folder, without a copy of them.

Its variables are virtual datasets of HDF5: each says in which part its rows are. It is
read as one file, lazily, by xarray and by whatever reads netCDF-4 through HDF5; runs of
a part that is missing are NaN, and their status is -1. It says nothing of hashes: those
of the parts are checked where Polhode reads them.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import numpy as np

from polhode.integrate.results.sweep_columns import EVENT, PARAMETER, TEXTS, is_column
from polhode.integrate.storage.datasets import open_datasets, require_stored
from polhode.integrate.storage.layout import LIBRARY
from polhode.integrate.storage.parts.netcdf import dimensions_of

NAME = "sweep.nc"
MISSING_STATUS = -1


def content(
    places: dict[int, Path], runs: int, slab: int, about: dict[str, Any]
) -> bytes:
    """The bytes of the file over parts by the runs that they begin with.

    about has the title, the identity, and the names of coordinates and speeds.
    """
    present = next(path for path in places.values() if path.exists())
    shapes = _shapes(present)
    made = io.BytesIO()
    with h5netcdf.File(made, "w", libver=LIBRARY) as file:
        sizes = {"run": runs, "sample": shapes["t"][1][1]}
        sizes |= {"coordinate": shapes["q"][1][2], "speed": shapes["z"][1][2]}
        if any(len(shape) > 1 for n, (_, shape) in shapes.items() if n not in "tqz"):
            sizes |= {"end": 2, "axis": 3}
        file.dimensions = sizes
        for word in ("coordinate", "speed"):
            names = np.array(about[word], dtype=object)
            file.create_variable(word, (word,), h5py.string_dtype(), data=names)
    with h5py.File(made, "r+", libver=LIBRARY) as file:
        file.attrs["title"] = np.bytes_(about["title"].encode())
        file.attrs["identity"] = np.bytes_(about["identity"].encode())
        for name, (kind, shape) in shapes.items():
            made_of = _layout(name, (runs, *shape[1:]), kind, places, slab)
            fill = np.nan if kind.kind == "f" else MISSING_STATUS
            plain = name.removeprefix(PARAMETER)
            word = name if plain in sizes or plain in shapes else plain
            own = file.create_virtual_dataset(word, made_of, fillvalue=fill)
            for axis, dimension in enumerate(dimensions_of(name, len(shape))):
                own.dims[axis].attach_scale(file[dimension])
    return made.getvalue()


def _layout(
    name: str,
    shape: tuple[int, ...],
    kind: np.dtype,
    places: dict[int, Path],
    slab: int,
) -> Any:
    """Where the rows of one variable are."""
    layout = h5py.VirtualLayout(shape, kind)
    for first, path in places.items():
        rows = min(slab, shape[0] - first)
        # By its name alone: a folder may be moved with all that is in it.
        source = h5py.VirtualSource(path.name, name, shape=(rows, *shape[1:]))
        layout[first : first + rows] = source
    return layout


def _shapes(path: Path) -> dict[str, tuple[np.dtype, tuple[int, ...]]]:
    """The types and shapes of a part's columns over runs."""
    with h5py.File(path, "r", locking=False) as file:
        own = open_datasets(path, file)
        names = [n for n in own if is_column(n) and n not in TEXTS]
        names = [name for name in names if not name.startswith(EVENT)]
        stored = {name: require_stored(name, own[name]) for name in sorted(names)}
        return {name: (each.dtype, each.shape) for name, each in stored.items()}
