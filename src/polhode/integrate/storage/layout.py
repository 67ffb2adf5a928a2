"""How a motion lies in its netCDF-4 file: the variables, and what each is.

    time (time,)                     s
    x (time, entry)                  coordinates, then velocities, named by `entry`
    slope (time, entry)              x_dot                     } only where every step
    bend (time, term, entry)         terms of dense output     } was kept
    entry, unit (entry,)             names and units
    sample_times (sample,)           the times that were asked for, if any were
    part_rows (part,)                how many rows the file had after each part
    part_checksum (part,)            of the rows of the part and its cursor
    cursor_numbers, cursor_counts    where the run was after the part
    plan_numbers, plan_counts        what the run is to do
    header                           a text (JSON): see `header`; its hash is beside it
    event_..., fed_...               events and held inputs: see `diary`
    ending                           a text (JSON): how the run ended, once it has

Every tool that reads netCDF reads it; nothing in it is code.
"""

from __future__ import annotations

import zlib
from typing import Any, NamedTuple

import numpy as np

from polhode.integrate.dense import Steps
from polhode.integrate.storage.columns import Columns
from polhode.integrate.storage.diary import Diary

# Rows in one block of the file: of a few kilobytes to some hundred.
BLOCK = 1024
# Numbers that are summed for a checksum: a kilobyte of them.
SUMMED = 128


class Shape(NamedTuple):
    """The sizes of a file.

    width    entries of x
    terms    of dense output; None where there are samples only
    diary    what may happen on the way, without entries; None where nothing can
    """

    width: int
    terms: int | None
    diary: Diary | None = None


def names_and_units(header: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What each entry of x is called, and its unit."""
    joints = header["model"]["joints"]
    names = [name for joint in joints for name in joint["coordinates"]]
    units = [unit for joint in joints for unit in joint["units"]]
    speed_units = [unit for joint in joints for unit in joint["speed_units"]]
    own = [name for joint in joints for name in joint["speeds"]]
    velocities = header["velocities"]
    if velocities != own:  # velocities of the formulation's own have its own units
        speed_units = [""] * len(velocities)
    return [*names, *(f"speed of {n}" for n in velocities)], [*units, *speed_units]


def row_variables(shape: Shape) -> dict[str, tuple[str, ...]]:
    """The variables that grow with the rows, and their dimensions."""
    found: dict[str, tuple[str, ...]] = {"time": ("time",), "x": ("time", "entry")}
    if shape.terms is not None:
        found["slope"] = ("time", "entry")
        if shape.terms:
            found["bend"] = ("time", "term", "entry")
    return found


def row_values(steps: Steps, shape: Shape) -> dict[str, np.ndarray]:
    """The values of these variables."""
    all_values = {"time": steps.t, "x": steps.x, "slope": steps.slope}
    all_values["bend"] = steps.bend
    return {name: all_values[name] for name in row_variables(shape)}


def checksum(
    values: dict[str, np.ndarray], cursor: Columns, diary: Diary | None = None
) -> int:
    """The checksum of a part: rows, cursor, diary, in the order of the layout.

    That of the sums of every `SUMMED` numbers, taken as whole numbers of 64 bits, and
    of the numbers that are left: of long columns it takes a tenth of the time.
    """
    found = 0
    for column in (*values.values(), *cursor, *(diary or ())):
        numbers = np.ascontiguousarray(column).reshape(-1).view(np.uint64)
        whole = len(numbers) - len(numbers) % SUMMED
        sums = np.add.reduce(numbers[:whole].reshape(-1, SUMMED), axis=1)
        found = zlib.crc32(numbers[whole:].data, zlib.crc32(sums.data, found))
    return found
