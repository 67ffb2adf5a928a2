"""Memory stays bounded in a long run that goes to disk."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from moving import double_pendulum
from polhode.errors import IntegrationWarning
from polhode.integrate.storage import recorder

SECONDS = 600.0


def resident() -> float:
    """Megabytes of memory that the process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.long
def test_memory_stays_bounded(tmp_path, monkeypatch):
    """Ten minutes to disk, thousands of chunks: resident memory has no slope."""
    monkeypatch.setattr(recorder, "KEPT", 1e6)
    seen: list[tuple[float, float]] = []
    began = time.perf_counter()

    def watch(progress):
        now = time.perf_counter() - began
        if not seen or now - seen[-1][0] > 1.0:
            seen.append((now, resident()))
        if now > SECONDS:
            raise KeyboardInterrupt
        time.sleep(0.02)  # many chunks, and not the whole disk

    system = double_pendulum()
    start = system.state(shoulder=1.0, elbow=0.5)
    with pytest.warns(IntegrationWarning, match="interrupted"):
        ph.simulate(
            system, start, until=1e9, to=tmp_path / "a.nc", watch=watch, memory=1e6
        )
    t, used = np.array(seen[len(seen) // 5 :]).T
    slope, level = np.polyfit(t - t[0], used, 1)
    noise = np.std(used - level - slope * (t - t[0]))
    written = (tmp_path / "a.nc").stat().st_size / 1e6
    assert written > 100
    assert abs(slope) * (t[-1] - t[0]) < max(5.0, 3 * noise)
