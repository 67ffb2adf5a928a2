"""How a motion lies in its netCDF-4 file: the variables, and what each is.

    time (time,)                     s
    x (time, entry)                  coordinates, then velocities, named by `entry`
    slope (time, entry)              x_dot                     } only where every step
    bend (time, term, entry)         terms of dense output     } was kept
    entry, unit (entry,)             names and units
    sample_times (sample,)           the times that were asked for, if any were
    part_rows (part,)                how many rows the file had after each part
    part_checksum (part,)            see `Chain`
    cursor_numbers, cursor_counts    where the run was after the part
    plan_numbers, plan_counts        what the run is to do
    header (header_letter,)          a text (JSON): see `header`; the attribute
                                     header_sha256 is its hash, and the hashes of plan
                                     and sample times are in it
    event_..., fed_...               events and held inputs: see `event_log`
    ending (ending_letter,)          a text (JSON): how the run ended, once it has

Every tool that reads netCDF reads it; nothing in it is code. Texts that are read back
are rows of letters, and the structures of HDF5 are those of its version 1.10: each has
a checksum of HDF5's own. Older structures and its heap of texts have none, and the
library loops without end in a heap of which a sector has become zeros.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any, NamedTuple

import numpy as np

from polhode.integrate.field.dense_output import Steps
from polhode.integrate.kernel.packing import Columns
from polhode.integrate.storage.event_log import EventLog

# Rows in one block of the file: of a few kilobytes to some hundred.
BLOCK = 1024
LETTERS = 4096  # of a text in one block
# The structures of HDF5 that have checksums; see above.
LIBRARY = ("v110", "v110")
SUPERBLOCK = 3  # the version of the first block of a file with these


class Shape(NamedTuple):
    """The sizes of a file.

    width    entries of x
    terms    of dense output; None where there are samples only
    log      what may happen on the way, without entries; None where nothing can
    """

    width: int
    terms: int | None
    log: EventLog | None = None


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
    all_values = {"time": steps.t, "x": steps.x, "slope": steps.x_dot}
    all_values["bend"] = steps.dense
    return {name: all_values[name] for name in row_variables(shape)}


def steps_from(values: dict[str, np.ndarray], shape: Shape) -> Steps:
    """The steps of which these are the values; what a file has none of is zero."""
    t, x = values["time"], values["x"]
    dense = values.get("bend", np.zeros((len(t), 0, shape.width)))
    return Steps(t, x, values.get("slope", np.zeros_like(x)), dense)


class Chain(NamedTuple):
    """The parts so far: what the checksum of the next one goes on from.

    identity   of the run: the hash of its header, which has a random entry
    number     of parts so far
    rows       of all of them
    checksum   of the last part
    log        the checksum of all that happened on the way, from the beginning on

    The checksum of a part is of its place in all this, of the names, types and shapes
    of its columns, and of their bytes in order. So it is not that of another run, of
    another part or of other rows of the same values.
    """

    identity: str
    number: int = 0
    rows: int = 0
    checksum: int = 0
    log: int = 0

    def link(
        self,
        values: dict[str, np.ndarray],
        stepper_state: Columns,
        log: EventLog | None,
    ) -> Chain:
        """The chain after one more part: its rows, the `StepperState`, events."""
        happened = self.log
        for entries in log or ():
            happened = _running(entries, happened)
        columns = values | {
            f"cursor_{n}": c for n, c in stepper_state._asdict().items()
        }
        shapes = [[name, c.dtype.str, c.shape] for name, c in columns.items()]
        place = json.dumps([*self, happened, shapes])
        found = zlib.crc32(place.encode())
        for column in columns.values():
            found = _running(column, found)
        rows = self.rows + (len(values["time"]) if values else 0)
        return Chain(self.identity, self.number + 1, rows, found, happened)


def _running(column: np.ndarray, before: int) -> int:
    """The CRC-32 of a column after all that went before it."""
    shape = zlib.crc32(str(column.shape).encode(), before)
    return zlib.crc32(_bytes(column), shape)


def _bytes(column: np.ndarray) -> memoryview:
    return np.ascontiguousarray(column).reshape(-1).view(np.uint8).data


def columns_digest(columns: dict[str, np.ndarray], *facts: str) -> str:
    """The SHA-256 of facts, and of columns: names, types, shapes and bytes in order."""
    shapes = [[name, c.dtype.str, c.shape] for name, c in columns.items()]
    found = hashlib.sha256(json.dumps([facts, shapes]).encode())
    for column in columns.values():
        found.update(_bytes(column))
    return found.hexdigest()


def plan_digests(bounds: Columns, samples: Any) -> dict[str, str]:
    """The hashes of the columns that are written once: plan and sample times."""
    found = {
        "plan": columns_digest({f"plan_{n}": c for n, c in bounds._asdict().items()})
    }
    if samples is not None:
        times = np.array(samples, dtype=float)
        found["sample_times"] = columns_digest({"sample_times": times})
    return found


def ending_text(chain: Chain, outcome: dict[str, Any]) -> str:
    """How a run ended after the rows that there are, with its hash."""
    ending = {"rows": chain.rows, "outcome": outcome}
    return json.dumps({**ending, "sha256": _ending_digest(chain.identity, ending)})


def ending_from(chain: Chain, text: str) -> dict[str, Any]:
    """The ending in a text; none where the run went on since. ValueError if damaged."""
    if text == "{}":
        return {}
    found = json.loads(text)
    told = found.pop("sha256", None) if isinstance(found, dict) else None
    if told is None or told != _ending_digest(chain.identity, found):
        raise ValueError("'ending', how its run ended, does not have its hash")
    return found["outcome"] if found["rows"] == chain.rows else {}


def _ending_digest(identity: str, ending: dict[str, Any]) -> str:
    text = json.dumps(ending, sort_keys=True)
    return hashlib.sha256(f"{identity} {text}".encode()).hexdigest()
