"""The examples run as a user runs them."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys

import pytest

from source_tree import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
LINES = 60  # of an example, at most

# What each prints, in part.
SAID = {
    "01_pendulum.py": (
        "c*thetadot + g*l*m*sin(theta)/2 + l**2*m*thetaddot/3 = 0",
        "work of damper of theta, J",
        "Boltzmann-Hamel",
    ),
    "02_four_bar.py": (
        "1 degree of freedom: 3 speeds, 5 constraint rows of rank 2",
        "the loop is open by less than 1e-9 m: True",
        "energy kept to 1e-6 J: True",
    ),
    "03_rolling_disc.py": (
        "critical speed: 3.546 rad/s",
        "at 0.7 of it the disc leans by up to 49.2 deg: falls over",
        "0.9 deg: stays up",
        "energy kept to 1e-6 J: True",
    ),
    "04_top.py": (
        "it leans by 28.65 to 38.25 degrees",
        "Conserved('top': 3 kept, 3 independent)",
        "above 104.1 rad/s it sleeps",
    ),
    "05_controller_and_events.py": (
        "near the top after 4.09 s, at +2.77 rad",
        "0.0000 rad from upright",
    ),
    "06_sweep.py": (
        "2304 runs to 8 s, 2304 complete",
        "turn over, the first after 0.19 s",
    ),
    "07_file_and_resume.py": (
        "killed with status 9; Recording('double pendulum', 0 to",
        "resumed: Trajectory('double pendulum', 0 to 5000 s",
        "the same bits as a run that was left alone: True",
    ),
    "08_identification.py": (
        "changes nothing: +1 % m, -0.5 % l, -0.5 % g",
        "l   0.788",
        "after 12 s: +- 0.048",
    ),
    "09_formation.py": (
        "Clohessy and Wiltshire's row of x: True",
        "pushed ahead: -1666 m ahead",
        "pushed outwards: +0 m ahead",
    ),
    "10_own_joint.py": (
        "m*(2*g*sin(p) + 2*pddot*(cos(p) + 1) - pdot**2*sin(p))/4 = 0",
        "Huygens: 0.709252 s",
        "from 0.1 rad: 0.709252 s",
        "from 3.0 rad: 0.709252 s",
    ),
    "11_robot_from_urdf.py": (
        "('waist', 'shoulder', 'elbow')",
        "limits of speed are not taken",
        "shoulder: at most 21.0 N m, and -19.8 N m at the end",
    ),
    "12_compiled_function.py": (
        "theta'' = -g*sin(theta)/l",
        "a step is 24 operations",
        "after 10 s energies are within 0.0",
    ),
    "13_inverse_kinematics.py": (
        "all reached: True",
        "closes to 1e-9 rad: True",
        "rates are slopes to 1 %: True",
    ),
    "14_c_package.py": ("CMakeLists.txt README.md crane.c crane.h test_crane.c",),
}
# Without a picture: a table, a file of a motion, numbers.
UNDRAWN = {"07_file_and_resume.py", "12_compiled_function.py", "14_c_package.py"}
# For the long suite: these trace large loops, and the README's page runs the first.
SLOW = {
    "01_pendulum.py",
    "02_four_bar.py",
    "03_rolling_disc.py",
    "04_top.py",
    "06_sweep.py",
    "09_formation.py",
}


def test_examples_are_numbered_in_order():
    """01, 02, ... without gaps, each with words of what it must say."""
    numbers = [int(re.match(r"(\d\d)_", path.name)[1]) for path in EXAMPLES]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert {path.name for path in EXAMPLES} == set(SAID)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_what_surprises(path):
    """Its docstring has a first line, a surprise, and the command that runs it."""
    text = path.read_text(encoding="utf-8")
    story = ast.get_docstring(ast.parse(text))
    assert len(text.splitlines()) < LINES
    assert story.partition("\n")[0].endswith(".")
    assert "\nWhat surprises: " in story
    assert story.endswith(f"\nRun it: python examples/{path.name}")


def cases():
    """The examples, the slow ones for the long suite."""
    for path in EXAMPLES:
        marks = [pytest.mark.long] if path.name in SLOW else []
        yield pytest.param(path, marks=marks, id=path.stem)


@pytest.mark.parametrize("path", [*cases()])
def test_an_example_runs_and_says_what_it_shows(path, tmp_path):
    """A fresh Python runs it without warnings, and it writes into out/ alone."""
    command = [sys.executable, "-W", "error", str(path)]
    env = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=env, check=False
    )
    assert done.returncode == 0, done.stderr
    for words in SAID[path.name]:
        assert words in done.stdout
    assert {place.name for place in tmp_path.iterdir()} <= {"out"}
    picture = tmp_path / "out" / f"{path.stem}.png"
    assert picture.exists() != (path.name in UNDRAWN)
