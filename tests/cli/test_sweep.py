"""`polhode sweep`: from a model file to a folder, whole or by shares."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import polhode as ph
from polhode.cli import main
from polhode.cli.sweep import spans
from polhode.errors import ModelFileError
from polhode.integrate.kernel.status import DONE
from polhode.integrate.results.sweep_statistics import last_states
from swept_by import hashes


@pytest.fixture
def model(tmp_path):
    """A pendulum whose mass and start are drawn; some masses cannot be."""
    start = ph.models.start("pendulum")
    own = {"coordinates": {"hinge": ph.distributions.Uniform(-1.0, 1.0)}}
    own["parameters"] = {"m": ph.distributions.Uniform(-0.1, 1.0)}
    drawn = ph.Ensemble(start, 40, seed=2, **own)
    path = tmp_path / "model.toml"
    ph.save_model(start.system, path, ensemble=drawn, run={"until": 0.5})
    assert ph.load_model(path).ensemble.digest() == drawn.digest()
    return str(path)


def test_shares_make_the_folder_of_one_command(model, tmp_path, capsys):
    """Bad news are runs that failed, in a table; what is missing is told."""
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    assert main(["sweep", model, "--to", one, "--slab", "10"]) == 1
    told = capsys.readouterr().out
    assert "40 runs of pendulum in 4 parts: 4 are in" in told
    assert "Runs that failed" in told
    assert "STATE" in told
    assert "deviation" in told
    main(["sweep", model, "--to", two, "--slab", "10", "--part", "2/4"])
    assert "Missing are 3: 1,3-4 of 4." in capsys.readouterr().out
    main(["sweep", model, "--to", two, "--slab", "10", "--missing", "--json"])
    facts = json.loads(capsys.readouterr().out)
    assert facts["missing"] == []
    assert facts["failures"][0]["runs"] == len(ph.load_sweep(one).failed)
    assert hashes(one) == hashes(two)


def test_words_that_cannot_be_are_refused(model, tmp_path, capsys):
    """A share that is none, two that exclude each other, another seed in a folder."""
    to = ["--to", str(tmp_path / "runs")]
    assert main(["sweep", model, *to, "--part", "5/4"]) == 2
    assert main(["sweep", model, *to, "--part", "1/4", "--missing"]) == 2
    main(["sweep", model, *to])
    assert main(["sweep", model, *to, "--seed", "3"]) == 4
    assert "states or parameters" in capsys.readouterr().err
    assert main(["sweep", model, *to, "--set", "l=2"]) == 4


def test_distributions_that_cannot_be_are_told_by_line(model, tmp_path):
    """All at once, in the file's own words."""
    text = (tmp_path / "model.toml").read_text()
    for old, new, words in (
        ("uniform = [-1.0, 1.0]", "uniform = [1.0, -1.0]", "lower end comes first"),
        ("uniform = [-1.0, 1.0]", "gauss = [1.0, 1.0]", "is no distribution"),
        ("seed = 2", "sede = 2", "seed"),
        ("m = {", "mm = {", "'m'"),
    ):
        path = tmp_path / "wrong.toml"
        path.write_text(text.replace(old, new))
        with pytest.raises(ModelFileError, match=words):
            ph.load_model(path)


def test_a_value_of_what_is_drawn_is_refused(model, tmp_path, capsys):
    """It would be taken by no run; other parameters are set."""
    command = ["sweep", model, "--to", str(tmp_path / "a"), "--set"]
    assert main([*command, "m=3"]) == 2
    assert "--set m=3 would change no run." in capsys.readouterr().err
    assert not (tmp_path / "a").exists()
    main([*command, "l=0.5"])
    assert ph.load_sweep(tmp_path / "a").system.parameters["l"] == 0.5


def test_spans_are_those_of_job_arrays():
    """Neighbours are joined."""
    assert spans([1, 2, 3, 7, 9, 10]) == "1-3,7,9-10"
    assert spans([]) == ""


def test_statistics_are_of_runs_that_reached_the_end(model, tmp_path, capsys):
    """Runs that never began are no last states, also where they are a part alone."""
    folder = str(tmp_path / "one")
    main(["sweep", model, "--to", folder, "--slab", "1"])
    whole = ph.load_sweep(folder).whole()
    reached = np.setdiff1d(np.arange(40), whole.failed)
    assert 0 < len(reached) < 40
    told = capsys.readouterr().out
    assert f"At t = 0.5 s, the {len(reached)} runs that reached it" in told
    last = whole.final_q[reached, 0]
    numbers = (last.mean(), last.std(), last.min(), last.max())
    (row,) = [line.split() for line in told.splitlines() if line.startswith("hinge")]
    assert row[1:] == [f"{v:.5g}" for v in numbers]


def test_deviations_are_right_far_from_zero():
    """Places a thousand million metres away that differ by millimetres."""
    draw, parts = np.random.default_rng(1), []
    q = 1e9 + draw.normal(0.0, 1e-3, (30, 1))
    for rows in np.split(q, [1, 12]):
        status = np.full(len(rows), DONE)
        one = {"final_q": rows, "final_z": 0 * rows, "status": status}
        parts.append(SimpleNamespace(**one))
    total = last_states(parts)
    assert total.runs == 30
    np.testing.assert_allclose(total.mean[0], q.mean(), rtol=1e-15)
    np.testing.assert_allclose(np.sqrt(total.squares[0] / 30), q.std(), rtol=1e-3)
    assert total.least[0] == q.min()
    assert total.most[0] == q.max()


def test_a_gpu_is_asked_for_by_name(model, tmp_path, capsys, monkeypatch):
    """Without CuPy the command says what is missing, and makes no runs by itself."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    to = tmp_path / "runs"
    assert main(["sweep", model, "--to", str(to), "--backend", "cuda"]) == 3
    assert "polhode[gpu]" in capsys.readouterr().err
    assert not list(to.glob("part-*"))
