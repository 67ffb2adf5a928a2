"""A motion as a table of text: a row a time, columns with names and units."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polhode.errors import FileError
from polhode.integrate.storage.paths import file_errors
from polhode.output_file import write_file

if TYPE_CHECKING:
    from polhode.integrate.results.trajectory import Trajectory

TIME = "time [s]"


def save_csv(motion: Trajectory, path: Path) -> None:
    """Time, coordinates and speeds; every number is read back as the same double.

    An older table of a motion is replaced, and no other file.
    """
    _require_table(path)
    content = io.StringIO()
    table = csv.writer(content, lineterminator="\n")
    table.writerow(_names(motion))
    # repr of a double is the shortest text that gives the same bits.
    rows = np.column_stack([motion.t, motion.q, motion.z]).tolist()
    table.writerows([repr(value) for value in row] for row in rows)
    with file_errors(path):
        write_file(path, content.getvalue())


def _names(motion: Trajectory) -> list[str]:
    joints = motion.system.joints
    places = [
        f"{name} [{unit}]"
        for joint in joints
        for name, unit in zip(joint.coordinate_names, joint.units, strict=True)
    ]
    speeds = [
        f"speed of {name} [{unit}]"
        for joint in joints
        for name, unit in zip(joint.speed_names, joint.speed_units, strict=True)
    ]
    return [TIME, *places, *speeds]


def _require_table(path: Path) -> None:
    """Refuse to replace a file that is no table of a motion."""
    with file_errors(path):
        if not path.is_file():
            return
        with path.open("rb") as file:
            begins = file.read(len(TIME) + 1)
    if begins.lstrip(b'"').startswith(TIME.encode()) or not begins:
        return
    raise FileError(
        f"{str(path)!r} cannot take a motion.",
        "There is a file that is no table of a motion, and it is not written over.",
        "Give another path, or move that file away.",
    )
