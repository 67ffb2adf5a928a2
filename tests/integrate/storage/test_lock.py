"""A file has one writer, whoever began first, and is named to the others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import polhode as ph
from filed import UNTIL, same, start
from moving import double_pendulum
from polhode.errors import FileError, IntegrationWarning
from polhode.integrate.storage import recorder, session
from polhode.integrate.storage.lock import WriterLock, is_in_use, journal_of

HOLDS = """
import sys
from pathlib import Path
from polhode.integrate.storage.lock import WriterLock
held = WriterLock(Path(sys.argv[1]))
held.sign()
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of a path; its file is not there yet."""
    path = tmp_path / "a.nc"
    places = str(Path(ph.__file__).parents[1])
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": places},
    )  # fmt: skip
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    yield path, other
    other.kill()
    other.communicate()


def test_a_path_that_another_process_has_is_refused_with_its_number(holder):
    """Before anything is created: the folder is as it was."""
    path, other = holder
    who = rf"a\.nc' is being written by process {other.pid} on "
    motion = ph.simulate(double_pendulum(), start(), until=0.1)
    with pytest.raises(FileError, match=who):
        ph.simulate(double_pendulum(), start(), until=0.1, to=path)
    with pytest.raises(FileError, match=who):
        motion.save(path)
    assert [p.name for p in path.parent.iterdir()] == ["a.nc.journal"]
    other.kill()
    other.wait()
    assert not is_in_use(path)
    run = ph.simulate(double_pendulum(), start(), until=0.1, to=path)
    assert same(run, motion)
    assert [p.name for p in path.parent.iterdir()] == ["a.nc"]


def test_a_second_run_is_refused_while_the_first_runs(tmp_path):
    """Also in the same process, and the first is none the worse."""
    path, tries = tmp_path / "a.nc", []

    def other(progress):
        with pytest.raises(FileError, match="being written by this process"):
            ph.simulate(double_pendulum(), start(), until=0.1, to=path)
        tries.append(progress)

    run = ph.simulate(double_pendulum(), start(), until=UNTIL, to=path, watch=other)
    assert tries
    assert same(ph.load_motion(path).of(), run)
    assert [p.name for p in tmp_path.iterdir()] == ["a.nc"]


def test_a_run_that_cannot_be_laid_out_leaves_nothing(tmp_path, monkeypatch):
    """No lock, no journal and no file."""

    def failing(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(session, "create", failing)
    with pytest.raises(FileError, match="No space left"):
        ph.simulate(double_pendulum(), start(), until=0.1, to=tmp_path / "a.nc")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_appears_meanwhile_is_not_written_over(tmp_path, monkeypatch):
    """Also one of a program that knows nothing of our locks."""
    path, make = tmp_path / "a.nc", session.create

    def late(*given):
        path.write_text("Dear all")
        return make(*given)

    monkeypatch.setattr(session, "create", late)
    with pytest.raises(FileError, match="File exists"):
        ph.simulate(double_pendulum(), start(), until=0.1, to=path)
    assert path.read_text() == "Dear all"
    assert [p.name for p in tmp_path.iterdir()] == ["a.nc"]


def test_the_last_words_of_a_run_do_not_go_into_another_file(tmp_path, monkeypatch):
    """Where its file was replaced between its last part and its end, it is told."""
    path, elsewhere = tmp_path / "a.nc", tmp_path / "b.nc"
    other = ph.simulate(double_pendulum(), start(), until=0.3)
    other.save(elsewhere)
    close = recorder.Recorder.close

    def replaced(self):
        close(self)
        if elsewhere.exists():
            os.replace(elsewhere, path)

    monkeypatch.setattr(recorder.Recorder, "close", replaced)
    with pytest.warns(IntegrationWarning, match="changed by another process"):
        run = ph.simulate(double_pendulum(), start(), until=UNTIL, to=path)
    assert run.outcome.is_complete
    assert same(ph.load_motion(path).of(), other)


def test_a_lock_is_given_back(tmp_path):
    """With its journal; twice does no harm."""
    path = tmp_path / "a"
    with WriterLock(path) as held:
        assert is_in_use(path)
        held.release()
        assert not is_in_use(path)
    assert not journal_of(path).exists()
