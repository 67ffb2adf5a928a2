"""Files that pictures, films and pages are written to, whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from polhode.errors import FileError
from polhode.output_file import replacing, temporary


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """The name of a file that takes the place of `path` once it is written.

    The folder is made; what the disk refuses meanwhile is told in words, and the older
    file stays as it was.
    """
    with _refusals(path), replacing(path) as aside:
        yield aside


def require_writable(path: Path) -> None:
    """Refuse a place where no file can be made, by making one and removing it."""
    with _refusals(path), temporary(path):
        pass


@contextmanager
def _refusals(path: Path) -> Iterator[None]:
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
