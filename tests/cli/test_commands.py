"""The commands on good and bad words."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import polhode
from polhode.cli import main
from polhode.cli.doctor import EXTRAS, LIBRARIES


def run(*words):
    """`polhode words...` in a process of its own, without a terminal."""
    code = "import sys; from polhode.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What `polhode demo` prints, and its folder."""
    folder = tmp_path_factory.mktemp("demo")
    return run("demo", "--out", str(folder)), folder


def test_the_demo_shows_equations_ledger_forms_and_pictures(shown):
    """It ends with the paths of the picture and of the page it has written."""
    done, folder = shown
    assert done.returncode == 0, done.stderr
    for words in ("ω̇₁ =", "Ledger", "million steps a second", "first flip after"):
        assert words in done.stdout
    assert "Lie-Poisson" in done.stdout
    assert "balance, at most, J" in done.stdout
    text = done.stdout.replace("\n", "")
    for name, size in (("polhode.png", 20_000), ("motion.html", 50_000)):
        assert str(folder / name) in text
        assert (folder / name).stat().st_size > size


def test_the_demo_keeps_its_books(shown):
    """Every drift in the printed ledger is rounding."""
    lines = [x for x in shown[0].stdout.splitlines() if "[J]" in x or "[N m s]" in x]
    assert len(lines) == 4
    assert all(float(line.split()[-1]) < 1e-11 for line in lines)


def test_there_is_no_colour_without_a_terminal(shown):
    """Output to a file is plain text."""
    assert "\x1b" not in shown[0].stdout


def test_the_doctor_finds_a_working_compiler(capsys):
    """Both backends of every machine work; all libraries have versions."""
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["machine"]["polhode"] == polhode.__version__
    assert facts["backends"]["llvm"] == facts["backends"]["xla"] == "works"
    assert set(facts["libraries"]) == set(LIBRARIES)
    assert "missing" not in facts["libraries"].values()
    assert set(facts["extras"]) == set(EXTRAS)


def test_the_doctor_says_what_is_ill(capsys, monkeypatch):
    """A backend that fails is an answer, not a traceback, and ends with code 1."""

    def broken(*arguments, **wishes):
        raise OSError("no such library")

    monkeypatch.setattr(polhode, "compile", broken, raising=False)
    assert main(["doctor", "--json"]) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts["backends"]["llvm"] == "does not work: OSError: no such library"
    assert facts["backends"]["cuda"] == "not here: OSError: no such library"


def test_the_doctor_speaks_in_tables(capsys):
    """Lanes, threads and the cache's folder are named."""
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    for word in ("lanes", "threads", "cache", "llvm", "jax"):
        assert word in text


def test_the_version_is_printed(capsys):
    """`polhode --version` is the version alone."""
    main(["--version"])
    assert capsys.readouterr().out.strip() == polhode.__version__


def test_a_typo_gets_a_suggestion(capsys):
    """Misspelt commands end with code 2 and the nearest word."""
    assert main(["dmeo"]) == 2
    said = capsys.readouterr()
    assert 'Did you mean "demo"?' in said.out + said.err


def test_a_refused_model_is_told_in_its_own_words(capsys, monkeypatch):
    """A PolhodeError ends with code 3 and no traceback."""

    def refused():
        raise polhode.PolhodeError("'handle' has no mass.", "Why.", "Repair.")

    monkeypatch.setattr("polhode.models.rigid_bodies.free_body.t_handle", refused)
    assert main(["demo"]) == 3
    assert capsys.readouterr().err.startswith("PolhodeError: 'handle' has no mass.")


def test_the_doctor_empties_the_cache(capsys, tmp_path, monkeypatch):
    """All compiled code goes, and the folder is closed to others."""
    folder = tmp_path / "code"
    folder.mkdir()
    (folder / ("0" * 64)).write_bytes(b"planted")
    folder.chmod(0o777)
    monkeypatch.setenv("POLHODE_CACHE", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["doctor", "--empty-cache", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["machine"]["cache"] == str(folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert not (folder / ("0" * 64)).exists()
