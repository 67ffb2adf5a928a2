"""Motions as tables of text, and names that say what a file is not."""

from __future__ import annotations

import csv

import numpy as np
import pytest

import polhode as ph
from filed import pulled, same, start
from moving import double_pendulum, heavy_top
from polhode.errors import FileError


@pytest.fixture(scope="module")
def motion():
    """Some steps of the double pendulum."""
    return ph.simulate(double_pendulum(), start(), until=0.5)


def test_a_table_has_the_bits_of_the_motion(motion, tmp_path):
    """Time, coordinates and speeds, each under its name and unit."""
    path = tmp_path / "m.csv"
    for _ in range(2):  # an older table is replaced
        motion.save(path)
    with path.open(newline="") as file:
        names, *rows = csv.reader(file)
    assert names == [
        "time [s]",
        "shoulder [rad]",
        "elbow [rad]",
        "speed of shoulder [rad/s]",
        "speed of elbow [rad/s]",
    ]
    found = np.array(rows, dtype=float)
    assert np.array_equal(found, np.column_stack([motion.t, motion.q, motion.z]))


def test_every_motion_is_a_table(motion, tmp_path):
    """Parts of motions and quaternions, too: rows alone are asked for."""
    motion[2:5].save(tmp_path / "part.CSV")
    assert len((tmp_path / "part.CSV").read_text().splitlines()) == 4
    top = heavy_top()
    run = ph.simulate(top, top.rest(), until=0.01)
    run.save(tmp_path / "top.csv")
    first = (tmp_path / "top.csv").read_text().splitlines()[0]
    assert len(next(csv.reader([first]))) == 1 + run.q.shape[1] + run.z.shape[1]


def test_other_files_are_left_alone(motion, tmp_path):
    """A table that is no motion's, and a full disk."""
    path = tmp_path / "bills.csv"
    path.write_text("name,sum\nrent,900\n")
    with pytest.raises(FileError, match="no table of a motion, and it is not written"):
        motion.save(path)
    assert path.read_text() == "name,sum\nrent,900\n"
    with pytest.raises(FileError, match="cannot be written"):
        motion.save(tmp_path / "none" / "a.csv")


@pytest.mark.parametrize("name", ["m.txt", "m.parquet", "m.json", "m.mat"])
def test_a_name_of_another_kind_is_refused(motion, tmp_path, name):
    """It would be believed; a number at the end is no kind."""
    with pytest.raises(FileError, match=rf"{name}' does not name a netCDF file"):
        motion.save(tmp_path / name)
    with pytest.raises(FileError, match=rf"{name}' does not name a netCDF file"):
        ph.simulate(double_pendulum(), start(), until=0.1, to=tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    motion.save(tmp_path / "run-1.5")
    assert same(ph.load_motion(tmp_path / "run-1.5").of(), motion)


def test_a_motion_is_not_given_to_another_law(tmp_path):
    """Names and values agree, forces differ: also where they agree at the last row."""
    path, system = tmp_path / "a.nc", pulled(1.0)
    run = ph.simulate(system, system.state(angle=0.3), until=1.0, to=path)
    assert same(ph.load_motion(path).of(pulled(1.0)), run)
    for other in (pulled(1.0, law=np.sin), pulled(1.01)):
        with pytest.raises(FileError, match=r"forces do not|another law"):
            ph.load_motion(path).of(other)
