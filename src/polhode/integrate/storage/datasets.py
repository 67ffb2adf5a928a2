"""Datasets of an HDF5 file as ours are: in the file itself, plain, and of its size.

A file may claim any shape and lead anywhere. Before memory is taken, the bytes that a
dataset says it has are compared with those that are stored, and these with the file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np

# Kinds of numbers and letters that our files have.
KINDS = "fiubS"


def open_datasets(path: Path, file: Any) -> dict[str, Any]:
    """The datasets of a file by name; ValueError where one is not as ours are."""
    size = os.stat(path).st_size
    found = {}
    for name in file:
        if not isinstance(file.get(name, getlink=True), h5py.HardLink):
            raise ValueError(f"{name!r} is a link out of the file")
        entry = file[name]
        if not isinstance(entry, h5py.Dataset):
            raise ValueError(f"{name!r} is no dataset")
        _require_plain(name, entry, size)
        found[name] = entry
    return found


def read(own: Mapping[str, Any], name: str, kind: str, axes: int) -> np.ndarray:
    """A dataset as a whole, of a kind of numbers ("f8") and so many axes."""
    return dataset(own, name, kind, axes)[...]


def dataset(own: Mapping[str, Any], name: str, kind: str, axes: int) -> Any:
    """A dataset whose bytes are all in the file."""
    found = own.get(name)
    if found is None:
        raise ValueError(f"it has no {name!r}")
    if found.dtype != np.dtype(kind) or len(found.shape) != axes:
        raise ValueError(
            f"{name!r} has type {found.dtype} and shape {found.shape}, where {kind}"
            f" and {axes} axes belong"
        )
    return require_stored(name, found)


def require_stored(name: str, found: Any) -> Any:
    """Refuse a dataset that claims more bytes than are stored, or odd ones."""
    if found.dtype.kind not in KINDS:
        raise ValueError(
            f"{name!r} is of type {found.dtype}, which no file of ours has"
        )
    stored, claimed = found.id.get_storage_size(), _bytes(found)
    if claimed > stored:
        raise ValueError(
            f"{name!r} claims {claimed} bytes, of which {stored} are stored"
        )
    return found


def _require_plain(name: str, entry: Any, size: int) -> None:
    plist = entry.id.get_create_plist()
    if plist.get_layout() == h5py.h5d.VIRTUAL or plist.get_external_count():
        raise ValueError(f"{name!r} lies in other files")
    if plist.get_nfilters():
        raise ValueError(f"{name!r} is packed by a filter")
    stored = entry.id.get_storage_size()
    if stored > size:
        raise ValueError(f"{name!r} stores {stored} bytes in a file of {size}")


def _bytes(found: Any) -> int:
    return math.prod(found.shape) * found.dtype.itemsize
