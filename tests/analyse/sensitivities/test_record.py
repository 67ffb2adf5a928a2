"""Records from files and frames: gaps, averages, clocks and offsets."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import polhode as ph
from polhode.analyse.sensitivities.record import Record, table_record
from polhode.errors import AnalysisError, FileError

LATE = 0.037  # s: what the clock of the record is off by


@cache
def swing() -> ph.System:
    return ph.models.pendulum()


@cache
def rows() -> np.ndarray:
    """Columns time, angle, rate of a swing with l = 0.83 m on a clock of its own."""
    motion = ph.simulate(
        swing(), swing().state(hinge=1.0), until=3.2, parameters={"l": 0.83}, rtol=1e-11
    )
    t = np.arange(0.1, 3.0, 0.01)
    there = motion.resampled(t + LATE)
    return np.column_stack([t + 100.0, there.q[:, 0], there.z[:, 0]])


def csv(path, table, *, mark=",", head=("time", "angle", "rate")):
    """A file of a table; what is not a number is an empty cell."""
    cells = [["" if np.isnan(x) else repr(float(x)) for x in row] for row in table]
    lines = [mark.join(head), *(mark.join(row) for row in cells)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_file_with_gaps_and_a_late_clock_gives_length_and_offset(tmp_path):
    """Rows in disorder, half the rates missing, the clock 100 s on and 37 ms late."""
    table = rows()[::-1].copy()
    table[::2, 2] = np.nan
    path = csv(tmp_path / "swing.csv", table, mark=";")
    columns = {"hinge": "angle", "speed of hinge": "rate"}
    start = swing().state(hinge=1.0)
    found = ph.identify(
        swing(), start, path, columns, {"l": 0.8}, clock=100.0, offset=0.1
    )
    assert found.values["l"] == pytest.approx(0.83, rel=1e-6)
    assert found.values["time offset"] == pytest.approx(LATE, abs=1e-6)
    kept = np.sum(np.isfinite(found.record))
    assert found.count == kept < 2 * len(table)
    low, high = found.interval("l")
    assert low < found.values["l"] < high


def test_a_frame_gives_what_its_arrays_do():
    """pandas, its index as the clock, polars, and plain arrays: one answer."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    noise = 1e-3 * np.random.default_rng(3).normal(size=len(rows()))
    data = {"t": rows()[:, 0] - 100 + LATE, "angle": rows()[:, 1] + noise}
    start, guess = swing().state(hinge=1.0), {"l": 0.8}
    plain = ph.identify(swing(), start, data["t"], data["angle"], guess)
    frame = pandas.DataFrame(data)
    for source in (frame, frame.set_index("t"), polars.DataFrame(data)):
        found = ph.identify(swing(), start, source, {"hinge": "angle"}, guess)
        assert found.values["l"] == plain.values["l"]
    assert plain.noise == pytest.approx(1e-3, rel=0.15)
    assert plain.spread.max() < plain.noise


def test_averages_keep_the_mean_and_reduce_the_noise():
    """The mean over a second of even rows is that of their numbers and times."""
    t = np.arange(0, 4, 0.25)
    y = np.column_stack([t**2, np.where(t < 1, np.nan, t)])
    found = Record(t, y, ("a", "b")).averaged(1.0)
    np.testing.assert_allclose(found.times, [0.375, 1.375, 2.375, 3.375])
    np.testing.assert_allclose(found.values[:, 0], y[:, 0].reshape(4, 4).mean(axis=1))
    assert np.isnan(found.values[0, 1])
    np.testing.assert_allclose(found.values[1:, 1], found.times[1:])


def test_what_is_no_record_is_refused(tmp_path):
    """No file, no number, no column, nothing to compare it with."""
    with pytest.raises(FileError, match="cannot be read"):
        table_record(tmp_path / "none.csv", ["a"], None)
    path = tmp_path / "words.csv"
    path.write_text("t,a\n0,1\n1,two\n", encoding="utf-8")
    with pytest.raises(FileError, match="'two' in row 2"):
        table_record(path, ["a"], None)
    good = csv(tmp_path / "good.csv", rows())
    with pytest.raises(AnalysisError, match="no column 'angel'"):
        table_record(good, {"hinge": "angel"}, None)
    start = swing().state(hinge=1.0)
    with pytest.raises(AnalysisError, match="no quantity 'joint' to compare"):
        ph.identify(swing(), start, good, {"joint": "angle"}, ["l"])
    with pytest.raises(AnalysisError, match="averaged over -1"):
        ph.identify(swing(), start, good, {"hinge": "angle"}, ["l"], every=-1.0)
