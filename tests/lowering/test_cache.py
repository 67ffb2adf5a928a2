"""Machine code on disk: shared by processes, rebuilt if damaged, never foreign."""

from __future__ import annotations

import os
import subprocess
import sys

import jax.numpy as jnp
import numpy as np
import pytest

import polhode as ph
from polhode.lowering import cache, runner

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
    return place


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
        out, err = process.communicate(timeout=120)
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


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_directory_that_others_can_write_is_not_used(folder, mode):
    """Code that others may have put there is not run, and none is left there."""
    program()
    folder.chmod(mode)
    careful = program()
    assert not careful.report().cache_hit
    assert "can be written by others" in careful.report().cache_note
    np.testing.assert_array_equal(careful(X), RIGHT)
    assert len(list(folder.iterdir())) == 1


def test_a_directory_of_another_user_is_not_used(folder, monkeypatch):
    """However closed it is."""
    program()
    monkeypatch.setattr(os, "getuid", lambda: 12345678)
    report = program().report()
    assert not report.cache_hit
    assert "belongs to another user" in report.cache_note


def test_a_new_directory_is_closed_to_others(folder):
    """Made with the user's own rights only."""
    program()
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_directory_that_cannot_be_made_is_no_obstacle(tmp_path, monkeypatch):
    """The program runs, and its report says why nothing was kept."""
    (tmp_path / "file").write_text("not a directory")
    monkeypatch.setenv("POLHODE_CACHE", str(tmp_path / "file" / "code"))
    unkept = program()
    np.testing.assert_array_equal(unkept(X), RIGHT)
    assert "cannot be used" in unkept.report().cache_note


def test_the_oldest_go_when_it_grows_too_large(folder, monkeypatch):
    """The size is bounded, and the newest stay."""
    monkeypatch.setattr(cache, "LARGEST", 3500)
    for k in range(8):
        cache.save(f"entry{k}", {"k": k}, bytes(1000))
        os.utime(folder / f"entry{k}", (k, k))
    left = sorted(path.name for path in folder.iterdir())
    assert left == ["entry5", "entry6", "entry7"]
    assert cache.load("entry7") == ({"k": 7}, bytes(1000))
    assert cache.load("entry0") is None


def test_a_write_that_fails_leaves_nothing_behind(folder, monkeypatch):
    """A full disk: the report says so, and no part of an entry stays."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.os, "replace", full)
    program = ph.compile(lambda x: x * 17 + 1, 1.0)
    assert program(1.0) == 18
    assert "No space left" in program.report().cache_note
    assert not list(folder.iterdir())


def test_a_tilde_is_the_home_directory(monkeypatch):
    """As in a shell."""
    monkeypatch.setenv("POLHODE_CACHE", "~/somewhere")
    assert cache.directory() == cache.Path.home() / "somewhere"
