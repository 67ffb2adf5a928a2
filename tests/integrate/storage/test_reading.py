"""Readers of files that change, that claim too much, or that lead elsewhere."""

from __future__ import annotations

import json
import shutil
import threading
import tracemalloc

import h5py
import numpy as np
import pytest

import polhode as ph
from filed import UNTIL, same, start
from moving import double_pendulum
from polhode.errors import FileError
from polhode.integrate.storage import reading, recorder
from polhode.integrate.storage.create import put_text
from polhode.integrate.storage.header import FIELDS, digest
from polhode.integrate.storage.lock import WriterLock


@pytest.fixture(scope="module")
def motion():
    """The double pendulum, all steps in memory."""
    return ph.simulate(double_pendulum(), start(), until=2.0)


@pytest.fixture(scope="module")
def saved(motion, tmp_path_factory):
    """Its file."""
    path = tmp_path_factory.mktemp("saved") / "motion.nc"
    motion.save(path)
    return path


@pytest.fixture
def quick(monkeypatch):
    """A reader without patience."""
    monkeypatch.setattr(reading, "LOOKS", 2)
    monkeypatch.setattr(reading.np, "geomspace", lambda *_: (0.001, 0.001))


def test_a_file_is_not_called_damaged_while_it_is_written(
    saved, tmp_path, monkeypatch, quick
):
    """Whatever its reader met: a writer lives, and the next look may be better."""
    path = tmp_path / "a.nc"
    path.write_bytes(saved.read_bytes()[:-5000])
    with (
        WriterLock(path),
        pytest.raises(FileError, match=r"is being written, and could not(.|\n)*again"),
    ):
        ph.load_motion(path)
    with pytest.raises(FileError, match="is damaged"):
        ph.load_motion(path)


def test_a_file_that_changes_under_its_reader_is_read_again(
    motion, saved, tmp_path, monkeypatch, quick
):
    """Also where its writer has ended before the reader met the error."""
    path, real, looks = tmp_path / "a.nc", reading._content, []
    path.write_bytes(saved.read_bytes())

    def torn(place, *given):
        looks.append(place)
        if len(looks) == 1:
            with WriterLock(path):
                path.write_bytes(saved.read_bytes())
            raise KeyError("bad heap index")
        return real(place, *given)

    monkeypatch.setattr(reading, "_content", torn)
    assert same(ph.load_motion(path).of(), motion)
    assert len(looks) == 2


def test_readers_find_whole_parts_while_a_run_writes(tmp_path, monkeypatch):
    """Hundreds of looks at a file that gets a part after every chunk."""
    monkeypatch.setattr(recorder, "SECONDS", 0.0)
    path, counts, wrong, is_done = tmp_path / "a.nc", [], [], threading.Event()

    def look():
        while not is_done.is_set():
            try:
                counts.append(len(ph.load_motion(path).t))
            except FileError as error:
                if "No such file" not in str(error):
                    wrong.append(str(error))

    reader = threading.Thread(target=look)
    reader.start()
    try:
        run = ph.simulate(double_pendulum(), start(), until=UNTIL, to=path)
    finally:
        is_done.set()
        reader.join()
    assert not wrong
    assert counts == sorted(counts)
    assert same(ph.load_motion(path).of(), run)


def crafted(saved, path, change):
    """A copy with something else in it, its header with its hash."""
    shutil.copy(saved, path)
    with h5py.File(path, "r+", libver="v110") as file:
        header = json.loads(file["header"][:].tobytes())
        change(file, header)
        text = json.dumps(header)
        put_text(file, "header", text)
        file.attrs["header_sha256"] = np.bytes_(digest(text))
    return path


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("value", [..., None, [[]], {"a": None}, 10**400])
def test_a_header_that_lacks_something_is_refused_by_name(saved, tmp_path, name, value):
    """With its hash put right; no raw error."""

    def change(file, header):
        header[name] = value
        if value is ...:
            del header[name]

    path = crafted(saved, tmp_path / "a.nc", change)
    with pytest.raises(FileError, match="is damaged") as caught:
        ph.load_motion(path)
    told = "checksum" in str(caught.value) or name in str(caught.value)
    assert told or "digests" in name


@pytest.mark.parametrize("rows", [2 * 10**7, 2**62])
def test_a_claim_of_rows_takes_no_memory(saved, tmp_path, rows):
    """Sizes are compared with what is stored before anything is read."""

    def claim(file, header):
        for name in ("time", "x", "slope", "bend"):
            file[name].resize(rows, axis=0)
        file["part_rows"][-1] = rows

    path = crafted(saved, tmp_path / "a.nc", claim)
    tracemalloc.start()
    try:
        with pytest.raises(
            FileError, match=r"'\w+' claims \d+ bytes, of which \d+ are"
        ):
            ph.load_motion(path)
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def link_out(file):
    file["x"] = h5py.ExternalLink("other.nc", "x")


def link_within(file):
    file["x"] = h5py.SoftLink("/slope")


def external(file):
    file.create_dataset("x", (9, 4), "f8", external=[("other.raw", 0, 999)])


def virtual(file):
    layout = h5py.VirtualLayout((9, 4), "f8")
    layout[:] = h5py.VirtualSource("other.nc", "x", (9, 4))
    file.create_virtual_dataset("x", layout)


def packed(file):
    file.create_dataset("x", data=np.zeros((9, 4)), compression="gzip")


def group(file):
    file.create_group("x")


def odd(file):
    file["x"] = np.zeros((9, 4), "i4")


@pytest.mark.parametrize(
    ("put", "words"),
    [
        (link_out, "'x' is a link out of the file"),
        (link_within, "'x' is a link out of the file"),
        (external, "'x' lies in other files"),
        (virtual, "'x' lies in other files"),
        (packed, "'x' is packed by a filter"),
        (group, "'x' is no dataset"),
        (odd, "'x' has type int32"),
        (lambda file: None, "it has no 'x'"),
    ],
)
def test_what_is_not_in_the_file_itself_is_refused(saved, tmp_path, put, words):
    """Links, other files, filters, other types: nothing of them is opened."""

    def change(file, header):
        del file["x"]
        put(file)

    path = crafted(saved, tmp_path / "a.nc", change)
    with pytest.raises(FileError, match=f"(?i){words}"):
        ph.load_motion(path)


def test_no_zeroed_sector_is_believed(motion, saved, tmp_path):
    """Each of the file: refused, or the same numbers; none makes the reader hang."""
    content, path, refused = saved.read_bytes(), tmp_path / "a.nc", 0
    for first in range(0, len(content), 512):
        size = len(content[first : first + 512])
        path.write_bytes(content[:first] + bytes(size) + content[first + size :])
        try:
            found = ph.load_motion(path)
        except FileError:
            refused += 1
        else:
            assert np.array_equal(found.t, motion.t)
            assert np.array_equal(found.x, motion.steps.x)
            assert found.outcome == motion.outcome
    assert refused > 20


def test_a_path_as_text_goes_on_without_its_model(motion, saved, tmp_path):
    """As a `Path` does."""
    path = shutil.copy(saved, tmp_path / "a.nc")
    assert same(ph.resume(str(path)), motion)
