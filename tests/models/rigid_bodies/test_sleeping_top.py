"""The sleeping top: it stands while its spin is above the threshold, then wakes."""

from __future__ import annotations

import numpy as np
import pytest

import polhode as ph


@pytest.mark.long
def test_it_wakes_only_after_its_spin_has_fallen_below_the_threshold():
    """s = s0 exp(-c t/C) while it stands; C^2 s^2 = 4 A m g l is where it wakes."""
    start = ph.models.start("sleeping_top")
    system = start.system
    motion = ph.simulate(system, start, until=5.0)
    times = np.linspace(0.0, 5.0, 101)
    rows = motion.resampled(times)
    up = [
        system.poses(t, q).rotations[0, 2, 2]
        for t, q in zip(times, rows.q, strict=True)
    ]
    lean = np.arccos(up)
    p = system.parameters
    waking = np.sqrt(4 * p["A"] * p["m"] * p["g"] * p["l"]) / p["C"]
    spin = rows.z[:, 2]
    asleep = spin > waking
    assert 0 < asleep.sum() < 101
    assert lean[asleep].max() < 3 * lean[0]
    assert lean.max() > 0.5
    expected = 30.0 * np.exp(-p["c"] * times / p["C"])
    assert np.max(np.abs(spin - expected)[asleep]) < 1e-3
