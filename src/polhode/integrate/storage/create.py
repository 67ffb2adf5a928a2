"""A new file of a motion: all variables laid out, and its first part, without rows.

Laying out takes as long as some ten thousand steps. Files of one kind differ in a few
numbers and texts alone: what they share is laid out once, and copied.
"""

from __future__ import annotations

import io
import secrets
from functools import lru_cache
from typing import Any, NamedTuple

import h5netcdf
import h5py
import numpy as np

from polhode.integrate.kernel.packing import Columns, columns_of
from polhode.integrate.storage import layout
from polhode.integrate.storage.header import digest, text_of
from polhode.integrate.storage.layout import BLOCK, LETTERS, LIBRARY, Chain, Shape

BLANKS = 8  # kinds of files that are remembered, of some ten kilobytes each


class Blank(NamedTuple):
    """What files of one kind share.

    width, terms    as in `Shape`
    names, units    of the entries
    log             name, entries and type of what may happen on the way
    samples         how many times were asked for; -1 if every step is kept
    bounds, stepper_state   how many numbers and counts each has
    """

    width: int
    terms: int | None
    names: tuple[str, ...]
    units: tuple[str, ...]
    log: tuple[tuple[str, int, str], ...]
    samples: int
    bounds: tuple[int, int]
    stepper_state: tuple[int, int]


def create(
    shape: Shape, header: dict[str, Any], bounds: Any, stepper_state: Any
) -> tuple[bytes, Chain]:
    """The bytes of a new file, and the chain that its first part begins."""
    bounds, stepper_states = columns_of(bounds), columns_of(stepper_state)
    # The random entry tells this run from another one of the same model.
    facts: dict[str, Any] = {"samples": None, "identity": secrets.token_hex(16)}
    facts["digests"] = layout.plan_digests(bounds, header["samples"])
    text = text_of({**header, **facts})
    chain = Chain(digest(text)).link({}, stepper_states, shape.log)
    content = io.BytesIO(_laid_out(_blank(shape, header, bounds, stepper_states)))
    with h5py.File(content, "r+", libver=LIBRARY) as file:
        if header["samples"] is not None:
            file["sample_times"][...] = np.array(header["samples"], dtype=float)
        for word, own in bounds._asdict().items():
            file[f"plan_{word}"][...] = own
        for word, own in stepper_states._asdict().items():
            file[f"cursor_{word}"][0] = own
        file["part_checksum"][0] = chain.checksum
        title = f"motion of {header['model']['name']}".encode()
        # Of fixed length, and so within the object that has them.
        file.attrs["title"] = np.bytes_(title)
        file.attrs["header_sha256"] = np.bytes_(chain.identity)
        put_text(file, "header", text)
    return content.getvalue(), chain


def put_text(file: Any, name: str, text: str) -> None:
    """A text as a row of letters in UTF-8."""
    letters = np.frombuffer(text.encode(), "S1")
    for grows in (f"{name}_letter", name):
        file[grows].resize(len(letters), axis=0)
    file[name][...] = letters


def _blank(
    shape: Shape, header: dict[str, Any], bounds: Columns, stepper_state: Columns
) -> Blank:
    names, units = layout.names_and_units(header)
    log = shape.log._asdict() if shape.log else {}
    samples = header["samples"]
    return Blank(
        shape.width,
        shape.terms,
        tuple(names),
        tuple(units),
        tuple((name, e.shape[1], e.dtype.str) for name, e in log.items()),
        -1 if samples is None else len(samples),
        (len(bounds.numbers), len(bounds.counts)),
        (len(stepper_state.numbers), len(stepper_state.counts)),
    )


@lru_cache(maxsize=BLANKS)
def _laid_out(blank: Blank) -> bytes:
    """The bytes of a file of some kind, all its numbers zero."""
    content = io.BytesIO()
    with h5netcdf.File(content, "w", libver=LIBRARY) as file:
        _rows(file, blank)
        if blank.samples >= 0:
            _column(file, "sample_times", "sample", np.zeros(blank.samples))
        _parts(file, blank)
        _log(file, blank)
        for name in ("header", "ending"):
            _text(file, name)
    return content.getvalue()


def _text(file: Any, name: str) -> None:
    """Room for a text; it says so far that there is nothing to say."""
    grows = f"{name}_letter"
    file.dimensions[grows] = None
    file.resize_dimension(grows, 2)
    letters = file.create_variable(name, (grows,), "S1", chunks=(LETTERS,))
    letters[...] = np.frombuffer(b"{}", "S1")
    letters.attrs["_Encoding"] = "utf-8"  # by which other readers make it one text


def _rows(file: Any, blank: Blank) -> None:
    file.dimensions = {"time": None, "part": None, "entry": blank.width}
    if blank.terms:
        file.dimensions["term"] = blank.terms
    shape = Shape(blank.width, blank.terms)
    for name, dimensions in layout.row_variables(shape).items():
        sizes = [file.dimensions[d].size for d in dimensions[1:]]
        file.create_variable(name, dimensions, "f8", chunks=(BLOCK, *sizes))
    file.variables["time"].attrs["units"] = "s"
    for name, texts in (("entry", blank.names), ("unit", blank.units)):
        found = file.create_variable(name, ("entry",), h5py.string_dtype())
        found[...] = np.array(texts, dtype=object)


def _parts(file: Any, blank: Blank) -> None:
    file.resize_dimension("part", 1)
    for name in ("part_rows", "part_checksum"):
        file.create_variable(name, ("part",), "i8", chunks=(BLOCK,))[0] = 0
    types = (np.float64, np.int64)
    for word, size, kind in zip(Columns._fields, blank.bounds, types, strict=True):
        _column(file, f"plan_{word}", f"plan_{word}_entry", np.zeros(size, kind))
    for word, size, kind in zip(
        Columns._fields, blank.stepper_state, types, strict=True
    ):
        file.dimensions[f"cursor_{word}_entry"] = size
        place, chunks = ("part", f"cursor_{word}_entry"), (BLOCK // 16, size)
        name = f"cursor_{word}"
        file.create_variable(name, place, kind, chunks=chunks)[0] = np.zeros(size)


def _log(file: Any, blank: Blank) -> None:
    """Room for what happens on the way, where anything can."""
    for name, size, kind in blank.log:
        grows = name.split("_")[0]
        if grows not in file.dimensions:
            file.dimensions[grows] = None
        file.dimensions[f"{name}_entry"] = size
        place, chunks = (grows, f"{name}_entry"), (BLOCK // 16, size)
        file.create_variable(name, place, kind, chunks=chunks)
        if f"part_{grows}s" not in file.variables:
            total = file.create_variable(
                f"part_{grows}s", ("part",), "i8", chunks=(BLOCK,)
            )
            total[0] = 0


def _column(file: Any, name: str, dimension: str, column: np.ndarray) -> None:
    file.dimensions[dimension] = len(column)
    file.create_variable(name, (dimension,), column.dtype, data=column)
