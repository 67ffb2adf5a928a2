"""Every other command on good words: tables for people, JSON for machines."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from io import StringIO
from typing import ClassVar

import pytest

import polhode as ph
from polhode.cli import main
from polhode.cli.main import commands

HEAVY = ("jax", "sympy", "scipy", "numpy", "xarray", "matplotlib", "viser", "trimesh")


def answer(capsys, *words, code=0):
    """What a command prints, after its exit code is checked."""
    assert main(list(words)) == code
    return capsys.readouterr().out


def test_help_imports_nothing_heavy():
    """`polhode --help` answers without the libraries that take time to load."""
    code = (
        "import sys; from polhode.cli import main; main(['--help']);"
        f"print('LOADED', [m for m in {HEAVY} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert "LOADED []" in done.stdout
    assert "Exit codes:" in done.stdout


@pytest.mark.parametrize("command", commands())
def test_every_command_has_help_with_an_example(capsys, command):
    """What it does, and how it is called."""
    text = answer(capsys, command, "--help")
    assert f"Usage: polhode {command}" in text
    assert "--json" in text
    assert f"For example:\n  polhode {command}" in text
    assert answer(capsys, command, "--help") == text


def test_the_gallery_is_listed(capsys):
    """Every model, each with its line."""
    text = answer(capsys, "gallery")
    assert len(text.splitlines()) == len(ph.models.GALLERY)
    assert "pendulum               A thin uniform rod of mass m and length l" in text
    lines = json.loads(answer(capsys, "gallery", "--json"))
    assert set(lines) == set(ph.models.GALLERY)


def test_one_model_is_told_of(capsys):
    """Its sketch, its surprise, its parameters and its start."""
    text = answer(capsys, "gallery", "pendulum")
    for word in ("Surprise:", "Parameters, for --set", "9.81", "Start", "rad/s"):
        assert word in text
    facts = json.loads(answer(capsys, "gallery", "pendulum", "--json"))
    assert facts["parameters"]["m"] == 1.2
    assert facts["coordinates"] == {"hinge": 2.0}
    assert facts["surprise"] in " ".join(text.split())


def test_a_model_of_a_file_is_told_of(capsys, tmp_path):
    """Its parameters and its start; what surprises is not known."""
    path = tmp_path / "m.toml"
    ph.save_model(ph.models.pendulum(), path)
    text = answer(capsys, "gallery", str(path))
    assert text.startswith("System('pendulum'")
    assert "Parameters, for --set" in text
    facts = json.loads(answer(capsys, "gallery", str(path), "--json"))
    assert facts["parameters"]["g"] == 9.81
    assert "surprise" not in facts


@pytest.mark.parametrize("more", ["", "--json"])
def test_a_reader_that_stops_listening_gets_no_traceback(more):
    """`polhode gallery | head` ends with code 1 and no word."""
    code = (
        "import os, sys; read, write = os.pipe(); os.dup2(write, 1); os.close(read);"
        "os.close(write); from polhode.cli import main;"
        f"sys.exit(main('gallery {more}'.split()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "")


def test_equations_are_read_in_the_form_and_language_asked(capsys):
    """m l^2/3 th'' + m g l/2 sin th = 0, by Lagrange and by Kane, and as JSON."""
    text = answer(capsys, "equations", "pendulum")
    assert "l*m*(3*g*sin(hinge) + 2*hingeddot*l)/6 = 0" in text
    assert "M = [[l**2*m/3]]" in text
    assert answer(capsys, "equations", "pendulum", "--form", "Kane").startswith("Kane")
    for more in (("--language", "json"), ("--json",)):
        facts = json.loads(answer(capsys, "equations", "pendulum", *more))
        assert facts["is_shortest"] is True


def test_the_manual_is_verified(capsys, monkeypatch):
    """A row a problem and a count; fewer digits than stated are bad news."""
    from polhode.verification import PROBLEMS, Answer

    words = ("verify", "--only", "double_pendulum", "--only", "elements_to_state")
    lines = answer(capsys, *words).splitlines()
    columns = ["problem", "source", "printed", "ours", "digits", "verdict"]
    assert lines[0].split() == columns
    assert [line.split()[0] for line in lines[1:3]] == list(words[2::2])
    assert all(line.endswith("reached") for line in lines[1:3])
    assert lines[-1].startswith("2 of 2 problems from 2 sources reach their digits")
    (facts,) = json.loads(answer(capsys, *words[:3], "--json"))
    assert facts["is_reached"] is True
    assert facts["source"].startswith("Landau and Lifshitz, Mechanics")
    assert facts["answers"][0]["digits"] >= facts["stated"]
    worse = replace(
        PROBLEMS["double_pendulum"], run=lambda: [Answer("w", 1.0, 1.0 + 1e-9)]
    )
    monkeypatch.setitem(PROBLEMS, "double_pendulum", worse)
    assert "below 11" in answer(capsys, *words[:3], code=1)


def test_a_model_is_audited(capsys):
    """Weight is invariant, the loop's rows are, and the ledger balances."""
    text = answer(capsys, "audit", "pendulum", "--until", "0.2")
    assert "'weight' is properly invariant" in text
    assert "all that acts is answered" in text
    assert "balance, at most, J" in text
    facts = json.loads(answer(capsys, "audit", "pendulum", "--json", "--until", "0.2"))
    assert facts["ledger"]["is_sound"] is True
    assert [f["name"] for f in facts["findings"]] == ["weight"]
    assert max(facts["unanswered"].values()) < 1e-12


def test_an_energy_of_absolute_places_fails_its_audit(capsys, tmp_path):
    """A raw potential without the body that holds it ends with code 1."""
    (tmp_path / "raw.py").write_text(
        "import polhode as ph\n"
        "bob = ph.Particle('bob', 1.0)\n"
        "def energy(b, t):\n"
        "    return b.position @ b.position / 2\n"
        "pull = ph.theory.RawPotential((bob.frame,), energy, name='pull')\n"
        "held = ph.System([bob], [pull], name='held')\n"
    )
    text = answer(capsys, "audit", str(tmp_path / "raw.py"), "--until", "0.1", code=1)
    assert "'pull' is not invariant" in text


def test_a_stored_motion_is_audited_and_plotted(capsys, tmp_path):
    """The file and its model give the ledger, a picture of curves and no run."""
    out, picture = tmp_path / "m.nc", tmp_path / "m.png"
    answer(capsys, "run", "pendulum", "--until", "0.2", "--out", str(out))
    text = answer(capsys, "audit", str(out), "pendulum")
    assert text.lstrip().startswith("start")
    assert answer(capsys, "audit", str(out)) == text  # the model is in the file
    words = ("plot", str(out), "--what", "hinge", "--out", str(picture))
    assert f"The picture is in {picture}" in answer(capsys, *words).replace("\n", "")
    assert json.loads(answer(capsys, *words, "--json")) == {"picture": str(picture)}
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_report_is_one_page(capsys, tmp_path):
    """The HTML is written, and its path is told."""
    page = tmp_path / "r.html"
    words = ("report", "pendulum", "--until", "0.2", "--out", str(page))
    assert "The page is in" in answer(capsys, *words, "--compare", "1")
    text = page.read_text(encoding="utf-8")
    assert "<html" in text[:200].lower()
    assert "All formulations, side by side" in text
    said = answer(capsys, *words, "--compare", "0", "--json")
    assert json.loads(said) == {"page": str(page)}


class Window:
    """A viewer that shows nothing and waits for nobody."""

    url = "http://127.0.0.1:1/?word"
    asked: ClassVar[list] = []

    def __init__(self, motion, *, browser):
        self.asked.append((motion, browser))

    def wait(self):
        """Until Ctrl-C."""


def test_a_view_shows_the_motion(capsys, monkeypatch):
    """The live scene is asked for the motion of the model, and its address told."""
    monkeypatch.setattr(
        ph.results.Trajectory,
        "show",
        lambda motion, browser, **seen: Window(motion, browser=browser),
    )
    text = answer(capsys, "view", "pendulum", "--until", "0.2", "--no-browser")
    motion, browser = Window.asked[-1]
    assert motion.system.name == "pendulum"
    assert float(motion.t[-1]) == 0.2
    assert browser is False
    assert Window.url in text
    words = ("view", "pendulum", "--until", "0.2", "--no-browser", "--json")
    assert json.loads(answer(capsys, *words)) == {"url": Window.url}


@pytest.mark.long
def test_a_view_is_written_as_a_film_or_a_picture(capsys, tmp_path):
    """The end of the name says which; no window is opened."""
    for name, kind, head in (
        ("a.gif", "film", b"GIF8"),
        ("a.png", "picture", b"\x89PNG"),
    ):
        path = tmp_path / name
        words = ("view", "pendulum", "--until", "0.05", "--out", str(path), "--json")
        assert json.loads(answer(capsys, *words)) == {kind: str(path)}
        assert path.read_bytes().startswith(head)


def test_forms_are_compared(capsys, monkeypatch):
    """A table for people, rows for machines; disagreement is bad news."""
    from polhode.formulation.compare import Comparison, Row

    good = Comparison("pendulum", (Row("Kane", 1, 1, 1e-15, 0.0, 0.0, 9, 0.1),))
    monkeypatch.setattr(ph, "compare", lambda *_, **__: good, raising=False)
    text = answer(capsys, "compare", "pendulum")
    assert "Largest disagreement 1.0e-15" in text
    facts = json.loads(answer(capsys, "compare", "pendulum", "--json"))
    assert facts["rows"][0]["name"] == "Kane"
    bad = Comparison("pendulum", (Row("Kane", 1, 1, 1e-2, 0.0, 0.0, 9, 0.1),))
    monkeypatch.setattr(ph, "compare", lambda *_, **__: bad, raising=False)
    answer(capsys, "compare", "pendulum", code=1)


def test_a_bar_comes_after_two_seconds_and_goes(monkeypatch):
    """Nothing before; then how many are done, and what is next, as plain text."""
    from rich.console import Console

    from polhode.cli import waiting

    where = Console(record=True, force_terminal=True, width=80, file=StringIO())
    with waiting.waiting("Comparing [crane]", where) as tell:
        tell(0, 20, "recursive")
        assert where.export_text() == ""
        monkeypatch.setattr(waiting, "SECONDS", 0.0)
        tell(5, 20, "Kane")
    shown = where.file.getvalue()
    assert "Comparing [crane]" in shown
    assert "5 of 20 Kane" in shown


def test_a_sign_of_life_comes_by_itself_while_something_compiles(monkeypatch):
    """Nobody tells anything, and after the time the title is there; then it is gone."""
    from rich.console import Console

    from polhode.cli import waiting

    monkeypatch.setattr(waiting, "SECONDS", 0.05)
    where = Console(force_terminal=True, width=80, file=StringIO())
    with waiting.waiting("Compiling [crane]", where) as told:
        deadline = time.monotonic() + 200
        while "Compiling [crane]" not in where.file.getvalue():
            assert time.monotonic() < deadline
            time.sleep(0.02)
        told.stage("Drawing")
    assert "Drawing" in where.file.getvalue()
    after = where.file.getvalue()
    told.stage("Nothing more")
    assert where.file.getvalue() == after


def test_nothing_is_drawn_where_there_is_no_terminal(monkeypatch, capsys):
    """Files and pipes get answers only."""
    from polhode.cli import waiting

    monkeypatch.setattr(waiting, "SECONDS", 0.0)
    with waiting.waiting("Comparing") as told:
        told(1, 2, "Kane")
    assert capsys.readouterr().err == ""


def test_long_equations_are_told_as_laws(capsys):
    """A satellite's closed form takes minutes: what acts on it is said at once."""
    text = answer(capsys, "equations", "satellite")
    assert text.startswith(
        "Newton and Euler, satellite\npdot[satellite] = F[gravity]\n"
    )
    assert "T = (J_x*orbit_wx**2" in text
    assert "--form lagrange" in text
    facts = json.loads(answer(capsys, "equations", "satellite", "--json"))
    assert facts["laws"][2] == "Ldot[satellite] = M[gravity]"
    assert facts["latex"][1].startswith(r"\dot{\mathbf{p}}")


@pytest.mark.long
def test_forms_of_a_pendulum_agree(capsys):
    """The real comparison of a pendulum ends well."""
    assert "Lagrange, second kind" in answer(capsys, "compare", "pendulum")


@pytest.mark.long
def test_equations_are_written_for_other_programs(capsys):
    """LaTeX to print, C and MATLAB to compile."""
    for language, word in (
        ("latex", r"\begin{aligned}"),
        ("c", "double"),
        ("matlab", "function"),
    ):
        words = ("equations", "pendulum", "--language", language)
        assert word in answer(capsys, *words)


@pytest.mark.long
def test_speed_is_measured(capsys, monkeypatch):
    """Microseconds of a step, positive, for the models asked."""
    monkeypatch.setattr("polhode.cli.bench.STEPS", 50)
    monkeypatch.setattr("polhode.cli.bench.MANY", 8)
    rows = json.loads(answer(capsys, "bench", "pendulum", "--json"))
    assert rows[0]["model"] == "pendulum"
    assert rows[0]["alone"] > 0
    assert "one step, us" in answer(capsys, "bench", "pendulum")
