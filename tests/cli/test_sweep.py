"""`polhode sweep`: from a model file to a folder, whole or by shares."""

from __future__ import annotations

import json

import pytest

import polhode as ph
from polhode.cli import main
from polhode.cli.sweep import spans
from polhode.errors import ModelFileError
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


def test_spans_are_those_of_job_arrays():
    """Neighbours are joined."""
    assert spans([1, 2, 3, 7, 9, 10]) == "1-3,7,9-10"
    assert spans([]) == ""
