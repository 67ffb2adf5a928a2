"""Files that pictures, films and pages are written to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from polhode.errors import FileError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Make the folder of a file; what the disk refuses meanwhile is told in words."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except FileError:
        raise
    except OSError as reason:
        is_file = isinstance(reason, FileExistsError | NotADirectoryError)
        why = "what should be its folder is a file" if is_file else reason.strerror
        raise FileError(
            f"{str(path)!r} cannot be written: {why}.",
            "The folder must be yours to write in, and the disk must have room.",
            "Give another path.",
        ) from reason
