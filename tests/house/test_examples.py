"""The examples run as a user runs them."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from source_tree import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

# What each prints, in part.
SAID = {
    "01_compile_a_pendulum.py": (
        "theta'' = -g*sin(theta)/l",
        "angle 0.500 rad",
        "after 10 s the energies are within 0.0",
    ),
    "02_a_body_and_its_inertia.py": (
        "mass centre [0. ",
        "hammer.shaft.radius",
        "UnphysicalInertia: 'wheel' cannot have principal moments (2, 1, 5)",
    ),
    "03_a_tower_and_its_absorber.py": (
        "alone, the top moves 50.0 times as far as the ground",
        "4 modes of 'tower', complex",
    ),
}


def test_examples_are_numbered_in_order():
    """01, 02, ... without gaps, each with words of what it must say."""
    numbers = [int(re.match(r"(\d\d)_", path.name)[1]) for path in EXAMPLES]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert {path.name for path in EXAMPLES} == set(SAID)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_what_it_shows(path):
    """A fresh Python runs it without warnings, in any folder."""
    command = [sys.executable, "-W", "error", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for words in SAID[path.name]:
        assert words in done.stdout
