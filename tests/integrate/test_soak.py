"""Memory stays bounded in a long run that goes to disk."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum
from polhode.errors import IntegrationWarning
from polhode.integrate.storage import recorder

STEPS = 3_000_000  # some 200 MB on disk
LOOKS = 200


def resident() -> float:
    """Megabytes of memory that the process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.long
def test_memory_stays_bounded(tmp_path, monkeypatch):
    """Millions of steps to disk, in many chunks: memory does not grow with them."""
    monkeypatch.setattr(recorder, "KEPT", 1e6)
    seen: list[tuple[float, float]] = []

    def watch(progress):
        if not seen or progress.steps - seen[-1][0] > STEPS / LOOKS:
            seen.append((progress.steps, resident()))
        if progress.steps > STEPS:
            raise KeyboardInterrupt

    system = double_pendulum()
    start = system.state(shoulder=1.0, elbow=0.5)
    with pytest.warns(IntegrationWarning, match="interrupted"):
        ph.simulate(
            system, start, until=1e9, to=tmp_path / "a.nc", watch=watch, memory=1e6
        )
    used = np.array([megabytes for _, megabytes in seen[LOOKS // 5 :]])
    written = (tmp_path / "a.nc").stat().st_size / 1e6
    assert written > 100
    # HDF5 lets its own table of where chunks lie grow to 32 MB: some 2 % of the rows.
    assert used.max() - used.min() < 0.1 * written
