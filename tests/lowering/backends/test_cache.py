"""Machine code on disk: shared by processes, rebuilt if damaged, never foreign."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.errors import CacheWarning
from polhode.lowering.backends import cache, private_folder, runner

X = np.linspace(0.0, 1.0, 5)
RIGHT = X * X + 1.0

SCRIPT = """
import numpy as np, jax.numpy as jnp
import polhode as ph
for k in range(6):
    x = np.arange(3.0) + k
    program = ph.compile(lambda x: jnp.cumsum(x) * (k + 2), x)
    report = program.report()
    print(k, report.cache_hit, report.cache_note or "-", *program(x))
"""


def program():
    return ph.compile(lambda x: x * x + 1.0, X)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "code"
    monkeypatch.setenv("POLHODE_CACHE", str(place))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr(cache, "_warned", set())
    # One entry a program: descriptions, which go the same way, have tests of their own.
    monkeypatch.setattr("polhode.lowering.compile.description_key", lambda *_: None)
    return place


@pytest.fixture
def secret(folder):
    return folder.parent / "state" / "polhode" / cache.SECRET


def entries(folder):
    return sorted(path.name for path in folder.iterdir())


def uncached(words):
    """A program that is right, not from the cache, and says why once."""
    with pytest.warns(CacheWarning, match=words):
        made = program()
    note = made.report().cache_note
    assert not made.report().cache_hit
    np.testing.assert_array_equal(made(X), RIGHT)
    assert program().report().cache_note == note  # without a second warning
    return note


@pytest.fixture
def no_compiler(monkeypatch):
    """From now on nothing can be compiled."""

    def refuse(*_):
        raise AssertionError("compiled")

    def forbid():
        monkeypatch.setattr(runner, "machine_code", refuse)

    return forbid


def in_processes(count: int, folder) -> list[list[str]]:
    environment = {**os.environ, "POLHODE_CACHE": str(folder)}
    command = [sys.executable, "-c", SCRIPT]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    all_of_them = [
        subprocess.Popen(command, env=environment, **pipes) for _ in range(count)
    ]
    outputs = []
    for process in all_of_them:
        out, err = process.communicate(timeout=280)
        assert process.returncode == 0, err
        outputs.append(out.splitlines())
    return outputs


def test_two_processes_at_once_and_then_a_third(folder):
    """Whoever comes first writes; all agree; a later process compiles nothing."""
    first, second = in_processes(2, folder)
    (third,) = in_processes(1, folder)
    values = [[line.split()[3:] for line in lines] for lines in (first, second, third)]
    assert values[0] == values[1] == values[2]
    assert all(line.split()[1:3] == ["True", "-"] for line in third)
    assert len(third) == 6
    assert not list(folder.glob(".new-*"))


def test_a_second_program_compiles_nothing(folder, no_compiler):
    """The same trace with the same constants is found, by another function too."""
    assert not program().report().cache_hit
    no_compiler()
    again = program()
    assert again.report().cache_hit
    assert again.report().operations == len(X)
    np.testing.assert_array_equal(again(X), RIGHT)


@pytest.mark.parametrize(
    "other",
    [
        lambda: ph.compile(lambda x: x * x + 1.5, X),
        lambda: ph.compile(lambda x: x * x + 1.0, X[:4]),
        lambda: ph.compile(lambda x: x * x + 1.0, X, fold="ieee"),
        lambda: ph.compile(lambda x: x * x + 1.0, X, batched=True, lanes=2),
        lambda: ph.compile(lambda x: x * x - 1.0, X),
        lambda: ph.compile(lambda x: x * x + jnp.ones(5) * 2, X),
    ],
)
def test_another_program_is_another_entry(folder, no_compiler, other):
    """Constants, shapes, folding and lanes are all part of the name."""
    program()
    no_compiler()
    with pytest.raises(AssertionError, match="compiled"):
        other().report()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[: len(content) // 2],
        lambda content: content[:-1],
        lambda content: content[:200] + bytes([content[200] ^ 1]) + content[201:],
        lambda content: b"something else entirely",
        lambda content: content + b"more",
    ],
    ids=["empty", "half", "short", "flipped", "foreign", "long"],
)
def test_a_damaged_entry_is_rebuilt(folder, no_compiler, damage):
    """It is not run; it is made anew and found by the next."""
    program()
    (entry,) = folder.iterdir()
    entry.write_bytes(damage(entry.read_bytes()))
    rebuilt = program()
    assert not rebuilt.report().cache_hit
    np.testing.assert_array_equal(rebuilt(X), RIGHT)
    no_compiler()
    assert program().report().cache_hit


# -------------------------------------------------------------------------- trust


def hostile_link(path, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def second_name(path, tmp_path):
    os.link(path, tmp_path / "elsewhere")


def other_entry(path, tmp_path):
    """The content of another program, made by the same user, under this name."""
    ph.compile(lambda x: x * x + 150.0, X).report()
    (other,) = [each for each in path.parent.iterdir() if each != path]
    path.write_bytes(other.read_bytes())


def old_format(path, tmp_path):
    """An entry with a plain digest, as anybody can make it."""
    content = path.read_bytes()
    path.write_bytes(b"polhode-code-1\n" + bytes(32) + content)


def other_secret(path, tmp_path):
    """A whole entry, vouched for by somebody else."""
    key, code = path.name, path.read_bytes()
    path.write_bytes(cache._pack(bytes(32), key, {"scratch": 0}, code))


def fifo(path, tmp_path):
    path.unlink()
    os.mkfifo(path)


def group_writes(path, tmp_path):
    path.chmod(0o620)


@pytest.mark.parametrize(
    "plant",
    [
        hostile_link,
        second_name,
        other_entry,
        old_format,
        other_secret,
        fifo,
        group_writes,
    ],
)
def test_a_planted_entry_is_not_run(folder, tmp_path, no_compiler, plant):
    """It is removed, built anew, and found by the next."""
    program()
    (entry,) = folder.iterdir()
    plant(entry, tmp_path)
    rebuilt = program()
    assert not rebuilt.report().cache_hit
    np.testing.assert_array_equal(rebuilt(X), RIGHT)
    facts = entry.lstat()
    assert stat.S_ISREG(facts.st_mode)
    assert (facts.st_mode & 0o777, facts.st_nlink) == (0o600, 1)
    no_compiler()
    assert program().report().cache_hit


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_an_entry_of_another_user_is_not_run(folder):
    """Not even with the right content: he can change it while it is read."""
    program()
    (entry,) = folder.iterdir()
    os.chown(entry, 12345, 12345)
    assert not program().report().cache_hit
    assert entry.stat().st_uid == 0


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_directory_that_others_can_write_is_not_used(folder, mode):
    """Code that others may have put there is not run, and none is left there."""
    program()
    folder.chmod(mode)
    assert "can be written by others" in uncached("polhode doctor --empty-cache")
    assert len(entries(folder)) == 1


def test_a_directory_that_others_could_write_is_emptied(folder, secret):
    """Closing it makes nothing in it trusted."""
    program()
    (folder / ("0" * 64)).write_bytes(b"planted")
    (folder / "notes.txt").write_text("the user's own")
    folder.chmod(0o777)
    uncached("can be written by others")
    folder.chmod(0o700)
    assert not program().report().cache_hit
    assert (folder / "notes.txt").exists()
    assert len(entries(folder)) == 2
    assert program().report().cache_hit


def test_emptying_closes_the_directory_and_drops_the_secret(folder, secret):
    """What `polhode doctor --empty-cache` does."""
    program()
    before = secret.read_bytes()
    folder.chmod(0o777)
    assert cache.empty() == 1
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not program().report().cache_hit
    assert program().report().cache_hit
    assert secret.read_bytes() != before


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o1770])
def test_a_directory_that_others_can_rename_is_not_used(folder, tmp_path, mode):
    """Whoever writes the folder above can put another in its place, unless sticky."""
    program()
    (tmp_path / "above").mkdir()
    os.environ["POLHODE_CACHE"] = str(tmp_path / "above" / "code")
    program()
    (tmp_path / "above").chmod(mode)
    if mode & stat.S_ISVTX or (
        mode == 0o770 and private_folder._is_group_of_one((tmp_path / "above").stat())
    ):
        assert program().report().cache_hit
    else:
        assert "another folder in its place" in uncached("chmod go-w")


def test_a_directory_of_another_user_is_not_used(folder, monkeypatch):
    """However closed it is."""
    program()
    monkeypatch.setattr(os, "geteuid", lambda: 12345678)
    assert "belongs to another user" in uncached("another user")


def test_a_new_directory_is_closed_to_others(folder, secret):
    """Made with the user's own rights only, whatever the umask."""
    before = os.umask(0)
    try:
        program()
    finally:
        os.umask(before)
    for place in (folder, secret.parent, secret.parent.parent):
        assert place.stat().st_mode & 0o777 == 0o700
    assert secret.stat().st_mode & 0o777 == 0o600
    assert len(secret.read_bytes()) == 32


# -------------------------------------------------------------------------- secret


def readable(secret):
    secret.chmod(0o644)


def cut(secret):
    secret.write_bytes(b"short")


def linked(secret):
    content = secret.read_bytes()
    secret.unlink()
    known = secret.parent / "known"
    known.write_bytes(content)
    known.chmod(0o600)
    secret.symlink_to(known)


def removed(secret):
    secret.unlink()


def opened_and_closed(secret):
    """Seen open once; closed later."""
    secret.parent.chmod(0o777)
    uncached("can be written by others")
    secret.parent.chmod(0o700)


@pytest.mark.parametrize("fault", [readable, cut, linked, removed, opened_and_closed])
def test_a_secret_that_others_may_know_is_made_anew(folder, secret, fault):
    """And what it vouched for is removed."""
    program()
    before = secret.read_bytes()
    old = entries(folder)
    fault(secret)
    assert not program().report().cache_hit
    assert stat.S_ISREG(secret.lstat().st_mode)
    assert secret.stat().st_mode & 0o777 == 0o600
    assert secret.read_bytes() != before
    assert len(entries(folder)) == 1
    assert entries(folder) != old
    assert program().report().cache_hit


def test_one_secret_for_processes_that_begin_together(folder, secret):
    """Whoever creates it first; the others read it."""
    command = (
        "from polhode.lowering.backends import cache; print(cache.refusal() or 'ok')"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", command], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    assert [each.communicate()[0].strip() for each in running] == [b"ok"] * 4
    assert len(secret.read_bytes()) == 32
    assert os.listdir(secret.parent) == [cache.SECRET]


# ------------------------------------------------------------------------ obstacles


def test_a_directory_that_cannot_be_made_is_no_obstacle(folder, tmp_path, monkeypatch):
    """The program runs, and its report says why nothing was kept."""
    (tmp_path / "file").write_text("not a directory")
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path / "file" / "code"))
    assert "cannot be used: Not a directory" in uncached("cannot be used")


def test_a_user_without_a_home_runs_without_cache(folder, monkeypatch):
    """A number without a name, as in a container: nothing is raised."""
    monkeypatch.delenv("POLHODE_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)
    assert "set POLHODE_CACHE and XDG_STATE_HOME" in uncached("no home directory")


def test_a_relative_base_is_not_one(monkeypatch):
    """So says the standard of these variables; the home directory serves."""
    monkeypatch.delenv("POLHODE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    assert cache.directory() == cache.Path.home() / ".cache" / "polhode"


def test_a_disk_without_room_for_the_secret_is_no_obstacle(folder, monkeypatch):
    """As a home that can only be read."""

    def read_only(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(private_folder.PrivateFolder, "create", read_only)
    assert "Read-only file system" in uncached("Read-only file system")


def test_the_oldest_go_when_it_grows_too_large(folder, monkeypatch):
    """The size is bounded, the newest stay, and the user's own files too."""
    monkeypatch.setattr(cache, "LARGEST", 3600)
    folder.mkdir(mode=0o700)
    (folder / "notes.txt").write_bytes(bytes(5000))
    for k in range(8):
        before = set(entries(folder))
        assert cache.save(f"entry{k}", {"k": k}, bytes(1000)) == ""
        (new,) = set(entries(folder)) - before
        os.utime(folder / new, (k, k))
    assert [cache.load(f"entry{k}") is not None for k in range(8)] == [False] * 5 + [
        True
    ] * 3
    assert cache.load("entry7") == ({"k": 7}, bytes(1000))
    assert (folder / "notes.txt").exists()


def test_what_a_killed_process_left_is_removed(folder, monkeypatch):
    """After an hour; before, it may be another process's that writes."""
    program()
    monkeypatch.setattr(cache, "_written", {})  # as in the next process
    for name, age in ((".new-1-old", 7200), (".new-2-young", 60)):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, (time.time() - age,) * 2)
    cache.save("another", {}, b"")
    assert (folder / ".new-2-young").exists()
    assert not (folder / ".new-1-old").exists()


def test_a_write_that_fails_leaves_nothing_behind(folder, monkeypatch):
    """A full disk: the report says so, and no part of an entry stays."""
    program()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.os, "replace", full)
    unkept = ph.compile(lambda x: x * 17 + 1, 1.0, batched=True)
    with pytest.warns(CacheWarning, match="No space left"):
        assert unkept(1.0) == 18
    assert "No space left" in unkept.report().cache_note
    assert len(entries(folder)) == 1


def test_a_tilde_is_the_home_directory(monkeypatch):
    """As in a shell."""
    monkeypatch.setenv("POLHODE_CACHE", "~/somewhere")
    assert cache.directory() == cache.Path.home() / "somewhere"


# -------------------------------------------------------------------------- kernels


def test_kernels_lie_in_a_folder_of_the_user_alone(folder, tmp_path):
    """Links and files that others could have written go before they are looked for."""
    with cache.kernel_folder() as first:
        (first / "own").write_bytes(b"kernel")
        (first / "open").write_bytes(b"kernel")
        (first / "open").chmod(0o666)
        (first / "link").symlink_to(first / "own")
    with cache.kernel_folder() as second:
        assert second == first == folder / "cuda"
        assert first.stat().st_mode & 0o777 == 0o700
        assert os.listdir(second) == ["own"]
    assert cache.empty() == 0
    assert os.listdir(first) == []


def test_without_a_private_folder_kernels_are_not_kept(folder):
    """They are compiled into a folder that goes afterwards."""
    program()
    folder.chmod(0o777)
    folders = cache.kernel_folder()
    with pytest.warns(CacheWarning, match="can be written by others"):
        kept = folders.__enter__()
    assert kept.parent != folder
    folders.__exit__(None, None, None)
    assert not kept.exists()
