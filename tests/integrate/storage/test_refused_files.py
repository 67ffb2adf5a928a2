"""Files and places that are refused, each with its reason; disks that fill."""

from __future__ import annotations

import gc
import json
import os
import pickle
import random
import resource
import tempfile

import h5py
import numpy as np
import pytest

import polhode as ph
from filed import UNTIL, interrupting, pulled, same, start
from moving import double_pendulum
from polhode.errors import FileError, IntegrationWarning
from polhode.integrate.kernel.packing import Columns
from polhode.integrate.storage import recorder, transaction
from polhode.integrate.storage.create import put_text
from polhode.integrate.storage.header import digest
from polhode.integrate.storage.journal import Change, Record, encode, frame_of
from polhode.integrate.storage.layout import Chain
from polhode.integrate.storage.lock import HOLDER_BYTES, MAGIC, journal_of


@pytest.fixture(scope="module")
def motion():
    """The double pendulum, all steps in memory."""
    return ph.simulate(double_pendulum(), start(), until=UNTIL)


@pytest.fixture(scope="module")
def saved(motion, tmp_path_factory):
    """Its file."""
    path = tmp_path_factory.mktemp("saved") / "motion.nc"
    motion.save(path)
    return path


def test_files_that_are_no_motions_are_refused(saved, tmp_path):
    """Empty, foreign, cut and flipped files are refused with their reason."""
    content = saved.read_bytes()
    pickled = pickle.dumps({"a": os.system})
    texts = {
        b"": "It is empty",
        b"hello, world": "not as netCDF-4 does",
        pickled: "not as netCDF-4 does",
        bytes(random.Random(1).randbytes(5000)): "not as netCDF-4 does",
    }
    for wrong, why in texts.items():
        path = tmp_path / "wrong.nc"
        path.write_bytes(wrong)
        with pytest.raises(FileError, match=why):
            ph.load_motion(path)
    for share in (0.001, 0.1, 0.5, 0.9, 0.999):
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(FileError, match="is damaged"):
            ph.load_motion(path)
    with pytest.raises(FileError, match="No such file"):
        ph.load_motion(tmp_path / "none.nc")
    with h5py.File(path, "w") as file:
        file["x"] = 1.0
    with pytest.raises(FileError, match="no header of ours"):
        ph.load_motion(path)


def test_a_flipped_bit_is_never_believed(motion, saved, tmp_path):
    """A changed byte is refused, or it is one that means nothing."""
    content, chance = bytearray(saved.read_bytes()), random.Random(3)
    path, refused = tmp_path / "flipped.nc", 0
    for _ in range(60):
        place = chance.randrange(len(content))
        content[place] ^= 0x10
        path.write_bytes(content)
        content[place] ^= 0x10
        try:
            found = ph.load_motion(path)
        except FileError:
            refused += 1
        else:
            assert same(found.of(double_pendulum()), motion)
    assert refused > 20


def altered(saved, path, change) -> None:
    """A copy of a file with another header, and its hash put right."""
    path.write_bytes(saved.read_bytes())
    with h5py.File(path, "r+", libver="v110") as file:
        header = json.loads(file["header"][:].tobytes())
        change(header)
        text = json.dumps(header)
        put_text(file, "header", text)
        file.attrs["header_sha256"] = np.bytes_(digest(text))
        _seal_again(file, digest(text))


def _seal_again(file, identity: str) -> None:
    """The checksums of the parts of a file whose header, and so identity, changed."""
    chain, start = Chain(identity), 0
    names = [n for n in ("time", "x", "slope", "bend") if n in file]
    for part, end in enumerate(file["part_rows"][:]):
        rows = {n: file[n][start:end] for n in names} if end > start else {}
        cursor = Columns(file["cursor_numbers"][part], file["cursor_counts"][part])
        chain = chain.link(rows, cursor, None)
        file["part_checksum"][part], start = chain.checksum, end
    put_text(file, "ending", "{}")


def test_newer_files_and_unknown_methods_are_refused(saved, tmp_path):
    """A later format names the version that wrote it; no name in a file is imported."""
    path = tmp_path / "a.nc"
    altered(saved, path, lambda h: h.update(format_version=9, polhode="9.1"))
    with pytest.raises(FileError, match=r"version 9 of the format.*\n\n.*Polhode 9\.1"):
        ph.load_motion(path)
    for kind in ("os.system", "Trajectory", "Nonesuch", "simulate"):
        altered(saved, path, lambda h, kind=kind: h["method"].update(kind=kind))
        with pytest.raises(FileError, match=f"this version has no method {kind!r}"):
            ph.resume(path, double_pendulum())
    altered(saved, path, lambda h: h["cursor_layout"].pop())
    with pytest.raises(FileError, match="not one of this version's"):
        ph.resume(path, double_pendulum())


def test_another_model_is_refused(tmp_path):
    """Other names, other values and other laws are told apart."""
    path, system = tmp_path / "a.nc", pulled(1.0)
    with pytest.warns(IntegrationWarning):
        run = ph.simulate(
            system, system.state(angle=0.3), until=1.0, watch=interrupting(3), to=path,
            method=ph.methods.RungeKutta4(1e-4),
        )  # fmt: skip
    assert len(run) > 1000
    with pytest.raises(FileError, match="another model than 'double pendulum'"):
        ph.resume(path, double_pendulum())
    with pytest.raises(FileError, match=r"its joints differ.*\n\n.*'angle'"):
        ph.resume(path, pulled(1.0, name="turn"))
    with pytest.raises(FileError, match="names and values agree, forces do not"):
        ph.resume(path, pulled(1.0, law=np.sin))
    heavier = system.with_({"rod.mass": 2.0})
    with pytest.raises(FileError, match=r"parameters differ.*\n\n.*rod.mass = 1.0"):
        ph.load_motion(path).of(heavier)
    with pytest.raises(FileError, match="made by another method"):
        ph.resume(path, system, method=ph.methods.RungeKutta4(2e-4))
    again = ph.resume(path, pulled(1.0), method=ph.methods.RungeKutta4(1e-4))
    assert again.outcome.is_complete


def test_places_that_cannot_take_a_run_are_refused(
    motion, saved, tmp_path, monkeypatch
):
    """No folder, a file that exists, a read-only folder, a full disk, many runs."""
    system = double_pendulum()

    def refused(to, why, state=None):
        with pytest.raises(FileError, match=why):
            ph.simulate(system, state or start(), until=1.0, to=to)

    refused(tmp_path / "none" / "a.nc", "There is no folder")
    refused(saved, r"never writes over an older file(.|\n)*ph\.resume")
    (tmp_path / "letter.txt").write_text("Dear all")
    refused(tmp_path / "letter.txt", r"older file\.\s*Give another path")
    (tmp_path / "letter.txt").unlink()
    refused(tmp_path / "a.nc", "use ph.sweep", state=[start(), start()])
    with pytest.raises(FileError, match=r"none/a\.nc' cannot(.|\n)*There is no folder"):
        motion.save(tmp_path / "none" / "a.nc")
    with pytest.raises(FileError, match="cannot be saved"):
        motion[3:9].save(tmp_path / "a.nc")
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda *_: False)
        refused(tmp_path / "a.nc", "read-only for you")
    usage = type("Usage", (), {"free": 1e5})
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda *_: usage)
        refused(tmp_path / "a.nc", "has 0.1 MB left")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kept", [recorder.KEPT, 1e4])
def test_a_disk_that_fills_stops_the_run_and_loses_nothing(
    motion, tmp_path, monkeypatch, kept
):
    """All rows come back, the file is whole up to its last part, and can go on.

    Also where older rows are in the file alone.
    """
    monkeypatch.setattr(recorder, "SECONDS", 0.0)
    monkeypatch.setattr(recorder, "KEPT", kept)
    path, left, real = tmp_path / "a.nc", [4e5], os.pwrite

    def filling(file, data, offset):
        left[0] -= len(data)
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        return real(file, data, offset)

    with monkeypatch.context() as patch:
        patch.setattr(transaction.os, "pwrite", filling)
        with pytest.warns(IntegrationWarning, match="could not be written further"):
            broken = ph.simulate(double_pendulum(), start(), until=UNTIL, to=path)
    assert broken.outcome.code == "IO"
    held = ph.load_motion(path)
    assert 0 < len(held.t) < len(broken) < len(motion)
    assert np.array_equal(broken.t, motion.t[: len(broken)])
    assert np.array_equal(broken.steps.dense, motion.steps.dense[: len(broken)])
    assert same(ph.resume(path, double_pendulum()), motion)


def test_a_real_limit_of_the_system_stops_the_run_and_loses_nothing(
    motion, tmp_path, monkeypatch
):
    """No file may grow beyond 300 kB: the same as a full disk, by the system itself."""
    monkeypatch.setattr(recorder, "SECONDS", 0.0)
    path, before = tmp_path / "a.nc", resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, before[1]))
    try:
        with pytest.warns(IntegrationWarning, match="could not be written further"):
            broken = ph.simulate(double_pendulum(), start(), until=UNTIL, to=path)
        with pytest.raises(FileError, match="could not be saved"):
            motion.save(tmp_path / "b.nc")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert broken.outcome.code == "IO"
    assert 0 < len(ph.load_motion(path).t) <= len(broken) < len(motion)
    assert [p.name for p in tmp_path.iterdir()] == ["a.nc"]
    assert same(ph.resume(path, double_pendulum()), motion)


def test_a_disk_that_fills_at_the_last_write_is_told(tmp_path):
    """The run is whole in memory, and is not called done: its file is not."""
    path, before = tmp_path / "a.nc", resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, before[1]))
    try:
        with pytest.warns(IntegrationWarning, match=r"reached t = .* not be written"):
            broken = ph.simulate(double_pendulum(), start(), until=UNTIL, to=path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert broken.outcome.code == "IO"
    assert broken.t[-1] == UNTIL
    held = ph.load_motion(path)
    assert len(held.t) < len(broken)
    assert np.isfinite(held.outcome.t)
    assert same(ph.resume(path, double_pendulum()), broken)


@pytest.mark.filterwarnings("ignore::polhode.errors.CacheWarning")
def test_a_sweep_on_a_full_disk_is_refused_and_the_program_lives(tmp_path):
    """HDF5 itself would not live through it."""
    states = ph.States(double_pendulum(), 0.0, np.ones((500, 2)), np.zeros((500, 2)))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    try:
        with pytest.raises(FileError, match="Make room"):
            ph.sweep(double_pendulum(), states, until=0.01, to=tmp_path / "runs")
        gc.collect()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    again = ph.sweep(double_pendulum(), states, until=0.01, to=tmp_path / "runs")
    assert len(again.whole()) == 500
    note = tmp_path / "runs" / "sweep.json"
    note.write_bytes(note.read_bytes()[:99])
    with pytest.raises(FileError, match=r"sweep\.json' is damaged"):
        ph.sweep(double_pendulum(), states, until=0.01, to=tmp_path / "runs")


def test_what_is_no_file_is_not_replaced_by_one(motion, tmp_path):
    """Pipes and devices are refused; a link is followed, and stays a link."""
    pipe, link, real = (tmp_path / name for name in ("pipe", "link.nc", "real.nc"))
    os.mkfifo(pipe)
    with pytest.raises(FileError, match="There is a device"):
        motion.save(pipe)
    assert pipe.is_fifo()
    link.symlink_to(real)
    for _ in range(2):  # a link to nothing yet, and to a motion
        motion.save(link)
        assert link.is_symlink()
        assert same(ph.load_motion(real).of(double_pendulum()), motion)


def test_a_file_has_one_writer(motion, tmp_path):
    """While a run writes, no other goes on with its file or takes its place."""
    path, tries = tmp_path / "a.nc", []

    def other(progress):
        for go in (
            lambda: ph.resume(path, double_pendulum()),
            lambda: motion.save(path),
        ):
            with pytest.raises(FileError, match="is being written"):
                go()
            tries.append(progress)

    run = ph.simulate(double_pendulum(), start(), until=UNTIL, to=path, watch=other)
    assert len(tries) > 2
    assert all(tries)
    assert same(run, motion)
    assert same(ph.resume(path, double_pendulum()), motion)


@pytest.mark.parametrize("path", [None, 3, "", "a\0b.nc"])
def test_what_is_no_path_is_refused(motion, path):
    """At every door alike."""
    system = double_pendulum()
    doors = (
        motion.save,
        ph.load_motion,
        lambda path: ph.resume(path, system),
        lambda path: ph.simulate(system, start(), until=0.1, to=path or ""),
    )
    for door in doors:
        with pytest.raises(FileError, match="is no path of a file"):
            door(path)


def test_a_file_that_is_no_motion_is_left_alone(motion, tmp_path):
    """Saving replaces an older motion and nothing else; a folder takes no motion."""
    letter, older = tmp_path / "letter.txt", tmp_path / "older.nc"
    letter.write_text("dear")
    with pytest.raises(FileError, match="no motion of Polhode, and it is not written"):
        motion.save(letter)
    assert letter.read_text() == "dear"
    with h5py.File(tmp_path / "foreign.nc", "w") as file:
        file["x"] = 1.0
    with pytest.raises(FileError, match="is not written over"):
        motion.save(tmp_path / "foreign.nc")
    for _ in range(2):
        motion.save(older)
    assert same(ph.load_motion(older).of(), motion)
    with pytest.raises(FileError, match="It is a folder"):
        ph.simulate(double_pendulum(), start(), until=0.1, to=tmp_path)
    with pytest.raises(FileError, match="File name too long"):
        ph.simulate(double_pendulum(), start(), until=0.1, to=tmp_path / ("x" * 300))


@pytest.mark.parametrize(
    "given", [{"until": 9.0}, {"rtol": 1e-3}, {"samples": 3}, {"to": "b.nc"}, {"x": 1}]
)
def test_a_run_goes_on_as_it_was_begun(saved, given):
    """What the file says is not said again; a new run is offered."""
    (word,) = given
    said = rf"cannot change '{word}'(.|\n)*\.final, \.\.\."
    with pytest.raises(FileError, match=said):
        ph.resume(saved, double_pendulum(), **given)


def test_a_larger_limit_lets_a_run_go_on(motion, tmp_path):
    """What ended for its limit of steps ends at its time, with the bits of one run."""
    path = tmp_path / "a.nc"
    with pytest.warns(IntegrationWarning, match="used up its limit"):
        ph.simulate(double_pendulum(), start(), until=UNTIL, limit=900, to=path)
    assert same(ph.resume(path, double_pendulum(), limit=10**6), motion)


def test_what_a_recording_lacks_is_told(saved):
    """Spans that are none, and questions that need the model."""
    for span in ("ab", (np.nan, 1.0), (1.0,), 3.0):
        with pytest.raises(FileError, match="is no span of time"):
            ph.load_motion(saved, span=span)
    with pytest.raises(FileError, match=r"has nothing from 50 to 60 s"):
        ph.load_motion(saved, span=(50.0, 60.0))
    with pytest.raises(
        AttributeError, match=r"ph\.load_motion\(path\)\.of\(\)\.ledger"
    ):
        _ = ph.load_motion(saved).ledger
    with pytest.raises(AttributeError, match="has no 'colour'"):
        _ = ph.load_motion(saved).colour
    with pytest.raises(FileError, match="another method than 3"):
        ph.resume(saved, double_pendulum(), method=3)


def journal(path, old: bytes, new: bytes) -> None:
    """A complete journal beside a path, of a file that begins with 8 bytes."""
    before, changes = len(old), [Change(0, old[:8], new)]
    with tempfile.TemporaryFile() as file:
        file.write(old)
        file.flush()
        frame = frame_of(file.fileno(), before, changes)
    record = encode(Record(before, before, frame, changes))
    journal_of(path).write_bytes(MAGIC.ljust(HOLDER_BYTES) + record)


def stale_journal(path) -> None:
    """A complete journal beside a path, of a file that was there before."""
    journal(path, bytes(500), b"garbage!")


def test_the_journal_of_an_older_file_is_not_believed(motion, tmp_path):
    """Killed while it wrote, removed without its journal, and run again: all whole."""
    path, again = tmp_path / "a.nc", tmp_path / "b.nc"
    stale_journal(path)
    ph.simulate(double_pendulum(), start(), until=UNTIL, to=path)
    assert same(ph.load_motion(path).of(), motion)
    stale_journal(again)
    motion.save(again)
    assert same(ph.load_motion(again).of(), motion)


def test_the_journal_of_another_file_spoils_none(motion, saved, tmp_path):
    """It is left alone with a note when a file is read, and refused by a writer."""
    path = tmp_path / "a.nc"
    path.write_bytes(saved.read_bytes())
    stale_journal(path)
    before = journal_of(path).read_bytes()
    with pytest.warns(IntegrationWarning, match=r"a\.nc\.journal' does not belong to"):
        assert same(ph.load_motion(path).of(), motion)
    with (
        pytest.warns(IntegrationWarning, match="does not belong"),
        pytest.raises(FileError, match=r"does not belong to(.|\n)*remove it"),
    ):
        ph.resume(path)
    assert path.read_bytes() == saved.read_bytes()
    assert journal_of(path).read_bytes() == before


def test_a_killed_run_on_a_disk_that_cannot_be_written_is_read(
    motion, saved, tmp_path, monkeypatch
):
    """Its last part is finished in memory; file and journal stay as they are."""
    path = tmp_path / "a.nc"
    path.write_bytes(saved.read_bytes())
    journal(path, saved.read_bytes(), saved.read_bytes()[:8])
    before = journal_of(path).read_bytes()

    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(transaction.os, "pwrite", refuse)
    assert same(ph.load_motion(path).of(), motion)
    assert journal_of(path).read_bytes() == before
