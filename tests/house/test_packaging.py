"""Other ways to install: they ask for what pyproject.toml asks for."""

from __future__ import annotations

import re
import tomllib

import polhode
from source_tree import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
RECIPE = (ROOT / "packaging" / "recipe.yaml").read_text(encoding="utf-8")
OTHERWISE = {"matplotlib": "matplotlib-base"}  # conda-forge's, without a window


def test_the_conda_recipe_has_the_same_dependencies():
    """Each with its range, and the same version, Python and command."""
    run = RECIPE.partition("  run:\n")[2].partition("\n\n")[0]
    found = {line.strip().removeprefix("- ") for line in run.splitlines()}
    pairs = [re.match(r"([\w-]+)(.*)", each) for each in PROJECT["dependencies"]]
    wanted = {f"{OTHERWISE.get(p[1], p[1])} {p[2]}" for p in pairs if p}
    assert found == wanted | {f"python {PROJECT['requires-python']}"}
    assert f'version: "{polhode.__version__}"' in RECIPE
    (command,) = PROJECT["scripts"].items()
    assert " = ".join(command) in RECIPE


def test_the_image_runs_the_demo():
    """Its base is a Python that the project takes."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    version = re.search(r"^FROM python:3\.(\d+)-slim$", text, re.MULTILINE)
    assert version
    assert int(version[1]) >= 11
    assert 'CMD ["make", "demo"]' in text
