"""A motion that is in memory, put into a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polhode.errors import FileError
from polhode.integrate.contact.contact_rows import SwitchRows
from polhode.integrate.results.checkpoint import Checkpoint
from polhode.integrate.storage.csv_table import save_csv
from polhode.integrate.storage.laws import input_laws
from polhode.integrate.storage.lock import WriterLock, require_free
from polhode.integrate.storage.paths import (
    admit_path,
    file_errors,
    require_netcdf,
    require_writable,
)
from polhode.integrate.storage.reading import is_ours
from polhode.integrate.storage.session import Made, begin_file
from polhode.integrate.storage.uninterrupted import uninterrupted
from polhode.output_file import replace_synced, temporary

if TYPE_CHECKING:
    from polhode.integrate.events.occurrence_rows import Met
    from polhode.integrate.results.trajectory import Trajectory


def save(motion: Trajectory, path: Any) -> None:
    """The motion as a netCDF-4 file, whole or not at all; an older one is replaced.

    A path that ends in .csv takes a table of the rows: time, coordinates, speeds. A
    file that is no motion is left alone.
    A motion that was interrupted can be resumed: `ph.resume(path, system)`.
    """
    target = admit_path(path)
    if target.suffix.lower() == ".csv":
        save_csv(motion, target)
        return
    checkpoint = _require_halt(motion)
    _require_replaceable(target)
    require_netcdf(target)
    with file_errors(target):
        target = target.resolve()  # what a link leads to is the file
        if not target.exists():
            require_writable(target)
        # Ctrl-C waits: locks and what lies aside would be left behind.
        uninterrupted(lambda: _replace(motion, checkpoint, target))


def _replace(motion: Trajectory, checkpoint: Checkpoint, target: Path) -> None:
    # Held while it is replaced: a run that begins or goes on there is refused.
    with WriterLock(target) as held, temporary(target) as aside:
        held.sign()  # an older journal was of the file that is replaced
        aside.unlink()  # a run makes its file itself
        _write(motion, checkpoint, aside)
        replace_synced(aside, target)


def _require_replaceable(path: Path) -> None:
    with file_errors(path):
        if path.is_file() and is_ours(path):
            require_free(path)
            return
        if not path.exists() or path.is_dir():
            return  # folders are refused where all runs are
        what = "file that is no motion of Polhode" if path.is_file() else "device"
    raise FileError(
        f"{str(path)!r} cannot take a motion.",
        f"There is a {what}, and it is not written over.",
        "Give another path, or move that file away.",
    )


def _write(motion: Trajectory, checkpoint: Checkpoint, path: Path) -> None:
    made = Made(
        *(motion.equations, motion.method, motion.note, dict(motion.table)),
        motion.events.names,
        motion.inputs.inputs.words,
        laws={"inputs": input_laws(motion.inputs.inputs)},
    )
    met: list[Met] = list(motion.events)
    if isinstance(motion.events.each, SwitchRows):
        rows = motion.events.each
        made = made._replace(
            events=tuple(rows.words), told=rows.told, impacts=motion.contacts.order
        )
        met = list(rows.met)
    recorder = begin_file(path, made, checkpoint, lambda steps: steps)
    try:
        with file_errors(path):
            recorder.accompany(_Met(met, _input_rows(motion)), ([], []))
            recorder.append(motion.steps)
            recorder.mark(checkpoint.stepper_state)
            recorder.close()
    finally:
        recorder.discard()  # where Ctrl-C or the disk has cut it short
    if recorder.failure:
        raise FileError(
            f"the motion of {motion.system.name!r} could not be saved.",
            f"The system says: {recorder.failure}.",
            "Make room, or give a path on another disk; nothing was replaced.",
        )
    recorder.put_ending(motion.outcome)


class _Met(NamedTuple):
    """What happened, as an escort tells it."""

    met: list[Met]
    input_log: list[tuple[float, np.ndarray]]


def _input_rows(motion: Trajectory) -> list[tuple[float, np.ndarray]]:
    return list(zip(motion.inputs.t, motion.inputs.values, strict=True))


def _require_halt(motion: Trajectory) -> Checkpoint:
    if motion.checkpoint is None:
        raise FileError(
            f"this motion of {motion.system.name!r} cannot be saved.",
            "A file holds a run as it was made: its rows, and where it halted. Parts of"
            " motions, motions joined and those read from a file do not know that.",
            "Save what ph.simulate gave, or copy its file; all else goes out by"
            " motion.to_xarray().",
        )
    return motion.checkpoint
