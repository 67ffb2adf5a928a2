"""Where a file may lie: refused before a run begins, in words of ours."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polhode.errors import FileError
from polhode.integrate.storage.lock import require_free
from polhode.integrate.storage.reading import is_ours

# How names of netCDF-4 files end, which are HDF5 files.
SUFFIXES = (".nc", ".nc4", ".netcdf", ".cdf", ".h5", ".hdf5", ".he5")
# Less than this is no room for a run.
LEAST_FREE = 4e6


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Errors of the system become ours: which file, why, what to do."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        raise FileError(
            f"{str(path)!r} cannot be written.",
            f"The system says: {error.strerror or error}.",
            "Make room, or give a path on another disk."
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
            else "Give a path in a folder that exists and that you may write in.",
        ) from error


def admit_path(path: Any) -> Path:
    """A path from what names one."""
    try:
        found = Path(path)
    except TypeError:
        found = None
    if found is None or "\0" in str(found) or not str(path):
        raise FileError(
            f"{path!r} is no path of a file.",
            "A path is text, or a pathlib.Path.",
            'Give one, such as "motion.nc".',
        )
    return found


def require_netcdf(path: Path) -> None:
    """Refuse a name that says the file is of another kind than ours are."""
    # ".5" in "run-1.5" is no suffix but part of a number.
    is_kind = re.fullmatch(r"\.[A-Za-z]\w*", path.suffix) is not None
    if is_kind and path.suffix.lower() not in SUFFIXES:
        raise FileError(
            f"{path.name!r} does not name a netCDF file.",
            f"The end of the name, {path.suffix!r}, says that the file is of another"
            " kind, and programs would believe it.",
            'End it in ".nc". A table of rows is written by motion.save("motion.csv").',
        )


def require_writable(path: Path) -> None:
    """Refuse a place that cannot take a run, before the run begins."""
    with file_errors(path):
        _require_room(path)


def _require_room(path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        why = "It is a folder."
        repair = f"Give the path of a file, such as {str(path / 'motion.nc')!r}."
    elif path.exists():
        require_free(path)
        why = "A run never writes over an older file."
        repair = "Give another path."
        if is_ours(path):
            again = f"ph.resume({str(path)!r}, system)"
            repair = f"{again} goes on with it; or give another path."
    elif not folder.is_dir():
        why = f"There is no folder {str(folder)!r}."
        repair = "Make the folder, or give another path."
    elif not os.access(folder, os.W_OK | os.X_OK):
        why = f"The folder {str(folder)!r} is read-only for you."
        repair = "Give a path in a folder of yours."
    elif shutil.disk_usage(folder).free < LEAST_FREE:
        free = shutil.disk_usage(folder).free
        why = f"Its disk has {free / 1e6:.3g} MB left."
        repair = "Make room, or give a path on another disk."
    else:
        return
    raise FileError(f"{str(path)!r} cannot take a motion.", why, repair)
