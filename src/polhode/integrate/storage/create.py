"""A new file of a motion: all variables laid out, and its first part, without rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import numpy as np

from polhode.integrate.storage import layout
from polhode.integrate.storage.columns import Columns, columns_of
from polhode.integrate.storage.header import digest, text_of
from polhode.integrate.storage.layout import BLOCK, Shape


def create(
    path: Path, shape: Shape, header: dict[str, Any], plan: Any, cursor: Any
) -> None:
    """Lay out a file; on the way it is not yet one, so the caller moves it in place."""
    with h5netcdf.File(path, "w") as file:
        _rows(file, shape, header)
        if header["samples"] is not None:
            times = np.array(header["samples"], dtype=float)
            _column(file, "sample_times", "sample", times)
        _parts(file, columns_of(plan), columns_of(cursor))
        _diary(file, shape)
        text = text_of({**header, "samples": None})
        file.attrs["title"] = f"motion of {header['model']['name']}"
        file.attrs["header_sha256"] = digest(text)
        for name, content in (("header", text), ("ending", "{}")):
            file.create_variable(name, (), h5py.string_dtype())[...] = content


def _rows(file: Any, shape: Shape, header: dict[str, Any]) -> None:
    file.dimensions = {"time": None, "part": None, "entry": shape.width}
    if shape.terms:
        file.dimensions["term"] = shape.terms
    for name, dimensions in layout.row_variables(shape).items():
        sizes = [file.dimensions[d].size for d in dimensions[1:]]
        file.create_variable(name, dimensions, "f8", chunks=(BLOCK, *sizes))
    file.variables["time"].attrs["units"] = "s"
    names, units = layout.names_and_units(header)
    for name, texts in (("entry", names), ("unit", units)):
        found = file.create_variable(name, ("entry",), h5py.string_dtype())
        found[...] = np.array(texts, dtype=object)


def _parts(file: Any, plan: Columns, cursor: Columns) -> None:
    file.resize_dimension("part", 1)
    sums = {"part_rows": 0, "part_checksum": layout.checksum({}, cursor)}
    for name, value in sums.items():
        file.create_variable(name, ("part",), "i8", chunks=(BLOCK,))[0] = value
    for word, column in zip(Columns._fields, plan, strict=True):
        _column(file, f"plan_{word}", f"plan_{word}_entry", column)
    for word, column in zip(Columns._fields, cursor, strict=True):
        size = len(column)
        file.dimensions[f"cursor_{word}_entry"] = size
        place, chunks = ("part", f"cursor_{word}_entry"), (BLOCK // 16, size)
        name = f"cursor_{word}"
        file.create_variable(name, place, column.dtype, chunks=chunks)[0] = column


def _diary(file: Any, shape: Shape) -> None:
    """Room for what happens on the way, where anything can."""
    for name, empty in shape.diary._asdict().items() if shape.diary else ():
        grows, size = name.split("_")[0], empty.shape[1]
        if grows not in file.dimensions:
            file.dimensions[grows] = None
        file.dimensions[f"{name}_entry"] = size
        place, chunks = (grows, f"{name}_entry"), (BLOCK // 16, size)
        file.create_variable(name, place, empty.dtype, chunks=chunks)
        if f"part_{grows}s" not in file.variables:
            total = file.create_variable(
                f"part_{grows}s", ("part",), "i8", chunks=(BLOCK,)
            )
            total[0] = 0


def _column(file: Any, name: str, dimension: str, column: np.ndarray) -> None:
    file.dimensions[dimension] = len(column)
    file.create_variable(name, (dimension,), column.dtype, data=column)
