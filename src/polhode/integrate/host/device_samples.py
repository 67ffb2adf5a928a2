"""Runs of `simulate` on a GPU of which samples alone are kept: all go at once there."""

from __future__ import annotations

import numpy as np

from polhode.integrate.events.context import RunContext
from polhode.integrate.field.dense_output import bare, join_steps
from polhode.integrate.host.batch_loop import Batch, Given, Place
from polhode.integrate.host.device_loop import run_on_device
from polhode.integrate.host.loop import RunOptions, RunRecord
from polhode.integrate.kernel.chunk import Runs, picked
from polhode.integrate.kernel.status import ENDS
from polhode.lowering.backends.cuda.device import current_device

# More than on the cores: a card wants thousands of runs. No bit depends on it.
ROWS_BYTES, SHARE = 1e9, 8


def device_slab() -> float:
    """Bytes of rows that one chunk of runs may leave: they lie there and here."""
    return min(ROWS_BYTES, current_device().free_bytes / SHARE)


def sampled_records(
    context: RunContext, runs: Runs, options: RunOptions
) -> list[RunRecord]:
    """What is kept of each run: its samples, and where it ended before its time."""
    times = options.samples
    assert times is not None
    given = Given(
        context.equations,
        context.method,
        times,
        options.limit,
        audited=False,
        sampled=True,
        drive=context.inputs.drive,
        place=Place("cuda"),
    )
    batch = Batch(*runs, (0.0, 1.0))
    found = run_on_device(given, batch, options.watch, is_whole=True)
    assert found.ends is not None
    counts = np.count_nonzero(found.t == times, axis=1)
    records = []
    for k, (count, status) in enumerate(zip(counts, found.status, strict=True)):
        last = picked(found.ends, k)
        rows = bare(times[:count], found.x[k, :count])
        if status in ENDS and (not count or times[count - 1] != last.t):
            # Where a run ended before its time is kept, though no sample was asked.
            rows = join_steps([rows, bare(last.t[None], last.x[None])])
        own = picked(runs.bounds, k)
        records.append(RunRecord(rows, False, last, int(status), own))
    return records
