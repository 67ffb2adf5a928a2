"""Files are replaced whole or not at all, and every file is written that way."""

from __future__ import annotations

import ast
import errno
import os
import stat

import pytest

from polhode import output_file
from polhode.output_file import move_new, replacing, temporary, write_file
from source_tree import package

# Calls that write a file, and modules that may make them on any name but `aside`.
WRITERS = {"write_text", "write_bytes", "savefig", "mkstemp", "NamedTemporaryFile"}
FREE = {
    "polhode.output_file",  # the helper itself
    "polhode.lowering.backends.cache",  # has its own folder and checks
    "polhode.show.plots.picture",  # into memory
}


def test_every_file_is_written_aside():
    """A call that writes by name writes to what `replacing` or `temporary` gave."""
    astray = []
    for source in package():
        for call in ast.walk(source.tree):
            if not isinstance(call, ast.Call) or source.module in FREE:
                continue
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if name not in WRITERS:
                continue
            named = [getattr(call.func, "value", None), *call.args]
            if not any(getattr(each, "id", "") == "aside" for each in named):
                astray.append(f"{source.place}:{call.lineno} {name}")
    assert not astray, "\n".join(astray)


def full(*_, **__):
    """A disk without room."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_older_file(tmp_path, monkeypatch, step):
    """Whichever step fails, the old bytes are there and nothing is beside them."""
    path = tmp_path / "a.toml"
    path.write_text("old")
    monkeypatch.setattr(output_file.os, step, full)
    with pytest.raises(OSError, match="No space left"):
        write_file(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_block_that_raises_leaves_the_older_file(tmp_path):
    """Half of what was to be written is never seen."""
    path = tmp_path / "a.toml"
    path.write_text("old")

    def half():
        with replacing(path) as aside:
            aside.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_under_the_temporary_name_is_not_followed(tmp_path, monkeypatch):
    """Names are not to be guessed; one that is guessed all the same is refused."""
    path, letter = tmp_path / "a.toml", tmp_path / "letter"
    letter.write_text("Dear all")
    with temporary(path) as one, temporary(path) as other:
        assert one != other
        assert one.suffix == ".toml"
    monkeypatch.setattr(output_file.secrets, "token_hex", lambda _: "guessed")
    who = f"{output_file.host_word()}-{os.getpid()}"
    guess = tmp_path / f".a.{who}-guessed.part.toml"
    guess.symlink_to(letter)
    with pytest.raises(FileExistsError):
        write_file(path, "new")
    assert letter.read_text() == "Dear all"
    assert guess.is_symlink()


def test_links_modes_and_devices_stay_what_they_are(tmp_path):
    """What a link leads to is replaced, with its mode; a pipe is written to."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_file(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    write_file(type(real)(os.devnull), "gone")
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path, "new")


def test_a_new_file_never_takes_the_place_of_another(tmp_path, monkeypatch):
    """Also on a disk that has no hard links."""
    path, aside = tmp_path / "a", tmp_path / "b"
    path.write_text("old")
    aside.write_text("new")
    with pytest.raises(FileExistsError):
        move_new(aside, path)

    def none(*_):
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    monkeypatch.setattr(output_file.os, "link", none)
    with pytest.raises(FileExistsError):
        move_new(aside, path)
    assert path.read_text() == "old"
    path.unlink()
    move_new(aside, path)
    assert path.read_text() == "new"
